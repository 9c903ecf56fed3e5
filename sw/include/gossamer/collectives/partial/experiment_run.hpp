// SPDX-License-Identifier: Apache-2.0
/// Experiments run, proved and reported.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "gossamer/collectives/partial/dynamic_broadcast.hpp"
#include "gossamer/collectives/partial/dynamic_point.hpp"
#include "gossamer/plan/experiment.hpp"
#include "gossamer/report/report.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/util/progress.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {

/// DynamicRunOptions::execute on such engines: runs an interval's plan and tells its cycles.
[[nodiscard]] std::function<std::optional<std::uint64_t>(const Plan&)> intervals_on(
    std::function<std::unique_ptr<Engine>(const Plan&)> engine);

/// Runs all loads of an experiment and reports. `engine` names what ran the intervals.
[[nodiscard]] Report run_experiment(const Experiment& experiment, std::string engine,
                                    const DynamicRunOptions& options);

/// A report with everything that the experiment itself says filled in.
[[nodiscard]] Report report_for(const Experiment& experiment, std::string engine);

/// How an experiment runs on an engine by name. On the fast engine the intervals' lengths come from
/// their formulas, unless `execute`; the other engines execute every interval.
struct DynamicEngineOptions {
  bool execute = false;
  /// Used by the fast engine; the others simulate one interval after the other.
  unsigned threads = 1;
  Progress progress;
};
/// Throws InputError for an unknown engine, or an option that it does not take.
[[nodiscard]] Report run_experiment_on(std::string_view engine, const Experiment& experiment,
                                       const EngineOptions& engine_options,
                                       const DynamicEngineOptions& options);

/// What was measured, in the experiment's order, of a report that one of these functions made.
[[nodiscard]] std::span<const DynamicPoint> points_of(const Report& report);

/// Judges a dynamic broadcast: for every number M of active nodes the interval must be as long as
/// the partial broadcast of M packets (closed forms), and the broadcasts of 1, N/2 and N packets
/// are proved phase by phase. Stability is no promise of the experiment's.
[[nodiscard]] Verdict verify_experiment(const Experiment& experiment,
                                        const Progress& progress = {});
/// The same as a report.
[[nodiscard]] Report prove(const Experiment& experiment, const Progress& progress);

}  // namespace gossamer
