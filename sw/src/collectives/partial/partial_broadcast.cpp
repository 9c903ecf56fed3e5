// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/partial/partial_broadcast.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

using bounds::BroadcastRules;
using bounds::EqualSides;

void check_rules(const Topology& topology, const BroadcastRules& rules) {
  if (rules.alternate && rules.split) {
    throw InfeasibleError(
        "sides alternate: split packets already travel in both directions; nearest feasible: "
        "--splitting whole");
  }
  if ((rules.alternate || rules.wrap) && !topology.is_torus()) {
    throw InfeasibleError(
        fmt::format("{}: a mesh has lines and no rings; nearest feasible: --topology torus",
                    rules.alternate ? "sides alternate" : "wrap"));
  }
}

QueuedPhase phase_of(QueuedPhaseKind kind, int class_index, int dimension, std::uint64_t start,
                     std::uint64_t length) {
  QueuedPhase phase;
  phase.kind = kind;
  phase.class_index = static_cast<std::uint8_t>(class_index);
  phase.dimension = static_cast<std::uint8_t>(dimension);
  phase.start = start;
  phase.length = length;
  return phase;
}

/// Packing and broadcast of all classes, every one at the same times.
void append_classes(std::vector<QueuedPhase>& phases, const EqualSides& sides,
                    const BroadcastRules& rules, const bounds::BroadcastTimes& times) {
  const int d = sides.dimensions;
  for (int c = 0; c < d; ++c) {
    std::uint64_t start = 1;
    int digit = 0;
    for (const std::uint64_t length : times.packing) {
      QueuedPhase phase = phase_of(QueuedPhaseKind::kPack, c, (digit + c) % d, start, length);
      phase.wrap = rules.wrap;
      phases.push_back(phase);
      start += length;
      ++digit;
    }
    int l = 1;
    for (const std::uint64_t length : times.broadcast) {
      QueuedPhase phase = phase_of(QueuedPhaseKind::kBroadcast, c, (d - l + c) % d, start, length);
      const bool ring_whole = sides.torus && !rules.split;
      phase.hops_plus = ring_whole ? sides.side / 2 : sides.side - 1;
      phase.hops_minus = ring_whole ? sides.side - 1 - sides.side / 2 : sides.side - 1;
      phase.alternate = rules.alternate;
      phases.push_back(phase);
      start += length;
      ++l;
    }
  }
}

void set_parameters(Plan& plan, const BroadcastRules& rules, const PacketClock& clock) {
  plan.parameters["splitting"] = std::string(rules.split ? "split" : "whole");
  if (rules.alternate) plan.parameters["sides"] = std::string("alternate");
  plan.parameters["flits"] = std::int64_t{clock.flits};
}

/// The broadcast program without its prefix.
QueuedProgram broadcast_program(const EqualSides& sides, const PartialBroadcastOptions& options,
                                QueuedClassRule whole_rule) {
  const BroadcastRules& rules = options.rules;
  QueuedProgram program;
  program.class_rule = rules.split ? QueuedClassRule::kSplit : whole_rule;
  program.classes = static_cast<std::uint8_t>(sides.dimensions);
  program.halves = rules.split && sides.torus ? 2 : 1;
  program.clock = checked_clock(options.clock, program.substeps_per_unit());
  return program;
}

}  // namespace

PacketClock checked_clock(const std::optional<PacketClock>& clock,
                          std::uint32_t substeps_per_unit) {
  if (!clock) return {substeps_per_unit, 1};
  for (const std::uint32_t flits : {clock->flits, clock->prefix_flits}) {
    if (flits == 0 || flits > kMaxPacketFlits) {
      throw InputError(fmt::format("flits: {} is outside 1..{}", flits, kMaxPacketFlits));
    }
  }
  if (clock->flits % substeps_per_unit != 0) {
    throw InfeasibleError(fmt::format(
        "flits: {} cannot be cut into {} equal parts; nearest feasible: {}", clock->flits,
        substeps_per_unit,
        (clock->flits + substeps_per_unit - 1) / substeps_per_unit * substeps_per_unit));
  }
  if (clock->prefix_flits > clock->flits) {
    throw InfeasibleError(
        fmt::format("prefix-flits: {} is more than a packet's {} (t_p <= 1); nearest feasible: {}",
                    clock->prefix_flits, clock->flits, clock->flits));
  }
  return *clock;
}

void append_prefix(std::vector<QueuedPhase>& phases, const EqualSides& sides, int classes,
                   bool two_way, std::uint64_t start, bool class_round) {
  const int d = sides.dimensions;
  const std::uint64_t line = sides.side - 1;
  for (int c = 0; c < classes; ++c) {
    std::uint64_t at = start;
    const auto append = [&](QueuedPhaseKind kind, int digit) {
      QueuedPhase phase = phase_of(kind, c, (digit + c) % d, at, line);
      phase.class_round = class_round;
      phases.push_back(phase);
      at += line;
    };
    if (two_way) {
      for (int j = 0; j < d; ++j) append(QueuedPhaseKind::kPrefixTwoWay, j);
      continue;
    }
    for (int j = 0; j < d; ++j) append(QueuedPhaseKind::kPrefixForward, j);
    for (int j = d - 1; j >= 0; --j) append(QueuedPhaseKind::kPrefixReverse, j);
  }
}

Plan plan_partial_broadcast(const Topology& topology, const PartialBroadcastOptions& options) {
  check_rules(topology, options.rules);
  const EqualSides sides = EqualSides::of(topology);
  const BroadcastRules& rules = options.rules;
  const std::uint64_t active = options.active.size();
  const bounds::BroadcastTimes times = bounds::partial_broadcast_times(sides, rules, active);

  QueuedProgram program = broadcast_program(sides, options, QueuedClassRule::kRank);
  Demand demand =
      Demand::from_nodes(options.active, Destination::kEveryNode, program.substeps_per_unit());
  const std::uint64_t round = bounds::prefix_steps(sides, rules.two_way);
  if (!rules.split) append_prefix(program.phases, sides, 1, rules.two_way, 1, true);
  if (rules.split || active != 0) {
    append_prefix(program.phases, sides, sides.dimensions, rules.two_way,
                  rules.split ? 1 : round + 1, false);
  }
  append_classes(program.phases, sides, rules, times);

  ExpectedFigures expected;
  expected.analytic_steps = times.substeps();
  if (sides.dimensions == 1 && rules.skip_last && !sides.torus && active != 0) {
    // The only line is neither packed nor full: its own formula gives its end. The barrier stays,
    // since the nodes do not know the placement.
    std::vector<std::uint32_t> counts(sides.side, 0);
    for (const NodeId node : options.active) counts[node] = 1;
    expected.analytic_steps = bounds::line_steps(counts);
  }
  expected.analytic_cycles = program.cycles(*expected.analytic_steps, demand);
  expected.lower_bound_steps = bounds::partial_broadcast_lower_bound(sides, rules.split, active);
  expected.bound_steps = bounds::partial_broadcast_bound(sides, rules.split, active);
  expected.queue_depth = bounds::partial_broadcast_queue(sides, rules, active);
  const PacketClock clock = program.clock;
  Plan plan{topology,          "partial-broadcast", "packed", {},
            std::move(demand), std::move(program),  expected};
  set_parameters(plan, rules, clock);
  plan.parameters["prefix"] = std::string(rules.two_way ? "two-way" : "tree");
  plan.parameters["prefix-flits"] = std::int64_t{clock.prefix_flits};
  if (rules.skip_last) plan.parameters["skip-last"] = true;
  if (rules.wrap) plan.parameters["wrap"] = true;
  return plan;
}

Plan plan_multinode(const Topology& topology, const PartialBroadcastOptions& options) {
  check_rules(topology, options.rules);
  const EqualSides sides = EqualSides::of(topology);
  const BroadcastRules& rules = options.rules;
  const bounds::BroadcastTimes times = bounds::multinode_times(sides, rules);

  QueuedProgram program = broadcast_program(sides, options, QueuedClassRule::kDigitSum);
  const Demand demand = Demand::all_gather(program.substeps_per_unit());
  append_classes(program.phases, sides, rules, times);

  ExpectedFigures expected;
  expected.analytic_steps = times.substeps();
  expected.analytic_cycles = program.cycles(*expected.analytic_steps, demand);
  expected.lower_bound_steps = bounds::gossip_lower_bound(topology, program.substeps_per_unit());
  // The last subphase starts with the most: all that d-1 dimensions brought together.
  expected.queue_depth =
      rules.split ? topology.nodes() / sides.side : bounds::multinode_whole_queue(sides);
  const PacketClock clock = program.clock;
  Plan plan{topology, "gossip", rules.split ? "multinode-split" : "multinode-whole",
            {},       demand,   std::move(program),
            expected};
  set_parameters(plan, rules, clock);
  return plan;
}

}  // namespace gossamer
