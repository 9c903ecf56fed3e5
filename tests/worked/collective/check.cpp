// SPDX-License-Identifier: Apache-2.0
/// The vote's test: proof and engine agree, on every torus and mesh tried.
#include <cstdio>
#include <sstream>

#include "gossamer/plan/plan_io.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/verify/verify.hpp"

using namespace gossamer;

int main() {
  int voted = 0;
  for (const char* kind : {"torus", "mesh"}) {
    for (const std::vector<std::uint32_t>& sides :
         {std::vector<std::uint32_t>{5}, {4, 3}, {2, 5}, {3, 4, 2}}) {
      const Plan made = make_plan({Topology::make(kind, sides), "vote", "", {}, {}});
      std::stringstream document;
      write_plan(made, document, PlanEncoding::kJson);
      const Plan plan = read_plan(document, "vote");
      const Verdict verdict = verify(plan);
      const Report run = run_plan(plan, *make_fast_engine(plan));
      if (plan != made || !verdict.ok() || !run.problems.empty() || run.steps != verdict.steps) {
        std::printf("vote, %s %s: wrong\n", kind, plan.topology.dims_text().c_str());
        return 1;
      }
      ++voted;
    }
  }
  std::printf("vote: %d networks\n", voted);
  return 0;
}
