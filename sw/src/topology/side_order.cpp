// SPDX-License-Identifier: Apache-2.0
#include "gossamer/topology/side_order.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gossamer {

namespace {

Topology in_order(const Topology& topology, const std::vector<int>& order) {
  std::vector<std::uint32_t> sides;
  std::uint32_t wrap = 0;
  for (const int dim : order) {
    if (topology.wraps(dim)) wrap |= 1U << sides.size();
    sides.push_back(topology.side(dim));
  }
  const Topology equal = Topology::grid(sides, wrap);
  if (topology.has_equal_links()) return equal;
  LinkPeriods periods = topology.link_periods();
  for (auto* list : {&periods.chiplets, &periods.inside, &periods.between}) {
    const std::vector<std::uint32_t> here = *list;
    for (std::size_t i = 0; i < list->size(); ++i) {
      (*list)[i] = here[static_cast<std::size_t>(order[i])];
    }
  }
  return equal.with_link_periods(std::move(periods));
}

}  // namespace

SideOrder::SideOrder(const Topology& here, std::vector<int> order)
    : here_(&here), order_(std::move(order)), there_(in_order(here, order_)) {}

NodeId SideOrder::node_here(NodeId node) const {
  const Coordinates there = there_.coordinates(node);
  Coordinates here{};
  for (std::size_t i = 0; i < order_.size(); ++i) {
    here[static_cast<std::size_t>(order_[i])] = there[i];
  }
  return here_->node(here);
}

NodeId SideOrder::node_there(NodeId node) const {
  const Coordinates here = here_->coordinates(node);
  Coordinates there{};
  for (std::size_t i = 0; i < order_.size(); ++i) {
    there[i] = here[static_cast<std::size_t>(order_[i])];
  }
  return there_.node(there);
}

std::vector<SideOrder> other_side_orders(const Topology& here) {
  constexpr int kMostDimensions = 3;
  std::vector<SideOrder> orders;
  if (!here.is_healthy() || here.dimensions() > kMostDimensions) return orders;
  std::vector<int> order(here.sides().size());
  std::iota(order.begin(), order.end(), 0);
  while (std::next_permutation(order.begin(), order.end())) {
    SideOrder other(here, order);
    const auto same = [&other](const SideOrder& known) { return known.there() == other.there(); };
    if (other.there() == here || std::any_of(orders.begin(), orders.end(), same)) continue;
    orders.push_back(std::move(other));
  }
  return orders;
}

}  // namespace gossamer
