// SPDX-License-Identifier: Apache-2.0
/// Dynamic broadcast: packets arrive at every node as a Poisson process; intervals follow each
/// other without a gap, and in each one every node that has a packet when it starts broadcasts its
/// oldest. Source: Varvarigos & Bertsekas, section 5; spec/partial-collectives.md, section 7.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/bounds/partial.hpp"
#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/engine.hpp"
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

/// The `intervals` plan of dynamic-broadcast. Throws like plan_partial_broadcast.
[[nodiscard]] Plan plan_dynamic_broadcast(const Topology& topology, const DynamicOptions& options);

/// What one load's run showed. Times are in units (a whole packet on a link).
struct DynamicPoint {
  /// rho, Eq. (12), and the arrivals per node and unit that make it.
  double load = 0;
  double rate = 0;
  /// By Eq. (14) with intervals `bound`, by L T(N) < 1 with `exact`.
  bool stable = false;
  /// Mean time from arrival to the end of the interval that broadcasts the packet, and half the
  /// width of its 95 % confidence interval (30 batch means). Empty when not stable: the delay then
  /// grows with the length of the run.
  std::optional<double> mean_delay;
  std::optional<double> delay_ci95;
  /// Eq. (11); holds for intervals `bound`, and so for the shorter `exact` ones. Empty where Eq.
  /// (14) does not hold.
  std::optional<double> delay_bound;
  std::uint64_t broadcasts = 0;
  /// Intervals run, empty ones included.
  std::uint64_t intervals = 0;
  /// Intervals whose broadcast did not end when the formula says, or did not reach everybody.
  /// Always 0; only runs with an engine look.
  std::uint64_t mismatches = 0;

  bool operator==(const DynamicPoint&) const = default;
};

struct DynamicRunOptions {
  /// When given, every interval's partial broadcast is planned and executed on such an engine, link
  /// by link, and its end compared with the formula that sets the interval. Without it the
  /// intervals' lengths are taken from the formulas, which the engines' tests prove exact.
  std::function<std::unique_ptr<Engine>(const Plan&)> engine;
  /// Threads that share the loads, at least 1. The result does not depend on it.
  unsigned threads = 1;
  Progress progress;
};

/// Runs all loads of a dynamic-broadcast plan. Same plan, same result.
[[nodiscard]] std::vector<DynamicPoint> run_dynamic(const Plan& plan,
                                                    const DynamicRunOptions& options);

/// The largest load that is stable: Eq. (14) for intervals `bound`, L T(N) = 1 for `exact`.
[[nodiscard]] double dynamic_load_limit(const Plan& plan);

}  // namespace gossamer
