// SPDX-License-Identifier: Apache-2.0
/// Timetables that copy, as tables: the words of the ROMs step by step, and the ROM of each router.
#include <fmt/format.h>

#include "../../emit/network_text.hpp"
#include "../../emit/sv_text.hpp"
#include "emit.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer::emit_detail {

namespace {

/// A port's fields in a word of a ROM.
struct Entry {
  WordSource send;
  std::uint32_t slot = ArrivalRow::kNoSlot;
};

/// Calls visit(rom, step, port, entry) for every port of every word.
template <typename Visit>
void for_each_entry(const TimetableProgram& program, Visit visit) {
  for (std::uint32_t number = 0; number < program.roms().size(); ++number) {
    const TimetableRom& rom = program.roms()[number];
    auto send = rom.sends.begin();
    auto arrival = rom.arrivals.begin();
    for (std::uint64_t step = 1; step <= program.steps(); ++step) {
      for (const Port port : all_ports(program.ports())) {
        Entry entry;
        if (send != rom.sends.end() && send->step == step && send->port == port) {
          entry.send = (send++)->source;
        }
        if (arrival != rom.arrivals.end() && arrival->step == step && arrival->port == port) {
          entry.slot = (arrival++)->slot;
        }
        visit(number, step, port, entry);
      }
    }
  }
}

std::string_view kind_of(WordSource source) { return source.is_own() ? "own" : "slot"; }
/// "own 3", "slot 0", or empty.
std::string words_of(WordSource source) {
  return source.none() ? "" : fmt::format("{} {}", kind_of(source), source.index());
}

/// Facts about the whole network; in a total exchange a node has no packet for itself.
std::vector<NetworkFact> facts_of(const Plan& plan) {
  const auto& program = plan.program.as<TimetableProgram>();
  std::vector<NetworkFact> facts = {{"packets_per_node", program.own()}};
  if (plan.expected.analytic_steps) facts.emplace_back("steps", *plan.expected.analytic_steps);
  facts.emplace_back("slots", program.slots());
  return facts;
}

const TimetableProgram& program_of(const Plan& plan) { return plan.program.as<TimetableProgram>(); }

}  // namespace

std::vector<EmittedFile> emit_schedule_csv(const Plan& plan) {
  const TimetableProgram& program = program_of(plan);
  std::string text = "rom,step,port,send,store\n";
  for_each_entry(program, [&](std::uint32_t rom, std::uint64_t step, Port port, const Entry& at) {
    append_format(text, "{},{},{},{},{}\n", rom, step, port_name(port), words_of(at.send),
                  at.slot == ArrivalRow::kNoSlot ? "" : fmt::format("slot {}", at.slot));
  });
  std::string routers = "node,rom\n";
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
    append_format(routers, "{},{}\n", node, program.rom_of(node));
  }
  return {{"roms.csv", std::move(text)},
          {"routers.csv", std::move(routers)},
          network_csv(plan, facts_of(plan))};
}

std::vector<EmittedFile> emit_schedule_json(const Plan& plan) {
  const TimetableProgram& program = program_of(plan);
  std::vector<std::uint32_t> routers;
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
    routers.push_back(program.rom_of(node));
  }
  std::string text = fmt::format(
      "{{\n\"format\": \"gossamer-schedule\",\n{},\n\"slots\": {},\n\"routers\": [{}],\n"
      "\"roms\": [",
      json_network(plan, program.own(), program.steps()), program.slots(), joined(routers, ", "));
  for_each_entry(program, [&](std::uint32_t rom, std::uint64_t step, Port port, const Entry& at) {
    if (port == 0) {
      text += step != 1 ? ",\n  {" : rom == 0 ? "\n [\n  {" : "\n ],\n [\n  {";
    }
    append_format(
        text, R"({}"{}": {{"send": {}, "store": {}}})", port == 0 ? "" : ", ", port_name(port),
        at.send.none() ? "null" : fmt::format(R"({{"{}": {}}})", kind_of(at.send), at.send.index()),
        at.slot == ArrivalRow::kNoSlot ? "null" : fmt::format("{}", at.slot));
    if (port + 1 == program.ports()) text += '}';
  });
  text += program.steps() == 0 ? "]\n}\n" : "\n ]\n]\n}\n";
  return {{"schedule.json", std::move(text)}};
}

std::vector<EmittedFile> emit_schedule_memh(const Plan& plan) {
  const TimetableProgram& program = program_of(plan);
  const RomFormat format = program.format();
  const auto ports = static_cast<std::size_t>(program.ports());
  const std::uint64_t bits = format.word_bits(program.ports());
  const std::string about = fmt::format("// {}\n", network_line(plan, facts_of(plan)));
  std::string roms = fmt::format(
      "// Bits {0}*p +: {0}: the word that out-port p sends, 0 none, 1..{1} an own packet and one "
      "more, {2}.. a slot and {2} more;\n"
      "// bits {3} + {4}*q +: {4}: the slot that takes an arrival of in-port q, 0 none, else one "
      "more than the slot.\n{5}// {6} bits per word, one per ROM and step, address rom * {7} + "
      "step "
      "- 1.\n",
      format.source_bits, program.own(), program.own() + 1, ports * format.source_bits,
      format.slot_bits, about, bits, program.steps());
  Literal word(static_cast<std::size_t>(bits));
  for_each_entry(program, [&](std::uint32_t, std::uint64_t, Port port, const Entry& at) {
    if (!at.send.none()) {
      word.set(port * format.source_bits,
               std::uint64_t{at.send.index()} + 1 + (at.send.is_own() ? 0 : program.own()));
    }
    if (at.slot != ArrivalRow::kNoSlot) {
      word.set(ports * format.source_bits + port * format.slot_bits, std::uint64_t{at.slot} + 1);
    }
    if (port + 1 != program.ports()) return;
    roms += word.digits() + '\n';
    word = Literal(static_cast<std::size_t>(bits));
  });
  std::string routers = "// The ROM of a router, address node.\n" + about;
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
    append_format(routers, "{:08x}\n", program.rom_of(node));
  }
  return {{"roms.memh", std::move(roms)}, {"routers.memh", std::move(routers)}};
}

}  // namespace gossamer::emit_detail
