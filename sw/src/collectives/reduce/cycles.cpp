// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/reduce/cycles.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "gossamer/bounds/reductions.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/topology/live_tree.hpp"
#include "gossamer/util/error.hpp"
#include "lane_codes.hpp"

namespace gossamer {

namespace {

/// The one in-port that feeds an out-port.
Port feed_of(const StreamProgram& program, NodeId node, Port out, const std::string& algorithm) {
  const StreamPort& entry = program.at(node, out);
  if (entry.feed.size() != 1 || entry.switch_step != 0) {
    throw InfeasibleError(fmt::format(
        "reduction: {} joins or switches streams, but partial sums require cycles through "
        "all nodes; nearest feasible: an even number of nodes, or --algorithm folded",
        algorithm));
  }
  return entry.feed.front();
}

/// The out-port that an in-port feeds.
Port fed_by(const StreamProgram& program, NodeId node, Port in) {
  for (const Port out : all_ports(program.ports())) {
    if (program.at(node, out).feed == PortSet::of(in)) return out;
  }
  throw std::logic_error("reduction: an input port of the all-gather plan feeds nothing");
}

void add_run(std::vector<CombineRun>& runs, CombineStep step, std::uint32_t count) {
  if (count > 0) runs.push_back({step, count});
}

CombineLeg one_way_leg(std::uint32_t length, ReduceTo to) {
  CombineLeg leg;
  const bool scatter = to == ReduceTo::kOwner;
  leg.steps = scatter ? length - 1 : 2 * (length - 1);
  leg.turn = length;
  leg.operations = {{CombineStep::kLoad, 1}, {CombineStep::kAdd, length - 1}};
  if (!scatter) add_run(leg.operations, CombineStep::kPass, length - 1);
  return leg;
}

CombineLeg two_way_leg(std::uint32_t length, ReduceTo to) {
  CombineLeg leg;
  const bool scatter = to == ReduceTo::kOwner;
  const bool even = length % 2 == 0;
  const std::uint32_t half = length / 2;
  leg.steps = scatter ? half : length - 1;
  leg.turn = half + 1;
  leg.operations = {{CombineStep::kLoad, 1}};
  add_run(leg.operations, CombineStep::kAdd, half - 1);
  leg.operations.push_back({even ? CombineStep::kCross : CombineStep::kJoin, 1});
  if (!scatter) add_run(leg.operations, CombineStep::kPass, even ? half - 1 : half);
  return leg;
}

}  // namespace

std::vector<CombineLeg> cycle_legs(std::uint32_t length, std::uint32_t cycles, std::uint32_t parts,
                                   ReduceTo to, bool all_two_way) {
  std::vector<CombineLeg> legs;
  const auto lane = [&](std::uint32_t part, std::int32_t offset, std::int32_t slope,
                        std::uint32_t steps) -> std::optional<CombineLane> {
    if (part >= parts) return std::nullopt;
    return CombineLane{part, offset, slope, steps, true};
  };
  for (std::uint32_t first = 0; first < parts;) {
    if (parts - first > cycles && !all_two_way) {
      CombineLeg leg = one_way_leg(length, to);
      for (std::uint32_t c = 0; c < cycles; ++c) {
        leg.lanes.push_back(lane(first + c, -1, -1, leg.steps));
        leg.lanes.push_back(lane(first + cycles + c, 1, 1, leg.steps));
      }
      legs.push_back(std::move(leg));
      first += 2 * cycles;
      continue;
    }
    CombineLeg leg = two_way_leg(length, to);
    const auto forward = static_cast<std::int32_t>(length / 2);
    const auto backward = 1 - static_cast<std::int32_t>((length + 1) / 2);
    for (std::uint32_t c = 0; c < cycles; ++c) {
      leg.lanes.push_back(lane(first + c, forward, -1, leg.steps));
      leg.lanes.push_back(lane(first + c, backward, 1, leg.steps));
      // Even length: the backward register's is the next rank's word.
      if (to == ReduceTo::kOwner && leg.lanes.back()) leg.lanes.back()->writes = false;
    }
    legs.push_back(std::move(leg));
    first += cycles;
  }
  return legs;
}

Plan plan_cycle_reduction(const Plan& gossip, const CycleReductionOptions& options) {
  const Topology& topology = gossip.topology;
  const auto& wiring = gossip.program.as<StreamProgram>();
  const std::uint32_t nodes = topology.nodes();
  const std::uint32_t live = topology.live_nodes();
  const bool scatter = options.to == ReduceTo::kOwner;
  const NodeId first = first_live(topology);

  // Cycle by cycle from the first node, by its lowest unassigned port.
  std::vector<PortSet> found(nodes);
  std::vector<std::vector<NodeId>> order;
  RingProgram program(nodes, topology.ports());
  LaneCodes codes(program);
  std::vector<std::vector<std::uint32_t>> ranks;
  for (Port out : all_ports(topology.ports())) {
    if (found[first].contains(out) || topology.neighbor(first, out) == kNoNode) continue;
    if (wiring.at(first, out) == StreamPort{}) continue;
    const auto forward = static_cast<std::uint8_t>(2 * ranks.size());
    std::vector<std::uint32_t>& rank = ranks.emplace_back(nodes, 0);
    NodeId node = first;
    std::uint32_t length = 0;
    do {
      const Port in = feed_of(wiring, node, out, gossip.algorithm);
      if (feed_of(wiring, node, in, gossip.algorithm) != out || found[node].contains(out)) {
        throw std::logic_error(
            "reduction: the all-gather plan's ports do not feed each other in pairs");
      }
      found[node].insert(out);
      found[node].insert(in);
      rank[node] = length++;
      program.set_code(node, out, codes(in, forward));
      program.set_code(node, in, codes(out, static_cast<std::uint8_t>(forward + 1)));
      node = topology.neighbor(node, out);
      out = fed_by(wiring, node, opposite(out));
    } while (node != first);
    if (length != live) {
      throw InfeasibleError(fmt::format(
          "reduction: a cycle of {} passes {} of {} nodes; nearest feasible: --algorithm folded",
          gossip.algorithm, length, live));
    }
  }
  const auto cycles = static_cast<std::uint32_t>(ranks.size());
  const bool rounds = options.length_invariant && !scatter;
  const auto asked = options.blocks_per_node;
  const auto k =
      rounds ? static_cast<std::uint32_t>(bounds::ceil_div(asked, cycles)) * cycles : asked;

  Combination combination;
  combination.blocks = live;
  combination.parts = k;
  combination.ranks.resize(std::size_t{nodes} * cycles);
  for (std::uint32_t c = 0; c < cycles; ++c) {
    for (NodeId node = 0; node < nodes; ++node) {
      combination.ranks[std::size_t{node} * cycles + c] = ranks[c][node];
    }
  }
  combination.legs = cycle_legs(live, cycles, k, options.to, options.length_invariant);
  if (rounds) combination.deal = Deal::kRounds;
  const std::uint64_t steps = combination.steps();
  program.combine = std::move(combination);

  Plan plan{topology,
            scatter ? "reduce-scatter" : "all-reduce",
            gossip.algorithm,
            {{"packets", std::int64_t{k}}},
            Demand::combined(scatter ? Destination::kOwner : Destination::kEveryNode,
                             options.operation, std::uint64_t{k} * live),
            std::move(program),
            {}};
  plan.expected.analytic_steps = scatter ? bounds::cycle_reduce_scatter_steps(live, cycles, k)
                                         : bounds::cycle_all_reduce_steps(live, cycles, k);
  if (options.length_invariant) {
    plan.expected.analytic_steps = steps;
    plan.expected.length_invariant = true;
    // An owner's elements are consecutive.
    if (rounds) plan.expected.sum_period = std::uint64_t{cycles} * live;
    if (k != asked)
      plan.parameters["words"] = static_cast<std::int64_t>(std::uint64_t{asked} * live);
  }
  plan.expected.analytic_cycles = plan.expected.analytic_steps;
  plan.expected.lower_bound_steps =
      scatter ? bounds::reduce_scatter_lower_bound(topology, k)
              : bounds::all_reduce_lower_bound(topology, std::uint64_t{k} * live);
  if (k != asked) plan.expected.lower_bound_steps = bounds::lower_bound(plan);
  return plan;
}

Plan plan_cycle_barrier(const Plan& gossip) {
  Plan plan = plan_cycle_reduction(gossip, {1, ReduceTo::kEveryNode, Operation::kAnd});
  const std::uint32_t live = gossip.topology.live_nodes();
  Combination& combine = plan.program.edit<RingProgram>().combine;
  // One word instead of one per node. A reduce-scatter leg whose counters stand still adds to it in
  // every step.
  combine.blocks = 1;
  combine.ranks.assign(combine.ranks.size(), 0);
  CombineLeg leg = two_way_leg(live, ReduceTo::kOwner);
  leg.lanes.resize(2 * combine.cycles());
  // Both directions end with the same word.
  leg.lanes[0] = CombineLane{0, 0, 0, leg.steps, true};
  leg.lanes[1] = CombineLane{0, 0, 0, leg.steps, false};
  combine.legs = {std::move(leg)};
  plan.collective = "barrier";
  plan.parameters = {{"words", std::int64_t{1}}, {"link-bits", std::int64_t{1}}};
  plan.demand = Demand::combined(Destination::kEveryNode, Operation::kAnd, 1);
  plan.expected.analytic_steps = live / 2;
  plan.expected.analytic_cycles = plan.expected.analytic_steps;
  plan.expected.lower_bound_steps = bounds::lower_bound(plan.topology, plan.demand);
  return plan;
}

}  // namespace gossamer
