// SPDX-License-Identifier: Apache-2.0
/// One run of a plan on an engine, watched and reported.
#pragma once

#include <iosfwd>
#include <optional>

#include "gossamer/partial/dynamic_broadcast.hpp"
#include "gossamer/report/report.hpp"
#include "gossamer/sim/engine.hpp"
#include "gossamer/sim/relay_engine.hpp"
#include "gossamer/util/progress.hpp"

namespace gossamer {

struct RunOptions {
  /// Where the trace goes; null: no trace.
  std::ostream* trace = nullptr;
  /// Give up after so many steps. Empty: twice the formula's count and some, or where there is no
  /// formula, so many that every packet has been everywhere it can get.
  std::optional<std::uint64_t> max_steps;
  /// Whether to keep track of who knows what. Empty: when that takes at most 2 GiB. Without it the
  /// run lasts exactly the formula's steps, and completeness is left to the static proof.
  std::optional<bool> scoreboard;
  Progress progress;
};

/// Steps after which nothing new can happen: a schedule is over; with streams the last switch is
/// past, and every packet has been round every feed cycle behind the longest lists.
[[nodiscard]] std::uint64_t settled_after(const Plan& plan);

/// Steps after which a run of a store-and-forward plan gives up when no other number is asked for:
/// twice the formula's count and 64, or settled_after where there is no formula. Run and proof
/// count the transfers, duplicates, conflicts and queues of an incomplete plan up to here.
[[nodiscard]] std::uint64_t step_limit(const Plan& plan);

/// Runs a store-and-forward plan and reports. Throws InputError when neither a scoreboard nor a
/// formula can end the run.
[[nodiscard]] Report run_plan(const Plan& plan, Engine& engine, const RunOptions& options);

/// Runs a store-and-forward plan of a torus folded onto the mesh of the same sides: torus step t is
/// mesh steps 2t-1 and 2t (docs/spec/partial-collectives.md, section 5). Trace and report are the
/// mesh's; `bound_steps` is twice the torus plan's count. A gossip is judged by who knows what on
/// the mesh, other collectives on the torus, and the fold by looking for collisions. Throws
/// InfeasibleError for meshes and for plans whose steps are not links (broadcast by relays, dynamic
/// broadcast).
[[nodiscard]] Report run_folded_plan(const Plan& plan, Engine& engine, const RunOptions& options);

/// The same refusal, before an engine is made.
void check_foldable(const Plan& plan);

/// Runs all loads of an experiment and reports. `engine` names what ran the intervals.
[[nodiscard]] Report run_experiment(const Experiment& experiment, std::string engine,
                                    const DynamicRunOptions& options);

/// Runs a relay plan and reports; a RelayAssertion of a hardware engine ends the run and is one of
/// the report's problems.
[[nodiscard]] Report run_relay_plan(const Plan& plan, RelayEngine& engine, std::ostream* trace);

}  // namespace gossamer
