// SPDX-License-Identifier: Apache-2.0
/// Every engine that an installed Gossamer has for a plan, on it.
#include <array>
#include <cstdio>

#include "gossamer/emit/emit.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/version.hpp"

int main() {
  const gossamer::Plan plan =
      gossamer::make_plan({gossamer::Topology::torus(std::array{5U, 4U}), "gossip", {}, {}, {}});
  for (const std::string_view engine : gossamer::engines_of(plan.machine())) {
    const gossamer::Report report = gossamer::run_on_engine(engine, plan, {}, {});
    if (!report.problems.empty()) return 1;
    std::printf("gossamer %s, %s: %llu steps\n", gossamer::kVersion, report.engine.c_str(),
                static_cast<unsigned long long>(report.steps.value_or(0)));
  }
  // The dependencies of the libraries below the highest layer must also be found.
  return gossamer::emit_files(plan, "msccl-xml").size() == 1 ? 0 : 1;
}
