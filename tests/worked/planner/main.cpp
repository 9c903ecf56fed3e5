// SPDX-License-Identifier: Apache-2.0
/// A planner outside Gossamer: one packet per node travels in one direction around a ring of P
/// nodes. Writes the plan to standard output. Usage: planner P
#include <cstdlib>
#include <iostream>

#include "gossamer/machines/stream/program.hpp"
#include "gossamer/plan/plan_io.hpp"

using namespace gossamer;

int main(int argc, char** argv) {
  const auto nodes = static_cast<std::uint32_t>(std::atoi(argc == 2 ? argv[1] : "8"));
  const Topology ring = Topology::torus(std::vector{nodes});
  // [program]
  // Each router sends its own packet to the right, and then all packets that arrive from the left.
  StreamProgram program(nodes, ring.ports(), 1);
  const Port right = make_port(0, true);
  StreamPort onward;
  onward.feed = PortSet::of(opposite(right));
  onward.preload = {0};
  for (NodeId node = 0; node < nodes; ++node) program.set(node, right, onward);
  // [program]
  // [plan]
  Plan plan{ring, "gossip", "user:my-ring", {}, Demand::all_gather(1), std::move(program), {}};
  plan.expected.analytic_steps = nodes - 1;
  plan.expected.analytic_cycles = nodes - 1;
  write_plan(plan, std::cout, PlanEncoding::kJson);
  // [plan]
  return 0;
}
