// SPDX-License-Identifier: Apache-2.0
/// Elastic reductions: what an elastic program means that combines.
///
/// Such a program has one leg or two, and each of them goes through all rounds of the message. In a
/// round of the first one rank k begins, on a ring that carries L chunks, with its own flits of the
/// word of the rank L ahead, and then adds its own flits to every arrival that it passes on; its
/// element supplies both. The last arrival of a round is passed on by nobody: it is about the
/// node's own word, and the element adds what has come from both sides and its own, in this order:
/// (forward's + backward's) + own. A second leg is an all-gather of those sums.
///
/// Chunk n of a round, from 0, on a lane is about the block that the lane has in step n + 1
/// (Combination::block).
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/machines/elastic/program.hpp"
#include "gossamer/plan/demand.hpp"

namespace gossamer {

/// Chunks of its own that an out-port begins a round with.
[[nodiscard]] inline std::uint64_t own_chunks(const ElasticPort& at) {
  return at.lane ? 1 : at.preload.size();
}

/// Times that the rounds of a message are gone through.
[[nodiscard]] inline std::uint64_t elastic_legs(const ElasticProgram& program) {
  return program.combine ? program.combine->legs.size() : 1;
}

/// True: nodes add what they have to what they pass on.
[[nodiscard]] inline bool adds_up(const CombineLeg& leg) {
  return !leg.operations.empty() && leg.operations.back().step == CombineStep::kJoin;
}

/// Names of the words that chunks are about. The program must combine and outlive it.
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

  /// The word of chunk `chunk` of a round that `node` sends on `lane` in `leg`. The leg has the
  /// lane.
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
