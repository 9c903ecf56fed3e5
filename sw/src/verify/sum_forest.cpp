// SPDX-License-Identifier: Apache-2.0
#include "gossamer/verify/sum_forest.hpp"

#include <algorithm>

#include "gossamer/plan/combination_order.hpp"
#include "gossamer/topology/displacement.hpp"

namespace gossamer {

SumForest::SumForest(const Topology& topology, std::uint64_t contributors)
    : topology_(topology), nodes_(topology.nodes()), contributors_(contributors) {}

SumName SumForest::combine(SumName a, SumName b) {
  const std::uint64_t counted = std::min<std::uint64_t>(terms(a) + terms(b), nodes_ + 1U);
  places_.push_back(
      {a, b, combined_order(order(a), order(b)), static_cast<std::uint32_t>(counted)});
  return {static_cast<std::uint32_t>(nodes_ + places_.size() - 1), 0};
}

std::uint64_t SumForest::order(SumName sum) const {
  return sum.place < nodes_ ? own_order(sum.place) : places_[sum.place - nodes_].order;
}

SumName SumForest::displaced_by(SumName sum, NodeId by) const {
  return {sum.place, displaced(topology_, sum.offset, by)};
}

bool SumForest::is_whole(SumName sum) {
  if (terms(sum) != contributors_) return false;
  if (sum.place < nodes_) return has_different_cores(sum);
  // All nodes of a torus are alike: the offset does not matter.
  Whole& whole = places_[sum.place - nodes_].whole;
  if (whole == Whole::kUnknown) whole = has_different_cores(sum) ? Whole::kYes : Whole::kNo;
  return whole == Whole::kYes;
}

bool SumForest::has_different_cores(SumName sum) {
  met_.resize(nodes_, 0);
  ++traversal_;
  // terms() does not count beyond the number of nodes, so this ends.
  std::vector<SumName> open{sum};
  while (!open.empty()) {
    const SumName at = open.back();
    open.pop_back();
    if (at.place >= nodes_) {
      const Place& place = places_[at.place - nodes_];
      open.push_back(at.offset == 0 ? place.b : displaced_by(place.b, at.offset));
      open.push_back(at.offset == 0 ? place.a : displaced_by(place.a, at.offset));
      continue;
    }
    const NodeId node = at.offset == 0 ? at.place : displaced(topology_, at.place, at.offset);
    if (!topology_.has_core(node) || met_[node] == traversal_) return false;
    met_[node] = traversal_;
  }
  return true;
}

}  // namespace gossamer
