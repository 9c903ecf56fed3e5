// SPDX-License-Identifier: Apache-2.0
/// Observes in a run whether all nodes combine the contributions to a word in one order
/// (plan/combination_order.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/plan/combination_order.hpp"
#include "gossamer/sim/arithmetic.hpp"
#include "gossamer/sim/observers.hpp"

namespace gossamer {

/// Makes an engine carry names of orders instead of words.
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

/// Compares the results of the nodes. Every result with all contributions is compared with the
/// first result of its piece, so the judge needs memory for only one word per piece.
class OrderJudge final : public Observer {
 public:
  OrderJudge(const Topology& topology, const Demand& demand);

  bool on_links(const LinkView& view) override;
  /// The first difference found; empty: none.
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
