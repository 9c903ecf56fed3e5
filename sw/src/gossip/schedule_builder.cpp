// SPDX-License-Identifier: Apache-2.0
#include "gossamer/gossip/schedule_builder.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/util/slot_pool.hpp"

namespace gossamer {

namespace {

constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};

/// What one arc reads and writes.
struct ArcSlots {
  /// kNoSlot: an own packet.
  std::uint32_t read = kNoSlot;
  /// kNoSlot: delivered only.
  std::uint32_t write = kNoSlot;
};

/// The first arc after those of the step that begins at `first`.
std::size_t end_of_step(std::span<const ScheduleArc> arcs, std::size_t first) {
  std::size_t end = first + 1;
  while (end < arcs.size() && arcs[end].step == arcs[first].step) ++end;
  return end;
}

void check_directions(std::span<const ScheduleArc> arcs) {
  PortSet used;
  for (const ScheduleArc& arc : arcs) {
    if (used.contains(arc.out_port)) {
      throw std::logic_error("two arcs of one step share a direction");
    }
    used.insert(arc.out_port);
  }
}

}  // namespace

ScheduleProgram build_schedule(const Topology& topology, std::uint32_t packets_per_node,
                               std::span<const ScheduleArc> arcs) {
  const auto by_step = [](const ScheduleArc& a, const ScheduleArc& b) { return a.step < b.step; };
  if (!std::is_sorted(arcs.begin(), arcs.end(), by_step)) {
    throw std::logic_error("the arcs of a schedule stand in order of their steps");
  }
  const auto held = [&](NodeId node, std::uint16_t packet) {
    return std::size_t{node} * packets_per_node + packet;
  };
  const std::size_t holdings = std::size_t{topology.nodes()} * packets_per_node;
  // 0: never sent on.
  std::vector<std::uint32_t> last_sent(holdings, 0);
  for (const ScheduleArc& arc : arcs) last_sent[held(arc.from, arc.packet)] = arc.step;

  std::vector<std::uint32_t> slot_of(holdings, kNoSlot);
  std::vector<ArcSlots> slots(arcs.size());
  SlotPool pool;
  for (std::size_t first = 0; first < arcs.size();) {
    const std::size_t end = end_of_step(arcs, first);
    check_directions(arcs.subspan(first, end - first));
    // All reads come before all writes: a slot read for the last time takes an arrival at once.
    for (std::size_t i = first; i < end; ++i) {
      if (arcs[i].from == 0) continue;
      slots[i].read = slot_of[held(arcs[i].from, arcs[i].packet)];
      if (slots[i].read == kNoSlot) throw std::logic_error("an arc starts where no packet is yet");
    }
    for (std::size_t i = first; i < end; ++i) {
      std::uint32_t& last = last_sent[held(arcs[i].from, arcs[i].packet)];
      if (arcs[i].from == 0 || last != arcs[i].step) continue;
      pool.give_back(slots[i].read);
      last = 0;  // several arcs of the step may read the slot; it is given back once
    }
    for (std::size_t i = first; i < end; ++i) {
      const std::size_t arrival =
          held(topology.neighbor(arcs[i].from, arcs[i].out_port), arcs[i].packet);
      if (last_sent[arrival] <= arcs[i].step) continue;
      slots[i].write = slot_of[arrival] = pool.take();
    }
    first = end;
  }

  const std::uint64_t steps = arcs.empty() ? 0 : arcs.back().step;
  ScheduleProgram program(topology.ports(), packets_per_node, std::max(pool.used(), 1U), steps);
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    const ScheduleArc& arc = arcs[i];
    program.set_source(arc.step, arc.out_port,
                       slots[i].read == kNoSlot
                           ? PacketSource{PacketSource::Kind::kOwn, arc.packet}
                           : PacketSource{PacketSource::Kind::kSlot, slots[i].read});
    if (slots[i].write != kNoSlot) {
      program.set_store(arc.step, opposite(arc.out_port), slots[i].write);
    }
  }
  return program;
}

Plan schedule_plan(const Topology& topology, std::string algorithm, ScheduleProgram program) {
  const std::uint32_t k = program.packets_per_node();
  const std::uint32_t slots = program.slots();
  const auto rom_bits = static_cast<std::int64_t>(program.rom_bits());
  Plan plan{topology,
            "gossip",
            std::move(algorithm),
            {{"packets", std::int64_t{k}},
             {"schedule_bits", rom_bits},
             {"buffer_packets", std::int64_t{slots}}},
            Demand::all_gather(k),
            std::move(program),
            {}};
  plan.expected.lower_bound_steps = bounds::gossip_lower_bound(topology, k);
  plan.expected.queue_depth = slots;
  return plan;
}

}  // namespace gossamer
