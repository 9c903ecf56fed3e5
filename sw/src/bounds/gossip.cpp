// SPDX-License-Identifier: Apache-2.0
#include "gossamer/bounds/gossip.hpp"

#include <algorithm>

#include "gossamer/bounds/faults.hpp"
#include "gossamer/bounds/unequal.hpp"
#include "gossamer/util/checked.hpp"

namespace gossamer::bounds {

std::uint64_t gossip_lower_bound(const Topology& topology, std::uint64_t packets_per_node) {
  if (!topology.has_equal_links()) return unequal_gather_bound(topology, packets_per_node);
  if (!topology.is_healthy()) return degraded_gossip_bound(topology, packets_per_node).steps;
  // Node 0 is a corner of a mesh; on a torus all nodes are alike.
  const auto entering = static_cast<std::uint64_t>(topology.degree(0));
  const std::uint64_t others = topology.nodes() - std::uint64_t{1};
  std::uint64_t arrivals = checked_product("arrivals at a node", packets_per_node, others);
  if (topology.is_torus() && packets_per_node == 1) {
    arrivals += static_cast<std::uint64_t>(
        std::count(topology.sides().begin(), topology.sides().end(), 2U));
  }
  return std::max(ceil_div(arrivals, entering), topology.diameter());
}

std::uint64_t hamiltonian_steps(const Topology& topology, std::uint64_t packets_per_node) {
  const auto cycles = static_cast<std::uint64_t>(topology.dimensions());
  const std::uint64_t others = topology.nodes() - std::uint64_t{1};
  // Fewer packets than cycles: one each. Otherwise evenly, see docs/spec/faults.md, section 3.
  if (packets_per_node < cycles) return ceil_div(others, 2);
  return ceil_div(packets_per_node * others + packets_per_node % cycles, 2 * cycles);
}

std::optional<std::uint64_t> hamiltonian_paper_bound(const Topology& topology,
                                                     std::uint64_t packets_per_node) {
  if (packets_per_node != static_cast<std::uint64_t>(topology.dimensions())) return std::nullopt;
  return ceil_div(topology.nodes(), 2);
}

std::uint64_t array_steps(const Topology& mesh, std::uint64_t packets_per_node) {
  const std::uint64_t others = mesh.nodes() - std::uint64_t{1};
  if (mesh.dimensions() == 1) return packets_per_node * others;
  if (mesh.nodes() % 2 == 0) return ceil_div(packets_per_node * others, 2);
  return packets_per_node * (others / 2 + 2);
}

std::uint32_t array_queue_depth(const Topology& mesh, std::uint32_t packets_per_node) {
  if (mesh.dimensions() == 1) return packets_per_node;
  if (mesh.nodes() % 2 != 0) return 2 * packets_per_node;
  return packets_per_node % 2 == 0 ? packets_per_node / 2 : packets_per_node;
}

std::uint64_t two_packet_steps(const Topology& topology, bool time_independent) {
  const std::uint64_t half = topology.nodes() / 2;
  const bool x_odd = topology.side(0) % 2 != 0;
  const bool y_odd = topology.side(1) % 2 != 0;
  if (x_odd == y_odd) return half;
  const std::uint64_t odd = topology.side(x_odd ? 0 : 1);
  const std::uint64_t even = topology.side(x_odd ? 1 : 0);
  if (even == 2) return half + 1;
  return time_independent ? half + odd + 1 : half;
}

std::optional<std::uint64_t> two_packet_paper_bound(const Topology& topology,
                                                    bool time_independent) {
  const bool one_odd = topology.side(0) % 2 != topology.side(1) % 2;
  const bool thin = std::min(topology.side(0), topology.side(1)) == 2;
  if (one_odd && (time_independent || thin)) return std::nullopt;
  return ceil_div(topology.nodes(), 2);
}

std::uint64_t one_packet_cycle_length(const Topology& topology, std::uint64_t last_side) {
  const auto d = static_cast<std::uint64_t>(topology.dimensions());
  return (last_side + d) * (topology.nodes() / last_side / d);
}

std::uint64_t one_packet_steps_2d(std::uint64_t n1, std::uint64_t n2, bool time_independent) {
  const std::uint64_t m = (n2 + 2) * (n1 / 2);
  return time_independent ? (m + n2 + 2) / 2 + 1 : m / 2;
}

std::optional<std::uint64_t> one_packet_steps_3d(std::uint64_t n1, std::uint64_t n2,
                                                 std::uint64_t n3, bool time_independent) {
  const std::uint64_t m = (n3 + 3) * (n1 / 3) * n2;
  if (!time_independent) return m / 2;
  if (n1 > 3) return ceil_div(m + (2 * n1 / 3 + 1) * (n3 + 3), 2);
  if (n2 > 3) return ceil_div(m + 2 * (n3 + 3), 2);
  return std::nullopt;
}

std::optional<std::uint64_t> one_packet_paper_bound(const Topology& topology,
                                                    std::uint64_t last_side,
                                                    std::uint64_t side_before_last,
                                                    bool time_independent) {
  const auto d = static_cast<std::uint64_t>(topology.dimensions());
  const std::uint64_t m = one_packet_cycle_length(topology, last_side);
  if (!time_independent) return m / 2 + (d <= 3 ? 1 : 2);
  if (d <= 3) return std::nullopt;
  return m * (side_before_last + 3 * d) / (2 * side_before_last);
}

}  // namespace gossamer::bounds
