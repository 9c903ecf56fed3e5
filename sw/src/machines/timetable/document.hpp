// SPDX-License-Identifier: Apache-2.0
/// Timetables in plan documents.
#pragma once

#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/plan/document_writer.hpp"
#include "gossamer/plan/program_source.hpp"

namespace gossamer {

/// The ROM of each node.
inline constexpr std::string_view kClassesTablePath = "program/classes";
/// Version 2: the moves of a program of queued routers.
inline constexpr std::string_view kMovesTablePath = "program/moves";

void write_timetable(const TimetableProgram& program, DocumentWriter& out);
/// Throws InputError for a program that the routers of the network cannot execute.
[[nodiscard]] TimetableProgram read_timetable(ProgramSource& source);

/// Documents of versions 1 and 2 had four notations of timetables:
///  - `schedule`: a ROM for all nodes, or one for each class of nodes;
///  - `timetable`: rows of (step, from, out-port, packet, read, write, mode), own words in slots;
///  - `trees`: parent, up and down of each node and stream;
///  - `queued` with moves: rows of (step, from, port, origin, destination).
[[nodiscard]] bool is_older_timetable(std::string_view discipline, const Document& document);
[[nodiscard]] TimetableProgram read_older_timetable(ProgramSource& source);
/// Version 1: an all-gather.
void upgrade_timetable(Document& document);

/// Throws InputError when a row names a port without a live link.
void check_links(const TimetableProgram& program, const Topology& topology,
                 const std::string& place);
/// Throws InputError for a demand that timetables do not serve, or whose own words the program does
/// not have.
void check_timetable(const TimetableProgram& program, const Topology& topology,
                     const Demand& demand, const std::string& place);

}  // namespace gossamer
