// SPDX-License-Identifier: Apache-2.0
/// The scheduled all-gather: at the lower bound, on a torus of any dimension.
///
/// Every router runs the same ROM (machines/timetable/program.hpp). It is derived from broadcast
/// trees, one for each packet of a node; in each step the trees together use every direction at
/// most once. A greedy algorithm grows the trees: in every step it takes a maximum matching between
/// the 2d directions and the nodes that lack a packet and have a neighbour with it. It met the
/// bound on every torus tried, but there is no proof that it always does. The plan therefore states
/// both its steps and the bound.
#pragma once

#include <vector>

#include "gossamer/collectives/all_gather/schedule_builder.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// The node that the greedy algorithm prefers among those that a direction could reach.
enum class SchedulePriority {
  /// The node nearest to the origin: each packet is kept for a short time. This gives the smaller
  /// buffer on tori that are much longer in one dimension than in the other: 17 packets on 1000 x
  /// 10, against 138.
  kNearestFirst,
  /// The node whose sender was informed last; among equals the nearest. Buffers are mostly smaller,
  /// from three dimensions on by an order of magnitude, but some packets stay long.
  kNewestFirst,
};

/// The rule by which the greedy algorithm chooses.
struct ScheduleRule {
  SchedulePriority priority = SchedulePriority::kNewestFirst;
  /// Last tie: the lowest node number first, or the highest.
  bool low_nodes_first = true;
};

/// The greedy's broadcast tree from node 0, in order of steps. Ties are resolved in the same way on
/// every computer. O(P d + steps d^3). Source: docs/spec/one-packet.md, section 6;
/// docs/spec/gossip.md, section 3.5.
[[nodiscard]] std::vector<ScheduleArc> greedy_schedule(const Topology& topology,
                                                       const ScheduleRule& rule);

/// The arcs of the broadcast trees of `packets` packets, grown together in the same way: in each
/// step a direction serves one tree. For one packet they are those of the `scheduled` plan.
[[nodiscard]] std::vector<ScheduleArc> scheduled_arcs(const Topology& topology,
                                                      std::uint32_t packets);

/// The `scheduled` all-gather plan, `packets` packets per node, >= 1. Both priorities are tried,
/// newest first with both orders of ties (nearest first with the second one only where the bound is
/// missed), and the shortest schedule with the smallest buffer is used.
///
/// Parameters of the plan: "priority" ("nearest first", "newest first") and those of schedule_plan.
/// expected.analytic_steps is the length of the schedule that was built; it equals
/// expected.lower_bound_steps on every torus tried, sides of 2 included. The torus must be healthy;
/// all_gather/timetable.hpp covers other networks. Throws InfeasibleError for several packets per
/// node when their total exceeds kMostScheduledPackets.
[[nodiscard]] Plan plan_scheduled(const Topology& topology, std::uint32_t packets = 1);
/// The largest total number of packets over all nodes; planning takes about 250 MB of memory.
inline constexpr std::uint64_t kMostScheduledPackets = std::uint64_t{1} << 22;

}  // namespace gossamer
