// SPDX-License-Identifier: Apache-2.0
/// Reductions by timetables: an all-gather backward, and for an all-reduce once more forward. On
/// every connected network that of all_gather/timetable.hpp, with a ROM a node; on a healthy torus
/// that of all_gather/scheduled.hpp, with one ROM for all.
#pragma once

#include <cstdint>

#include "gossamer/collectives/reduce/cycles.hpp"

namespace gossamer {

struct TimetableReductionOptions {
  /// Blocks of a live core, 1 .. kMaxPacketsPerNode.
  std::uint32_t blocks_per_node = 1;
  ReduceTo to = ReduceTo::kEveryNode;
  /// Decides between packets that are equally rare.
  std::uint64_t seed = 1;
  Operation operation = Operation::kSum;
};

/// Run backward on the network with its arcs turned round, the copies of a packet that an
/// all-gather makes become partial sums that meet on their way to its owner: every node adds what
/// comes, sends its sum once, and never before its last part. A reduce-scatter takes as many steps
/// as that all-gather, the lower bound where it meets it. An all-reduce has an all-gather of the
/// sums behind it. Routers with a dead core pass sums on and add nothing; a dead node's blocks of a
/// reduce-scatter keep their numbers and are nobody's.
///
/// On a torus the trees of all owners are those of one, displaced, a tree a block: in a step every
/// node reads, adds and sends by the same ports, and with slots that are numbered from where it
/// stands the same slots, too.
///
/// Every node ends with the same bits, for every operation. Throws InfeasibleError as
/// gossip_hops, and when the vectors of all nodes have more than 2^20 words together.
[[nodiscard]] Plan plan_timetable_reduction(const Topology& topology,
                                            const TimetableReductionOptions& options);

}  // namespace gossamer
