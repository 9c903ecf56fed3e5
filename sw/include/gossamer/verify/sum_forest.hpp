// SPDX-License-Identifier: Apache-2.0
/// Sums by name: the order in which contributions were combined, without their values.
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// A sum, or a single contribution, as seen from node `offset` of a torus: the contributions of a
/// place at displacement u come from the node at displacement u + offset. The offset is 0 where
/// nodes differ.
struct SumName {
  std::uint32_t place = 0;
  NodeId offset = 0;

  bool operator==(const SumName&) const = default;
};

/// Binary trees of combinations. Places 0 .. nodes - 1 are the nodes' own contributions; every
/// combination adds a place. Trees share their parts, so a combination takes constant space.
class SumForest {
 public:
  /// A sum is whole with `contributors` contributions, all live cores or the members of a group.
  /// The topology must outlive it.
  SumForest(const Topology& topology, std::uint64_t contributors);

  [[nodiscard]] SumName leaf(NodeId node) const { return {node, 0}; }
  /// a (+) b.
  SumName combine(SumName a, SumName b);
  /// The same sum formed at another node; the topology is a torus.
  [[nodiscard]] SumName displaced_by(SumName sum, NodeId by) const;

  /// The name of the order in which the sum is combined (plan/combination_order.hpp), for sums
  /// without an offset.
  [[nodiscard]] std::uint64_t order(SumName sum) const;

  /// Number of contributions with multiplicity; at most nodes + 1 are counted.
  [[nodiscard]] std::uint32_t terms(SumName sum) const {
    return sum.place < nodes_ ? 1 : places_[sum.place - nodes_].terms;
  }
  /// As many different live cores contribute as there are contributors. O(nodes) at the first call
  /// for a place.
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

  [[nodiscard]] bool has_different_cores(SumName sum);

  const Topology& topology_;
  std::uint32_t nodes_;
  std::uint64_t contributors_;
  std::vector<Place> places_;
  /// By node, the number of the last traversal that visited it.
  std::vector<std::uint32_t> met_;
  std::uint32_t traversal_ = 0;
};

}  // namespace gossamer
