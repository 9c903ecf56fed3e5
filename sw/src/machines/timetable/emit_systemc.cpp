// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "../../emit/systemc.hpp"
#include "emit.hpp"

namespace gossamer::emit_detail {

namespace {

using systemc::constant;
using systemc::list;
using systemc::NumberList;

/// The tables of gsm_schedule_routers.hpp.
std::string schedule_tables(const Plan& plan) {
  const auto& program = plan.program.as<TimetableProgram>();
  const auto ports = static_cast<std::size_t>(program.ports());
  NumberList routers;
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) routers.add(program.rom_of(node));
  NumberList words;
  for (const TimetableRom& rom : program.roms()) {
    std::vector<std::uint64_t> codes(program.steps() * 2 * ports, 0);
    for (const SendRow& row : rom.sends) {
      codes[(row.step - 1) * 2 * ports + row.port] =
          std::uint64_t{row.source.index()} + 1 + (row.source.is_own() ? 0 : program.own());
    }
    for (const ArrivalRow& row : rom.arrivals) {
      codes[(row.step - 1) * 2 * ports + ports + row.port] = std::uint64_t{row.slot} + 1;
    }
    for (const std::uint64_t code : codes) words.add(code);
  }
  return constant("Slots of a packet buffer.", "uint32_t", "kSlots", program.slots()) +
         constant("Words of a ROM.", "uint64_t", "kRomSteps", program.steps()) +
         list("By node: its ROM.", "uint32_t", "kRouter", routers) +
         list(
             "ROM by ROM and step by step: by out-port 0, or 1 more than the own packet that it\n"
             "/// sends, or kPackets + 1 more than the slot; by in-port 0, or 1 more than the slot "
             "for\n/// its arrival.",
             "uint32_t", "kRom", words);
}

}  // namespace

std::vector<EmittedFile> emit_timetable_systemc(const Plan& plan) {
  // The embedded routers copy what every node has to every other node, step by step.
  const auto& program = plan.program.as<TimetableProgram>();
  const bool embedded = plan.topology.has_equal_links() && !program.repeats() &&
                        program.delivery() != DeliveryRule::kMarked &&
                        plan.demand == Demand::all_gather(plan.demand.pieces);
  if (!embedded) return systemc_collective(plan);
  return systemc_network(plan, schedule_tables(plan), "gsm_schedule_routers.hpp");
}

}  // namespace gossamer::emit_detail
