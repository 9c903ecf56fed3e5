// SPDX-License-Identifier: Apache-2.0
/// The proof of a timetable, from its rows alone.
#pragma once

#include "gossamer/verify/verify.hpp"

namespace gossamer {

/// Follows every row with the multiset of contributions that its word is made of, a contribution
/// being a node and a piece. Complete when every node that the demand wants to have a piece is
/// handed that piece, whole. `problems` names each row that cannot be meant: one that reads an
/// empty slot, adds to one, sends another piece than it says, stores where another one of its step
/// does, hands over what is not whole or was handed over already, or comes when all is done.
///
/// O(rows P) at most. Throws InputError when the contributions of all slots would take more memory
/// than allowed.
[[nodiscard]] Verdict prove_timetable(const Plan& plan, const TimetableProgram& program);

}  // namespace gossamer
