// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../plan/program_io.hpp"
#include "gossamer/machines/timetable/program.hpp"

namespace gossamer {

void write_timetable_fields(const TimetableProgram& program, DocumentWriter& out);
/// Throws InputError for a program that the routers of `topology` cannot execute.
[[nodiscard]] TimetableProgram read_timetable_fields(Fields& fields, const Topology& topology,
                                                     const NumberTable& table,
                                                     const NumberTable& classes);

// Documents of versions 1 and 2 have four notations of timetables.

/// `schedule`: a ROM for all nodes, or one for each class of nodes.
[[nodiscard]] TimetableProgram read_schedule(Fields& fields, const Topology& topology,
                                             const Demand& demand, const NumberTable& table,
                                             const NumberTable& classes);
/// `timetable`: rows of (step, from, out-port, packet, read, write, mode), own words in slots.
[[nodiscard]] TimetableProgram read_rows(Fields& fields, const Topology& topology,
                                         const NumberTable& table);
/// `trees`: parent, up and down of each node and stream.
[[nodiscard]] TimetableProgram read_trees(Fields& fields, const Topology& topology,
                                          const Demand& demand, const NumberTable& table);
/// The moves of a `queued` program: rows of (step, from, port, origin, destination).
[[nodiscard]] TimetableProgram read_moves(Fields& fields, const Topology& topology,
                                          const Demand& demand, const NumberTable& moves);

/// Throws InputError when a row names a port without a live link.
void check_links(const TimetableProgram& program, const Topology& topology,
                 const std::string& place);
/// Throws InputError for a demand that timetables do not serve, or whose own words the program does
/// not have.
void check_timetable_demand(const TimetableProgram& program, const Topology& topology,
                            const Demand& demand, const std::string& place);

}  // namespace gossamer
