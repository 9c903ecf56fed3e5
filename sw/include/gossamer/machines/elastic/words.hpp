// SPDX-License-Identifier: Apache-2.0
/// Elastic reductions: the meaning of an elastic program that combines.
///
/// Such a program has one or two legs, and each leg covers all rounds of the message. On a ring
/// that carries L chunks, rank k begins a round of the first leg with its own flits of the word
/// whose rank is L ahead of k. It then adds its own flits to every arrival that it forwards; its
/// element supplies both. The last arrival of a round is not forwarded: it belongs to the node's
/// own word. The element adds the values from both sides and its own value in this order: (forward
/// + backward) + own. A second leg is an all-gather of those sums.
///
/// Chunk n of a round, from 0, on a lane belongs to the block of that lane in step n + 1
/// (Combination::block).
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/machines/elastic/program.hpp"
#include "gossamer/plan/demand.hpp"

namespace gossamer {

/// Own chunks with which an output port begins a round.
[[nodiscard]] inline std::uint64_t own_chunks(const ElasticPort& at) {
  return at.lane ? 1 : at.preload.size();
}

/// Number of passes over the rounds of a message.
[[nodiscard]] inline std::uint64_t elastic_legs(const ElasticProgram& program) {
  return program.combine ? program.combine->legs.size() : 1;
}

/// True if nodes add their own values to forwarded ones.
[[nodiscard]] inline bool adds_up(const CombineLeg& leg) {
  return !leg.operations.empty() && leg.operations.back().step == CombineStep::kJoin;
}

/// Names of the words of chunks. The program must combine and outlive the object.
class ElasticWords {
 public:
  explicit ElasticWords(const ElasticProgram& program)
      : combine_(*program.combine), nodes_(program.nodes()), node_of_rank_(combine_.ranks.size()) {
    for (std::size_t at = 0; at < combine_.ranks.size(); ++at) {
      const std::size_t cycle = at % combine_.cycles();
      node_of_rank_[cycle * nodes_ + combine_.ranks[at]] =
          static_cast<NodeId>(at / combine_.cycles());
    }
  }

  /// The word of chunk `chunk` of a round that `node` sends on `lane` in `leg`. The lane must exist
  /// in the leg.
  [[nodiscard]] PacketId sent(NodeId node, std::uint8_t lane, std::size_t leg,
                              std::uint64_t chunk) const {
    const std::size_t cycle = lane / 2U;
    const CombineLane& told = *combine_.legs[leg].lanes[lane];
    const std::uint32_t rank = combine_.ranks[node * combine_.cycles() + cycle];
    const std::uint32_t block = combine_.block(told, rank, chunk + 1);
    return PacketId{node_of_rank_[cycle * nodes_ + block]} * combine_.parts + told.part;
  }
  /// The word that `node` owns on the lane's cycle.
  [[nodiscard]] PacketId owned(NodeId node, std::uint8_t lane) const {
    return PacketId{node} * combine_.parts + combine_.legs.front().lanes[lane]->part;
  }
  /// Words of all nodes.
  [[nodiscard]] std::uint64_t words() const { return combine_.words(); }

 private:
  const Combination& combine_;
  std::size_t nodes_;
  /// By cycle, then rank.
  std::vector<NodeId> node_of_rank_;
};

}  // namespace gossamer
