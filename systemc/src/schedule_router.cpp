// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/schedule_router.hpp"

#include <algorithm>

namespace gossamer::systemc {

void PacketBuffer::clear() {
  std::fill(slots_.begin(), slots_.end(), kNoPacket);
  occupied_ = 0;
  conflicts_ = 0;
}

void PacketBuffer::write(std::uint64_t step, std::span<const PacketId> arrivals) {
  if (step == 0 || step > program_->steps()) return;
  for (std::size_t q = 0; q < arrivals.size(); ++q) {
    if (arrivals[q] == kNoPacket) continue;
    const auto slot = program_->store(step, static_cast<Port>(q), rom_);
    if (!slot) continue;
    for (std::size_t low = 0; low < q; ++low) {
      if (arrivals[low] == kNoPacket) continue;
      if (program_->store(step, static_cast<Port>(low), rom_) != slot) continue;
      ++conflicts_;
      break;
    }
    PacketId& place = slots_[*slot];
    if (place == kNoPacket) ++occupied_;
    place = arrivals[q];
  }
}

PacketId PacketBuffer::read(std::uint64_t step, Port out_port) const {
  if (step == 0 || step > program_->steps()) return kNoPacket;
  const PacketSource source = program_->source(step, out_port, rom_);
  return source.kind == PacketSource::Kind::kSlot ? slots_[source.index] : kNoPacket;
}

PacketId scheduled_own(const ScheduleProgram& program, std::uint32_t rom, const OwnPackets& own,
                       std::uint64_t step, Port out_port) {
  if (step >= program.steps()) return kNoPacket;
  const PacketSource source = program.source(step + 1, out_port, rom);
  return source.kind == PacketSource::Kind::kOwn ? own[source.index] : kNoPacket;
}

ScheduleRouter::ScheduleRouter(const sc_core::sc_module_name& name, const ScheduleProgram& program,
                               NodeId node)
    : RouterModule(name),
      program_(&program),
      rom_(program.class_of(node)),
      own_(PacketId{node} * program.packets_per_node(), program.packets_per_node()),
      buffer_(program, rom_) {}

std::uint64_t ScheduleRouter::clock(const PacketEdge& edge) {
  const std::uint64_t step = edge.cycle();
  const auto ports = static_cast<std::size_t>(program_->ports());
  std::array<PacketId, kMaxPorts> arrivals;
  for (std::size_t port = 0; port < ports; ++port) arrivals[port] = edge.in(port);
  buffer_.write(step, {arrivals.data(), ports});
  for (std::size_t p = 0; p < ports; ++p) {
    const auto port = static_cast<Port>(p);
    const PacketId own = scheduled_own(*program_, rom_, own_, step, port);
    edge.drive(port, own != kNoPacket ? own : buffer_.read(step + 1, port));
  }
  return step < program_->steps() ? step + 1 : kUntilArrival;
}

}  // namespace gossamer::systemc
