// SPDX-License-Identifier: Apache-2.0
/// The first live node, and breadth-first trees along live links.
#pragma once

#include <vector>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// The live node with the lowest number.
[[nodiscard]] NodeId first_live(const Topology& topology);

/// The links of a tree: links that lead away from the root, links that lead to it, or links that
/// are alive in both directions.
enum class TreeLinks { kOutward, kInward, kBoth };

/// The port of the root and of nodes that the tree does not reach.
inline constexpr Port kNoTreePort = kMaxPorts;

struct LiveTree {
  NodeId root = 0;
  /// By node: the port towards its parent; kNoTreePort at the root and at unreached nodes.
  std::vector<Port> towards_root;
  /// The nodes that it reaches, in order of their distance, the root first.
  std::vector<NodeId> order;

  /// By node, links from the root; 0 at unreached nodes.
  [[nodiscard]] std::vector<std::uint32_t> depths(const Topology& topology) const;
};

/// The tree from a live root. Nodes are visited in the order in which they were reached, with
/// ascending ports, so the tree is the same on every computer.
[[nodiscard]] LiveTree live_tree(const Topology& topology, NodeId root, TreeLinks links);

/// A node halfway between two nodes that are far apart along two-way links, so that trees from it
/// are shallow.
[[nodiscard]] NodeId live_middle(const Topology& topology);

}  // namespace gossamer
