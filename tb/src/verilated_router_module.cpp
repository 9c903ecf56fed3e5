// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/verilated_router_module.hpp"

#include <algorithm>
#include <bit>

#include "drive_pins.hpp"

namespace gossamer::tb {

namespace {

/// One feed at any time and at most one own packet: nothing can meet anything.
bool never_queues(const PortProgram* program) {
  return !program->has_fan_in() && program->preload.size() <= 1;
}

}  // namespace

VerilatedRouterModule::VerilatedRouterModule(const sc_core::sc_module_name& name,
                                             const systemc::RouterTable& table)
    : ArenaRouter(name),
      router_(make_verilated_router(static_cast<int>(table.ports()), table.depth, table.frame)),
      table_(table) {
  for (std::size_t port = 0; port < table_.programs.size(); ++port) {
    const PortProgram& program = *table_.programs[port];
    router_->set_table(static_cast<Port>(port), program.feed, program.early_feed,
                       program.switch_step);
  }
  if (table_.frame == 1 &&
      std::all_of(table_.programs.begin(), table_.programs.end(), never_queues)) {
    for (const PortProgram* program : table_.programs) {
      has_own_ = has_own_ || !program->preload.empty();
    }
    return;
  }
  for (const PortProgram* program : table_.programs) {
    const auto own = static_cast<std::uint32_t>(program->preload.size());
    monitors_.emplace_back(table_.depth, std::min(own, table_.depth));
    refused_ += own - std::min(own, table_.depth);
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
  read_out(pins, taken);
  if (monitors_.empty()) return;
  // In frames: the slot that the arrivals come in, and the one that the registers were loaded from.
  const std::uint32_t frame = table_.frame;
  const std::uint64_t slot = (step + frame - 1) % frame;
  const std::uint64_t next_slot = step % frame;
  unsigned arrived = 0;
  for (const Port in_port : pins.in_valid_i) arrived |= 1U << (in_port * frame + slot);
  for (std::size_t at = 0; at < monitors_.size(); ++at) {
    const std::size_t port = at / frame;
    const bool serves = at % frame == next_slot;
    const unsigned fed = arrived & table_.programs[at]->feed_at(step).bits();
    monitors_[at].clock(serves, serves && injected[port] != kNoPacket,
                        static_cast<std::uint32_t>(std::popcount(fed)),
                        serves && taken[port] != kNoPacket);
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
