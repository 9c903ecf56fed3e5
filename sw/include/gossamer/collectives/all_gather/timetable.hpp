// SPDX-License-Identifier: Apache-2.0
/// Scheduled gossip where routers differ: borders, cylinders, faults. Every node has a ROM of its
/// own.
///
/// In every step, node by node, a maximum matching between the node's live in-arcs and packets that
/// the sender has and it lacks; each in-arc offers its rarest ones. Receivers do not disturb one
/// another, since a sender may send different packets on its out-ports. The lower bound in nearly
/// every case tried; the plan says both. Source: docs/spec/faults.md, section 7.
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

struct TimetableOptions {
  std::uint32_t packets_per_node = 1;
  /// Decides between packets that are equally rare, and the order of the nodes.
  std::uint64_t seed = 1;
};

/// A packet that crosses a link.
struct PacketHop {
  /// From 1.
  std::uint32_t step = 1;
  NodeId from = 0;
  Port out_port = 0;
  NodeId to = 0;
  /// origin * packets_per_node + number.
  std::uint32_t packet = 0;
};

/// The search's hops, step by step: every packet comes to every live router once, those with a dead
/// core included, as far as there are steps left for it. Throws as plan_timetable.
[[nodiscard]] std::vector<PacketHop> gossip_hops(const Topology& topology,
                                                 const TimetableOptions& options);

/// The `scheduled` plan with a program a node, on any strongly connected network. Throws
/// InfeasibleError when nodes, steps and ports multiply to more than 2^24.
[[nodiscard]] Plan plan_timetable(const Topology& topology, const TimetableOptions& options);

}  // namespace gossamer
