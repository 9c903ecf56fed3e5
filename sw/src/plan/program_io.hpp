// SPDX-License-Identifier: Apache-2.0
/// The "program" part of the plan document, one writer and one reader per discipline.
#pragma once

#include "document_reader.hpp"
#include "document_writer.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// The key whose value is a table of numbers in every discipline.
inline constexpr std::string_view kProgramTable = "table";

void write_program(const Program& program, DocumentWriter& out);
/// Throws InputError when the program is not one for `topology`.
[[nodiscard]] Program read_program(Fields fields, const Topology& topology,
                                   const Document& document);

}  // namespace gossamer
