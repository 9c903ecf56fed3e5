// SPDX-License-Identifier: Apache-2.0
/// A virtual platform in which an all-gather's links are transactions: sixteen elements on a 4x4
/// torus whose wrap links take three cycles send 8 flits of each of two packets. The first run has
/// no stalls; in the second, element 5 is busy for 100 cycles during the collective.
#include <array>
#include <cstdint>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <systemc>
#include <vector>

#include "gossamer/machines/elastic/program.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/systemc/elastic/tlm.hpp"
#include "gossamer/systemc/simulation_context.hpp"

namespace {

using namespace gossamer;
using namespace gossamer::systemc;

const sc_core::sc_time kCycle(1, sc_core::SC_NS);

struct Outcome {
  /// Elements that have every flit of all other elements.
  std::uint64_t complete = 0;
  /// Of the last flit.
  std::uint64_t cycle = 0;
};

Outcome run(const Plan& plan, const StallScript& stalls) {
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  TlmElasticNetwork network("network", std::make_shared<const ElasticTiles>(plan, stalls), kCycle);
  Outcome outcome;
  std::vector<std::vector<bool>> has(plan.topology.nodes());
  const std::uint64_t flits = plan.program.as<ElasticProgram>().elastic.flits();
  const std::uint64_t all = std::uint64_t{plan.topology.nodes()} * packets_per_node(plan) * flits;
  for (NodeId node = 0; node < has.size(); ++node) {
    has[node].resize(all);
    network.node(node).on_take = [&, node](Port /*in*/, const ElasticFlit& flit) {
      has[node].at(flit.packet * flits + flit.flit) = true;
      outcome.cycle = sc_core::sc_time_stamp().value() / kCycle.value();
    };
  }
  network.start();
  // Until no element has work left.
  sc_core::sc_start();
  for (const std::vector<bool>& known : has) {
    std::uint64_t count = 0;
    for (const bool one : known) count += one ? 1 : 0;
    // An element's own flits do not return to it over a link.
    if (count == all - packets_per_node(plan) * flits) ++outcome.complete;
  }
  return outcome;
}

}  // namespace

int sc_main(int /*argc*/, char** /*argv*/) {
  PlanRequest request{Topology::torus(std::array{4U, 4U}), "gossip", "hamiltonian", {}, {}};
  request.parameters["elastic"] = true;
  request.parameters["flits"] = std::int64_t{8};
  request.parameters["link-latency"] = std::string("x=1,y=1,wrap-x=3,wrap-y=3");
  const Plan plan = make_plan(request);
  std::istringstream busy("m,5,-,20,100\n");
  const Outcome free = run(plan, {});
  const Outcome held = run(plan, StallScript::read(busy, "busy", plan.topology));
  std::cout << free.complete << " elements have everything after " << free.cycle
            << " cycles, the formula says " << *plan.expected.analytic_cycles
            << "; with one of them busy for 100 cycles " << held.complete << " after " << held.cycle
            << '\n';
  return free.cycle == *plan.expected.analytic_cycles && free.complete == 16 && held.complete == 16
             ? 0
             : 1;
}
