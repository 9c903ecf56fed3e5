// SPDX-License-Identifier: Apache-2.0
/// Your own planner, registered from outside: all-gather along one Hamiltonian cycle, in both
/// directions.
///
/// The cycle is a comb: row 0 from column 0 to the last, up, back to column 1, up, and so on;
/// column 0 leads back. It needs an even number of rows and no wraparound, so it also supports
/// meshes.
#include <array>
#include <cstdio>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/compare/gossip.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/verify.hpp"

namespace {

using gossamer::NodeId;
using gossamer::Port;

constexpr Port kWest = 0, kEast = 1, kNorth = 2, kSouth = 3;  // x-, x+, y-, y+

/// The next node of the cycle after (x, y).
Port next_port(std::uint32_t x, std::uint32_t y, std::uint32_t columns, std::uint32_t rows) {
  if (x == 0) return y == 0 ? kEast : kNorth;
  if (y % 2 == 0) return x + 1 < columns ? kEast : kSouth;
  if (x > 1) return kWest;
  return y + 1 < rows ? kSouth : kWest;
}

gossamer::Plan plan_comb(const gossamer::PlanRequest& request) {
  const gossamer::Topology& topology = request.topology;
  if (topology.dimensions() != 2 || topology.side(1) % 2 != 0) {
    throw gossamer::InfeasibleError(
        "comb: needs two dimensions and an even number of rows; nearest feasible: " +
        std::to_string(topology.side(0)) + "x" +
        std::to_string(topology.dimensions() < 2 ? 2 : topology.side(1) + topology.side(1) % 2));
  }
  gossamer::StreamProgram program(topology.nodes(), topology.ports(), 1);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const gossamer::Coordinates at = topology.coordinates(node);
    const Port ahead = next_port(at[0], at[1], topology.side(0), topology.side(1));
    // The cycle arrives from the neighbour whose next node is this one.
    Port back = 0;
    for (Port port = 0; port < topology.ports(); ++port) {
      const NodeId other = topology.neighbor(node, port);
      if (other == gossamer::kNoNode) continue;
      const gossamer::Coordinates there = topology.coordinates(other);
      const Port goes = next_port(there[0], there[1], topology.side(0), topology.side(1));
      if (goes == gossamer::opposite(port)) back = port;
    }
    // In each direction: first the node's own packet, then the arrivals from the other side.
    gossamer::StreamPort on;
    on.feed = gossamer::PortSet::of(back);
    on.preload = {0};
    program.set(node, ahead, on);
    on.feed = gossamer::PortSet::of(ahead);
    program.set(node, back, on);
  }
  gossamer::Plan plan{
      topology, "gossip", "user:comb", {}, gossamer::Demand::all_gather(1), std::move(program), {}};
  plan.expected.analytic_steps = topology.nodes() / 2;
  plan.expected.lower_bound_steps = gossamer::bounds::gossip_lower_bound(topology, 1);
  return plan;
}

}  // namespace

int main() {
  gossamer::register_algorithm({.collective = "gossip",
                                .shapes = gossamer::Shapes::kBoth,
                                .name = "user:comb",
                                .summary = "One Hamiltonian cycle, both ways",
                                .guarantee = "P/2 steps, one register an output port",
                                .options = "",
                                .machines = "stream",
                                .plan = plan_comb});

  // Now it is an algorithm like all others: planned by name, proved, compared, emitted.
  const auto mesh = gossamer::Topology::mesh(std::array{5U, 4U});
  const gossamer::Plan plan = gossamer::make_plan({mesh, "all-gather", "user:comb", {}, {}});
  const gossamer::Verdict verdict = gossamer::verify(plan);
  for (const std::string& problem : verdict.problems) std::fprintf(stderr, "%s\n", problem.c_str());
  if (!verdict.ok()) return 1;
  std::printf("5x4 mesh: %llu steps, proved by %s\n",
              static_cast<unsigned long long>(*verdict.steps), std::string(verdict.method).c_str());

  gossamer::GossipComparisonOptions options;
  options.algorithms = {"hamiltonian", "user:comb"};
  std::fputs(
      comparison_table(compare_gossip(gossamer::Topology::torus(std::array{6U, 6U}), options))
          .c_str(),
      stdout);

  try {
    static_cast<void>(gossamer::make_plan(
        {gossamer::Topology::torus(std::array{5U, 5U}), "all-gather", "user:comb", {}, {}}));
    return 1;
  } catch (const gossamer::InfeasibleError& error) {
    std::printf("%s\n", error.what());
  }
  return 0;
}
