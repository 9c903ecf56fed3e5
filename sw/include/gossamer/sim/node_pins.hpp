// SPDX-License-Identifier: Apache-2.0
/// The element side of a whole network: the own words of all nodes, and the words that they
/// receive, cycle by cycle, for every machine with an engine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/engine.hpp"
#include "gossamer/sim/every_word.hpp"
#include "gossamer/sim/lane_words.hpp"

namespace gossamer {

/// A word that a node receives.
struct NodeDelivery {
  NodeId node = 0;
  /// A packet that arrives: its in-port. Other words: from 0, in their order in the cycle.
  std::uint32_t place = 0;
  /// The piece of the demand times words(), plus the number of the word in it.
  std::uint64_t number = 0;
};

/// Words are numbered as the pieces of the plan's demand. A piece that travels in several flits or
/// words has words() consecutive numbers. Copies: one word of 64 bits for each piece or flit. A
/// reduction has as many words per number as its links have lanes. With groups, a reduction's words
/// have their numbers in the vector of one group, since a node has and receives words of its own
/// group only.
class NodePins final : public EveryWordMaker {
 public:
  /// Throws InputError for a plan of counts or of several collectives, and what link_words()
  /// throws.
  explicit NodePins(const Plan& plan);

  [[nodiscard]] std::uint64_t words() const { return words_; }
  /// Words per number; 1 except in reductions.
  [[nodiscard]] std::uint32_t lanes() const { return lanes_; }
  /// Own words of all nodes. Copies: by number. Reductions: (node * numbers + number) * lanes() +
  /// lane, with numbers = pieces * words().
  [[nodiscard]] std::uint64_t own_words() const { return own_words_; }
  /// The plan's test words for all own words.
  [[nodiscard]] std::vector<std::uint64_t> test_words() const;

  /// The own words of the next round, own_words() of them.
  void set_own(std::vector<std::uint64_t> words) { own_ = std::move(words); }
  /// For EngineOptions; this object must outlive the engine.
  [[nodiscard]] Arithmetic arithmetic();

  /// The words that nodes receive in the engine's present cycle. Packets on links: in the last
  /// cycle of their step. Results and whole messages: in the cycle after the edge that completes
  /// them. With `after` the round is over, and packets on links do not count.
  [[nodiscard]] std::span<const NodeDelivery> look(Engine& engine, bool after);
  /// The lanes() words of the delivery of that index.
  [[nodiscard]] std::span<const std::uint64_t> data(std::size_t index) const {
    return std::span(data_).subspan(index * lanes_, lanes_);
  }

  [[nodiscard]] std::uint64_t word(NodeId node, PacketId piece) override;
  [[nodiscard]] std::uint64_t combine(std::uint64_t a, std::uint64_t b) override;

 private:
  void deliver(NodeId node, std::uint32_t place, std::uint64_t number);
  /// The group of a copied piece; that of `node` for a number that is not a piece.
  [[nodiscard]] NodeId group_of(PacketId piece, NodeId node) const;
  void deliver_sum(NodeId node, std::uint32_t place, std::uint64_t number, std::uint64_t value);

  const Plan& plan_;
  GroupLayout layout_;
  bool combines_;
  bool hands_over_;
  std::uint64_t words_;
  std::uint32_t lanes_ = 1;
  std::uint64_t own_words_;
  /// Reductions: numbers of a node. Otherwise: all.
  std::uint64_t numbers_;
  /// Reductions.
  std::optional<LaneWords> lane_words_;
  std::vector<std::uint64_t> own_;
  /// By node: places of words without a port in this cycle.
  std::vector<std::uint32_t> places_;
  std::vector<NodeDelivery> deliveries_;
  std::vector<std::uint64_t> data_;
};

/// A digest of what all nodes receive in a cycle, independent of the order of nodes: the sum over
/// all deliveries, modulo 2^64. Emitted testbenches compute the same.
[[nodiscard]] std::uint64_t delivery_digest(const NodeDelivery& delivery,
                                            std::span<const std::uint64_t> data);

}  // namespace gossamer
