// SPDX-License-Identifier: Apache-2.0
#include "gossamer/bounds/one_packet.hpp"

#include <algorithm>
#include <numeric>

#include "gossamer/bounds/gossip.hpp"

namespace gossamer::bounds {

namespace {

/// Zigzag with `columns` as columns.
std::optional<std::uint64_t> zigzag_steps_oriented(std::uint64_t columns, std::uint64_t rows,
                                                   std::uint64_t k) {
  if (columns % 4 != 0 || rows % 2 != 0) return std::nullopt;
  if (columns == 4) return ceil_div(k * (columns * rows + 2), 4);
  if (rows < 4) return std::nullopt;
  return ceil_div(k * (columns * rows + 6), 4);
}

}  // namespace

std::optional<std::uint64_t> zigzag_steps(const Topology& topology,
                                          std::uint64_t packets_per_node) {
  if (!topology.is_torus() || topology.dimensions() != 2) return std::nullopt;
  const auto straight = zigzag_steps_oriented(topology.side(0), topology.side(1), packets_per_node);
  const auto transposed =
      zigzag_steps_oriented(topology.side(1), topology.side(0), packets_per_node);
  if (straight && transposed) return std::min(*straight, *transposed);
  return straight ? straight : transposed;
}

std::optional<std::uint64_t> rows_steps(const Topology& topology, std::uint64_t packets_per_node) {
  if (!topology.is_torus() || topology.dimensions() != 2) return std::nullopt;
  const std::uint64_t columns = std::min(topology.side(0), topology.side(1));
  const std::uint64_t rows = std::max(topology.side(0), topology.side(1));
  if (columns % 2 == 0 || rows % 2 == 0 || rows % columns != 0) return std::nullopt;
  return ceil_div(packets_per_node * (rows * columns + columns + 2), 4);
}

std::optional<RegularStrands> regular_strands(const Topology& topology) {
  if (!topology.is_torus() || topology.dimensions() != 2) return std::nullopt;
  const int longer = topology.side(1) > topology.side(0) ? 1 : 0;
  for (const int vertical : {longer, 1 - longer}) {
    const std::uint32_t rows = topology.side(vertical);
    const std::uint32_t columns = topology.side(1 - vertical);
    const std::uint32_t common = std::gcd(rows, columns);
    for (std::uint32_t g = 2; g <= common; ++g) {
      if (common % g != 0) continue;
      const std::uint64_t strands = std::uint64_t{columns} / g * (g - 1);
      if (std::gcd(std::uint64_t{rows} / g, strands) == 4) return RegularStrands{vertical, g};
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> regular_strands_steps(const Topology& topology,
                                                   std::uint64_t packets_per_node) {
  if (!regular_strands(topology)) return std::nullopt;
  return packets_per_node * (topology.nodes() / 4 + 2);
}

}  // namespace gossamer::bounds
