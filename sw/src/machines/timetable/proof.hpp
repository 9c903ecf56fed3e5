// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/plan/plan.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {

/// Follows every word through all routers, or through one of them where all are alike. In a
/// repeating program it follows the first word of each sequence where that is enough. An incomplete
/// program is followed up to step `limit`.
[[nodiscard]] Verdict prove_timetable(const Plan& plan, const TimetableProgram& program,
                                      std::uint64_t limit);

}  // namespace gossamer
