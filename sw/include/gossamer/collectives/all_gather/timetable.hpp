// SPDX-License-Identifier: Apache-2.0
/// Scheduled all-gather where routers differ: borders, cylinders, faults. Every node has its own
/// ROM.
///
/// In every step and for each node, a maximum matching is taken between the node's live input arcs
/// and the packets that the sender has and the node lacks. Each input arc offers its rarest
/// packets. Receivers do not interfere, since a sender may send different packets on its output
/// ports. The result meets the lower bound in nearly every case tried; the plan states both
/// numbers. Source: docs/spec/faults.md, section 7.
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

/// The search's hops, step by step: every packet reaches every live router once, including those
/// with a dead core, as far as steps remain for it. Throws like plan_timetable.
[[nodiscard]] std::vector<PacketHop> gossip_hops(const Topology& topology,
                                                 const TimetableOptions& options);

/// The `scheduled` plan with one program per node, on any strongly connected network. Throws
/// InfeasibleError when nodes, steps and ports multiply to more than 2^24.
[[nodiscard]] Plan plan_timetable(const Topology& topology, const TimetableOptions& options);

}  // namespace gossamer
