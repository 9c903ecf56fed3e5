// SPDX-License-Identifier: Apache-2.0
/// Stream programs in plan documents.
#pragma once

#include "gossamer/machines/stream/program.hpp"
#include "gossamer/plan/document_writer.hpp"
#include "gossamer/plan/program_source.hpp"

namespace gossamer {

[[nodiscard]] StreamProgram read_stream(ProgramSource& source);
void write_stream(const StreamProgram& program, DocumentWriter& out);
void check_stream(const StreamProgram& program, const Topology& topology, const Demand& demand,
                  const std::string& place);
/// Version 1: an all-gather, in frames or not.
void upgrade_stream(Document& document);

}  // namespace gossamer
