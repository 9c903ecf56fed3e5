// SPDX-License-Identifier: Apache-2.0
/// Timetables as tables: the words of the ROMs step by step, and the ROM of each router.
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
  /// Added to the arrival.
  WordSource with;
  std::uint32_t slot = ArrivalRow::kNoSlot;
  bool delivers = false;
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
          entry.with = arrival->with;
          entry.slot = arrival->slot;
          entry.delivers = arrival->delivers;
          ++arrival;
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
/// {"own": 3}, or null.
std::string json_source(WordSource source) {
  return source.none() ? "null" : fmt::format(R"({{"{}": {}}})", kind_of(source), source.index());
}
/// The number of a word in fields of the ROM; 0: none.
std::uint64_t code_of(const TimetableProgram& program, WordSource source) {
  if (source.none()) return 0;
  return std::uint64_t{source.index()} + 1 + (source.is_own() ? 0 : program.own());
}

/// Rows say which arrivals are delivered. In other programs all are, or those that take no slot.
bool marks_results(const TimetableProgram& program) {
  return program.delivery() == DeliveryRule::kMarked;
}

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
  std::string text = fmt::format("rom,step,port,send{},store{}\n", program.combines() ? ",add" : "",
                                 marks_results(program) ? ",deliver" : "");
  for_each_entry(program, [&](std::uint32_t rom, std::uint64_t step, Port port, const Entry& at) {
    append_format(text, "{},{},{},{}", rom, step, port_name(port), words_of(at.send));
    if (program.combines()) append_format(text, ",{}", words_of(at.with));
    append_format(text, ",{}",
                  at.slot == ArrivalRow::kNoSlot ? "" : fmt::format("slot {}", at.slot));
    if (marks_results(program)) text += at.delivers ? ",1" : ",0";
    text += '\n';
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
    append_format(text, R"({}"{}": {{"send": {}{}, "store": {}{}}})", port == 0 ? "" : ", ",
                  port_name(port), json_source(at.send),
                  program.combines() ? R"(, "add": )" + json_source(at.with) : "",
                  at.slot == ArrivalRow::kNoSlot ? "null" : fmt::format("{}", at.slot),
                  !marks_results(program) ? ""
                  : at.delivers           ? R"(, "deliver": true)"
                                          : R"(, "deliver": false)");
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
  const std::size_t in_bits = format.with_bits + format.slot_bits + format.deliver_bits;
  std::string parts;
  if (format.with_bits != 0) {
    parts += fmt::format("{} the word that is added to an arrival of in-port q, as above; ",
                         format.with_bits);
  }
  append_format(
      parts, "{} the slot that takes an arrival of in-port q, 0 none, else one more than the slot",
      format.slot_bits);
  if (format.deliver_bits != 0) {
    append_format(parts, "; {} whether its result is delivered to the node", format.deliver_bits);
  }
  std::string roms = fmt::format(
      "// Bits {0}*p +: {0}: the word that out-port p sends, 0 none, 1..{1} an own packet and one "
      "more, {2}.. a slot and {2} more;\n"
      "// bits {3} + {4}*q +: {4}, from the lowest: {8}.\n{5}// {6} bits per word, one per ROM and "
      "step, address rom * {7} + "
      "step "
      "- 1.\n",
      format.source_bits, program.own(), program.own() + 1, ports * format.source_bits, in_bits,
      about, bits, program.steps(), parts);
  Literal word(static_cast<std::size_t>(bits));
  for_each_entry(program, [&](std::uint32_t, std::uint64_t, Port port, const Entry& at) {
    word.set(port * format.source_bits, code_of(program, at.send));
    const std::size_t in = ports * format.source_bits + port * in_bits;
    word.set(in, code_of(program, at.with));
    if (at.slot != ArrivalRow::kNoSlot) word.set(in + format.with_bits, std::uint64_t{at.slot} + 1);
    if (at.delivers) word.set(in + format.with_bits + format.slot_bits, 1);
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
