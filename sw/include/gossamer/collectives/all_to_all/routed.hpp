// SPDX-License-Identifier: Apache-2.0
/// All-to-all on every connected network: packets on uncrowded live paths, each at its own step.
#pragma once

#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// The `scheduled` all-to-all: one packet for every ordered pair of live cores, a timetable a node.
///
/// Every packet takes a shortest live path first. Which one, of several, is best response: pair
/// after pair takes the path of least cost, an arc costing the fourth power of the packets on it,
/// until nobody gains or a few rounds are over; the sum of what arcs cost to fill falls with every
/// change, so this cannot go round in circles. Where that takes longer than the lower bound,
/// packets with an arc on their way that more packets take than the bound has steps choose again
/// among all live paths, an arc costing the 8th, then the 16th and 32nd power of what it carries;
/// of all that is tried the fewest steps count. Then, step by step, every arc sends of the packets
/// that wait for it the one with most hops before it, of equals the one of the lowest number. No
/// random numbers: one plan on every machine. The steps are those of the schedule; the plan names
/// the lower bound beside them (bounds::all_to_all_lower_bound).
///
/// Throws InfeasibleError where all paths together have more than 2^21 hops.
[[nodiscard]] Plan plan_routed_exchange(const Topology& topology);

}  // namespace gossamer
