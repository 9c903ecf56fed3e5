// SPDX-License-Identifier: Apache-2.0
/// The scheduled gossip: at the lower bound, on a torus of any dimension.
///
/// Every router runs the same ROM (machines/timetable/program.hpp), which is read off broadcast
/// trees, one for each packet of a node, in which each step uses every direction at most once in
/// all. A greedy grows the trees: in every step a maximum matching between the 2d directions and
/// the nodes that are still without a packet and next to a node that has it. It is exact wherever
/// it has been tried; there is no proof that it always is, so the plan says how many steps it came
/// to and what the bound is.
#pragma once

#include <vector>

#include "gossamer/collectives/all_gather/schedule_builder.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// Which of the nodes that a direction could inform the greedy prefers.
enum class SchedulePriority {
  /// The node nearest to the origin: each packet is kept for a short time. The smaller buffer on
  /// tori that are much longer one way than the other: 17 packets on 1000 x 10, against 138.
  kNearestFirst,
  /// The node whose sender was informed last, among equals the nearest. Mostly smaller buffers,
  /// from
  /// three dimensions on by an order of magnitude; some packets stay long.
  kNewestFirst,
};

/// How the greedy chooses.
struct ScheduleRule {
  SchedulePriority priority = SchedulePriority::kNewestFirst;
  /// Last tie: the lowest node number first, or the highest.
  bool low_nodes_first = true;
};

/// The greedy's broadcast tree from node 0, in order of steps. Ties fall the same way on every
/// machine. O(P d + steps d^3).
/// Source: docs/spec/one-packet.md, section 6; docs/spec/gossip.md, section 3.5.
[[nodiscard]] std::vector<ScheduleArc> greedy_schedule(const Topology& topology,
                                                       const ScheduleRule& rule);

/// The arcs of the broadcast trees of `packets` packets, grown together in the same way: in a step
/// a direction serves one of them. Those of the `scheduled` plan for one packet.
[[nodiscard]] std::vector<ScheduleArc> scheduled_arcs(const Topology& topology,
                                                      std::uint32_t packets);

/// The `scheduled` gossip plan, `packets` packets a node, >= 1. Both priorities are tried, newest
/// first with both orders of ties (nearest first with the second one only where the bound is
/// missed), and of the shortest schedules the one with the smallest buffer is taken.
///
/// Parameters of the plan: "priority" ("nearest first", "newest first") and those of schedule_plan.
/// expected.analytic_steps is the length of the schedule that was built; it equals
/// expected.lower_bound_steps on every torus tried, sides of 2 included.
/// The torus must be healthy; everything else is all_gather/timetable.hpp's. Throws InfeasibleError
/// for several packets that are more than kMostScheduledPackets in all.
[[nodiscard]] Plan plan_scheduled(const Topology& topology, std::uint32_t packets = 1);
/// Of all nodes: some 250 MB while trees grow.
inline constexpr std::uint64_t kMostScheduledPackets = std::uint64_t{1} << 22;

}  // namespace gossamer
