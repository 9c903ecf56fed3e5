// SPDX-License-Identifier: Apache-2.0
/// Decisions of one queued router about one packet, as functions of the router's information. The
/// engines share them and differ in everything else (storage of packets, transport across links,
/// order of visits).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gossamer/machines/queued/program.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// True when every packet belongs to one class only, so a class's prefix counts its own packets.
[[nodiscard]] bool deals_packets(const QueuedProgram& program, const Demand& demand);

/// The class of the packets of `node`, unless they are split; `rank` is its rank among all active
/// nodes (0 without a prefix).
[[nodiscard]] int class_of_source(const Topology& topology, const QueuedProgram& program,
                                  NodeId node, std::uint32_t rank);

/// Packing and routing: the output port at which the packet of `rank` in class `class_index` waits
/// while `active` are the class's phases. It belongs to the first phase whose digit is not yet
/// right. Empty if every digit is right, and of a rank without a target, as in gsm_class_unit.
[[nodiscard]] std::optional<Port> wanted_port(const Topology& topology, const Demand& demand,
                                              int class_index, std::uint32_t rank, NodeId node,
                                              std::span<const QueuedPhase* const> active);

/// Broadcast: hops in a direction of an own packet, the index-th from 0 of its node's packets.
/// `key` is its class rank times the halves, plus the half. 0: not sent in this direction.
[[nodiscard]] inline std::uint32_t broadcast_hops(const QueuedProgram& program,
                                                  const QueuedPhase& phase, std::uint32_t key,
                                                  std::uint32_t index, bool positive) {
  if (program.halves == 2) {
    if ((key % 2 == 0) != positive) return 0;
    return positive ? phase.hops_plus : phase.hops_minus;
  }
  const bool swap = phase.alternate && index % 2 != 0;
  return positive != swap ? phase.hops_plus : phase.hops_minus;
}

/// Exchange and gather: whether the packet between the active node, with `row` and `column` active
/// nodes in its row and column, and `other` begins along x.
[[nodiscard]] bool begins_along_x(const Topology& topology, const Demand& demand,
                                  const QueuedProgram& program, std::uint32_t row,
                                  std::uint32_t column, NodeId other);

/// The destinations of the packets that `node` starts an exchange or gather with, in the order in
/// which they join its queues; empty when it has no packets.
[[nodiscard]] std::vector<NodeId> exchange_order(const Topology& topology, const Demand& demand,
                                                 const QueuedProgram& program, NodeId node);

/// The queue of a packet of an exchange or gather.
struct ExchangeLeg {
  Port port = 0;
  /// The packet is on its first leg, which has priority.
  bool first = false;
};
/// Requires destination != node.
[[nodiscard]] ExchangeLeg exchange_leg(const Topology& topology, NodeId node, NodeId destination,
                                       bool x_first);

}  // namespace gossamer
