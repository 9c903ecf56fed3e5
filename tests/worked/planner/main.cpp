// SPDX-License-Identifier: Apache-2.0
/// A planner of somebody else's: one packet a node, one way round a ring of P nodes, as a plan on
/// standard output. Usage: planner P
#include <cstdlib>
#include <iostream>

#include "gossamer/plan/plan_io.hpp"

using namespace gossamer;

int main(int argc, char** argv) {
  const auto nodes = static_cast<std::uint32_t>(std::atoi(argc == 2 ? argv[1] : "8"));
  const Topology ring = Topology::torus(std::vector{nodes});
  StreamProgram program(nodes, ring.ports(), 1);
  // What comes from the left goes on to the right, behind the node's own packet.
  const Port right = make_port(0, true);
  PortProgram onward;
  onward.feed = PortSet::of(opposite(right));
  onward.preload = {0};
  for (NodeId node = 0; node < nodes; ++node) program.set(node, right, onward);
  Plan plan{ring, "gossip", "user:my-ring", {}, Demand::all_gather(1), std::move(program), {}};
  plan.expected.analytic_steps = nodes - 1;
  plan.expected.analytic_cycles = nodes - 1;
  write_plan(plan, std::cout, PlanEncoding::kJson);
  return 0;
}
