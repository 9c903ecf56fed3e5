// SPDX-License-Identifier: Apache-2.0
/// Timetables in the formats of `gossamer emit`.
#pragma once

#include <vector>

#include "../../emit/sv_text.hpp"
#include "gossamer/emit/emit.hpp"
#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer::emit_detail {

/// Tiles can have streams. Packets of several words, in steps that do not wait for additions, are
/// only copied, on links that are equally fast.
[[nodiscard]] bool has_streams(const Plan& plan);
/// Flat ports where every tool takes them or there are no streams, streams otherwise.
[[nodiscard]] ElementSide element_side(const Plan& plan);
/// The ROMs of tiles with that element side.
[[nodiscard]] RomFormat rom_format(const Plan& plan, ElementSide side);

[[nodiscard]] std::vector<EmittedFile> emit_timetable_sv(const Plan& plan, ElementSide side);
[[nodiscard]] std::vector<EmittedFile> emit_timetable_systemc(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_schedule_csv(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_schedule_json(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_schedule_memh(const Plan& plan);

}  // namespace gossamer::emit_detail
