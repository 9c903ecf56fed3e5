// SPDX-License-Identifier: Apache-2.0
/// Reduce-scatter and all-reduce on Hamiltonian cycles: the wiring of a gossip, an operation a
/// step.
///
/// The vector has k blocks a node, dealt to the cycles as *parts*: part q runs on cycle q mod d.
/// Block t of a part belongs to the node of rank t on the part's cycle. In a *one-way* leg a
/// cycle carries one part each way: a block collects P - 1 contributions on its way to its owner,
/// and a sum that is complete goes once more round. In a *two-way* leg it carries one part both
/// ways, which meet half way: an all-reduce then takes P - 1 steps, one less than reduce-scatter
/// and all-gather one behind the other when P is even, because the two partial sums of a block are
/// exchanged over a link instead of meeting in a node. docs/algorithms/reductions.md has the proof.
#pragma once

#include <cstdint>

#include "gossamer/plan/combination.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// Where a reduction leaves its words.
enum class ReduceTo : std::uint8_t { kOwner, kEveryNode };

struct CycleReductionOptions {
  /// Blocks of a node, 1 .. kMaxPacketsPerNode. k = d (one for each cycle) and its multiples meet
  /// the lower bound on a torus.
  std::uint32_t blocks_per_node = 1;
  ReduceTo to = ReduceTo::kEveryNode;
  Operation operation = Operation::kSum;
};

/// The reduction on the cycles of a gossip plan: its feeds are taken as they are, its packets are
/// not. Every node must be on every cycle, with two ports that feed each other (InfeasibleError
/// otherwise). Torus: the d cycles of plan_hamiltonian; mesh: the one of plan_array.
/// Steps: bounds::cycle_reduce_scatter_steps, bounds::cycle_all_reduce_steps. O(P d).
[[nodiscard]] Plan plan_cycle_reduction(const Plan& gossip, const CycleReductionOptions& options);

struct CycleReduceOptions {
  NodeId root = 0;
  /// Words of the vector, 1 or more.
  std::uint64_t words = 1;
  Operation operation = Operation::kSum;
};

/// Reduce to any root, the `hamiltonian` broadcast backward: a word's sum comes to the root from
/// both sides of its cycle, and the root adds the two. bounds::hamiltonian_message_steps; a ROM per
/// node. Throws InfeasibleError where there is no decomposition into Hamiltonian cycles, and for
/// vectors of so many words that the ROMs are too long.
[[nodiscard]] Plan plan_cycle_reduce(const Topology& topology, const CycleReduceOptions& options);

/// The legs of k parts on `cycles` cycles of `length` nodes, lane by lane: floor(m / 2) one-way
/// legs, m = ceil(k / cycles), and a two-way one when m is odd. Offsets are those of ranks.
[[nodiscard]] std::vector<CombineLeg> cycle_legs(std::uint32_t length, std::uint32_t cycles,
                                                 std::uint32_t parts, ReduceTo to);

}  // namespace gossamer
