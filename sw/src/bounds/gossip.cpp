// SPDX-License-Identifier: Apache-2.0
#include "gossamer/bounds/gossip.hpp"

#include <algorithm>

namespace gossamer::bounds {

std::uint64_t gossip_lower_bound(const Topology& topology, std::uint64_t packets_per_node) {
  // Node 0 is a corner of a mesh; on a torus all nodes are alike.
  const auto entering = static_cast<std::uint64_t>(topology.degree(0));
  const std::uint64_t others = topology.nodes() - std::uint64_t{1};
  return std::max(ceil_div(packets_per_node * others, entering), topology.diameter());
}

std::uint64_t hamiltonian_steps(const Topology& topology, std::uint64_t packets_per_node) {
  const auto cycles = static_cast<std::uint64_t>(topology.dimensions());
  const std::uint64_t others = topology.nodes() - std::uint64_t{1};
  return ceil_div(ceil_div(packets_per_node, cycles) * others, 2);
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

}  // namespace gossamer::bounds
