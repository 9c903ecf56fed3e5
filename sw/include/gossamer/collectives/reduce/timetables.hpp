// SPDX-License-Identifier: Apache-2.0
/// Reductions by timetables: an all-gather in reverse, followed for an all-reduce by the all-gather
/// itself. Any connected network uses the all-gather of all_gather/timetable.hpp, with one ROM per
/// node. A healthy torus uses that of all_gather/scheduled.hpp, with one shared ROM.
#pragma once

#include <cstdint>

#include "gossamer/collectives/reduce/cycles.hpp"

namespace gossamer {

struct TimetableReductionOptions {
  /// Blocks per live core, 1 .. kMaxPacketsPerNode.
  std::uint32_t blocks_per_node = 1;
  ReduceTo to = ReduceTo::kEveryNode;
  /// Decides between packets that are equally rare.
  std::uint64_t seed = 1;
  Combining operation = Operation::kSum;
  /// Blocks that the program of a reduce-scatter processes before it repeats, a divisor of
  /// blocks_per_node; 0: all.
  std::uint32_t blocks_per_repetition = 0;
};

/// In reverse, on the network with reversed arcs, the copies of an all-gather's packet become
/// partial sums that meet on their way to the packet's owner. Every node adds arriving sums and
/// sends its own sum once, after its last term has arrived. A reduce-scatter takes as many steps as
/// that all-gather: the lower bound, if the all-gather meets it. An all-reduce appends an
/// all-gather of the sums. Routers with a dead core forward sums and add nothing. In a
/// reduce-scatter a dead node's blocks keep their numbers and have no owner.
///
/// On a torus the trees of all owners are translations of one, with one tree per block. In each
/// step every node therefore reads, adds and sends by the same ports. If slots are numbered
/// relative to the node, it also uses the same slots.
///
/// Every node ends with the same bits, for every operation. Throws InfeasibleError like
/// gossip_hops, and when the vectors of all nodes have more than 2^20 words in total.
[[nodiscard]] Plan plan_timetable_reduction(const Topology& topology,
                                            const TimetableReductionOptions& options);

}  // namespace gossamer
