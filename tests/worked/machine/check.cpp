// SPDX-License-Identifier: Apache-2.0
/// The east machine's test: proof and run agree on correct and wrong plans, and a plan survives its
/// document.
#include <cstdio>
#include <sstream>

#include "east.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"

using namespace gossamer;

int main() {
  int plans = 0;
  int complete = 0;
  for (const std::vector<std::uint32_t>& sides :
       {std::vector<std::uint32_t>{2}, {7}, {4, 1}, {3, 4}, {2, 5}}) {
    for (std::uint32_t steps = 0; steps < 10; ++steps) {
      east::EastProgram program;
      program.steps = steps;
      const Plan made{
          Topology::torus(sides), "gossip", "user:steps", {}, Demand::all_gather(1), program, {}};
      std::stringstream document;
      write_plan(made, document, PlanEncoding::kCbor);
      const Plan plan = read_plan(document, "east");
      const Verdict verdict = verify(plan);
      const Report run = run_on_engine("fast", plan, {}, {});
      if (plan != made || verdict.complete != run.complete || verdict.steps != run.steps ||
          verdict.link_transfers != run.link_transfers || verdict.duplicates != run.duplicates ||
          verdict.max_queue != run.max_queue) {
        std::printf("east, %s, %u steps: proof and run differ\n", plan.topology.dims_text().c_str(),
                    steps);
        return 1;
      }
      ++plans;
      complete += verdict.ok() ? 1 : 0;
    }
  }
  std::printf("east: %d plans, %d complete\n", plans, complete);
  return 0;
}
