// SPDX-License-Identifier: Apache-2.0
/// The shift's test: document, proof and engine agree, on right plans and on every plan with one
/// step by another port.
#include <cstdio>
#include <sstream>

#include "gossamer/plan/discipline.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/verify/verify.hpp"

using namespace gossamer;

namespace {

bool agree(const Plan& made) {
  std::stringstream document;
  write_plan(made, document, PlanEncoding::kCbor);
  const Plan plan = read_plan(document, "shift");
  const Verdict verdict = verify(plan);
  const Report run = run_plan(plan, *make_fast_engine(plan));
  return plan == made && discipline_of(plan).name == "shift" &&
         method_name(verdict.method) == "displacements" && verdict.ok() == run.problems.empty() &&
         verdict.complete == run.complete && verdict.steps == run.steps &&
         verdict.link_transfers == run.link_transfers && verdict.duplicates == run.duplicates &&
         verdict.max_queue == run.max_queue;
}

}  // namespace

int main() {
  int plans = 0;
  int refused = 0;
  for (const std::vector<std::uint32_t>& sides :
       {std::vector<std::uint32_t>{5}, {4, 3}, {2, 5}, {3, 4, 2}}) {
    Plan plan = make_plan({Topology::torus(sides), "gossip", "snake", {}, {}});
    if (!verify(plan).ok() || !agree(plan)) return 1;
    ++plans;
    for (Port& step : std::get<ShiftProgram>(plan.program).ports) {
      const Port right = step;
      for (int port = 0; port < plan.topology.ports(); ++port) {
        step = static_cast<Port>(port);
        if (!agree(plan)) {
          std::printf("shift, %s: proof and engine differ\n", plan.topology.dims_text().c_str());
          return 1;
        }
        if (!verify(plan).ok()) ++refused;
      }
      step = right;
    }
  }
  std::printf("shift: %d plans, %d damaged ones refused\n", plans, refused);
  return refused > 50 ? 0 : 1;
}
