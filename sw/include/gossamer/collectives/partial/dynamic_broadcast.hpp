// SPDX-License-Identifier: Apache-2.0
/// Dynamic broadcast: packets arrive at every node as a Poisson process. Intervals follow each
/// other without a gap. In each interval every node that has a packet at its start broadcasts its
/// oldest packet. Source: Varvarigos & Bertsekas, section 5; docs/spec/partial-collectives.md,
/// section 7.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/bounds/partial.hpp"
#include "gossamer/collectives/partial/dynamic_point.hpp"
#include "gossamer/plan/experiment.hpp"
#include "gossamer/util/progress.hpp"

namespace gossamer {

struct DynamicOptions {
  IntervalRule interval = IntervalRule::kBound;
  bounds::BroadcastRules rules;
  std::optional<PacketClock> clock;
  /// Utilizations rho > 0 (the paper's load: stability needs rho < 1 at the very least).
  std::vector<double> loads;
  /// Broadcasts per load, kMinDynamicBroadcasts .. kMaxDynamicBroadcasts.
  std::uint64_t broadcasts = 100000;
  std::uint64_t seed = 1;
};

/// Parses loads such as "0.1,0.2,0.5". Throws InputError for an entry that is not a number above 0
/// and at most kMaxLoadMillionths millionths, and for an empty or too long list.
[[nodiscard]] std::vector<double> parse_loads(std::string_view text);

/// A load in the form of plans. Requires a value that parse_loads returns.
[[nodiscard]] std::uint32_t load_in_millionths(double load);

/// Rejects an experiment with choices that no partial broadcast supports; throws like
/// plan_partial_broadcast.
void check_experiment(const Experiment& experiment);

/// The dynamic-broadcast experiment. Throws like plan_partial_broadcast.
[[nodiscard]] Experiment plan_dynamic_broadcast(const Topology& topology,
                                                const DynamicOptions& options);

struct DynamicRunOptions {
  /// If given, every interval's partial broadcast is planned and passed to it for execution. It
  /// returns the cycles, or empty when a check failed (intervals_on in sim/run.hpp). They are
  /// compared with the formula that determines the interval. Without it, the lengths of intervals
  /// come from the formulas, which tests with the engines confirm to be exact.
  std::function<std::optional<std::uint64_t>(const Plan&)> execute;
  /// Threads that share the loads, at least 1. The result does not depend on it.
  unsigned threads = 1;
  Progress progress;
};

/// Runs all loads. The same experiment gives the same result.
[[nodiscard]] std::vector<DynamicPoint> run_dynamic(const Experiment& experiment,
                                                    const DynamicRunOptions& options);

/// A packet that arrived at a node, at a time in units.
struct DynamicArrival {
  NodeId node = 0;
  double time = 0;
};

/// An interval of a run with at least one broadcast. Times are in units from the run's start.
struct DynamicIntervalRun {
  double start = 0;
  double end = 0;
  /// The nodes that broadcast, ascending.
  std::vector<NodeId> active;
  /// The packets that wait at its start, grouped by active node, oldest first. Each node broadcasts
  /// its oldest packet.
  std::vector<DynamicArrival> waiting;
};

/// Visits the intervals of one load's run in order, the same run as run_dynamic's, until `take`
/// returns false or the program's broadcasts are done.
void visit_dynamic_intervals(const Experiment& experiment, std::uint32_t load_millionths,
                             const std::function<bool(const DynamicIntervalRun&)>& take);

/// The results of the formulas for each load: no delay is measured, nothing is broadcast.
[[nodiscard]] std::vector<DynamicPoint> dynamic_outlook(const Experiment& experiment);

/// Units of an interval with `active` nodes, and the cycles of the partial broadcast that
/// runs in it. Requires active <= nodes.
struct DynamicInterval {
  double units = 0;
  std::uint64_t broadcast_cycles = 0;
};
[[nodiscard]] DynamicInterval dynamic_interval(const Experiment& experiment, std::uint64_t active);

/// The partial broadcast that an interval runs when `active` have packets.
[[nodiscard]] Plan dynamic_interval_plan(const Experiment& experiment, std::vector<NodeId> active);

/// Sub-steps of an interval's plan: their number per unit of time, their number in the prefix, and
/// the last one.
struct DynamicIntervalSteps {
  std::uint32_t per_unit = 1;
  std::uint64_t prefix = 0;
  std::uint64_t last = 0;
};
[[nodiscard]] DynamicIntervalSteps dynamic_interval_steps(const Plan& interval);

/// The largest load that is stable: Eq. (14) for intervals `bound`, L T(N) = 1 for `exact`.
[[nodiscard]] double dynamic_load_limit(const Experiment& experiment);

}  // namespace gossamer
