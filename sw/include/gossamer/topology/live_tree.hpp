// SPDX-License-Identifier: Apache-2.0
/// The first live node, and breadth-first trees along live links.
#pragma once

#include <vector>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// The live node of the lowest number.
[[nodiscard]] NodeId first_live(const Topology& topology);

/// Which links a tree is made of: those that lead away from the root, those that lead to it, or
/// those that are alive in both directions.
enum class TreeLinks { kOutward, kInward, kBoth };

/// What a root and nodes that the tree does not reach have in place of a port.
inline constexpr Port kNoTreePort = kMaxPorts;

struct LiveTree {
  NodeId root = 0;
  /// By node: the port on whose side its parent stands; kNoTreePort at the root and where the tree
  /// does not reach.
  std::vector<Port> towards_root;
  /// The nodes that it reaches, in order of their distance, the root first.
  std::vector<NodeId> order;

  /// By node, links from the root; 0 where the tree does not reach.
  [[nodiscard]] std::vector<std::uint32_t> depths(const Topology& topology) const;
};

/// The tree from a live root. Nodes are looked at in the order in which they were reached, ports
/// ascending, so it is the same on every machine.
[[nodiscard]] LiveTree live_tree(const Topology& topology, NodeId root, TreeLinks links);

/// A node half way between two that are far apart along two-way links: trees from it are low.
[[nodiscard]] NodeId live_middle(const Topology& topology);

}  // namespace gossamer
