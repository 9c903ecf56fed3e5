// SPDX-License-Identifier: Apache-2.0
#include "gossamer/bounds/broadcast.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>

#include "gossamer/bounds/faults.hpp"
#include "gossamer/bounds/gossip.hpp"

namespace gossamer::bounds {

namespace {

/// Calls visit(j, i) for every step of `eye`: levels from the highest, dimensions ascending.
template <typename Visit>
void for_each_eye_step(std::span<const int> levels, Visit visit) {
  const int highest = *std::max_element(levels.begin(), levels.end());
  for (int j = highest; j >= 1; --j) {
    for (std::size_t i = 0; i < levels.size(); ++i) {
      if (levels[i] >= j) visit(j, i);
    }
  }
}

std::int64_t sign_of_level(int k) { return k % 2 == 0 ? 1 : -1; }

std::int64_t excess_term(std::int64_t c, std::int64_t before, std::int64_t after, std::int64_t a) {
  return c + before * std::abs(c) + after * std::min(std::abs(c), std::abs(c - a));
}

}  // namespace

int ceil_log2(std::uint64_t n) { return n <= 1 ? 0 : static_cast<int>(std::bit_width(n - 1)); }

std::optional<int> exact_log2(std::uint32_t side) {
  if (!std::has_single_bit(side)) return std::nullopt;
  return std::countr_zero(side);
}

std::optional<std::vector<int>> levels_of(const Topology& topology) {
  std::vector<int> levels;
  for (const std::uint32_t side : topology.sides()) {
    const std::optional<int> k = exact_log2(side);
    if (!k) return std::nullopt;
    levels.push_back(*k);
  }
  return levels;
}

std::uint64_t cycle_message_steps(std::uint64_t nodes, std::uint64_t words) {
  return (words + nodes - 1) / 2;
}

std::uint64_t hamiltonian_message_steps(const Topology& topology, std::uint64_t words) {
  const auto cycles = static_cast<std::uint64_t>(topology.is_torus() ? topology.dimensions() : 1);
  return cycle_message_steps(topology.nodes(), (words + cycles - 1) / cycles);
}

int broadcast_steps(const Topology& topology) { return ceil_log2(topology.cores()); }

std::uint32_t eye_distance(int k) {
  return static_cast<std::uint32_t>(((std::int64_t{1} << k) - sign_of_level(k)) / 3);
}

std::uint32_t low_eye(int k) {
  return static_cast<std::uint32_t>(((std::int64_t{1} << (k + 1)) + sign_of_level(k) - 3) / 6);
}

std::uint32_t high_eye(int k) { return low_eye(k) + eye_distance(k); }

bool is_eye(int k, std::uint32_t x) { return x == low_eye(k) || x == high_eye(k); }

std::uint64_t eye_tcd(std::span<const int> levels) {
  std::uint64_t holders = 1;
  std::uint64_t tcd = 0;
  for_each_eye_step(levels, [&](int j, std::size_t) {
    tcd += holders * eye_distance(j);
    holders *= 2;
  });
  return tcd;
}

std::uint64_t optimal_tcd(int d, int k) {
  const auto power = [](int exponent) { return std::int64_t{1} << exponent; };
  if (d == 1) return static_cast<std::uint64_t>((k * power(k) + eye_distance(k)) / 3);
  const std::int64_t bracket = 3 * power(d * (k + 1) - 1) - sign_of_level(k) * (power(d - 1) - 1) -
                               power(k) * (power(d) + 1);
  return static_cast<std::uint64_t>((power(d) - 1) * bracket /
                                    (3 * (power(d) + 1) * (power(d - 1) - 1)));
}

EyeBlock eye_block(int d, int j, const Coordinates& source) {
  EyeBlock block;
  int low_count = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(d); ++i) {
    const auto x = static_cast<std::int32_t>(source[i] & ((1U << j) - 1));
    block.low[i] = x < std::int32_t{1} << (j - 1);
    low_count += block.low[i] ? 1 : 0;
    block.c[i] = block.low[i] ? static_cast<std::int32_t>(low_eye(j)) - x
                              : x - static_cast<std::int32_t>(high_eye(j));
    block.order[i] = static_cast<std::uint8_t>(i);
  }
  const bool eye = std::all_of(block.c.begin(), block.c.end(), [](int c) { return c == 0; });
  if (eye) return block;
  const bool odd = low_count % 2 != 0;
  if (d == 2 && odd) block.order = {1, 0};
  if (d == 3) block.order = odd ? DimensionOrder{0, 2, 1} : DimensionOrder{1, 2, 0};
  return block;
}

std::vector<Coordinates> eye_targets(int d, int j, const Coordinates& source) {
  const EyeBlock block = eye_block(d, j, source);
  const auto dimensions = static_cast<std::size_t>(d);
  const std::uint32_t step_in = eye_distance(j - 1);
  std::vector<Coordinates> targets;
  for (std::size_t p = 0; p < dimensions; ++p) {
    Coordinates target{};
    for (std::size_t q = 0; q < dimensions; ++q) {
      const std::size_t i = block.order[q];
      const std::uint32_t origin = source[i] & ~((1U << j) - 1);
      const bool low = block.low[i];
      std::uint32_t at = low ? low_eye(j) : high_eye(j);
      if (q == p) {
        at = low ? high_eye(j) : low_eye(j);
      } else if (q < p && j > 1 && 2 * block.c[i] > static_cast<std::int32_t>(step_in)) {
        at = low ? at - step_in : at + step_in;
      }
      target[i] = origin + at;
    }
    targets.push_back(target);
  }
  return targets;
}

std::uint64_t eye_excess(int d, int j, const Coordinates& source) {
  const EyeBlock block = eye_block(d, j, source);
  std::int64_t excess = 0;
  for (int p = 0; p < d; ++p) {
    excess += excess_term(block.c[block.order[static_cast<std::size_t>(p)]], p, d - 1 - p,
                          eye_distance(j - 1));
  }
  return static_cast<std::uint64_t>(excess);
}

std::uint64_t eye_source_tcd(int d, int k, const Coordinates& source) {
  std::uint64_t tcd = optimal_tcd(d, k);
  for (int j = 2; j <= k; ++j) tcd += eye_excess(d, j, source);
  return tcd;
}

std::uint64_t corner_tcd(int d, int k) {
  const auto dimensions = static_cast<std::uint64_t>(d);
  std::uint64_t tcd = optimal_tcd(d, k);
  for (int j = 2; j <= k; ++j) {
    tcd += dimensions * (dimensions + 1) / 2 * low_eye(j) +
           dimensions * (dimensions - 1) / 2 * low_eye(j - 1);
  }
  return tcd;
}

std::uint64_t eye_tcd_sum(int d, int k) {
  const std::uint64_t nodes = std::uint64_t{1} << (d * k);
  const auto dimensions = static_cast<std::int64_t>(d);
  std::uint64_t sum = nodes * optimal_tcd(d, k);
  for (int j = 2; j <= k; ++j) {
    std::int64_t straight = 0;
    std::int64_t across = 0;
    const std::int64_t a = eye_distance(j - 1);
    for (std::int64_t x = 0; x < std::int64_t{1} << (j - 1); ++x) {
      const std::int64_t c = std::int64_t{low_eye(j)} - x;
      straight += c;
      across += std::abs(c) + std::min(std::abs(c), std::abs(c - a));
    }
    const std::int64_t per_line =
        dimensions * straight + dimensions * (dimensions - 1) / 2 * across;
    // Both factors may be negative or odd on their own, never the product of all.
    sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(nodes >> (j - 1)) * per_line);
  }
  return sum;
}

std::uint64_t doubling_tcd(std::span<const int> levels) {
  std::uint64_t holders = 1;
  std::uint64_t tcd = 0;
  for_each_eye_step(levels, [&](int j, std::size_t) {
    tcd += holders << (j - 1);
    holders *= 2;
  });
  return tcd;
}

std::uint64_t unicast_tcd(const Topology& topology, NodeId source) {
  const Coordinates at = topology.coordinates(source);
  std::uint64_t tcd = 0;
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    const std::uint64_t side = topology.side(dim);
    const std::uint64_t below = at[static_cast<std::size_t>(dim)];
    const std::uint64_t above = side - 1 - below;
    // Distances along one line of the dimension; every line repeats them.
    const std::uint64_t line =
        topology.wraps(dim) ? side * side / 4 : below * (below + 1) / 2 + above * (above + 1) / 2;
    tcd += line * (topology.nodes() / side);
  }
  return tcd;
}

std::uint32_t eccentricity(const Topology& topology, NodeId source) {
  if (!topology.is_healthy()) return live_eccentricity(topology, source);
  const Coordinates at = topology.coordinates(source);
  std::uint32_t hops = 0;
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    const std::uint32_t side = topology.side(dim);
    const std::uint32_t below = at[static_cast<std::size_t>(dim)];
    hops += topology.wraps(dim) ? side / 2 : std::max(below, side - 1 - below);
  }
  return hops;
}

std::optional<std::uint64_t> disjoint_trees_steps(const Topology& topology, NodeId source,
                                                  std::uint64_t packets) {
  const Coordinates at = topology.coordinates(source);
  const std::uint64_t farthest = eccentricity(topology, source);
  std::vector<std::uint64_t> depths;
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    const std::uint64_t side = topology.side(dim);
    const std::uint64_t below = at[static_cast<std::size_t>(dim)];
    if (side == 1) continue;
    if (!topology.wraps(dim)) {
      const std::uint64_t along = std::max(below, side - 1 - below);
      depths.push_back(std::max(farthest, farthest + 2 - along));
    } else if (side == 2) {
      return std::nullopt;
    } else {
      depths.insert(depths.end(), 2, farthest + side - 1 - side / 2);
    }
  }
  // Trees join one by one, in order of their depth.
  std::sort(depths.begin(), depths.end());
  std::uint64_t steps = 0;
  std::uint64_t room = 0;
  for (std::size_t trees = 1; room < packets; ++trees) {
    const std::uint64_t before = depths[trees - 1] - 1;
    const std::uint64_t each = ceil_div(packets - room, trees);
    const bool last = trees == depths.size() || before + each < depths[trees];
    const std::uint64_t rounds = last ? each : depths[trees] - 1 - before;
    steps = before + rounds;
    room += rounds * trees;
  }
  return steps;
}

std::uint64_t step_cycles(std::span<const std::uint32_t> longest_hops, const MessageClock& clock) {
  std::uint64_t cycles = 0;
  for (const std::uint32_t hops : longest_hops) {
    cycles += std::uint64_t{hops} * clock.hop_cycles + clock.flits - 1 + clock.relay_cycles;
  }
  return longest_hops.empty() ? 0 : cycles - clock.relay_cycles;
}

std::uint64_t eye_cycles(std::span<const int> levels, const MessageClock& clock) {
  std::vector<std::uint32_t> hops;
  for_each_eye_step(levels, [&](int j, std::size_t) { hops.push_back(eye_distance(j)); });
  return step_cycles(hops, clock);
}

std::vector<std::uint32_t> eye_source_hops(int d, int k, const Coordinates& source) {
  std::vector<std::uint32_t> hops;
  for (int j = k; j >= 1; --j) {
    for (const Coordinates& target : eye_targets(d, j, source)) {
      std::uint32_t distance = 0;
      for (std::size_t i = 0; i < static_cast<std::size_t>(d); ++i) {
        distance += std::max(target[i], source[i]) - std::min(target[i], source[i]);
      }
      hops.push_back(distance);
    }
  }
  return hops;
}

std::uint64_t eye_source_cycles(int d, int k, const Coordinates& source,
                                const MessageClock& clock) {
  std::vector<std::uint32_t> hops = eye_source_hops(d, k, source);
  const auto level_of_step = [d, k](std::size_t t) { return k - static_cast<int>(t) / d; };
  if (clock.timing == MessageTiming::kStep) {
    // In the first step the source is alone; from the second on some eye sends a_j hops.
    for (std::size_t t = 1; t < hops.size(); ++t) {
      hops[t] = std::max(hops[t], eye_distance(level_of_step(t)));
    }
    return step_cycles(hops, clock);
  }
  const std::uint64_t gap = std::uint64_t{clock.flits} + clock.relay_cycles;
  std::uint64_t rest = 0;  // b_(t+1) + .. + b_m
  std::uint64_t latest = 0;
  for (std::size_t t = hops.size(); t-- > 0;) {
    const std::uint64_t sent = t * gap + std::uint64_t{hops[t]} * clock.hop_cycles + gap - 1;
    latest = std::max(latest, sent + rest);
    rest += std::uint64_t{eye_distance(level_of_step(t))} * clock.hop_cycles + gap - 1;
  }
  return latest - clock.relay_cycles;
}

std::uint64_t tree_cycles(const Topology& topology, NodeId source, const MessageClock& clock) {
  return std::uint64_t{eccentricity(topology, source)} * clock.hop_cycles + clock.flits - 1;
}

EyeHeader eye_header(std::span<const int> levels, bool torus) {
  EyeHeader header;
  const auto steps = std::accumulate(levels.begin(), levels.end(), 0);
  header.step = ceil_log2(static_cast<std::uint64_t>(steps));
  const int highest = *std::max_element(levels.begin(), levels.end());
  header.hops = ceil_log2(std::uint64_t{eye_distance(highest)} + 1);
  header.side = torus ? static_cast<int>(levels.size()) : 0;
  return header;
}

EyeHeader eye_source_header(int d, int k, const Coordinates& source) {
  EyeHeader header;
  header.step = ceil_log2(static_cast<std::uint64_t>(d) * static_cast<std::uint64_t>(k));
  header.order = d == 2 ? 1 : d == 3 ? 2 : 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(d); ++i) {
    // Every holder sends a_j in both directions; the source's own sends may be longer.
    std::uint32_t up = eye_distance(k);
    std::uint32_t down = eye_distance(k);
    for (int j = k; j >= 1; --j) {
      for (const Coordinates& target : eye_targets(d, j, source)) {
        if (target[i] > source[i]) up = std::max(up, target[i] - source[i]);
        if (target[i] < source[i]) down = std::max(down, source[i] - target[i]);
      }
    }
    header.hops += ceil_log2(std::uint64_t{up} + down + 1);
  }
  return header;
}

int eye_table_bits(std::span<const int> levels) {
  return std::accumulate(levels.begin(), levels.end(), 0);
}

}  // namespace gossamer::bounds
