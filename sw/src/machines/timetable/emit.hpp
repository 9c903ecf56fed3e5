// SPDX-License-Identifier: Apache-2.0
/// Timetables in the formats of `gossamer emit`.
#pragma once

#include <vector>

#include "gossamer/emit/emit.hpp"
#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer::emit_detail {

[[nodiscard]] std::vector<EmittedFile> emit_timetable_sv(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_timetable_systemc(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_schedule_csv(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_schedule_json(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_schedule_memh(const Plan& plan);

}  // namespace gossamer::emit_detail
