// SPDX-License-Identifier: Apache-2.0
/// Dynamic broadcast: packets arrive at every node as a Poisson process; intervals follow each
/// other without a gap, and in each one every node that has a packet when it starts broadcasts its
/// oldest. Source: Varvarigos & Bertsekas, section 5; docs/spec/partial-collectives.md, section 7.
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
  /// Of each load's run, kMinDynamicBroadcasts .. kMaxDynamicBroadcasts.
  std::uint64_t broadcasts = 100000;
  std::uint64_t seed = 1;
};

/// "0.1,0.2,0.5" as loads. Throws InputError when an entry is no number above 0 and at most
/// kMaxLoadMillionths millionths, or there are none or too many.
[[nodiscard]] std::vector<double> parse_loads(std::string_view text);

/// A load as plans write it. Requires a value that parse_loads gives.
[[nodiscard]] std::uint32_t load_in_millionths(double load);

/// Refuses an experiment whose choices no partial broadcast has; throws like
/// plan_partial_broadcast.
void check_experiment(const Experiment& experiment);

/// The dynamic-broadcast experiment. Throws like plan_partial_broadcast.
[[nodiscard]] Experiment plan_dynamic_broadcast(const Topology& topology,
                                                const DynamicOptions& options);

struct DynamicRunOptions {
  /// When given, every interval's partial broadcast is planned and handed over to be executed: the
  /// cycles that it took, empty when a check failed (intervals_on in sim/run.hpp). They are
  /// compared with the formula that sets the interval. Without it the intervals' lengths are taken
  /// from the formulas, which the engines' tests prove exact.
  std::function<std::optional<std::uint64_t>(const Plan&)> execute;
  /// Threads that share the loads, at least 1. The result does not depend on it.
  unsigned threads = 1;
  Progress progress;
};

/// Runs all loads. Same experiment, same result.
[[nodiscard]] std::vector<DynamicPoint> run_dynamic(const Experiment& experiment,
                                                    const DynamicRunOptions& options);

/// A packet that came to a node, at a time in units.
struct DynamicArrival {
  NodeId node = 0;
  double time = 0;
};

/// An interval of a run in which something is broadcast. Times are in units, from the run's start.
struct DynamicIntervalRun {
  double start = 0;
  double end = 0;
  /// The nodes that broadcast, ascending.
  std::vector<NodeId> active;
  /// The packets that wait when it starts: those of each active node, the oldest first, which is
  /// the one that it broadcasts.
  std::vector<DynamicArrival> waiting;
};

/// Shows the intervals of one load's run in their order, the same run as run_dynamic's, until
/// `take` returns false or the program's broadcasts are done.
void visit_dynamic_intervals(const Experiment& experiment, std::uint32_t load_millionths,
                             const std::function<bool(const DynamicIntervalRun&)>& take);

/// What the formulas alone say of each load: no delay is measured, nothing is broadcast.
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

/// Its sub-steps: those of a unit of time, those of its prefix, and the last one.
struct DynamicIntervalSteps {
  std::uint32_t per_unit = 1;
  std::uint64_t prefix = 0;
  std::uint64_t last = 0;
};
[[nodiscard]] DynamicIntervalSteps dynamic_interval_steps(const Plan& interval);

/// The largest load that is stable: Eq. (14) for intervals `bound`, L T(N) = 1 for `exact`.
[[nodiscard]] double dynamic_load_limit(const Experiment& experiment);

}  // namespace gossamer
