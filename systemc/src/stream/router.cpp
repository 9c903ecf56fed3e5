// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/stream/router.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace gossamer::systemc {

StreamRouter::StreamRouter(const sc_core::sc_module_name& name, RouterTable table)
    : RouterModule(name), ports_(static_cast<std::uint8_t>(table.ports())) {
  load(std::move(table));
}

void StreamRouter::load(RouterTable table) {
  const std::size_t in_slots = table.programs.size();
  if (in_slots == 0 || in_slots > kMaxPorts || table.ports() != ports_) {
    throw std::invalid_argument(
        "a router must have 1 to 16 ports (ports times slots), and their number must not change");
  }
  bool wired = table.frame == 1;
  bool has_own = false;
  for (const StreamPort* program : table.programs) {
    if ((program->feed.bits() | program->early_feed.bits()) >> in_slots != 0) {
      throw std::invalid_argument("a router's table names an in-port that it does not have");
    }
    wired = wired && !program->has_fan_in() && program->switch_step == 0 &&
            program->preload.size() <= 1;
    has_own = has_own || !program->preload.empty();
  }
  table_ = std::move(table);
  injections_end_ = table_.injections_end();
  wired_ = wired;
  has_own_ = has_own;
  queues_.clear();
  if (wired_) return;
  queues_.reserve(in_slots);
  for (const StreamPort* program : table_.programs) {
    queues_.emplace_back(OutPortTable{program->feed, program->early_feed, program->switch_step,
                                      static_cast<std::uint32_t>(program->preload.size())},
                         table_.depth);
  }
}

void StreamRouter::clear() {
  for (OutPort& queue : queues_) queue.clear();
}

std::uint64_t StreamRouter::start(PacketEdge edge) {
  for (std::size_t port = 0; port < ports_; ++port) {
    const PortSet feed = table_.programs[port]->feed;
    source_[port] = edge.slot(feed.empty() ? ports_ : feed.front());
    edge.drive(port, table_.injected(0, port));
  }
  return kUntilArrival;
}

void StreamRouter::clock_run(RouterRun<PacketId>& run) { run.clock_as<StreamRouter>(); }

std::uint64_t StreamRouter::clock_queues(PacketEdge edge) {
  const std::uint64_t step = edge.cycle();
  // The slot of step s is (s - 1) mod frame: the registers are loaded for step + 1.
  const std::uint32_t frame = table_.frame;
  const std::size_t next_slot = step % frame;
  const std::size_t slot = (step + frame - 1) % frame;
  std::array<PacketId, kMaxPorts> arrivals;
  if (frame > 1) arrivals.fill(kNoPacket);
  for (std::size_t port = 0; port < ports_; ++port) arrivals[port * frame + slot] = edge.in(port);
  const std::span<const PacketId> in_slots(arrivals.data(), queues_.size());
  bool busy = false;
  for (std::size_t port = 0; port < ports_; ++port) {
    const PacketId own = step < injections_end_ ? table_.injected(step, port) : kNoPacket;
    for (std::size_t t = 0; t < frame; ++t) {
      OutPort& queue = queues_[port * frame + t];
      if (t == next_slot) {
        const PacketId taken = queue.clock(step, own, in_slots);
        edge.drive(port, taken);
        busy = busy || taken != kNoPacket;
      } else {
        queue.wait(step, in_slots);
      }
      busy = busy || !queue.drained();
    }
  }
  // While it sends, it must be clocked at the end of the step, when the step's queue is measured.
  return busy ? step + 1 : kUntilArrival;
}

std::uint64_t StreamRouter::conflicts() const {
  std::uint64_t sum = 0;
  for (const OutPort& queue : queues_) sum += queue.conflicts();
  return sum;
}

std::uint64_t StreamRouter::max_queue() const {
  std::uint64_t longest = wired_ && has_own_ ? 1 : 0;
  for (const OutPort& queue : queues_) {
    longest = std::max<std::uint64_t>(longest, queue.max_queue());
  }
  return longest;
}

}  // namespace gossamer::systemc
