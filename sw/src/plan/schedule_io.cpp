// SPDX-License-Identifier: Apache-2.0
/// Schedules in the plan document.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gossamer/util/error.hpp"
#include "program_io.hpp"

namespace gossamer {

namespace {

/// The largest buffer of a scheduled router that a plan may ask for.
constexpr std::int64_t kMaxSlots = 65535;

/// With ROMs of their own, no node sends or stores by a port without a link.
void check_connected(const ScheduleProgram& program, const Topology& topology,
                     const std::string& place) {
  if (program.classes().empty()) return;
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    const std::uint32_t rom = program.class_of(walk.node());
    for (const Port port : all_ports(topology.ports())) {
      const bool leads = walk.neighbor(port) != kNoNode;
      const bool fed = walk.sender(port) != kNoNode;
      if (leads && fed) continue;
      for (std::uint64_t step = 1; step <= program.steps(); ++step) {
        const bool sends = !leads && program.source_code(step, port, rom) != 0;
        if (!sends && (fed || program.store_code(step, port, rom) == 0)) continue;
        throw InputError(
            fmt::format("{}: table: node {}, step {}: {} by port {}, which has no live link", place,
                        walk.node(), step, sends ? "sends" : "stores what comes", port_name(port)));
      }
    }
  }
}

}  // namespace

void write_schedule_fields(const ScheduleProgram& program, DocumentWriter& out) {
  out.number("packets_per_node", program.packets_per_node());
  out.number("slots", program.slots());
  if (!program.classes().empty()) {
    out.begin_array(kClassesTable);
    for (const std::uint32_t rom : program.classes()) {
      const std::array<std::int32_t, 1> row = {static_cast<std::int32_t>(rom)};
      out.row(row);
    }
    out.end_array();
  }
  out.begin_array(kProgramTable);
  std::array<std::int32_t, std::size_t{2} * kMaxPorts> row{};
  const auto ports = static_cast<std::size_t>(program.ports());
  for (std::uint32_t rom = 0; rom < program.roms(); ++rom) {
    for (std::uint64_t step = 1; step <= program.steps(); ++step) {
      for (std::size_t p = 0; p < ports; ++p) {
        const auto port = static_cast<Port>(p);
        row[p] = static_cast<std::int32_t>(program.source_code(step, port, rom));
        row[ports + p] = static_cast<std::int32_t>(program.store_code(step, port, rom));
      }
      out.row(std::span(row).first(2 * ports));
    }
  }
  out.end_array();
}

ScheduleProgram read_schedule_fields(Fields& fields, const Topology& topology,
                                     const NumberTable& table, const NumberTable& classes) {
  const auto k = fields.number<std::uint32_t>("packets_per_node", 1, kMaxPacketsPerNode);
  const auto slots = fields.number<std::uint32_t>("slots", 1, kMaxSlots);
  const auto ports = static_cast<std::size_t>(topology.ports());
  if (!topology.routers_are_alike() && classes.rows == 0) {
    throw InputError(
        fmt::format("{}: discipline: a schedule with one ROM for all routers runs on a healthy "
                    "torus only, not on a {}{}",
                    fields.place(), topology.is_healthy() ? "" : "damaged ", topology.kind()));
  }
  std::vector<std::uint32_t> rom_of;
  std::uint64_t roms = 1;
  if (classes.rows != 0) {
    if (classes.rows != topology.nodes() || classes.row_length != 1) {
      throw InputError(fmt::format("{}: classes: {} rows of {} for {} nodes, one number each",
                                   fields.place(), classes.rows, classes.row_length,
                                   topology.nodes()));
    }
    for (const std::int32_t rom : classes.values) {
      if (rom < 0 || static_cast<std::uint32_t>(rom) >= topology.nodes()) {
        throw InputError(fmt::format("{}: classes: {} is outside 0..{}", fields.place(), rom,
                                     topology.nodes() - 1));
      }
      rom_of.push_back(static_cast<std::uint32_t>(rom));
      roms = std::max<std::uint64_t>(roms, rom_of.back() + std::uint64_t{1});
    }
    if (table.rows % roms != 0) {
      throw InputError(fmt::format("{}: table: {} rows for {} ROMs of one length", fields.place(),
                                   table.rows, roms));
    }
  }
  if (table.rows != 0 && table.row_length != 2 * ports) {
    throw InputError(fmt::format("{}: table: rows of {} entries for routers of {} ports, {} needed",
                                 fields.place(), table.row_length, ports, 2 * ports));
  }
  ScheduleProgram program(topology.ports(), k, slots, table.rows / roms, std::move(rom_of));
  auto value = table.values.begin();
  for (std::uint64_t row = 0; row < table.rows; ++row) {
    const auto rom = static_cast<std::uint32_t>(row / std::max<std::uint64_t>(program.steps(), 1));
    const std::uint64_t step = row - rom * program.steps() + 1;
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
        program.set_store_code(step, port, code, rom);
      } else {
        program.set_source_code(step, port, code, rom);
      }
    }
  }
  check_connected(program, topology, fields.place());
  return program;
}

}  // namespace gossamer
