// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gossamer/plan/member_displacement.hpp"
#include "gossamer/sim/arithmetic.hpp"
#include "gossamer/sim/every_word.hpp"

namespace gossamer {

/// Initial word `flit` of a node's piece, of `flits` words per piece. All groups have the same
/// words, those of a network of one group, unless an EveryWordMaker makes them.
[[nodiscard]] inline std::uint64_t own_value(const Arithmetic& arithmetic, const Topology& topology,
                                             const Demand& demand, NodeId node, PacketId piece,
                                             std::uint64_t flit = 0, std::uint64_t flits = 1) {
  const std::uint64_t words = demand.pieces * flits;
  if (!demand.groups) {
    return arithmetic.word(node, piece * flits + flit, words, topology.nodes());
  }
  const GroupPiece own = in_one_group(topology, demand, node, piece);
  const bool knows_nodes = dynamic_cast<EveryWordMaker*>(arithmetic.maker) != nullptr;
  return arithmetic.word(knows_nodes ? node : own.rank, own.piece * flits + flit, words,
                         demand.groups->members());
}

}  // namespace gossamer
