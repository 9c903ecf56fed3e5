// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/reduce/relays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "any_order.hpp"
#include "gossamer/bounds/broadcast.hpp"
#include "gossamer/collectives/broadcast/broadcast.hpp"
#include "gossamer/collectives/broadcast/eye.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

RelayPath reversed_path(const RelayPath& path) {
  RelayPath back;
  for (auto stretch = path.rbegin(); stretch != path.rend(); ++stretch) {
    back.push_back({opposite(stretch->port), stretch->hops});
  }
  return back;
}

/// Adds the sends of a step of `from`, or their reversal.
void copy_step(const Topology& topology, const RelayProgram& from, std::uint32_t step, bool reverse,
               RelayProgram& to) {
  for (const RelaySend& send : from.sends(step)) {
    const RelayPath& path = from.path(send);
    if (reverse) {
      to.add_send(path_end(topology, send.from, path), reversed_path(path));
    } else {
      to.add_send(send.from, path);
    }
  }
  to.end_step();
}

/// A step has at least one node that receives, so one that adds.
void close_adding(RelayProgram& program) { program.adding_steps = std::max(1U, program.steps()); }

Plan relayed_plan(const Topology& topology, std::string algorithm, const Demand& demand,
                  RelayProgram program) {
  std::map<std::string, ParameterValue> parameters;
  parameters["flits"] = std::int64_t{program.clock.flits};
  parameters["hop-cycles"] = std::int64_t{program.clock.hop_cycles};
  parameters["relay-cycles"] = std::int64_t{program.clock.relay_cycles};
  ExpectedFigures expected;
  expected.analytic_steps = program.steps();
  expected.lower_bound_steps = static_cast<std::uint64_t>(bounds::broadcast_steps(topology));
  // All words of the message have one tree.
  expected.length_invariant = true;
  expected.sum_period = 1;
  return {topology,
          demand.to == Destination::kRoot ? "reduce" : "all-reduce",
          std::move(algorithm),
          std::move(parameters),
          demand,
          std::move(program),
          expected};
}

Plan all_reduce_plan(const Topology& topology, std::string algorithm, const Combining& operation,
                     RelayProgram program) {
  return relayed_plan(topology, std::move(algorithm),
                      Demand::combined(Destination::kEveryNode, operation, 1), std::move(program));
}

/// log2 of the sides.
std::vector<int> powers_of(const Topology& topology, std::string_view algorithm) {
  const auto levels = bounds::levels_of(topology);
  if (levels) return *levels;
  const auto& sides = topology.sides();
  const std::uint32_t side = *std::find_if_not(
      sides.begin(), sides.end(), [](std::uint32_t n) { return std::has_single_bit(n); });
  throw InfeasibleError(fmt::format(
      "{}: side {} is not a power of two; nearest are {} and {}, or --algorithm min-tcd", algorithm,
      side, std::bit_floor(side), std::bit_ceil(side)));
}

/// log2 of all sides.
int equal_power_of(const Topology& topology, std::string_view algorithm) {
  const std::vector<int> levels = powers_of(topology, algorithm);
  if (std::count(levels.begin(), levels.end(), levels.front()) !=
      static_cast<std::ptrdiff_t>(levels.size())) {
    throw InfeasibleError(
        fmt::format("{}: requires equal sides, unlike {}; nearest feasible: --algorithm partners",
                    algorithm, topology.dims_text()));
  }
  return levels.front();
}

/// Cycles of `steps` steps with `hops` links in sequence.
std::uint64_t cycles_of(const MessageClock& clock, std::uint64_t hops, std::uint64_t steps) {
  return steps == 0 ? 0
                    : hops * clock.hop_cycles +
                          steps * (std::uint64_t{clock.flits} - 1 + clock.relay_cycles) -
                          clock.relay_cycles;
}

/// A_k = a_1 + .. + a_k, the way of a message through all levels of a side.
std::uint64_t eye_way(int k) { return (std::uint64_t{1} << static_cast<unsigned>(k + 1)) / 3; }

const RelayProgram& stepped_relays(const Plan& broadcast) {
  const auto& program = broadcast.program.as<RelayProgram>();
  if (program.ports != RelayPorts::kOnePort || program.clock.timing != MessageTiming::kStep) {
    throw InfeasibleError(fmt::format("{}: only relays whose steps begin together can be reversed",
                                      broadcast.algorithm));
  }
  return program;
}

}  // namespace

Plan with_adder_cycles(Plan plan, std::uint32_t adder_cycles) {
  if (adder_cycles == 0) return plan;
  auto& program = plan.program.edit<RelayProgram>();
  program.adder_cycles = adder_cycles;
  plan.parameters["adder-cycles"] = std::int64_t{adder_cycles};
  if (!plan.expected.analytic_cycles || program.steps() == 0) return plan;
  // Steps begin later if the sum of the first flit is not there yet; the last sum is stored late.
  const std::uint64_t steps = program.steps();
  const std::uint64_t adding = std::min<std::uint64_t>(program.adding_steps, steps);
  const std::uint64_t hidden = std::uint64_t{program.clock.flits} + program.clock.relay_cycles - 1;
  *plan.expected.analytic_cycles +=
      std::min(adding, steps - 1) * (adder_cycles - std::min<std::uint64_t>(adder_cycles, hidden)) +
      (adding == steps ? adder_cycles : 0);
  return plan;
}

Plan plan_relayed_reduce(const Plan& broadcast, const Combining& operation) {
  const RelayProgram& informs = stepped_relays(broadcast);
  RelayProgram program(informs.source());
  program.clock = informs.clock;
  for (std::uint32_t step = informs.steps(); step >= 1; --step) {
    copy_step(broadcast.topology, informs, step, true, program);
  }
  close_adding(program);
  Plan plan = relayed_plan(broadcast.topology, broadcast.algorithm,
                           Demand::combined(Destination::kRoot, operation, 1, informs.source()),
                           std::move(program));
  plan.parameters["source"] = node_text(broadcast.topology, informs.source());
  plan.expected.analytic_tcd = broadcast.expected.analytic_tcd;
  plan.expected.analytic_cycles = broadcast.expected.analytic_cycles;
  return plan;
}

Plan plan_relayed_all_reduce(const Plan& broadcast, const Combining& operation) {
  const RelayProgram& informs = stepped_relays(broadcast);
  RelayProgram program(0);
  program.clock = informs.clock;
  for (std::uint32_t step = informs.steps(); step >= 1; --step) {
    copy_step(broadcast.topology, informs, step, true, program);
  }
  close_adding(program);
  for (std::uint32_t step = 1; step <= informs.steps(); ++step) {
    copy_step(broadcast.topology, informs, step, false, program);
  }
  Plan plan =
      all_reduce_plan(broadcast.topology, broadcast.algorithm, operation, std::move(program));
  const ExpectedFigures& once = broadcast.expected;
  if (once.analytic_tcd) plan.expected.analytic_tcd = 2 * *once.analytic_tcd;
  if (once.analytic_cycles) {
    const bool moves = informs.steps() != 0;
    plan.expected.analytic_cycles =
        2 * *once.analytic_cycles + (moves ? informs.clock.relay_cycles : 0);
  }
  return plan;
}

Plan plan_eye_exchange(const Topology& topology, const RelayReductionOptions& options) {
  const int k = equal_power_of(topology, "eye-exchange");
  if (k == 0) throw InfeasibleError("eye-exchange: requires sides of 2 or more");
  const int d = topology.dimensions();
  const auto top = static_cast<std::uint32_t>(d);
  const Plan eye = plan_eye(topology, {nearest_eye(topology, 0), options.clock});
  const auto& informs = eye.program.as<RelayProgram>();
  RelayProgram program(0);
  program.clock = options.clock;
  program.ports = RelayPorts::kDuplex;
  for (std::uint32_t step = informs.steps(); step > top; --step) {
    copy_step(topology, informs, step, true, program);
  }
  const auto apart = static_cast<std::uint16_t>(bounds::eye_distance(k));
  for (int dim = 0; dim < d; ++dim) {
    for (NodeId corner = 0; corner < NodeId{1} << top; ++corner) {
      Coordinates at{};
      for (std::uint32_t i = 0; i < top; ++i) {
        at[i] = (corner >> i & 1U) == 0 ? bounds::low_eye(k) : bounds::high_eye(k);
      }
      const bool low = (corner >> static_cast<unsigned>(dim) & 1U) == 0;
      program.add_send(topology.node(at), {{make_port(dim, low), apart}});
    }
    program.end_step();
  }
  close_adding(program);
  for (std::uint32_t step = top + 1; step <= informs.steps(); ++step) {
    copy_step(topology, informs, step, false, program);
  }
  Plan plan = all_reduce_plan(topology, "eye-exchange", options.operation, std::move(program));
  const auto dims = static_cast<std::uint64_t>(d);
  const std::uint64_t eyes = std::uint64_t{1} << top;
  plan.expected.analytic_steps = dims * (2 * static_cast<std::uint64_t>(k) - 1);
  plan.expected.analytic_cycles =
      cycles_of(options.clock, dims * (2 * eye_way(k) - apart), *plan.expected.analytic_steps);
  plan.expected.analytic_tcd =
      2 * (*eye.expected.analytic_tcd - (eyes - 1) * apart) + dims * eyes * apart;
  return plan;
}

Plan plan_partners(const Topology& topology, const RelayReductionOptions& options) {
  const std::vector<int> levels = powers_of(topology, "partners");
  const bool torus = topology.is_torus();
  const int highest = *std::max_element(levels.begin(), levels.end());
  if (torus && highest >= 3) require_any_order("partners", options.operation, "eye");
  RelayProgram program(0);
  program.clock = options.clock;
  program.ports = RelayPorts::kDuplex;
  // Where messages share a link they follow each other at 2r cycles, on a mesh at r.
  const std::uint32_t flits = options.clock.flits;
  if (highest > (torus ? 2 : 1)) {
    program.clock.hop_cycles = std::max(options.clock.hop_cycles, torus ? (flits + 1) / 2 : flits);
  }
  std::uint64_t way = 0;
  for (int j = 1; j <= highest; ++j) {
    for (int dim = 0; dim < topology.dimensions(); ++dim) {
      if (levels[static_cast<std::size_t>(dim)] < j) continue;
      const std::uint32_t hops =
          torus ? bounds::eye_distance(j) : std::uint32_t{1} << static_cast<unsigned>(j - 1);
      way += hops;
      const auto up = program.intern({{make_port(dim, true), static_cast<std::uint16_t>(hops)}});
      const auto down = program.intern({{make_port(dim, false), static_cast<std::uint16_t>(hops)}});
      for (NodeId node = 0; node < topology.nodes(); ++node) {
        const std::uint32_t x = topology.coordinates(node)[static_cast<std::size_t>(dim)];
        const bool positive =
            torus ? ((x + static_cast<std::uint32_t>(j)) & 1U) != 0 : (x & hops) == 0;
        program.add_send(node, positive ? up : down);
      }
      program.end_step();
    }
  }
  close_adding(program);
  Plan plan = all_reduce_plan(topology, "partners", options.operation, program);
  plan.expected.analytic_steps =
      static_cast<std::uint64_t>(std::accumulate(levels.begin(), levels.end(), 0));
  plan.expected.analytic_cycles = cycles_of(program.clock, way, *plan.expected.analytic_steps);
  plan.expected.analytic_tcd = std::uint64_t{topology.nodes()} * way;
  return plan;
}

Plan plan_leaders(const Topology& topology, const RelayReductionOptions& options) {
  if (!topology.is_torus()) {
    throw InfeasibleError(
        "leaders: requires the rings of a torus; nearest feasible: --topology torus, or "
        "--algorithm eye-exchange");
  }
  const int k = equal_power_of(topology, "leaders");
  if (k >= 2 && topology.dimensions() >= 2) require_any_order("leaders", options.operation, "eye");
  const int d = topology.dimensions();
  const std::uint32_t n = topology.side(0);
  const NodeId lines = topology.nodes() / n;
  // The node of a line at distance `x` after the leader; node ids begin with dimension 0.
  const auto in_line = [&](NodeId line, std::uint32_t x) {
    const Coordinates at = topology.coordinates(line * n);
    const std::uint32_t leader = std::accumulate(at.begin() + 1, at.begin() + d, 0U);
    return line * n + (leader + x) % n;
  };
  const Topology ring = Topology::torus(std::vector<std::uint32_t>{n});
  const Plan eye = plan_eye(ring, {0, options.clock});
  const auto& informs = eye.program.as<RelayProgram>();
  RelayProgram program(0);
  program.clock = options.clock;
  program.ports = RelayPorts::kDuplex;
  const auto copy_lines = [&](std::uint32_t step, bool reverse) {
    for (const RelaySend& send : informs.sends(step)) {
      const RelayPath& path = informs.path(send);
      const NodeId from = reverse ? path_end(ring, send.from, path) : send.from;
      const RelayPath way = reverse ? reversed_path(path) : path;
      for (NodeId line = 0; line < lines; ++line) program.add_send(in_line(line, from), way);
    }
    program.end_step();
  };
  for (std::uint32_t step = informs.steps(); step >= 1; --step) copy_lines(step, true);
  for (int dim = 1; dim < d; ++dim) {
    for (int j = 0; j < k; ++j) {
      const auto hops = static_cast<std::uint16_t>(1U << static_cast<unsigned>(j));
      for (NodeId line = 0; line < lines; ++line) {
        program.add_send(in_line(line, 0),
                         {{make_port(0, true), hops}, {make_port(dim, true), hops}});
      }
      program.end_step();
    }
  }
  close_adding(program);
  for (std::uint32_t step = 1; step <= informs.steps(); ++step) copy_lines(step, false);
  Plan plan = all_reduce_plan(topology, "leaders", options.operation, std::move(program));
  const auto rounds = static_cast<std::uint64_t>(d - 1) * 2 * (std::uint64_t{n} - 1);
  plan.expected.analytic_steps = static_cast<std::uint64_t>((d + 1) * k);
  plan.expected.analytic_cycles =
      cycles_of(options.clock, 2 * eye_way(k) + rounds, *plan.expected.analytic_steps);
  plan.expected.analytic_tcd = lines * (2 * *eye.expected.analytic_tcd + rounds);
  return plan;
}

}  // namespace gossamer
