// SPDX-License-Identifier: Apache-2.0
/// Pipelined reductions over packed spanning trees: one word per stream and frame.
/// docs/spec/mesh-reductions.md.
#pragma once

#include <cstdint>
#include <optional>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

struct TreeReductionOptions {
  /// Words of the vector, 1 or more.
  std::uint64_t words = 1;
  Combining operation = Operation::kSum;
  /// `packing`: chooses trees without regard to the number of words, those of the highest rate.
  bool length_invariant = false;
  /// `tree` only: cycles of an adder. A step is a cycle, and sends wait for sums.
  std::uint32_t adder_cycles = 0;
};

/// All-reduce over one tree, up and down at once: one word per step, with the same bits at every
/// node. Healthy networks: m - 1 + 2 sum floor(n_k / 2) steps, without wrap links. Around faults: m
/// - 1 + 2h steps, breadth first along live two-way links, with height h from a central node.
/// Throws InfeasibleError where these do not connect the live nodes, and around dead cores.
[[nodiscard]] Plan plan_tree(const Topology& topology, const TreeReductionOptions& options);

/// All-reduce over three trees in frames of two steps, 3/2 words per step, on two-dimensional
/// networks with sides of 3 or more (InfeasibleError otherwise). It uses no wrap link. The first
/// word of each tree is complete at most 5 steps after step D, the diameter:
/// bounds::three_trees_first.
[[nodiscard]] Plan plan_three_trees(const Topology& topology, const TreeReductionOptions& options);

/// All-reduce over as many spanning trees as fit in a frame of `frame` steps (reduce/packing.hpp),
/// wrap links included. Without `frame`, the frame of 1 .. 4 steps with the fewest steps for this
/// vector. Longer vectors come nearer to the limit of packed_trees / frame words per step. Throws
/// InfeasibleError beyond kMostPackedNodes nodes, and like plan_tree.
[[nodiscard]] Plan plan_packing(const Topology& topology, const TreeReductionOptions& options,
                                std::optional<std::uint32_t> frame);

/// Reduce to a root up one breadth-first tree of live links, also around faults: m - 1 + h steps.
/// Throws InfeasibleError around dead cores.
[[nodiscard]] Plan plan_tree_reduction(const Topology& topology, NodeId root,
                                       const TreeReductionOptions& options);

/// Reduce to any root up the trees of the `disjoint-trees` broadcast
/// (broadcast/disjoint_trees.hpp), which share no link: d words per step on a mesh, 2d on a torus.
/// On a mesh it takes ceil(m/d) - 1 + ecc(root) steps, the minimum, if the root has 2 outgoing
/// links in every dimension. The topology has no faults and no side of 1.
[[nodiscard]] Plan plan_disjoint_tree_reduction(const Topology& topology, NodeId root,
                                                const TreeReductionOptions& options);

}  // namespace gossamer
