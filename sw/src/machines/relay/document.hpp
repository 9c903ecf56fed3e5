// SPDX-License-Identifier: Apache-2.0
/// Relay programs in plan documents.
#pragma once

#include "gossamer/machines/relay/program.hpp"
#include "gossamer/plan/document_writer.hpp"
#include "gossamer/plan/program_source.hpp"

namespace gossamer {

[[nodiscard]] RelayProgram read_relay(ProgramSource& source);
void write_relay(const RelayProgram& program, DocumentWriter& out);
void check_relay(const Topology& topology, const Demand& demand, const std::string& place);
/// Version 1: a broadcast, whose root stood in the program.
void upgrade_relay(Document& document);

}  // namespace gossamer
