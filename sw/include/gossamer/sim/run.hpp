// SPDX-License-Identifier: Apache-2.0
/// One run of a plan on an engine, watched, judged and reported.
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
  /// Where the trace goes; null: no trace.
  std::ostream* trace = nullptr;
  /// Somebody else who watches, and sees what the trace shows; null: nobody. When it returns false
  /// the run ends behind the present step.
  Observer* observer = nullptr;
  /// Give up after so many steps. Empty: when the engine is done; engines that have no end, after
  /// twice the formula's count and some, or where there is no formula, so many that every packet
  /// has been everywhere it can get.
  std::optional<std::uint64_t> max_steps{};
  /// Whether to judge the run. Empty: when that takes at most 2 GiB. Without a judge a run of
  /// an engine without end lasts exactly the formula's steps, and completeness is left to the
  /// static proof.
  std::optional<bool> judged{};
  /// Run a plan of a torus on the mesh of the same sides, the torus folded onto it: torus step t is
  /// mesh steps 2t-1 and 2t. Trace and report are the mesh's; `bound_steps` is twice the torus
  /// plan's count. A gossip is judged on the mesh, other collectives on the torus, and the fold by
  /// looking for collisions.
  bool fold = false;
  /// Routers that wait for each other: the script that the engine stalls by; null: nobody stalls,
  /// and the cycles are compared with the formula's.
  const StallScript* stalls = nullptr;
  Progress progress{};
};

/// Steps after which nothing new can happen. Empty for engines that end by themselves.
[[nodiscard]] std::optional<std::uint64_t> settled_after(const Plan& plan);

/// Steps after which a run gives up when no other number is asked for: twice the formula's count
/// and 64, or settled_after where there is no formula; kNoStepLimit for engines that
/// end by themselves. Run and proof count the transfers, duplicates, conflicts and queues of an
/// incomplete plan up to here.
[[nodiscard]] std::uint64_t step_limit(const Plan& plan);

/// Throws InfeasibleError for a plan that cannot be folded: of a mesh, or of a machine whose
/// steps are not links.
void check_foldable(const Plan& plan);

/// Runs a plan on its engine, once, and reports. What a model or the RTL asserts
/// ends the run and is one of the report's problems. Throws InputError when neither a judge nor a
/// formula can end the run, and as check_foldable.
[[nodiscard]] Report run_plan(const Plan& plan, Engine& engine, const RunOptions& options = {});

/// Runs a plan on the engine of that name, and reports. The run knows of the engine's stalls.
/// Throws InputError as make_engine and run_plan.
[[nodiscard]] Report run_on_engine(std::string_view engine, const Plan& plan,
                                   const EngineOptions& engine_options, RunOptions options = {});

}  // namespace gossamer
