// SPDX-License-Identifier: Apache-2.0
/// Runs, proves and reports experiments.
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

/// A function for DynamicRunOptions::execute: runs an interval's plan on an engine that `engine`
/// makes, and returns its cycles.
[[nodiscard]] std::function<std::optional<std::uint64_t>(const Plan&)> intervals_on(
    std::function<std::unique_ptr<Engine>(const Plan&)> engine);

/// Runs all loads of an experiment and reports. `engine`: the name of the engine that ran the
/// intervals.
[[nodiscard]] Report run_experiment(const Experiment& experiment, std::string engine,
                                    const DynamicRunOptions& options);

/// A report with all figures of the experiment itself filled in.
[[nodiscard]] Report report_for(const Experiment& experiment, std::string engine);

/// How an experiment runs on a named engine. On the fast engine the lengths of intervals come from
/// their formulas unless `execute` is set; the other engines execute every interval.
struct DynamicEngineOptions {
  bool execute = false;
  /// Used by the fast engine; the others simulate one interval after the other.
  unsigned threads = 1;
  Progress progress;
};
/// Throws InputError for an unknown engine, or an option that it does not support.
[[nodiscard]] Report run_experiment_on(std::string_view engine, const Experiment& experiment,
                                       const EngineOptions& engine_options,
                                       const DynamicEngineOptions& options);

/// The measured points of a report that one of these functions made, in the experiment's order.
[[nodiscard]] std::span<const DynamicPoint> points_of(const Report& report);

/// Judges a dynamic broadcast. For every number M of active nodes the interval must be as long as
/// the partial broadcast of M packets (closed forms). The broadcasts of 1, N/2 and N packets are
/// proved phase by phase. The experiment does not promise stability.
[[nodiscard]] Verdict verify_experiment(const Experiment& experiment,
                                        const Progress& progress = {});
/// The same as a report.
[[nodiscard]] Report prove(const Experiment& experiment, const Progress& progress);

}  // namespace gossamer
