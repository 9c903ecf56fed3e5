// SPDX-License-Identifier: Apache-2.0
/// What the hardware of a list of moves is told: routers of timetables do what it says.
#pragma once

#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// The timetable of a queued program that is one phase of moves from step 1 on (a gather run
/// backward): a node's own packets are in its slots 0 and up, in the order of the demand's sources,
/// and what passes is kept in the lowest slot that is free. A node's own packet that has gone
/// leaves its slot free. Throws InputError for other programs, and where a move is one of a packet
/// that is not there.
[[nodiscard]] TimetableProgram timetable_of_moves(const Plan& plan);

}  // namespace gossamer
