// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/arena.hpp"

#include <algorithm>

namespace gossamer::systemc {

ArenaLink::ArenaLink(const sc_core::sc_module_name& name, const LinkArena& arena, LinkId slot)
    : sc_core::sc_module(name), arena_(&arena), slot_(slot) {}

ModelRouter::ModelRouter(const sc_core::sc_module_name& name,
                         std::span<const PortProgram* const> table, std::uint32_t depth)
    : ArenaRouter(name) {
  out_ports_.reserve(table.size());
  for (const PortProgram* program : table) out_ports_.emplace_back(*program, depth);
}

void ModelRouter::clear() {
  for (OutPort& out_port : out_ports_) out_port.clear();
}

void ModelRouter::clock(std::uint64_t step, std::span<const PacketId> injected,
                        std::span<const PacketId> arrivals, std::span<PacketId> taken) {
  for (std::size_t port = 0; port < out_ports_.size(); ++port) {
    taken[port] = out_ports_[port].clock(step, injected[port], arrivals);
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
