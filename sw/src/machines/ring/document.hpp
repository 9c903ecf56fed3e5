// SPDX-License-Identifier: Apache-2.0
/// Ring programs in plan documents.
#pragma once

#include "gossamer/machines/ring/program.hpp"
#include "gossamer/plan/document_writer.hpp"
#include "gossamer/plan/program_source.hpp"

namespace gossamer {

[[nodiscard]] RingProgram read_ring(ProgramSource& source);
void write_ring(const RingProgram& program, DocumentWriter& out);

}  // namespace gossamer
