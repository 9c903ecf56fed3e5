// SPDX-License-Identifier: Apache-2.0
/// Broadcast of long messages: streams of packets down several trees that share no link.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

struct DisjointTreesOptions {
  /// The node that holds the message at the start.
  NodeId source = 0;
  /// Packets of the message, 1..kMaxPacketsPerNode. Empty: one packet per tree.
  std::optional<std::uint32_t> packets = 1;
  /// Each tree carries at most one packet, the shallowest trees first, as elastic routers require.
  bool one_per_tree = false;
};

/// Spanning trees from a root, no two of which use the same directed link.
class DisjointTrees {
 public:
  /// As many trees as a corner has links: 2 for every dimension that wraps, 1 for every other one,
  /// or one fewer where all dimensions except one are sides of 2 that wrap. In closed form
  /// (docs/spec/broadcast.md, section 10), then made shallower where dimensions wrap: O(P d) time
  /// plus a search of at most a few seconds. The topology has no faults and no side of 1.
  DisjointTrees(const Topology& topology, NodeId root);

  [[nodiscard]] std::size_t size() const { return ways_.size(); }
  /// The input port by which a node other than the root receives a tree's packets.
  [[nodiscard]] Port in_port(std::size_t tree, NodeId node) const { return ways_[tree][node]; }
  /// Links from the root to the farthest node of each tree.
  [[nodiscard]] const std::vector<std::uint32_t>& depths() const { return depths_; }

 private:
  std::vector<std::vector<Port>> ways_;
  std::vector<std::uint32_t> depths_;
};

/// The `disjoint-trees` broadcast: every router forwards arriving packets immediately; no packet
/// ever waits. Packets are dealt so that the last one arrives as early as the trees' depths allow;
/// trees without packets are omitted. Throws InputError for options out of range, InfeasibleError
/// for more packets than trees with `one_per_tree`.
[[nodiscard]] Plan plan_disjoint_trees(const Topology& topology,
                                       const DisjointTreesOptions& options);

}  // namespace gossamer
