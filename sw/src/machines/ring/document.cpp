// SPDX-License-Identifier: Apache-2.0
#include "document.hpp"

#include "gossamer/plan/combination_io.hpp"
#include "gossamer/plan/port_table_io.hpp"

namespace gossamer {

namespace {

/// A lane is one of the combination's; nodes that combine have no packets to send.
RingPort read_port(Fields& fields, const PortTableShape& shape, std::size_t lanes) {
  RingPort entry;
  entry.feed = read_port_set(fields, "feed", shape);
  const bool switches = fields.has("switch_step") || fields.has("early_feed");
  if (switches || entry.feed.has_several() || !read_preload(fields, shape).empty()) {
    throw InputError(fmt::format(
        "{}: a program that combines has one feed per output port and no preload", fields.place()));
  }
  if (!fields.has("lane")) return entry;
  entry.lane = fields.number<std::uint8_t>("lane", 0, kMaxPorts - 1);
  if (*entry.lane >= lanes) {
    throw InputError(fmt::format("{}: there is no lane {}", fields.place(), *entry.lane));
  }
  return entry;
}

}  // namespace

RingProgram read_ring(ProgramSource& source) {
  const PortTableShape shape = read_shape(source, true);
  RingProgram program(source.topology.nodes(), shape.columns(), shape.frame);
  program.combine =
      read_combination(source.fields.object("combine"), source.topology, shape.packets_per_node);
  const std::size_t cycles = program.combine.cycles();
  program.combine.deal = read_deal(source.fields, program.combine);
  const auto optional = [&fields = source.fields](std::string_view key, std::uint32_t least,
                                                  std::uint32_t most) {
    return fields.has(key) ? fields.number<std::uint32_t>(key, least, most) : least;
  };
  program.flits = optional("flits", 1, kMaxStepFlits);
  program.adder_cycles = optional("adder_cycles", 0, kMaxAdderCycles);
  read_port_table(
      source, shape, program,
      [cycles](Fields& fields, const PortTableShape& of) {
        return read_port(fields, of, 2 * cycles);
      },
      cycles, ranks_into(program.combine, source.place()));
  return program;
}

void write_ring(const RingProgram& program, DocumentWriter& out) {
  const std::uint32_t frame = program.frame();
  write_shape({.frame = frame, .packets_per_node = program.combine.parts}, out);
  write_port_entries(
      program,
      [frame](const RingPort& entry, DocumentWriter& to) {
        write_port_set("feed", entry.feed, frame, to);
        to.list("preload", std::vector<std::uint16_t>{});
        if (entry.lane) to.number("lane", *entry.lane);
      },
      out);
  out.key("combine");
  write_combination(program.combine, out);
  if (program.combine.deal != Deal::kBlocks) out.string("deal", deal_name(program.combine.deal));
  if (program.flits != 1) out.number("flits", program.flits);
  if (program.adder_cycles != 0) out.number("adder_cycles", program.adder_cycles);
  write_port_numbers(program, out, program.combine.ranks, program.combine.cycles());
}

}  // namespace gossamer
