// SPDX-License-Identifier: Apache-2.0
/// The "program" part of the plan document, one writer and one reader per discipline.
#pragma once

#include "document_reader.hpp"
#include "document_writer.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// The key whose value is a table of numbers in every discipline.
inline constexpr std::string_view kProgramTable = "table";
/// The key of a queued program's second table: its moves.
inline constexpr std::string_view kMovesTable = "moves";

void write_program(const Program& program, DocumentWriter& out);
/// Throws InputError when the program is not one for `topology`.
[[nodiscard]] Program read_program(Fields fields, const Topology& topology,
                                   const Document& document);

// Each discipline's own keys, inside the program's object.

/// Streams; a frame of 1 is none.
void write_stream_fields(const StreamProgram& program, std::uint32_t frame, DocumentWriter& out);
[[nodiscard]] StreamProgram read_stream_fields(Fields& fields, const Topology& topology,
                                               std::uint32_t frame, const NumberTable& table);
void write_relay_fields(const RelayProgram& program, DocumentWriter& out);
[[nodiscard]] RelayProgram read_relay_fields(Fields& fields, const Topology& topology,
                                             const NumberTable& table);
void write_schedule_fields(const ScheduleProgram& program, DocumentWriter& out);
[[nodiscard]] ScheduleProgram read_schedule_fields(Fields& fields, const Topology& topology,
                                                   const NumberTable& table);

void write_queued_fields(const QueuedProgram& program, DocumentWriter& out);
/// An engine may run what comes back: everything is checked.
[[nodiscard]] QueuedProgram read_queued_fields(Fields& fields, const Topology& topology,
                                               const NumberTable& sources,
                                               const NumberTable& moves);
void write_dynamic_fields(const DynamicProgram& program, DocumentWriter& out);
[[nodiscard]] DynamicProgram read_dynamic_fields(Fields& fields, const Topology& topology);

}  // namespace gossamer
