// SPDX-License-Identifier: Apache-2.0
#include "gossamer/topology/rotated.hpp"

#include <fmt/format.h>

#include <string>

#include "gossamer/util/error.hpp"

namespace gossamer {

std::uint32_t equal_side(const Topology& topology, std::string_view who) {
  const std::uint32_t p = topology.side(0);
  for (const std::uint32_t side : topology.sides()) {
    if (side == p) continue;
    std::string nearest = std::to_string(p);
    for (int dim = 1; dim < topology.dimensions(); ++dim) nearest += fmt::format("x{}", p);
    throw InfeasibleError(fmt::format(
        "{}: the sides of {} differ, but the orders of the classes require equal sides; nearest "
        "feasible: --dims {}",
        who, topology.dims_text(), nearest));
  }
  return p;
}

NodeId rotated_id(const Topology& topology, NodeId node, int class_index) {
  // The digits below dimension c become the most significant ones.
  const NodeId low = topology.stride(class_index);
  const NodeId high = topology.nodes() / low;
  return node / low + node % low * high;
}

NodeId rotated_node(const Topology& topology, NodeId id, int class_index) {
  const NodeId low = topology.stride(class_index);
  const NodeId high = topology.nodes() / low;
  return id % high * low + id / high;
}

}  // namespace gossamer
