// SPDX-License-Identifier: Apache-2.0
#include "gossamer/bounds/comparison.hpp"

#include "gossamer/bounds/gossip.hpp"

namespace gossamer::bounds {

namespace {

/// 1/3 and 1/6 the way the table's author typed them; other values are unaffected.
double unit_fraction(int denominator, Fractions fractions) {
  if (fractions == Fractions::kAsPrinted && denominator == 3) return 0.333;
  if (fractions == Fractions::kAsPrinted && denominator == 6) return 0.1666;
  return 1.0 / denominator;
}

}  // namespace

std::uint64_t ring_steps(std::uint64_t nodes) { return nodes - 1; }

std::uint64_t two_way_ring_steps(std::uint64_t nodes) { return nodes / 2; }

std::uint64_t hierarchical_steps(const Topology& torus) { return torus.nodes() - std::uint64_t{1}; }

std::uint64_t two_way_hierarchical_steps(const Topology& torus) {
  std::uint64_t gathered = 1;
  std::uint64_t steps = 0;
  for (const std::uint32_t side : torus.sides()) {
    steps += ceil_div(gathered * (side - 1), 2);
    gathered *= side;
  }
  return steps;
}

std::uint64_t theorem1_bound(std::uint64_t nodes) {
  // ceil((11 P - 40) / 40); P >= 4, so no term is negative.
  return ceil_div(11 * nodes, 40) - 1;
}

double time_optimal(double nodes, int dimensions, double startup, Fractions fractions) {
  return nodes / 2 * (unit_fraction(dimensions, fractions) + startup);
}

double time_one_packet(double nodes, double last_side, int dimensions, double startup,
                       Fractions fractions) {
  return nodes / last_side / 2 * (last_side * unit_fraction(dimensions, fractions) + 1) *
         (1 + startup);
}

double time_scheduled(double nodes, int dimensions, double startup, Fractions fractions) {
  return nodes * unit_fraction(2 * dimensions, fractions) * (1 + startup);
}

}  // namespace gossamer::bounds
