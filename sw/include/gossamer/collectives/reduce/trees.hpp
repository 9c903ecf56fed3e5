// SPDX-License-Identifier: Apache-2.0
/// Reductions over packed spanning trees: pipelined, a word a stream and frame.
/// docs/spec/mesh-reductions.md.
#pragma once

#include <cstdint>
#include <optional>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

struct TreeReductionOptions {
  /// Words of the vector, 1 or more.
  std::uint64_t words = 1;
  Operation operation = Operation::kSum;
};

/// All-reduce over one tree, up and down at once: a word a step, the same bits at every node.
/// Healthy networks: m - 1 + 2 sum floor(n_k / 2) steps, and no wrap link is used. Round faults
/// breadth first along live two-way links, of height h from a node in their middle: m - 1 + 2h.
/// Throws InfeasibleError where these do not connect the live nodes, and round dead cores.
[[nodiscard]] Plan plan_tree(const Topology& topology, const TreeReductionOptions& options);

/// All-reduce over three trees in frames of two steps, 3/2 words a step, on two-dimensional
/// networks with sides of 3 or more (InfeasibleError otherwise); no wrap link is used. First words
/// are done up to 5 steps behind the diameter: bounds::three_trees_first.
[[nodiscard]] Plan plan_three_trees(const Topology& topology, const TreeReductionOptions& options);

/// All-reduce over as many spanning trees as a frame of `frame` steps has room for
/// (reduce/packing.hpp), wrap links included; without `frame` the one of 1 .. 4 with the fewest
/// steps for so many words. The longer the vector the nearer to the bound: packed_trees / frame
/// words a step. Throws InfeasibleError beyond kMostPackedNodes nodes, and as plan_tree does.
[[nodiscard]] Plan plan_packing(const Topology& topology, const TreeReductionOptions& options,
                                std::optional<std::uint32_t> frame);

/// Reduce to a root up one breadth-first tree of live links, also round faults: m - 1 + h steps.
/// Throws InfeasibleError round dead cores.
[[nodiscard]] Plan plan_tree_reduction(const Topology& topology, NodeId root,
                                       const TreeReductionOptions& options);

/// Reduce to any root up the trees of the `disjoint-trees` broadcast
/// (broadcast/disjoint_trees.hpp), which share no link: d words a step on a mesh, 2d on a torus. On
/// a mesh ceil(m/d) - 1 + ecc(root) steps, the least, where the root has 2 links to go in every
/// dimension. The topology has no faults and no side of 1.
[[nodiscard]] Plan plan_disjoint_tree_reduction(const Topology& topology, NodeId root,
                                                const TreeReductionOptions& options);

}  // namespace gossamer
