// SPDX-License-Identifier: Apache-2.0
#include "gossamer/topology/fold.hpp"

namespace gossamer {

FoldedPath folded_path(std::uint32_t p, std::uint32_t ring_node, bool positive) {
  const std::uint32_t to_node = (ring_node + (positive ? 1 : p - 1)) % p;
  const std::uint32_t from = folded_position(p, ring_node);
  const std::uint32_t to = folded_position(p, to_node);
  const bool upward = to > from;
  const std::uint32_t distance = upward ? to - from : from - to;
  if (distance == 2) {
    const std::uint32_t middle = upward ? from + 1 : from - 1;
    return {{{{from, upward, 0}, {middle, upward, 1}}}, 2};
  }
  // On a ring of two both messages are single links that leave an end.
  const bool late = p == 2 ? !positive : from == 0 || from == p - 1;
  return {{{{from, upward, late ? 1U : 0U}, {}}}, 1};
}

NodeId folded_node(const Topology& torus, NodeId node) {
  Coordinates at = torus.coordinates(node);
  for (int dim = 0; dim < torus.dimensions(); ++dim) {
    std::uint32_t& coordinate = at[static_cast<std::size_t>(dim)];
    coordinate = folded_position(torus.side(dim), coordinate);
  }
  return torus.node(at);
}

}  // namespace gossamer
