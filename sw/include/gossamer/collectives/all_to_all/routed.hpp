// SPDX-License-Identifier: Apache-2.0
/// All-to-all on every connected network: packets on uncrowded live paths, each at its scheduled
/// step.
#pragma once

#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// The `scheduled` all-to-all: one packet for every ordered pair of live cores, one timetable per
/// node.
///
/// Every packet first takes a shortest live path, chosen among several by best response. Pair after
/// pair takes the path of least cost, where an arc costs the fourth power of the packets on it,
/// until no pair improves or a few rounds are over. Every change reduces the total cost of filling
/// the arcs, so the process cannot cycle. If the result is longer than the lower bound, some
/// packets choose again among all live paths: those with an arc that carries more packets than the
/// bound has steps. An arc then costs the 8th, then the 16th and 32nd power of its load; the best
/// of all attempts is used. Then, step by step, every arc sends the waiting packet with the most
/// remaining hops, ties by lowest number. There are no random numbers, so the plan is the same on
/// every computer. The plan states its own steps and the lower bound
/// (bounds::all_to_all_lower_bound).
///
/// Throws InfeasibleError when all paths together have more than 2^21 hops.
[[nodiscard]] Plan plan_routed_exchange(const Topology& topology);

}  // namespace gossamer
