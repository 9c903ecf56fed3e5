// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/verilated_schedule_module.hpp"

#include <algorithm>

#include "drive_pins.hpp"
#include "gossamer/systemc/schedule_router.hpp"

namespace gossamer::tb {

VerilatedScheduleModule::VerilatedScheduleModule(const sc_core::sc_module_name& name,
                                                 const ScheduleProgram& program, NodeId node)
    : RouterModule(name),
      program_(&program),
      rom_(program.class_of(node)),
      own_(PacketId{node} * program.packets_per_node(), program.packets_per_node()),
      router_(make_verilated_schedule_router(program.ports(), program.slots())),
      written_(program.slots(), false) {}

void VerilatedScheduleModule::clear() {
  RouterPins& pins = router_->pins();
  pins.clear_i = true;
  pins.inject_valid_i = PortSet();
  pins.in_valid_i = PortSet();
  router_->clock();
  pins.clear_i = false;
  std::fill(written_.begin(), written_.end(), false);
  occupied_ = 0;
  conflicts_ = 0;
}

void VerilatedScheduleModule::set_word(std::uint64_t step) {
  VerilatedScheduleRouter::Word& word = router_->word();
  word = {};
  const std::uint32_t own = program_->packets_per_node();
  for (const Port port : all_ports(program_->ports())) {
    if (step >= 1 && step <= program_->steps()) {
      word.write[port] = program_->store_code(step, port, rom_);
    }
    if (step >= program_->steps()) continue;
    const std::uint32_t code = program_->source_code(step + 1, port, rom_);
    word.read[port] = code > own ? code - own : 0;
  }
}

void VerilatedScheduleModule::watch_writes() {
  const VerilatedScheduleRouter::Word& word = router_->word();
  std::array<std::uint32_t, kMaxPorts> seen{};
  std::size_t count = 0;
  for (const Port port : router_->pins().in_valid_i) {
    const std::uint32_t code = word.write[port];
    if (code == 0) continue;
    if (std::find(seen.begin(), seen.begin() + count, code) != seen.begin() + count) ++conflicts_;
    seen[count++] = code;
    if (!written_[code - 1]) ++occupied_;
    written_[code - 1] = true;
  }
}

std::uint64_t VerilatedScheduleModule::clock(const systemc::PacketEdge& edge) {
  const std::uint64_t step = edge.cycle();
  const auto ports = static_cast<std::size_t>(program_->ports());
  RouterPins& pins = router_->pins();
  set_word(step);
  pins.in_valid_i = drive(ports, pins.in_data_i, [&](std::size_t p) { return edge.in(p); });
  pins.inject_valid_i = drive(ports, pins.inject_data_i, [&](std::size_t p) {
    return systemc::scheduled_own(*program_, rom_, own_, step, static_cast<Port>(p));
  });
  watch_writes();
  router_->clock();
  read_out(pins, ports, edge);
  return step < program_->steps() ? step + 1 : systemc::kUntilArrival;
}

}  // namespace gossamer::tb
