// SPDX-License-Identifier: Apache-2.0
/// Sums by name: the order in which contributions were combined, without their values.
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// A sum, or a single contribution, as node `offset` of a torus sees it: the contributions of a
/// place at displacement u come from the node at displacement u + offset. The offset is 0 where
/// nodes are not alike.
struct SumName {
  std::uint32_t place = 0;
  NodeId offset = 0;

  bool operator==(const SumName&) const = default;
};

/// Binary trees of combinations. Places 0 .. nodes - 1 are the nodes' own contributions; every
/// combination adds a place. Trees share their parts, so that a combination takes constant space.
class SumForest {
 public:
  /// The topology must outlive it.
  explicit SumForest(const Topology& topology);

  [[nodiscard]] SumName leaf(NodeId node) const { return {node, 0}; }
  /// a (+) b.
  SumName combine(SumName a, SumName b);
  /// The sum that another node makes in the same way; the topology is a torus.
  [[nodiscard]] SumName displaced_by(SumName sum, NodeId by) const;

  /// The name of the order in which the sum is combined (sim/combination_order.hpp). Of sums
  /// without an offset only.
  [[nodiscard]] std::uint64_t order(SumName sum) const;

  /// Contributions, each as often as it was combined; at most nodes + 1 are counted.
  [[nodiscard]] std::uint32_t terms(SumName sum) const {
    return sum.place < nodes_ ? 1 : places_[sum.place - nodes_].terms;
  }
  /// Every live core contributes once, and nothing else does. O(nodes) for a place that was not
  /// asked about before.
  [[nodiscard]] bool is_whole(SumName sum);

 private:
  enum class Whole : std::uint8_t { kUnknown, kYes, kNo };
  struct Place {
    SumName a;
    SumName b;
    std::uint64_t order = 0;
    std::uint32_t terms = 0;
    Whole whole = Whole::kUnknown;
  };

  [[nodiscard]] bool has_each_core_once(SumName sum);

  const Topology& topology_;
  std::uint32_t nodes_;
  std::vector<Place> places_;
  /// By node, the number of the traversal that met it last.
  std::vector<std::uint32_t> met_;
  std::uint32_t traversal_ = 0;
};

}  // namespace gossamer
