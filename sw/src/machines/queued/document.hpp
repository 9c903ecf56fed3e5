// SPDX-License-Identifier: Apache-2.0
/// Queued programs in plan documents.
#pragma once

#include "gossamer/machines/queued/program.hpp"
#include "gossamer/plan/document_writer.hpp"
#include "gossamer/plan/program_source.hpp"

namespace gossamer {

/// An engine may run the result: everything is checked.
[[nodiscard]] QueuedProgram read_queued(ProgramSource& source);
void write_queued(const QueuedProgram& program, DocumentWriter& out);
void check_queued(const Topology& topology, const std::string& place);
/// Version 1: a program had a goal, and its sources in a table.
void upgrade_queued(Document& document);

}  // namespace gossamer
