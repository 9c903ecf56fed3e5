// SPDX-License-Identifier: Apache-2.0
/// Runs a plan on an engine, with observers, judge and report.
#pragma once

#include <iosfwd>
#include <optional>
#include <string_view>

#include "gossamer/report/report.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/sim/stall_script.hpp"
#include "gossamer/util/progress.hpp"

namespace gossamer {

struct RunOptions {
  /// Destination of the trace; null: no trace.
  std::ostream* trace = nullptr;
  /// Optional additional observer, which sees the same data as the trace; may be null. When it
  /// returns false the run ends after the current step.
  Observer* observer = nullptr;
  /// The run gives up after this number of steps. Empty: it ends when the engine is done. Engines
  /// without an end stop after twice the formula's count and a margin. Without a formula they stop
  /// after enough steps for every packet to reach every node that it can reach.
  std::optional<std::uint64_t> max_steps{};
  /// Whether to judge the run. Empty: if the judge needs at most 2 GiB. Without a judge a run of an
  /// engine without end lasts exactly the formula's steps, and completeness is left to the static
  /// proof.
  std::optional<bool> judged{};
  /// Run a torus plan on the mesh of the same sides, with the torus folded onto it: torus step t is
  /// mesh steps 2t-1 and 2t. Trace and report are the mesh's; `bound_steps` is twice the torus
  /// plan's count. An all-gather is judged on the mesh, other collectives on the torus; the fold is
  /// checked for collisions.
  bool fold = false;
  /// Valid/ready routers: the engine's stall script; null: no stalls, and the cycles are compared
  /// with the formula's.
  const StallScript* stalls = nullptr;
  Progress progress{};
};

/// Steps after which nothing new can happen. Empty for engines that end on their own.
[[nodiscard]] std::optional<std::uint64_t> settled_after(const Plan& plan);

/// Default number of steps after which a run gives up: twice the formula's count plus 64, or
/// settled_after where there is no formula; kNoStepLimit for engines that end on their own. Run and
/// proof count the transfers, duplicates, conflicts and queues of an incomplete plan up to this
/// step.
[[nodiscard]] std::uint64_t step_limit(const Plan& plan);

/// Throws InfeasibleError for a plan that cannot be folded: a mesh plan, or a plan of a machine
/// whose steps do not correspond to links.
void check_foldable(const Plan& plan);

/// Runs a plan on its engine, once, and reports. A failed assertion of a model or the RTL ends the
/// run and becomes one of the report's problems. Throws InputError when neither a judge nor a
/// formula can end the run, and like check_foldable.
[[nodiscard]] Report run_plan(const Plan& plan, Engine& engine, const RunOptions& options = {});

/// Runs a plan on the named engine, and reports. The run uses the engine's stalls. Throws
/// InputError like make_engine and run_plan.
[[nodiscard]] Report run_on_engine(std::string_view engine, const Plan& plan,
                                   const EngineOptions& engine_options, RunOptions options = {});

}  // namespace gossamer
