// SPDX-License-Identifier: Apache-2.0
/// One load of a dynamic broadcast, as plots and reports show it.
#pragma once

#include <cstdint>
#include <optional>

namespace gossamer {

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

}  // namespace gossamer
