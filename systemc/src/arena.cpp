// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/arena.hpp"

#include <algorithm>
#include <array>

namespace gossamer::systemc {

ArenaLink::ArenaLink(const sc_core::sc_module_name& name, const LinkArena& arena, LinkId slot)
    : sc_core::sc_module(name), arena_(&arena), slot_(slot) {}

ModelRouter::ModelRouter(const sc_core::sc_module_name& name, const RouterTable& table)
    : ArenaRouter(name), frame_(table.frame) {
  out_ports_.reserve(table.programs.size());
  for (const PortProgram* program : table.programs) {
    out_ports_.emplace_back(*program, table.depth);
  }
}

void ModelRouter::clear() {
  for (OutPort& out_port : out_ports_) out_port.clear();
}

void ModelRouter::clock(std::uint64_t step, std::span<const PacketId> injected,
                        std::span<const PacketId> arrivals, std::span<PacketId> taken) {
  if (frame_ > 1) {
    clock_framed(step, injected, arrivals, taken);
    return;
  }
  for (std::size_t port = 0; port < out_ports_.size(); ++port) {
    taken[port] = out_ports_[port].clock(step, injected[port], arrivals);
  }
}

void ModelRouter::clock_framed(std::uint64_t step, std::span<const PacketId> injected,
                               std::span<const PacketId> arrivals, std::span<PacketId> taken) {
  // The slot of step s is (s - 1) mod frame: the registers are loaded for step + 1.
  const std::size_t next_slot = step % frame_;
  const std::size_t slot = (step + frame_ - 1) % frame_;
  std::array<PacketId, kMaxPorts> in_slots;
  in_slots.fill(kNoPacket);
  for (std::size_t q = 0; q < arrivals.size(); ++q) in_slots[q * frame_ + slot] = arrivals[q];
  for (std::size_t port = 0; port < taken.size(); ++port) {
    for (std::size_t t = 0; t < frame_; ++t) {
      OutPort& queue = out_ports_[port * frame_ + t];
      if (t == next_slot) {
        taken[port] = queue.clock(step, injected[port], in_slots);
      } else {
        queue.wait(step, in_slots);
      }
    }
  }
}

bool ModelRouter::drained() const {
  return std::all_of(out_ports_.begin(), out_ports_.end(),
                     [](const OutPort& out_port) { return out_port.drained(); });
}

std::uint64_t ModelRouter::conflicts() const {
  std::uint64_t sum = 0;
  for (const OutPort& out_port : out_ports_) sum += out_port.conflicts();
  return sum;
}

std::uint32_t ModelRouter::max_queue() const {
  std::uint32_t longest = 0;
  for (const OutPort& out_port : out_ports_) longest = std::max(longest, out_port.max_queue());
  return longest;
}

}  // namespace gossamer::systemc
