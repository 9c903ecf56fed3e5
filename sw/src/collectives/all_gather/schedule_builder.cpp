// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/schedule_builder.hpp"

#include <utility>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/machines/timetable/builder.hpp"

namespace gossamer {

TimetableProgram build_schedule(const Topology& topology, std::uint32_t packets_per_node,
                                std::span<const ScheduleArc> arcs) {
  const std::uint64_t k = packets_per_node;
  // The router at displacement u from the origin holds the packets of the tree's node u.
  TimetableBuilder builder(1, topology.nodes() * k);
  for (std::uint32_t c = 0; c < packets_per_node; ++c) builder.start_with(c, c);
  for (const ScheduleArc& arc : arcs) {
    TimetableMove move;
    move.step = arc.step;
    move.out_port = arc.out_port;
    move.from = arc.from * k + arc.packet;
    move.to = topology.neighbor(arc.from, arc.out_port) * k + arc.packet;
    builder.add(move);
  }
  return builder.program(topology, packets_per_node, DeliveryRule::kAll);
}

Plan schedule_plan(const Topology& topology, std::string algorithm, TimetableProgram program) {
  const std::uint32_t k = program.own();
  const std::uint32_t slots = program.slots();
  const auto rom_bits = static_cast<std::int64_t>(program.format().rom_bits(program.ports()));
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
