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
    const auto slot = program_->store(step, static_cast<Port>(q));
    if (!slot) continue;
    for (std::size_t low = 0; low < q; ++low) {
      if (arrivals[low] == kNoPacket) continue;
      if (program_->store(step, static_cast<Port>(low)) != slot) continue;
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
  const PacketSource source = program_->source(step, out_port);
  return source.kind == PacketSource::Kind::kSlot ? slots_[source.index] : kNoPacket;
}

void ScheduleRouter::clear() {
  buffer_.clear();
  next_step_ = 0;
}

void ScheduleRouter::clock(std::uint64_t step, std::span<const PacketId> injected,
                           std::span<const PacketId> arrivals, std::span<PacketId> taken) {
  buffer_.write(step, arrivals);
  next_step_ = step + 1;
  for (std::size_t port = 0; port < taken.size(); ++port) {
    taken[port] = injected[port] != kNoPacket ? injected[port]
                                              : buffer_.read(next_step_, static_cast<Port>(port));
  }
}

}  // namespace gossamer::systemc
