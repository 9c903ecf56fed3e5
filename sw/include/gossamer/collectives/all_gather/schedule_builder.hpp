// SPDX-License-Identifier: Apache-2.0
/// Builds the ROM that all routers share from broadcast trees.
///
/// Take a broadcast tree of one node's packets and shift it to every other node. When the arcs that
/// the trees use in a step all have different directions, the shifted trees never meet on a link,
/// and since the torus looks the same from every node, all routers do the same in that step. A
/// router at displacement u from a packet's origin plays the role of the tree's node u.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// One arc of the broadcast trees of node 0's packets.
struct ScheduleArc {
  /// Step of the transfer, from 1.
  std::uint32_t step = 0;
  /// The sending node in the tree of node 0, i.e. the displacement from the origin.
  NodeId from = 0;
  /// The direction.
  Port out_port = 0;
  /// Which of the own packets, 0 .. packets_per_node-1.
  std::uint16_t packet = 0;
};

/// The ROM of the arcs. Throws std::logic_error when two arcs of a step share a direction, or an
/// arc's sender does not hold the packet yet: such trees are an error of the planner.
[[nodiscard]] TimetableProgram build_schedule(const Topology& topology,
                                              std::uint32_t packets_per_node,
                                              std::span<const ScheduleArc> arcs);

/// An all-gather plan that runs `program`. Fills in the figures common to all scheduled plans: the
/// lower bound, the buffer (expected.queue_depth, in slots) and the parameters "packets",
/// "schedule_bits" (size of the ROM in bits, RomFormat) and "buffer_packets" (slots of the packet
/// buffer without own packets). The planner adds the figures of its formula.
[[nodiscard]] Plan schedule_plan(const Topology& topology, std::string algorithm,
                                 TimetableProgram program);

}  // namespace gossamer
