// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/stream/verilated_router_module.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "../drive_pins.hpp"

namespace gossamer::tb {

namespace {

/// At most one feed at any time and at most one own packet: no two packets can meet.
bool never_queues(const StreamPort* program) {
  return !program->has_fan_in() && program->preload.size() <= 1;
}

}  // namespace

VerilatedRouterModule::VerilatedRouterModule(const sc_core::sc_module_name& name,
                                             systemc::RouterTable table)
    : RouterModule(name),
      table_(std::move(table)),
      injections_end_(table_.injections_end()),
      router_(make_verilated_router(static_cast<int>(table_.ports()), table_.depth, table_.frame)) {
  for (std::size_t port = 0; port < table_.programs.size(); ++port) {
    const StreamPort& program = *table_.programs[port];
    router_->set_table(static_cast<Port>(port), program.feed, program.early_feed,
                       program.switch_step);
  }
  if (table_.frame == 1 &&
      std::all_of(table_.programs.begin(), table_.programs.end(), never_queues)) {
    for (const StreamPort* program : table_.programs) {
      has_own_ = has_own_ || !program->preload.empty();
    }
    return;
  }
  for (std::size_t at = 0; at < table_.programs.size(); ++at) {
    const std::uint32_t injections = table_.injections(at);
    monitors_.emplace_back(table_.depth, injections);
    refused_ += table_.programs[at]->preload.size() - injections;
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

std::uint64_t VerilatedRouterModule::clock(const systemc::PacketEdge& edge) {
  const std::uint64_t step = edge.cycle();
  const std::size_t ports = table_.ports();
  RouterPins& pins = router_->pins();
  pins.in_valid_i = drive(ports, pins.in_data_i, [&](std::size_t p) { return edge.in(p); });
  pins.inject_valid_i = PortSet();
  if (step < injections_end_) {
    pins.inject_valid_i =
        drive(ports, pins.inject_data_i, [&](std::size_t p) { return table_.injected(step, p); });
  }
  router_->clock();
  read_out(pins, ports, edge);
  if (!monitors_.empty()) watch(step);
  return step + 1;
}

void VerilatedRouterModule::watch(std::uint64_t step) {
  const RouterPins& pins = router_->pins();
  // With frames: the slot of the arrivals, and the slot from which the registers were loaded.
  const std::uint32_t frame = table_.frame;
  const std::uint64_t slot = (step + frame - 1) % frame;
  const std::uint64_t next_slot = step % frame;
  unsigned arrived = 0;
  for (const Port in_port : pins.in_valid_i) arrived |= 1U << (in_port * frame + slot);
  for (std::size_t at = 0; at < monitors_.size(); ++at) {
    const auto port = static_cast<Port>(at / frame);
    const bool serves = at % frame == next_slot;
    const unsigned fed = arrived & table_.programs[at]->feed_at(step).bits();
    monitors_[at].clock(serves, serves && pins.inject_valid_i.contains(port),
                        static_cast<std::uint32_t>(std::popcount(fed)),
                        serves && pins.out_valid_o.contains(port));
  }
}

std::uint64_t VerilatedRouterModule::conflicts() const {
  std::uint64_t sum = refused_;
  for (const QueueMonitor& monitor : monitors_) sum += monitor.conflicts();
  return sum;
}

std::uint64_t VerilatedRouterModule::max_queue() const {
  std::uint64_t longest = has_own_ ? 1 : 0;
  for (const QueueMonitor& monitor : monitors_) {
    longest = std::max<std::uint64_t>(longest, monitor.max_queue());
  }
  return longest;
}

}  // namespace gossamer::tb
