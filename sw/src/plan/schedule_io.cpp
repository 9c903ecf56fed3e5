// SPDX-License-Identifier: Apache-2.0
/// Schedules in the plan document.
#include <fmt/format.h>

#include <array>

#include "gossamer/util/error.hpp"
#include "program_io.hpp"

namespace gossamer {

namespace {

/// The largest buffer of a scheduled router that a plan may ask for.
constexpr std::int64_t kMaxSlots = 65535;

}  // namespace

void write_schedule_fields(const ScheduleProgram& program, DocumentWriter& out) {
  out.key("packets_per_node");
  out.number(program.packets_per_node());
  out.key("slots");
  out.number(program.slots());
  out.key(kProgramTable);
  out.begin_array();
  std::array<std::int32_t, 2 * kMaxPorts> row{};
  const auto ports = static_cast<std::size_t>(program.ports());
  for (std::uint64_t step = 1; step <= program.steps(); ++step) {
    for (std::size_t p = 0; p < ports; ++p) {
      const auto port = static_cast<Port>(p);
      row[p] = static_cast<std::int32_t>(program.source_code(step, port));
      row[ports + p] = static_cast<std::int32_t>(program.store_code(step, port));
    }
    out.row(std::span(row).first(2 * ports));
  }
  out.end_array();
}

ScheduleProgram read_schedule_fields(Fields& fields, const Topology& topology,
                                     const NumberTable& table) {
  const auto k =
      static_cast<std::uint32_t>(fields.number("packets_per_node", 1, kMaxPacketsPerNode));
  const auto slots = static_cast<std::uint32_t>(fields.number("slots", 1, kMaxSlots));
  const auto ports = static_cast<std::size_t>(topology.ports());
  if (!topology.is_torus()) {
    throw InputError(fmt::format("{}: discipline: a schedule runs on a torus only, not on a mesh",
                                 fields.place()));
  }
  if (table.rows != 0 && table.row_length != 2 * ports) {
    throw InputError(fmt::format("{}: table: rows of {} entries for routers of {} ports, {} needed",
                                 fields.place(), table.row_length, ports, 2 * ports));
  }
  ScheduleProgram program(topology.ports(), k, slots, table.rows);
  auto value = table.values.begin();
  for (std::uint64_t step = 1; step <= program.steps(); ++step) {
    for (std::size_t i = 0; i < 2 * ports; ++i, ++value) {
      const bool store = i >= ports;
      const auto port = static_cast<Port>(store ? i - ports : i);
      const std::uint32_t largest = store ? slots : k + slots;
      if (*value < 0 || static_cast<std::uint32_t>(*value) > largest) {
        throw InputError(fmt::format("{}: table: step {}, {}-port {}: {} is outside 0..{}",
                                     fields.place(), step, store ? "in" : "out", port_name(port),
                                     *value, largest));
      }
      const auto code = static_cast<std::uint32_t>(*value);
      if (store) {
        program.set_store_code(step, port, code);
      } else {
        program.set_source_code(step, port, code);
      }
    }
  }
  return program;
}

}  // namespace gossamer
