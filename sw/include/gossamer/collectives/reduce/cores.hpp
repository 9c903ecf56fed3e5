// SPDX-License-Identifier: Apache-2.0
/// All-reduce of short vectors on tori with equal sides, by cores of blocks.
/// docs/spec/middle-reductions.md.
#pragma once

#include <cstdint>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

struct CoresOptions {
  /// 1 .. dimensions * side.
  std::uint64_t words = 1;
  Combining operation = Operation::kSum;
};

/// All-reduce in bounds::cores_steps steps, the lower bound for d b words where b divides the side
/// n and both are even or both odd; then every link is busy in every step. Word c + d j takes the
/// dimensions c, c + 1, .. cyclically. Along the first one, blocks of every ring are reduced to
/// their cores; along the others the lines of core nodes are summed up. Along the first one again,
/// cores exchange their sums, and all nodes of the ring receive the total.
///
/// If the best form has equal blocks, own words are numbered by positions, and nodes share one ROM
/// on odd sides, or one per class of parities. Otherwise every node has a ROM, up to
/// kMostTimetableMoves sends; larger networks take the best form with equal blocks, which can take
/// longer than bounds::cores_steps. Partial sums grow from node to node, so a node has one addition
/// per input port and step. Nodes combine in different orders. Throws InfeasibleError for networks
/// other than tori with equal sides of 3 or more, for more than dimensions * side words, and for
/// operations that are not associative.
[[nodiscard]] Plan plan_cores(const Topology& topology, const CoresOptions& options);

}  // namespace gossamer
