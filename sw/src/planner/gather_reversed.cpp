// SPDX-License-Identifier: Apache-2.0
#include "gossamer/planner/gather_reversed.hpp"

#include <algorithm>
#include <tuple>

#include "gossamer/sim/observers.hpp"

namespace gossamer {

namespace {

/// Writes down every send of an exchange.
class MoveRecorder final : public Observer {
 public:
  explicit MoveRecorder(const Topology& topology) : topology_(topology) {}
  bool on_links(const LinkView& view) override {
    for (std::size_t link = 0; link < view.packets.size(); ++link) {
      const PacketId packet = view.packets[link];
      if (packet == kNoPacket) continue;
      const auto at = static_cast<LinkId>(link);
      moves.push_back({static_cast<std::uint32_t>(view.step), topology_.link_from(at),
                       topology_.link_port(at), static_cast<NodeId>(packet / topology_.nodes()),
                       static_cast<NodeId>(packet % topology_.nodes())});
    }
    return true;
  }
  std::vector<QueuedMove> moves;

 private:
  const Topology& topology_;
};

}  // namespace

Plan plan_gather_reversed(const Topology& topology, const PartialExchangeOptions& options) {
  const Plan exchange = plan_partial_exchange(topology, options);
  MoveRecorder recorder(topology);
  const std::unique_ptr<Engine> engine = make_fast_engine(exchange);
  watch(*engine, kNoStepLimit, recorder);
  const auto steps = static_cast<std::uint32_t>(engine->statistics().steps);

  QueuedProgram program;
  program.classes = 2;
  program.class_rule = QueuedClassRule::kRank;
  program.rule = options.rule;
  program.clock = std::get<QueuedProgram>(exchange.program).clock;
  for (const QueuedMove& move : recorder.moves) {
    program.moves.push_back({steps + 1 - move.step, topology.neighbor(move.from, move.port),
                             opposite(move.port), move.destination, move.origin});
  }
  std::sort(program.moves.begin(), program.moves.end(),
            [](const QueuedMove& a, const QueuedMove& b) {
              return std::tie(a.step, a.from, a.port) < std::tie(b.step, b.from, b.port);
            });
  if (steps != 0) {
    QueuedPhase phase;
    phase.kind = QueuedPhaseKind::kMoves;
    phase.length = steps;
    program.phases.push_back(phase);
  }
  Demand demand = gather_demand(options.active);
  // Bounds are the exchange's; nothing waits where every send has its step.
  ExpectedFigures expected = exchange.expected;
  expected.queue_depth = 1;
  expected.analytic_steps = steps;
  expected.analytic_cycles = program.cycles(steps, demand);
  Plan plan{topology,          "partial-gather",   "reversed", {},
            std::move(demand), std::move(program), expected};
  plan.parameters["rule"] = exchange.parameters.at("rule");
  plan.parameters["flits"] = exchange.parameters.at("flits");
  return plan;
}

}  // namespace gossamer
