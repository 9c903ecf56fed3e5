// SPDX-License-Identifier: Apache-2.0
#include "gossamer/verify/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "gossamer/bounds/reductions.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/util/words.hpp"

namespace gossamer {

void compare_with_promises(const Plan& plan, Verdict& verdict) {
  const ExpectedFigures& expected = plan.expected;
  if (verdict.link_conflicts.value_or(0) != 0) {
    verdict.problems.push_back(fmt::format("{} packets find a full queue of depth {}",
                                           *verdict.link_conflicts, expected.queue_depth));
  }
  if (verdict.link_conflicts == 0 && verdict.max_queue > expected.queue_depth) {
    verdict.problems.push_back(fmt::format("{} packets are held at once, the plan states {}",
                                           *verdict.max_queue, expected.queue_depth));
  }
  if (verdict.complete && expected.analytic_steps && verdict.steps != expected.analytic_steps) {
    verdict.problems.push_back(fmt::format("the last packet arrives in step {}, the plan states {}",
                                           *verdict.steps, *expected.analytic_steps));
  }
  if (verdict.complete && expected.analytic_cycles && verdict.cycles != expected.analytic_cycles) {
    verdict.problems.push_back(fmt::format("{} steps are {} cycles, the plan states {}",
                                           *verdict.steps, *verdict.cycles,
                                           *expected.analytic_cycles));
  }
  if (verdict.complete && expected.bound_steps && *verdict.steps > *expected.bound_steps) {
    verdict.problems.push_back(fmt::format("{} steps exceed the promised bound of {}",
                                           *verdict.steps, *expected.bound_steps));
  }
  const std::uint64_t lower_bound = bounds::lower_bound(plan);
  // Documents before version 3 have the bound of the padded vector, others a lower one.
  const auto is_earlier = [&plan](std::uint64_t bound) {
    if (bound == bounds::lower_bound(plan.topology, plan.demand)) return true;
    const std::vector<std::uint64_t> earlier = bounds::earlier_lower_bounds(plan);
    return std::find(earlier.begin(), earlier.end(), bound) != earlier.end();
  };
  if (expected.lower_bound_steps && *expected.lower_bound_steps != lower_bound &&
      !is_earlier(*expected.lower_bound_steps)) {
    verdict.problems.push_back(fmt::format("the lower bound is {} steps, the plan states {}",
                                           lower_bound, *expected.lower_bound_steps));
  }
}

void list_missing(Verdict& verdict, NodeId node, std::uint64_t missing, std::uint64_t packets) {
  if (verdict.problems.size() < kMaxListedNodes) {
    verdict.problems.push_back(
        fmt::format("node {} never receives {} of {} packets", node, missing, packets));
  } else if (verdict.problems.size() == kMaxListedNodes) {
    verdict.problems.emplace_back("... and more nodes like these");
  }
}

Verdict verify(const Plan& plan, const Progress& progress) {
  return plan.machine().prove(plan, progress);
}

}  // namespace gossamer
