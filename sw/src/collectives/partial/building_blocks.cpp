// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/partial/building_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/collectives/partial/partial_broadcast.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

using bounds::EqualSides;

/// A program of one class with its prefix, without further phases.
QueuedProgram single_class_program(const EqualSides& sides, const PrefixOptions& options) {
  QueuedProgram program;
  program.clock = checked_clock(options.clock, 1);
  append_prefix(program.phases, sides, 1, options.two_way, 1, false);
  return program;
}

Plan finished(const Topology& topology, std::string collective, Demand demand,
              QueuedProgram program, std::uint64_t steps, const PrefixOptions& options) {
  ExpectedFigures expected;
  expected.analytic_steps = steps;
  expected.analytic_cycles = program.cycles(steps, demand);
  const PacketClock clock = program.clock;
  Plan plan{topology,
            std::move(collective),
            "greedy",
            {{"prefix", std::string(options.two_way ? "two-way" : "tree")},
             {"flits", std::int64_t{clock.flits}},
             {"prefix-flits", std::int64_t{clock.prefix_flits}}},
            std::move(demand),
            std::move(program),
            expected};
  return plan;
}

}  // namespace

Plan plan_prefix(const Topology& topology, const PrefixOptions& options) {
  const EqualSides sides = EqualSides::of(topology);
  QueuedProgram program;
  program.classes = static_cast<std::uint8_t>(sides.dimensions);
  program.clock = checked_clock(options.clock, 1);
  append_prefix(program.phases, sides, sides.dimensions, options.two_way, 1, false);
  const std::uint64_t steps = bounds::prefix_steps(sides, options.two_way);
  Demand demand = Demand::from_nodes(options.active, Destination::kCounts);
  demand.pieces = program.classes;
  Plan plan = finished(topology, "prefix", std::move(demand), std::move(program), steps, options);
  plan.algorithm = options.two_way ? "two-way" : "tree";
  // The last node's result depends on data from the farthest node.
  plan.expected.lower_bound_steps = topology.diameter();
  return plan;
}

Plan plan_packing(const Topology& topology, const PackingOptions& options) {
  const EqualSides sides = EqualSides::of(topology);
  if (options.wrap && !sides.torus) {
    throw InfeasibleError("wrap: a mesh has no rings; nearest feasible: --topology torus");
  }
  QueuedProgram program = single_class_program(sides, options.prefix);
  const std::uint32_t hops = bounds::packing_hops(sides, options.wrap);
  std::uint64_t start = 1;
  for (int j = 0; j < sides.dimensions; ++j, start += hops) {
    QueuedPhase phase;
    phase.kind = QueuedPhaseKind::kPack;
    phase.dimension = static_cast<std::uint8_t>(j);
    phase.start = start;
    phase.length = hops;
    phase.wrap = options.wrap;
    program.phases.push_back(phase);
  }
  Plan plan = finished(topology, "packing",
                       Demand::from_nodes(options.prefix.active, Destination::kRankedNode),
                       std::move(program), start - 1, options.prefix);
  if (options.wrap) plan.parameters["wrap"] = true;
  return plan;
}

Plan plan_monotone_routing(const Topology& topology, const MonotoneOptions& options) {
  const EqualSides sides = EqualSides::of(topology);
  if (options.targets.size() != options.prefix.active.size()) {
    throw InputError(fmt::format("targets: {} nodes are given for {} active nodes",
                                 options.targets.size(), options.prefix.active.size()));
  }
  QueuedProgram program = single_class_program(sides, options.prefix);
  Demand demand = Demand::from_nodes(options.prefix.active, Destination::kTarget);
  demand.targets = options.targets;
  const int d = sides.dimensions;
  const std::uint64_t hops = sides.side - 1;
  std::uint64_t start = 1;
  const auto append = [&](QueuedPhaseKind kind, int dimension) {
    QueuedPhase phase;
    phase.kind = kind;
    phase.dimension = static_cast<std::uint8_t>(dimension);
    phase.start = start;
    phase.length = hops;
    program.phases.push_back(phase);
    start += hops;
  };
  for (int j = 0; j < d - (options.merged ? 1 : 0); ++j) append(QueuedPhaseKind::kPack, j);
  for (int j = d - 1; j >= 0; --j) append(QueuedPhaseKind::kRoute, j);
  Plan plan = finished(topology, "monotone-routing", std::move(demand), std::move(program),
                       bounds::monotone_steps(sides, options.merged), options.prefix);
  if (!options.merged) plan.parameters["separate"] = true;
  return plan;
}

Plan plan_line_broadcast(const Topology& topology, const LineBroadcastOptions& options) {
  if (topology.dimensions() != 1) {
    throw InfeasibleError(fmt::format(
        "line-broadcast: requires one dimension, but {} has {}; nearest feasible: --dims {}",
        topology.dims_text(), topology.dimensions(), topology.side(0)));
  }
  const std::uint32_t p = topology.side(0);
  if (options.counts.size() != p) {
    throw InputError(
        fmt::format("counts: {} numbers are given for {} nodes", options.counts.size(), p));
  }
  const bool ring = topology.is_torus();
  const bounds::RingMode mode = options.mode;
  if (!ring && mode == bounds::RingMode::kAlternate) {
    throw InfeasibleError(
        "sides alternate: a line has no rings; nearest feasible: --topology torus");
  }
  const std::uint32_t most = *std::max_element(options.counts.begin(), options.counts.end());
  if (most > kMaxPacketsPerNode) {
    throw InputError(
        fmt::format("counts: a node has up to {1} packets, not {0}", most, kMaxPacketsPerNode));
  }
  QueuedProgram program;
  program.halves = ring && mode == bounds::RingMode::kSplit ? 2 : 1;
  program.clock = checked_clock(options.clock, program.substeps_per_unit());
  Demand demand;
  demand.from = Origin::kSources;
  demand.pieces = std::uint64_t{std::max(most, 1U)} * program.halves;
  std::uint64_t packets = 0;
  for (NodeId node = 0; node < p; ++node) {
    if (options.counts[node] == 0) continue;
    demand.sources.push_back({node, options.counts[node] * program.halves});
    packets += options.counts[node];
  }
  ExpectedFigures expected;
  expected.queue_depth = std::max(most, 1U);
  expected.analytic_steps =
      ring ? bounds::ring_steps(options.counts, mode) : bounds::line_steps(options.counts);
  expected.lower_bound_steps =
      ring ? bounds::ring_lower_bound(options.counts, mode) : *expected.analytic_steps;
  if (packets != 0) {
    expected.bound_steps =
        ring ? bounds::ring_worst_case(packets, p, mode) : bounds::line_worst_case(packets, p);
    QueuedPhase phase;
    phase.length = *expected.analytic_steps;
    const bool whole_ring = ring && mode != bounds::RingMode::kSplit;
    phase.hops_plus = whole_ring ? p / 2 : p - 1;
    phase.hops_minus = whole_ring ? p - 1 - p / 2 : p - 1;
    phase.alternate = mode == bounds::RingMode::kAlternate;
    program.phases.push_back(phase);
  }
  expected.analytic_cycles = program.cycles(*expected.analytic_steps, demand);
  const PacketClock clock = program.clock;
  Plan plan{
      topology,          "line-broadcast",   "pass-through", {{"flits", std::int64_t{clock.flits}}},
      std::move(demand), std::move(program), expected};
  if (ring) {
    plan.parameters["splitting"] =
        std::string(mode == bounds::RingMode::kSplit ? "split" : "whole");
  }
  if (mode == bounds::RingMode::kAlternate) plan.parameters["sides"] = std::string("alternate");
  return plan;
}

}  // namespace gossamer
