// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/plan/plan.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {

/// Proves an all-reduce with rotated own words (TimetableProgram::rotation) by one router per class
/// of parities. Nodes of a class do the same with words whose numbers are shifted, so the contents
/// of one router, as boxes of contributors around it, are those of all. The time does not depend on
/// the number of nodes. Empty where this argument does not apply. A program that the argument does
/// not prove has a verdict with the first problem; only a replay knows all figures. The verdict has
/// no max_queue where nodes have different words and too many places.
[[nodiscard]] std::optional<Verdict> prove_by_position(const Plan& plan,
                                                       const TimetableProgram& program);

}  // namespace gossamer
