// SPDX-License-Identifier: Apache-2.0
/// The "program" part of the plan document for queued and dynamic programs.
#pragma once

#include "document_reader.hpp"
#include "document_writer.hpp"
#include "gossamer/plan/dynamic_program.hpp"
#include "gossamer/plan/queued_program.hpp"

namespace gossamer {

/// The key of the second table: the sends of a program of moves.
inline constexpr std::string_view kMovesTable = "moves";

void write_queued(const QueuedProgram& program, DocumentWriter& out);
/// Throws InputError when the program is not one for `topology`: an engine may run what comes back.
[[nodiscard]] QueuedProgram read_queued(Fields& fields, const Topology& topology,
                                        const NumberTable& sources, const NumberTable& moves);

void write_dynamic(const DynamicProgram& program, DocumentWriter& out);
/// Throws InputError when the program is not one for `topology`.
[[nodiscard]] DynamicProgram read_dynamic(Fields& fields, const Topology& topology);

}  // namespace gossamer
