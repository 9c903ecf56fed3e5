// SPDX-License-Identifier: Apache-2.0
/// Whether all nodes combine the contributions to a word in one order.
///
/// Nodes that have all contributions may still have different values: a signed saturating sum
/// depends on the order of combination. Orders are compared by name: words whose combination
/// commutes, but is not associative. Two orders that differ in more than the order of operands have
/// the same name with probability 2^-64.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/sim/arithmetic.hpp"
#include "gossamer/sim/observers.hpp"

namespace gossamer {

/// The name of a (+) b, given those of a and b.
[[nodiscard]] constexpr std::uint64_t combined_order(std::uint64_t a, std::uint64_t b) {
  std::uint64_t name = a + b + 0x9e3779b97f4a7c15U;
  name = (name ^ (name >> 30U)) * 0xbf58476d1ce4e5b9U;
  name = (name ^ (name >> 27U)) * 0x94d049bb133111ebU;
  return name ^ (name >> 31U);
}

/// What verify and runs say about two nodes with different orders.
[[nodiscard]] std::string different_orders(PacketId word, NodeId node, NodeId other);

/// Makes an engine carry names of orders in place of words.
class OrderWords final : public WordMaker {
 public:
  explicit OrderWords(std::uint64_t pieces) : pieces_(pieces) {}
  [[nodiscard]] std::uint64_t word(NodeId node, PacketId piece) override {
    return contribution(node, piece, pieces_);
  }
  [[nodiscard]] std::uint64_t combine(std::uint64_t a, std::uint64_t b) override {
    return combined_order(a, b);
  }

 private:
  std::uint64_t pieces_;
};

/// Compares what nodes end with. It takes no more memory than a word per piece: a node's result
/// counts when it has all contributions, and each one is compared with the first of its piece.
class OrderJudge final : public Observer {
 public:
  OrderJudge(const Topology& topology, const Demand& demand);

  bool on_links(const LinkView& view) override;
  /// The first difference that was seen; empty: none.
  [[nodiscard]] const std::optional<std::string>& difference() const { return difference_; }

 private:
  struct First {
    std::uint64_t value = 0;
    NodeId node = kNoNode;
  };

  std::uint64_t contributors_;
  /// By piece.
  std::vector<First> first_;
  std::optional<std::string> difference_;
};

/// Runs a plan whose demand needs one order on the machine's fast engine, and compares the values
/// of all nodes. Empty: they agree. The plan has to be complete.
[[nodiscard]] std::optional<std::string> compare_orders(const Plan& plan);

}  // namespace gossamer
