// SPDX-License-Identifier: Apache-2.0
#include "gossamer/machines/queued/rules.hpp"

#include <algorithm>

namespace gossamer {

namespace {

std::uint32_t x_of(const Topology& topology, NodeId node) { return node % topology.side(0); }
std::uint32_t y_of(const Topology& topology, NodeId node) { return node / topology.side(0); }

/// Hops without going round.
std::uint32_t array_hops(const Topology& topology, NodeId a, NodeId b) {
  const auto gap = [](std::uint32_t i, std::uint32_t j) { return i > j ? i - j : j - i; };
  return gap(x_of(topology, a), x_of(topology, b)) + gap(y_of(topology, a), y_of(topology, b));
}

}  // namespace

bool deals_packets(const QueuedProgram& program, const Demand& demand) {
  return program.class_rule != QueuedClassRule::kSplit && !demand.is_counts() &&
         !demand.is_personal();
}

int class_of_source(const Topology& topology, const QueuedProgram& program, NodeId node,
                    std::uint32_t rank) {
  if (program.class_rule == QueuedClassRule::kDigitSum) {
    std::uint32_t sum = 0;
    for (const std::uint32_t digit : topology.coordinates(node)) sum += digit;
    return static_cast<int>(sum % program.classes);
  }
  return static_cast<int>(rank % program.classes);
}

std::optional<Port> wanted_port(const Topology& topology, const Demand& demand, int class_index,
                                std::uint32_t rank, NodeId node,
                                std::span<const QueuedPhase* const> active) {
  for (const QueuedPhase* phase : active) {
    const bool packs = phase->kind == QueuedPhaseKind::kPack;
    // A damaged prefix counts ranks that no packet has.
    if (!packs && rank >= demand.targets.size()) return std::nullopt;
    const NodeId goal = packs ? rotated_node(topology, rank, class_index) : demand.targets[rank];
    const int dim = phase->dimension;
    const std::uint32_t p = topology.side(dim);
    const std::uint32_t is = node / topology.stride(dim) % p;
    const std::uint32_t should = goal / topology.stride(dim) % p;
    if (is == should) continue;
    bool positive = should > is;
    if (phase->wrap) positive = (should + p - is) % p <= p / 2;
    return make_port(dim, positive);
  }
  return std::nullopt;
}

bool begins_along_x(const Topology& topology, const Demand& demand, const QueuedProgram& program,
                    std::uint32_t row, std::uint32_t column, NodeId other) {
  if (program.rule == ExchangeRule::kBalanced && row == column) {
    return (x_of(topology, other) + y_of(topology, other)) % 2 == 0;
  }
  return demand.to == Destination::kEachSource ? row > column : row <= column;
}

std::vector<NodeId> exchange_order(const Topology& topology, const Demand& demand,
                                   const QueuedProgram& program, NodeId node) {
  std::vector<NodeId> order;
  if (demand.to == Destination::kEachSource) {
    for (const DemandSource& source : demand.sources) {
      if (source.node != node) order.push_back(source.node);
    }
    return order;
  }
  const auto own = std::lower_bound(
      demand.sources.begin(), demand.sources.end(), node,
      [](const DemandSource& source, NodeId wanted) { return source.node < wanted; });
  if (own == demand.sources.end() || own->node != node) return order;
  for (NodeId other = 0; other < topology.nodes(); ++other) {
    if (other != node) order.push_back(other);
  }
  if (program.rule == ExchangeRule::kBalanced) {
    std::stable_sort(order.begin(), order.end(), [&](NodeId a, NodeId b) {
      return array_hops(topology, node, a) > array_hops(topology, node, b);
    });
  }
  return order;
}

ExchangeLeg exchange_leg(const Topology& topology, NodeId node, NodeId destination, bool x_first) {
  const bool x_right = x_of(topology, node) == x_of(topology, destination);
  const bool y_right = y_of(topology, node) == y_of(topology, destination);
  const bool first = x_first ? !x_right : !y_right;
  const bool along_x = first == x_first;
  const bool positive = along_x ? x_of(topology, destination) > x_of(topology, node)
                                : y_of(topology, destination) > y_of(topology, node);
  return {make_port(along_x ? 0 : 1, positive), first};
}

}  // namespace gossamer
