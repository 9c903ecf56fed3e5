// SPDX-License-Identifier: Apache-2.0
/// One load of a dynamic broadcast, as shown in plots and reports.
#pragma once

#include <cstdint>
#include <optional>

namespace gossamer {

/// The results of one load's run. Times are in units (a whole packet on a link).
struct DynamicPoint {
  /// rho, Eq. (12), and the corresponding arrivals per node and unit.
  double load = 0;
  double rate = 0;
  /// By Eq. (14) with `bound` intervals, by L T(N) < 1 with `exact`.
  bool stable = false;
  /// Mean time from arrival to the end of the interval that broadcasts the packet, and half the
  /// width of its 95 % confidence interval (30 batch means). Empty when not stable: the delay then
  /// grows with the length of the run.
  std::optional<double> mean_delay;
  std::optional<double> delay_ci95;
  /// Eq. (11); holds for `bound` intervals, and therefore also for the shorter `exact` ones. Empty
  /// where Eq. (14) does not hold.
  std::optional<double> delay_bound;
  std::uint64_t broadcasts = 0;
  /// Intervals run, including empty ones.
  std::uint64_t intervals = 0;
  /// Intervals whose broadcast did not end in the step of the formula, or did not reach every node.
  /// Always 0; only runs with an engine check it.
  std::uint64_t mismatches = 0;

  bool operator==(const DynamicPoint&) const = default;
};

}  // namespace gossamer
