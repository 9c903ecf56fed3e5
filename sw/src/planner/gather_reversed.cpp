// SPDX-License-Identifier: Apache-2.0
#include "gossamer/planner/gather_reversed.hpp"

#include <map>

#include "gossamer/machines/timetable/builder.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/observers.hpp"

namespace gossamer {

namespace {

/// A send of the exchange.
struct Sent {
  std::uint32_t step;
  LinkId link;
  PacketId packet;
};

class SendRecorder final : public Observer {
 public:
  bool on_links(const LinkView& view) override {
    for (LinkId link = 0; link < view.packets.size(); ++link) {
      if (view.packets[link] == kNoPacket) continue;
      sends.push_back({static_cast<std::uint32_t>(view.step), link, view.packets[link]});
    }
    return true;
  }
  std::vector<Sent> sends;
};

/// The sends in reverse: a packet that went from a to b last travels from b to a first.
TimetableProgram reversed(const Topology& topology, const Demand& demand,
                          const std::vector<Sent>& sends, std::uint32_t steps) {
  const auto own = static_cast<std::uint32_t>(demand.sources.size());
  std::map<NodeId, std::uint32_t> index_of;
  for (std::uint32_t i = 0; i < own; ++i) index_of[demand.sources[i].node] = i;
  const std::uint64_t nodes = topology.nodes();
  TimetableBuilder builder(topology.nodes(), nodes * own + sends.size());
  std::map<PacketId, std::uint64_t> held;
  std::uint64_t next = 0;
  for (auto sent = sends.rbegin(); sent != sends.rend(); ++sent) {
    const auto destination = static_cast<NodeId>(sent->packet / nodes);
    const NodeId to = topology.link_from(sent->link);
    TimetableMove move;
    move.step = steps + 1 - sent->step;
    move.out_port = opposite(topology.link_port(sent->link));
    move.from_rom = topology.neighbor(to, topology.link_port(sent->link));
    move.to_rom = to;
    const auto [at, is_first] = held.try_emplace(sent->packet, next);
    if (is_first) builder.start_with(next++, index_of.at(destination));
    move.from = at->second;
    if (to != destination) move.to = at->second = next++;
    builder.add(move);
  }
  return builder.program(topology, own, DeliveryRule::kUnstored);
}

}  // namespace

Plan plan_gather_reversed(const Topology& topology, const PartialExchangeOptions& options) {
  const Plan exchange = plan_partial_exchange(topology, options);
  SendRecorder recorder;
  const std::unique_ptr<Engine> engine = make_fast_engine(exchange);
  watch(*engine, kNoStepLimit, recorder);
  const auto steps = static_cast<std::uint32_t>(engine->statistics().steps);

  Demand demand = gather_demand(options.active);
  TimetableProgram program = reversed(topology, demand, recorder.sends, steps);
  program.flits = exchange.program.as<QueuedProgram>().clock.flits;
  // Bounds are those of the exchange.
  ExpectedFigures expected = exchange.expected;
  expected.queue_depth = program.slots();
  expected.analytic_steps = steps;
  expected.analytic_cycles = std::uint64_t{steps} * program.flits;
  Plan plan{topology,          "partial-gather",   "reversed", {},
            std::move(demand), std::move(program), expected};
  plan.parameters["rule"] = exchange.parameters.at("rule");
  plan.parameters["flits"] = exchange.parameters.at("flits");
  return plan;
}

}  // namespace gossamer
