// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/snake.hpp"

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

Plan plan_snake(const Topology& topology) {
  if (!topology.is_torus()) {
    throw InfeasibleError("snake: packets have to come round; nearest feasible: --topology torus");
  }
  ShiftProgram program;
  // Step s ends a row when s is a multiple of the first side, a plane when of the first two, ...
  for (std::uint64_t step = 1; step < topology.nodes(); ++step) {
    int dim = 0;
    for (std::uint64_t size = topology.side(0); step % size == 0; size *= topology.side(dim)) ++dim;
    program.ports.push_back(make_port(dim, true));
  }
  Plan plan{topology, "gossip", "snake", {}, Demand::all_gather(1), std::move(program), {}};
  plan.expected.analytic_steps = topology.nodes() - std::uint64_t{1};
  plan.expected.analytic_cycles = plan.expected.analytic_steps;
  plan.expected.lower_bound_steps = bounds::gossip_lower_bound(topology, 1);
  return plan;
}

}  // namespace gossamer
