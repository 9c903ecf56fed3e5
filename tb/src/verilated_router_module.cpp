// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/verilated_router_module.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace gossamer::tb {

namespace {

/// One feed at any time and at most one own packet: nothing can meet anything.
bool never_queues(const PortProgram* program) {
  return !program->has_fan_in() && program->preload.size() <= 1;
}

/// Puts packets on the data pins and returns the valid pins.
PortSet drive(std::span<const PacketId> packets, std::array<std::uint64_t, kMaxPorts>& data) {
  unsigned valid = 0;
  for (std::size_t port = 0; port < packets.size(); ++port) {
    valid |= (packets[port] != kNoPacket ? 1U : 0U) << port;
    data[port] = packets[port];
  }
  return PortSet(static_cast<std::uint16_t>(valid));
}

}  // namespace

VerilatedRouterModule::VerilatedRouterModule(const sc_core::sc_module_name& name,
                                             std::span<const PortProgram* const> table,
                                             std::uint32_t depth)
    : ArenaRouter(name),
      router_(make_verilated_router(static_cast<int>(table.size()), depth)),
      table_(table.begin(), table.end()) {
  for (std::size_t port = 0; port < table_.size(); ++port) {
    const PortProgram& program = *table_[port];
    router_->set_table(static_cast<Port>(port), program.feed, program.early_feed,
                       program.switch_step);
  }
  if (std::all_of(table_.begin(), table_.end(), never_queues)) {
    for (const PortProgram* program : table_) has_own_ = has_own_ || !program->preload.empty();
    return;
  }
  for (const PortProgram* program : table_) {
    const auto own = static_cast<std::uint32_t>(program->preload.size());
    monitors_.emplace_back(depth, std::min(own, depth));
    refused_ += own - std::min(own, depth);
  }
}

void VerilatedRouterModule::clear() {
  RouterPins& pins = router_->pins();
  pins.clear_i = true;
  pins.inject_valid_i = PortSet();
  pins.in_valid_i = PortSet();
  router_->clock();
  pins.clear_i = false;
  for (QueueMonitor& monitor : monitors_) monitor.clear();
}

void VerilatedRouterModule::clock(std::uint64_t step, std::span<const PacketId> injected,
                                  std::span<const PacketId> arrivals, std::span<PacketId> taken) {
  RouterPins& pins = router_->pins();
  pins.inject_valid_i = drive(injected, pins.inject_data_i);
  pins.in_valid_i = drive(arrivals, pins.in_data_i);
  router_->clock();
  for (std::size_t port = 0; port < taken.size(); ++port) {
    taken[port] =
        pins.out_valid_o.contains(static_cast<Port>(port)) ? pins.out_data_o[port] : kNoPacket;
  }
  if (monitors_.empty()) return;
  for (std::size_t port = 0; port < table_.size(); ++port) {
    const unsigned fed = pins.in_valid_i.bits() & table_[port]->feed_at(step).bits();
    monitors_[port].clock(step, injected[port] != kNoPacket,
                          static_cast<std::uint32_t>(std::popcount(fed)), taken[port] != kNoPacket);
  }
}

std::uint64_t VerilatedRouterModule::conflicts() const {
  std::uint64_t sum = refused_;
  for (const QueueMonitor& monitor : monitors_) sum += monitor.conflicts();
  return sum;
}

std::uint32_t VerilatedRouterModule::max_queue() const {
  std::uint32_t longest = has_own_ ? 1 : 0;
  for (const QueueMonitor& monitor : monitors_) longest = std::max(longest, monitor.max_queue());
  return longest;
}

}  // namespace gossamer::tb
