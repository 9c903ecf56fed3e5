// SPDX-License-Identifier: Apache-2.0
#include "gossamer/topology/live_tree.hpp"

namespace gossamer {

NodeId first_live(const Topology& topology) {
  NodeId node = 0;
  while (!topology.is_live(node)) ++node;
  return node;
}

std::vector<std::uint32_t> LiveTree::depths(const Topology& topology) const {
  std::vector<std::uint32_t> depth(topology.nodes(), 0);
  for (const NodeId node : order) {
    if (towards_root[node] == kNoTreePort) continue;
    depth[node] = depth[topology.beyond(node, towards_root[node])] + 1;
  }
  return depth;
}

LiveTree live_tree(const Topology& topology, NodeId root, TreeLinks links) {
  LiveTree tree{root, {}, {root}};
  tree.towards_root.assign(topology.nodes(), kNoTreePort);
  std::vector<bool> seen(topology.nodes(), false);
  seen[root] = true;
  for (std::size_t i = 0; i < tree.order.size(); ++i) {
    const NodeId node = tree.order[i];
    for (const Port port : all_ports(topology.ports())) {
      const NodeId next = topology.beyond(node, port);
      if (next == kNoNode || seen[next]) continue;
      if (links != TreeLinks::kInward && topology.neighbor(node, port) == kNoNode) continue;
      if (links != TreeLinks::kOutward && topology.sender(node, port) == kNoNode) continue;
      seen[next] = true;
      tree.towards_root[next] = opposite(port);
      tree.order.push_back(next);
    }
  }
  return tree;
}

NodeId live_middle(const Topology& topology) {
  // The last that a tree reaches is the farthest.
  NodeId node = live_tree(topology, first_live(topology), TreeLinks::kBoth).order.back();
  const LiveTree across = live_tree(topology, node, TreeLinks::kBoth);
  const std::vector<std::uint32_t> depth = across.depths(topology);
  node = across.order.back();
  for (std::uint32_t left = depth[node] / 2; left > 0; --left) {
    node = topology.beyond(node, across.towards_root[node]);
  }
  return node;
}

}  // namespace gossamer
