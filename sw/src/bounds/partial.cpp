// SPDX-License-Identifier: Apache-2.0
#include "gossamer/bounds/partial.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/topology/rotated.hpp"

namespace gossamer::bounds {

namespace {

std::uint64_t power(std::uint64_t base, int exponent) {
  std::uint64_t result = 1;
  for (int i = 0; i < exponent; ++i) result *= base;
  return result;
}

std::uint64_t floor_root(std::uint64_t n) {
  auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(n)));
  while (root * root > n) --root;
  while ((root + 1) * (root + 1) <= n) ++root;
  return root;
}

/// Steps of the + direction of a line.
std::uint64_t rightward_steps(std::span<const std::uint32_t> counts) {
  std::uint64_t steps = 0;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i + 1 < counts.size(); ++i) {
    sum += counts[i];
    if (sum > 0) steps = std::max(steps, sum + counts.size() - 2 - i);
  }
  return steps;
}

/// sums[s]: number of (a_1 .. a_n), each in 0..p-1, with sum = s mod d.
std::vector<std::uint32_t> residue_counts(int n, std::uint32_t p, int d) {
  std::vector<std::uint32_t> sums(static_cast<std::size_t>(d), 0);
  sums[0] = 1;
  for (int i = 0; i < n; ++i) {
    std::vector<std::uint32_t> next(sums.size(), 0);
    for (std::size_t s = 0; s < sums.size(); ++s) {
      for (std::uint32_t a = 0; a < p; ++a) next[(s + a) % sums.size()] += sums[s];
    }
    sums = std::move(next);
  }
  return sums;
}

RingMode ring_mode(const BroadcastRules& rules) {
  if (rules.split) return RingMode::kSplit;
  return rules.alternate ? RingMode::kAlternate : RingMode::kWhole;
}

/// Steps of a full ring when its fullest node holds `most` packets and every other node at most one
/// fewer: Lemma 1's case.
std::uint64_t even_ring_steps(std::uint64_t most, std::uint32_t p, RingMode mode) {
  switch (mode) {
    case RingMode::kSplit:
      return most * (p - 1);
    case RingMode::kWhole:
      return most * (p / 2);
    case RingMode::kAlternate:
      return ceil_div(most * (p - 1), 2);
  }
  return 0;
}

}  // namespace

EqualSides EqualSides::of(const Topology& topology) {
  return {topology.dimensions(), equal_side(topology, "partial collectives"), topology.is_torus()};
}

std::uint64_t EqualSides::nodes() const { return power(side, dimensions); }

std::uint64_t prefix_steps(const EqualSides& sides, bool two_way) {
  const std::uint64_t sweep = static_cast<std::uint64_t>(sides.dimensions) * (sides.side - 1);
  return two_way ? sweep : 2 * sweep;
}

std::uint32_t packing_hops(const EqualSides& sides, bool wrap) {
  return wrap ? sides.side / 2 : sides.side - 1;
}

std::uint64_t monotone_steps(const EqualSides& sides, bool merged) {
  return (2 * static_cast<std::uint64_t>(sides.dimensions) - (merged ? 1U : 0U)) * (sides.side - 1);
}

std::uint64_t line_steps(std::span<const std::uint32_t> counts) {
  const std::vector<std::uint32_t> mirrored(counts.rbegin(), counts.rend());
  return std::max(rightward_steps(counts), rightward_steps(mirrored));
}

std::uint64_t ring_direction_steps(std::span<const std::uint32_t> counts, std::uint32_t hops_even,
                                   std::uint32_t hops_odd) {
  // A slot moves on by one node a step, so slot s is at node (s + t) mod p. An empty slot takes the
  // node's next own packet and carries it for its hops.
  const std::size_t p = counts.size();
  const auto hops = [&](std::uint32_t index) { return index % 2 == 0 ? hops_even : hops_odd; };
  std::vector<std::uint32_t> next(p, 0);
  std::vector<std::uint32_t> left(p, 0);
  std::uint64_t waiting = 0;
  const auto skip_idle = [&](std::size_t node) {
    while (next[node] < counts[node] && hops(next[node]) == 0) ++next[node];
  };
  for (std::size_t node = 0; node < p; ++node) {
    for (std::uint32_t i = 0; i < counts[node]; ++i) waiting += hops(i) != 0 ? 1U : 0U;
    skip_idle(node);
  }
  std::uint64_t steps = 0;
  for (std::uint64_t in_flight = 0; waiting + in_flight != 0; ++steps) {
    for (std::size_t slot = 0; slot < p; ++slot) {
      const std::size_t node = (slot + steps) % p;
      if (left[slot] == 0 && next[node] < counts[node]) {
        left[slot] = hops(next[node]++);
        skip_idle(node);
        --waiting;
        ++in_flight;
      }
      if (left[slot] != 0 && --left[slot] == 0) --in_flight;
    }
  }
  return steps;
}

std::uint64_t ring_steps(std::span<const std::uint32_t> counts, RingMode mode) {
  const auto p = static_cast<std::uint32_t>(counts.size());
  // Mirroring the ring turns the - direction into the + direction.
  const std::vector<std::uint32_t> mirrored(counts.rbegin(), counts.rend());
  const std::uint32_t plus = mode == RingMode::kSplit ? p - 1 : p / 2;
  const std::uint32_t minus = mode == RingMode::kSplit ? p - 1 : p - 1 - p / 2;
  const bool swap = mode == RingMode::kAlternate;
  return std::max(ring_direction_steps(counts, plus, swap ? minus : plus),
                  ring_direction_steps(mirrored, minus, swap ? plus : minus));
}

std::uint64_t line_worst_case(std::uint64_t packets, std::uint32_t side) {
  return packets + side - 2;
}

std::uint64_t ring_worst_case(std::uint64_t packets, std::uint32_t side, RingMode mode) {
  return packets + (mode == RingMode::kSplit ? side - 1 : side / 2) - 1;
}

std::uint64_t ring_lower_bound(std::span<const std::uint32_t> counts, RingMode mode) {
  const std::uint64_t parts = mode == RingMode::kSplit ? 2 : 1;
  const std::uint64_t all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  if (all == 0) return 0;
  const std::uint64_t least = *std::min_element(counts.begin(), counts.end());
  return std::max<std::uint64_t>(ceil_div(parts * (all - least), 2), counts.size() / 2);
}

std::uint32_t substeps_per_unit(const EqualSides& sides, bool split) {
  return split ? sides.gamma() * static_cast<std::uint32_t>(sides.dimensions) : 1;
}

std::uint64_t class_packets(const EqualSides& sides, bool split, std::uint64_t active) {
  return split ? active : ceil_div(active, static_cast<std::uint64_t>(sides.dimensions));
}

std::uint64_t subphase_steps(const EqualSides& sides, const BroadcastRules& rules, int subphase,
                             std::uint64_t packets) {
  const std::uint64_t p = sides.side;
  const std::uint64_t q = power(p, sides.dimensions - subphase);
  const std::uint64_t most = ceil_div(packets, p * q);
  if (sides.torus) return even_ring_steps(most, sides.side, ring_mode(rules));
  if (most == 1) return p - 1;
  return (p - 1) * (most - 1) + std::min(p - 1, ceil_div(packets - (most - 1) * p * q, q));
}

std::uint64_t BroadcastTimes::substeps() const {
  const std::uint64_t packed = std::accumulate(packing.begin(), packing.end(), std::uint64_t{0});
  return std::accumulate(broadcast.begin(), broadcast.end(), packed);
}

BroadcastTimes partial_broadcast_times(const EqualSides& sides, const BroadcastRules& rules,
                                       std::uint64_t active) {
  BroadcastTimes times;
  times.prefix_steps = prefix_steps(sides, rules.two_way);
  if (active == 0) return times;
  if (!rules.split) times.prefix_steps *= 2;
  const std::uint64_t hop = rules.split ? sides.gamma() : 1;
  times.packing.assign(static_cast<std::size_t>(sides.dimensions - (rules.skip_last ? 1 : 0)),
                       hop * packing_hops(sides, rules.wrap));
  const std::uint64_t packets = class_packets(sides, rules.split, active);
  for (int l = 1; l <= sides.dimensions; ++l) {
    times.broadcast.push_back(subphase_steps(sides, rules, l, packets));
  }
  return times;
}

BroadcastTimes multinode_times(const EqualSides& sides, const BroadcastRules& rules) {
  BroadcastTimes times;
  const int d = sides.dimensions;
  for (int l = 1; l <= d; ++l) {
    if (rules.split) {
      times.broadcast.push_back(subphase_steps(sides, rules, l, sides.nodes()));
      continue;
    }
    // A node at digit i holds the packets that l-1 dimensions collect: those whose other digits sum
    // up to the class. Lines differ in the residue of their fixed digits; over all classes every
    // residue occurs.
    const std::vector<std::uint32_t> held = residue_counts(l - 1, sides.side, d);
    std::uint64_t slowest = 0;
    for (std::uint32_t residue = 0; residue < held.size(); ++residue) {
      std::vector<std::uint32_t> counts;
      for (std::uint32_t i = 0; i < sides.side; ++i) {
        counts.push_back(held[(residue + i * (held.size() - 1)) % held.size()]);
      }
      slowest = std::max(slowest,
                         sides.torus ? ring_steps(counts, ring_mode(rules)) : line_steps(counts));
    }
    times.broadcast.push_back(slowest);
  }
  return times;
}

std::uint32_t multinode_whole_queue(const EqualSides& sides) {
  const std::vector<std::uint32_t> held =
      residue_counts(sides.dimensions - 1, sides.side, sides.dimensions);
  return *std::max_element(held.begin(), held.end());
}

std::uint64_t partial_broadcast_bound(const EqualSides& sides, bool split, std::uint64_t active) {
  const std::uint64_t n = sides.nodes();
  const std::uint64_t p = sides.side;
  const auto d = static_cast<std::uint64_t>(sides.dimensions);
  if (active == 0) return 0;
  if (split) return d * (sides.gamma() + 1) * (p - 1) + active * (n - 1) / n;
  const std::uint64_t h = ceil_div(p - 1, sides.gamma());
  // (N-1)/(p-1) is whole.
  return d * (p - 1) + d * h + ceil_div(active, d) * h * ((n - 1) / (p - 1)) / n;
}

std::uint64_t partial_broadcast_lower_bound(const EqualSides& sides, bool split,
                                            std::uint64_t active) {
  if (active == 0) return 0;
  const auto d = static_cast<std::uint64_t>(sides.dimensions);
  return split ? active - 1 : ceil_div(active - 1, sides.gamma() * d);
}

std::uint32_t partial_broadcast_queue(const EqualSides& sides, const BroadcastRules& rules,
                                      std::uint64_t active) {
  const std::uint64_t packets = class_packets(sides, rules.split, active);
  const bool halves_wait =
      rules.split && sides.torus && active != 0 && (sides.dimensions > 1 || !rules.skip_last);
  return static_cast<std::uint32_t>(
      std::max<std::uint64_t>(ceil_div(packets, sides.side), halves_wait ? 2 : 1));
}

std::uint64_t exchange_prefix_steps(std::uint32_t side, bool two_way) {
  return two_way ? side - 1 : side;
}

std::uint64_t exchange_paper_bound(std::uint32_t side, std::uint64_t active) {
  if (active == 0) return 0;
  const std::uint64_t p = side;
  return 2 * floor_root(active) * (p * p - p) + 2 * (p - 1);
}

std::uint64_t exchange_proved_bound(std::uint32_t side, std::uint64_t active) {
  if (active == 0) return 0;
  const std::uint64_t p = side;
  const std::uint64_t m = floor_root(active);
  // N - p = p(p-1) is even.
  return 3 * m * ((p * p - p) / 2) - p * (m * (m - 1) / 2) + 2 * (p - 2);
}

std::uint64_t exchange_lower_bound(const Topology& topology, std::span<const NodeId> active) {
  // The first two dimensions longer than 1. Rectangles extend over all others.
  std::array<int, 2> dims{};
  std::array<std::uint32_t, 2> sides{1, 1};
  std::size_t used = 0;
  for (int dim = 0; dim < topology.dimensions() && used < 2; ++dim) {
    if (topology.side(dim) == 1) continue;
    dims[used] = dim;
    sides[used++] = topology.side(dim);
  }
  const auto [nx, ny] = sides;
  const std::uint64_t n = topology.nodes();
  const std::uint64_t depth = n / nx / ny;
  // sum[y][x]: active nodes with smaller coordinates.
  std::vector<std::uint32_t> sum(std::size_t{nx + 1} * (ny + 1), 0);
  const auto at = [row = std::size_t{nx} + 1](std::uint32_t x, std::uint32_t y) {
    return y * row + x;
  };
  for (const NodeId node : active) {
    const Coordinates place = topology.coordinates(node);
    const auto coordinate = [&](std::size_t i) {
      return sides[i] == 1 ? 0 : place[static_cast<std::size_t>(dims[i])];
    };
    ++sum[at(coordinate(0) + 1, coordinate(1) + 1)];
  }
  for (std::uint32_t y = 1; y <= ny; ++y) {
    for (std::uint32_t x = 1; x <= nx; ++x) {
      sum[at(x, y)] += sum[at(x - 1, y)] + sum[at(x, y - 1)] - sum[at(x - 1, y - 1)];
    }
  }
  const std::uint64_t all = active.size();
  // Sides of the rectangle with links out, when it spans from..to-1 of the i-th dimension.
  const auto open = [&](std::uint32_t from, std::uint32_t to, std::size_t i) {
    if (topology.wraps(dims[i])) return to - from == sides[i] ? 0U : 2U;
    return (from > 0 ? 1U : 0U) + (to < sides[i] ? 1U : 0U);
  };
  std::uint64_t bound = 0;
  for (std::uint32_t y0 = 0; y0 < ny; ++y0) {
    for (std::uint32_t y1 = y0 + 1; y1 <= ny; ++y1) {
      const std::uint64_t open_y = open(y0, y1, 1);
      for (std::uint32_t x0 = 0; x0 < nx; ++x0) {
        for (std::uint32_t x1 = x0 + 1; x1 <= nx; ++x1) {
          const std::uint64_t links =
              depth * (std::uint64_t{open(x0, x1, 0)} * (y1 - y0) + open_y * (x1 - x0));
          if (links == 0) continue;
          const std::uint64_t inside =
              sum[at(x1, y1)] + sum[at(x0, y0)] - sum[at(x0, y1)] - sum[at(x1, y0)];
          const std::uint64_t area = depth * (x1 - x0) * (y1 - y0);
          bound = std::max(bound,
                           ceil_div(std::max(inside * (n - area), (all - inside) * area), links));
        }
      }
    }
  }
  return bound;
}

DynamicConstants dynamic_constants(const EqualSides& sides, bool split, double t_p) {
  const auto n = static_cast<double>(sides.nodes());
  const auto d = static_cast<double>(sides.dimensions);
  const double g = sides.gamma();
  const double p1 = sides.side - 1.0;
  if (split) return {2 * d * p1 * t_p + (1 + 1 / g) * p1, (n - 1) / (g * d * n)};
  const double h = std::ceil(p1 / g);
  return {p1 * d + d * h + 4 * p1 * d * t_p + 1, h * (n - 1) / (d * p1 * n)};
}

double dynamic_utilization(const EqualSides& sides, const DynamicConstants& constants,
                           double rate) {
  return rate * static_cast<double>(sides.nodes()) * constants.per_packet;
}

double dynamic_rate_limit(const EqualSides& sides, const DynamicConstants& constants) {
  return 1 / (constants.reservation + static_cast<double>(sides.nodes()) * constants.per_packet);
}

double dynamic_rate_limit_exact(double full_interval_units) { return 1 / full_interval_units; }

std::optional<double> dynamic_delay_bound(const EqualSides& sides,
                                          const DynamicConstants& constants, double rate) {
  const double v = constants.reservation;
  const double x = constants.per_packet;
  const double rho = dynamic_utilization(sides, constants, rate);
  const double slack = 1 - rho - rate * v;
  if (slack <= 0) return std::nullopt;
  return (1 + rho) * (rho * x + (1 - rho) * v + 2 * (1 - rate * v) * v) / (2 * slack) + x;
}

}  // namespace gossamer::bounds
