// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/folded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/bounds/reductions.hpp"
#include "gossamer/plan/embedding.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

constexpr std::uint32_t kFrame = 2;

/// Line position of a ring node of a ring of p.
std::uint32_t position_of(std::uint32_t ring_node, std::uint32_t p) {
  return ring_node <= (p - 1) / 2 ? 2 * ring_node : 2 * (p - 1 - ring_node) + 1;
}

/// The way of the link by which the node at `ring_node` of a ring of p reaches a neighbour.
EmbeddedLink way(std::uint32_t ring_node, std::uint32_t p, Port torus_port) {
  const bool positive = is_positive(torus_port);
  const std::uint32_t here = position_of(ring_node, p);
  const std::uint32_t there = position_of((positive ? ring_node + 1 : ring_node + p - 1) % p, p);
  const Port port = make_port(dimension_of(torus_port), there > here);
  if (there == here + 2 || here == there + 2) return {port, 2, 0};
  if (p == 2) return {port, 1, positive ? 0U : 1U};
  return {port, 1, here == 0 || here == p - 1 ? 1U : 0U};
}

/// The torus on the mesh of the same sides.
Embedding folded(const Topology& torus) {
  Embedding embedding{torus, Topology::mesh(torus.sides()), kFrame, {}, {}};
  for (NodeWalk walk(torus); !walk.done(); walk.next()) {
    Coordinates at = walk.coordinates();
    for (const Port port : all_ports(torus.ports())) {
      const int dim = dimension_of(port);
      embedding.links.push_back(
          way(walk.coordinates()[static_cast<std::size_t>(dim)], torus.side(dim), port));
    }
    for (int dim = 0; dim < torus.dimensions(); ++dim) {
      std::uint32_t& x = at[static_cast<std::size_t>(dim)];
      x = position_of(x, torus.side(dim));
    }
    embedding.nodes.push_back(embedding.host.node(at));
  }
  return embedding;
}

}  // namespace

Plan plan_folded(const Plan& torus_plan) {
  const Topology& torus = torus_plan.topology;
  if (!torus.is_torus()) throw std::logic_error("folded: the plan to fold must be for a torus");
  const auto on_mesh = [&] {
    try {
      return torus_plan.machine().embedded(*torus_plan.program, folded(torus));
    } catch (const InfeasibleError& error) {
      throw InfeasibleError(
          fmt::format("folded: {}: {}; nearest feasible: --torus-algorithm hamiltonian, of 4 "
                      "dimensions at most",
                      torus_plan.algorithm, error.what()));
    }
  };
  EmbeddedProgram framed = on_mesh();
  const Topology mesh = Topology::mesh(torus.sides());
  Plan plan{mesh,
            torus_plan.collective,
            "folded",
            torus_plan.parameters,
            torus_plan.demand,
            std::move(framed.program),
            {}};
  plan.parameters["torus-algorithm"] = torus_plan.algorithm;
  plan.expected.length_invariant = torus_plan.expected.length_invariant;
  plan.expected.sum_period = torus_plan.expected.sum_period;
  if (const auto steps = torus_plan.expected.analytic_steps) {
    plan.expected.bound_steps = bounds::folded_steps(*steps);
    // With uneven dealing the second half of the last torus step may be empty.
    const std::uint32_t packets = packets_per_node(torus_plan);
    const auto d = static_cast<std::uint32_t>(torus.dimensions());
    const bool even = packets < d || packets % d == 0;
    const bool exact = even && std::all_of(torus.sides().begin(), torus.sides().end(),
                                           [](std::uint32_t side) { return side >= 3; });
    if (plan.demand.combines()) {
      // A combining register takes its next word at the end of a torus step.
      plan.expected.analytic_steps = plan.expected.bound_steps;
      plan.expected.analytic_cycles = plan.expected.analytic_steps;
    } else if (exact && torus_plan.algorithm == "hamiltonian") {
      // On a line the last torus step brings something new in its first half only, when k (P - 1)
      // is odd: the end's one link carries that many packets, one in every step.
      plan.expected.analytic_steps =
          mesh.dimensions() == 1 ? bounds::array_steps(mesh, packets) : *plan.expected.bound_steps;
      plan.expected.analytic_cycles = plan.expected.analytic_steps;
    }
  }
  plan.expected.lower_bound_steps = bounds::lower_bound(mesh, plan.demand);
  plan.expected.queue_depth = framed.queue_depth;
  return plan;
}

}  // namespace gossamer
