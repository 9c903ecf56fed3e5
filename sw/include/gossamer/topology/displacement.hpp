// SPDX-License-Identifier: Apache-2.0
/// Translations of a torus: nodes relative to one another.
#pragma once

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// The node whose position relative to `node` is that of node `by` relative to node 0. The topology
/// must be a torus.
[[nodiscard]] inline NodeId displaced(const Topology& torus, NodeId node, NodeId by) {
  Coordinates at = torus.coordinates(node);
  const Coordinates offset = torus.coordinates(by);
  for (std::size_t i = 0; i < torus.sides().size(); ++i) {
    at[i] = (at[i] + offset[i]) % torus.sides()[i];
  }
  return torus.node(at);
}

/// `to` relative to `from`: displaced(torus, from, displacement(torus, from, to)) == to.
[[nodiscard]] inline NodeId displacement(const Topology& torus, NodeId from, NodeId to) {
  Coordinates at = torus.coordinates(to);
  const Coordinates origin = torus.coordinates(from);
  for (std::size_t i = 0; i < torus.sides().size(); ++i) {
    at[i] = (at[i] + torus.sides()[i] - origin[i]) % torus.sides()[i];
  }
  return torus.node(at);
}

}  // namespace gossamer
