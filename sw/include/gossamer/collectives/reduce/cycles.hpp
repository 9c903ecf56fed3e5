// SPDX-License-Identifier: Apache-2.0
/// Reduce-scatter and all-reduce on Hamiltonian cycles: the wiring of an all-gather, with one
/// operation per step.
///
/// The vector has k blocks per node, dealt to the cycles as *parts*: part q runs on cycle q mod d.
/// Block t of a part belongs to the node of rank t on the part's cycle. In a *one-way* leg a cycle
/// carries one part in each direction. A block collects P - 1 contributions on its way to its
/// owner, and a complete sum travels around the cycle once more. In a *two-way* leg a cycle carries
/// one part in both directions, which meet halfway. An all-reduce then takes P - 1 steps. When P is
/// even, this is one step less than reduce-scatter followed by all-gather, because the two partial
/// sums of a block are exchanged over a link instead of meeting in a node.
/// docs/algorithms/reductions.md has the proof.
#pragma once

#include <cstdint>

#include "gossamer/plan/combination.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// The nodes at which a reduction leaves its words.
enum class ReduceTo : std::uint8_t { kOwner, kEveryNode };

struct CycleReductionOptions {
  /// Blocks per node, 1 .. kMaxPacketsPerNode. k = d (one for each cycle) and its multiples meet
  /// the lower bound on a torus.
  std::uint32_t blocks_per_node = 1;
  ReduceTo to = ReduceTo::kEveryNode;
  Combining operation = Operation::kSum;
  /// Every leg is two-way, and an all-reduce deals its elements by rounds: the tree of an element
  /// does not depend on the length of the vector. The blocks per node of an all-reduce are then a
  /// multiple of the number of cycles.
  bool length_invariant = false;
};

/// The reduction on the cycles of an all-gather plan. It uses the plan's feeds unchanged, but not
/// its packets. Every node must be on every cycle, with two ports that feed each other
/// (InfeasibleError otherwise). Torus: the d cycles of plan_hamiltonian; mesh: the one of
/// plan_array. Steps: bounds::cycle_reduce_scatter_steps, bounds::cycle_all_reduce_steps. O(P d).
[[nodiscard]] Plan plan_cycle_reduction(const Plan& gossip, const CycleReductionOptions& options);

/// A barrier on the first of these cycles: an all-reduce of one bit with the operation AND, in
/// floor(P / 2) steps. In every step each node adds its bit to the sums of both directions, as in a
/// reduce-scatter.
[[nodiscard]] Plan plan_cycle_barrier(const Plan& gossip);

struct CycleReduceOptions {
  NodeId root = 0;
  /// Words of the vector, 1 or more.
  std::uint64_t words = 1;
  Combining operation = Operation::kSum;
};

/// Reduce to any root, the `hamiltonian` broadcast backward: a word's sum comes to the root from
/// both sides of its cycle, and the root adds the two. bounds::hamiltonian_message_steps; a ROM per
/// node. Throws InfeasibleError where there is no decomposition into Hamiltonian cycles, and for
/// vectors of so many words that the ROMs are too long.
[[nodiscard]] Plan plan_cycle_reduce(const Topology& topology, const CycleReduceOptions& options);

/// The legs of k parts on `cycles` cycles of `length` nodes, lane by lane: floor(m / 2) one-way
/// legs, m = ceil(k / cycles), and a two-way one when m is odd; with `all_two_way`, m two-way legs.
/// Offsets are those of ranks.
[[nodiscard]] std::vector<CombineLeg> cycle_legs(std::uint32_t length, std::uint32_t cycles,
                                                 std::uint32_t parts, ReduceTo to,
                                                 bool all_two_way = false);

}  // namespace gossamer
