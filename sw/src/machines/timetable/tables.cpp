// SPDX-License-Identifier: Apache-2.0
/// Schedules as tables: the words of the ROMs step by step, and which ROM a router has.
#include <fmt/format.h>

#include <bit>

#include "formats.hpp"
#include "gossamer/util/text.hpp"
#include "sv_text.hpp"

namespace gossamer::emit_detail {

namespace {

const ScheduleProgram& schedule_of(const Plan& plan) {
  return std::get<ScheduleProgram>(plan.program);
}

/// Calls visit(rom, step, port) for every entry.
template <typename Visit>
void for_each_entry(const ScheduleProgram& schedule, Visit visit) {
  for (std::uint32_t rom = 0; rom < schedule.roms(); ++rom) {
    for (std::uint64_t step = 1; step <= schedule.steps(); ++step) {
      for (int p = 0; p < schedule.ports(); ++p) visit(rom, step, static_cast<Port>(p));
    }
  }
}

/// "own 3", "slot 0", or nothing.
std::string words_of(const PacketSource& source) {
  if (source.kind == PacketSource::Kind::kIdle) return {};
  return fmt::format("{} {}", source.kind == PacketSource::Kind::kOwn ? "own" : "slot",
                     source.index);
}

}  // namespace

std::vector<EmittedFile> emit_schedule_csv(const Plan& plan) {
  const ScheduleProgram& schedule = schedule_of(plan);
  std::string text = "rom,step,port,send,store\n";
  for_each_entry(schedule, [&](std::uint32_t rom, std::uint64_t step, Port port) {
    const auto store = schedule.store(step, port, rom);
    append_format(text, "{},{},{},{},{}\n", rom, step, port_name(port),
                  words_of(schedule.source(step, port, rom)),
                  store ? fmt::format("slot {}", *store) : "");
  });
  std::string routers = "node,rom\n";
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
    append_format(routers, "{},{}\n", node, schedule.class_of(node));
  }
  return {{"roms.csv", std::move(text)}, {"routers.csv", std::move(routers)}, network_csv(plan)};
}

std::vector<EmittedFile> emit_schedule_json(const Plan& plan) {
  const ScheduleProgram& schedule = schedule_of(plan);
  std::vector<std::uint32_t> routers;
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
    routers.push_back(schedule.class_of(node));
  }
  std::string text = fmt::format(
      "{{\n\"format\": \"gossamer-schedule\",\n{},\n\"slots\": {},\n\"routers\": [{}],\n"
      "\"roms\": [",
      json_network(plan, schedule.packets_per_node(), schedule.steps()), schedule.slots(),
      joined(routers, ", "));
  for_each_entry(schedule, [&](std::uint32_t rom, std::uint64_t step, Port port) {
    if (port == 0) {
      text += step != 1 ? ",\n  {" : rom == 0 ? "\n [\n  {" : "\n ],\n [\n  {";
    }
    const PacketSource source = schedule.source(step, port, rom);
    const auto store = schedule.store(step, port, rom);
    const bool idle = source.kind == PacketSource::Kind::kIdle;
    append_format(
        text, R"({}"{}": {{"send": {}, "store": {}}})", port == 0 ? "" : ", ", port_name(port),
        idle ? "null"
             : fmt::format(R"({{"{}": {}}})",
                           source.kind == PacketSource::Kind::kOwn ? "own" : "slot", source.index),
        store ? fmt::format("{}", *store) : "null");
    if (port + 1 == schedule.ports()) text += '}';
  });
  text += schedule.steps() == 0 ? "]\n}\n" : "\n ]\n]\n}\n";
  return {{"schedule.json", std::move(text)}};
}

std::vector<EmittedFile> emit_schedule_memh(const Plan& plan) {
  const ScheduleProgram& schedule = schedule_of(plan);
  const auto ports = static_cast<std::size_t>(schedule.ports());
  const auto source_bits = static_cast<std::size_t>(
      std::bit_width(std::uint64_t{schedule.packets_per_node()} + schedule.slots()));
  const auto store_bits = static_cast<std::size_t>(std::bit_width(schedule.slots()));
  const std::string about = fmt::format("// {}\n", network_line(plan));
  std::string roms = fmt::format(
      "// Bits {0}*p +: {0}: what out-port p sends, 0 nothing, 1..{1} an own packet and one more, "
      "{2}.. a slot and {2} more;\n"
      "// bits {3} + {4}*q +: {4}: where an arrival of in-port q goes, 0 nowhere, 1.. a slot and "
      "one more.\n{5}// {6} bits a word, one a ROM and step, address rom * {7} + step - 1.\n",
      source_bits, schedule.packets_per_node(), schedule.packets_per_node() + 1,
      ports * source_bits, store_bits, about, schedule.word_bits(), schedule.steps());
  for (std::uint32_t rom = 0; rom < schedule.roms(); ++rom) {
    for (std::uint64_t step = 1; step <= schedule.steps(); ++step) {
      Literal word(static_cast<std::size_t>(schedule.word_bits()));
      for (std::size_t p = 0; p < ports; ++p) {
        const auto port = static_cast<Port>(p);
        word.set(p * source_bits, schedule.source_code(step, port, rom));
        word.set(ports * source_bits + p * store_bits, schedule.store_code(step, port, rom));
      }
      roms += word.digits() + '\n';
    }
  }
  std::string routers = "// The ROM of a router, address node.\n" + about;
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
    append_format(routers, "{:08x}\n", schedule.class_of(node));
  }
  return {{"roms.memh", std::move(roms)}, {"routers.memh", std::move(routers)}};
}

}  // namespace gossamer::emit_detail
