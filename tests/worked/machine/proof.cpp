// SPDX-License-Identifier: Apache-2.0
/// The proof: after s steps, each router has seen the packets of s + 1 routers of its row.
#include <algorithm>

#include "east.hpp"
#include "gossamer/sim/run.hpp"

namespace east {

using namespace gossamer;

// [proof]
Verdict prove(const Plan& plan) {
  const std::uint64_t nodes = plan.topology.nodes();
  const std::uint64_t around = plan.topology.side(0) - std::uint64_t{1};
  std::uint64_t steps = plan.program.as<EastProgram>().steps;
  Verdict verdict;
  verdict.method = "rows";
  verdict.max_queue = 1;
  verdict.complete = around + 1 == nodes && steps >= around;
  if (verdict.complete) {
    steps = around;
    verdict.steps = verdict.cycles = around;
  } else {
    steps = std::min(steps, step_limit(plan));
    const std::uint64_t missing = nodes - 1 - std::min(steps, around);
    for (NodeId node = 0; node < nodes; ++node) list_missing(verdict, node, missing, nodes);
  }
  verdict.link_transfers = nodes * steps;
  verdict.duplicates = nodes * (steps - std::min(steps, around));
  compare_with_promises(plan, verdict);
  return verdict;
}
// [proof]

}  // namespace east
