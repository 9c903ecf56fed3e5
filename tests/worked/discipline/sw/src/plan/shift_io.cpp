// SPDX-License-Identifier: Apache-2.0
/// Shifts in the plan document: a table of one row a step.
#include <array>

#include "program_io.hpp"

namespace gossamer {

void write_shift_fields(const ShiftProgram& program, DocumentWriter& out) {
  out.begin_array(kProgramTable);
  for (const Port port : program.ports) out.list(std::array{port});
  out.end_array();
}

ShiftProgram read_shift_fields(Fields& fields, const Topology& topology, const NumberTable& table) {
  if (!topology.is_torus()) {
    throw InputError(fmt::format("{}: discipline: a shift runs on a torus only", fields.place()));
  }
  if (table.rows != 0 && table.row_length != 1) {
    throw InputError(fmt::format("{}: table: a row is one port", fields.place()));
  }
  ShiftProgram program;
  for (const std::int32_t port : table.values) {
    if (port < 0 || port >= topology.ports()) {
      throw InputError(fmt::format("{}: table: port {} is outside 0..{}", fields.place(), port,
                                   topology.ports() - 1));
    }
    program.ports.push_back(static_cast<Port>(port));
  }
  return program;
}

}  // namespace gossamer
