// SPDX-License-Identifier: Apache-2.0
/// What the hardware of packed trees is told: routers of timetables add up a tree's words, each in
/// a slot of its own.
#pragma once

#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// The timetable of a tree program that `verify` accepts: word j of the vector is in slot j of
/// every node from the start; what children send is added to it, and the total takes its place.
/// Nodes hand over what they get from above, roots what the last of their children completes. The
/// routers' steps are the program's. Throws InputError for programs that verify refuses (their
/// routers' registers are not what slots are) and where a root counts a word as done later than its
/// last child has brought it; InfeasibleError for vectors of more words than a node has slots.
[[nodiscard]] TimetableProgram timetable_of_trees(const Plan& plan);

}  // namespace gossamer
