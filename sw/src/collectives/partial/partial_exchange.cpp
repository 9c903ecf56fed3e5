// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/partial/partial_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/bounds/partial.hpp"
#include "gossamer/collectives/partial/partial_broadcast.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

void check_square(const Topology& topology, std::string_view who) {
  if (topology.dimensions() != 2) {
    throw InfeasibleError(fmt::format(
        "{}: {} has {} dimensions; a rule of optimal order is known for 2 only; nearest "
        "feasible: --dims {}x{}",
        who, topology.dims_text(), topology.dimensions(), topology.side(0), topology.side(0)));
  }
  (void)equal_side(topology, who);
}

ExpectedFigures expected_figures(const Topology& topology, const PartialExchangeOptions& options) {
  ExpectedFigures expected;
  expected.lower_bound_steps = bounds::exchange_lower_bound(topology, options.active);
  if (options.rule == ExchangeRule::kPaper) {
    expected.bound_steps = bounds::exchange_paper_bound(topology.side(0), options.active.size());
  }
  return expected;
}

/// Packets of the active nodes for all others, or of all others for the active nodes.
Demand personal_demand(const std::vector<NodeId>& active, bool exchange) {
  Demand demand =
      Demand::from_nodes(active, exchange ? Destination::kEachNode : Destination::kEachSource);
  if (!exchange) demand.from = Origin::kEveryNode;
  return demand;
}

Plan queued_plan(const Topology& topology, bool exchange, const PartialExchangeOptions& options) {
  check_square(topology, exchange ? "partial-exchange" : "partial-gather");
  const std::uint32_t p = topology.side(0);
  QueuedProgram program;
  program.rule = options.rule;
  program.clock = checked_clock(options.clock, 1);
  program.classes = 2;
  program.class_rule = QueuedClassRule::kRank;
  for (const std::uint8_t dimension : {std::uint8_t{0}, std::uint8_t{1}}) {
    QueuedPhase phase;
    phase.kind = options.two_way ? QueuedPhaseKind::kPrefixTwoWay : QueuedPhaseKind::kLineSum;
    phase.class_index = dimension;
    phase.dimension = dimension;
    phase.length = bounds::exchange_prefix_steps(p, options.two_way);
    program.phases.push_back(phase);
  }
  QueuedPhase phase;
  phase.kind = QueuedPhaseKind::kExchange;
  program.phases.push_back(phase);

  Plan plan{topology,
            exchange ? "partial-exchange" : "partial-gather",
            exchange ? "rows-columns" : "online",
            {},
            personal_demand(options.active, exchange),
            std::move(program),
            expected_figures(topology, options)};
  const PacketClock& clock = plan.program.as<QueuedProgram>().clock;
  plan.parameters["rule"] =
      std::string(options.rule == ExchangeRule::kPaper ? "paper" : "balanced");
  plan.parameters["prefix"] = std::string(options.two_way ? "two-way" : "tree");
  plan.parameters["flits"] = std::int64_t{clock.flits};
  plan.parameters["prefix-flits"] = std::int64_t{clock.prefix_flits};
  // A node has at most N-1 packets of its own, and never more than all there are pass it.
  plan.expected.queue_depth = static_cast<std::uint32_t>(std::max<std::uint64_t>(
      1, std::min<std::uint64_t>(options.active.size() * (std::uint64_t{topology.nodes()} - 1),
                                 ~std::uint32_t{0})));
  return plan;
}

}  // namespace

Plan plan_partial_exchange(const Topology& topology, const PartialExchangeOptions& options) {
  return queued_plan(topology, true, options);
}

Plan plan_gather_online(const Topology& topology, const PartialExchangeOptions& options) {
  if (options.rule != ExchangeRule::kPaper) {
    throw InfeasibleError(
        "partial-gather: the online gather supports the paper's rule only; nearest feasible: "
        "--rule "
        "paper, or --algorithm reversed");
  }
  return queued_plan(topology, false, options);
}

Demand gather_demand(const std::vector<NodeId>& active) { return personal_demand(active, false); }

}  // namespace gossamer
