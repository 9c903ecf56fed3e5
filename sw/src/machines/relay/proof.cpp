// SPDX-License-Identifier: Apache-2.0
#include "proof.hpp"

#include <fmt/format.h>

#include "gossamer/machines/relay/broadcast_proof.hpp"
#include "sum_proof.hpp"

namespace gossamer {

Verdict prove_relay(const Plan& plan) {
  if (plan.demand.combines()) return prove_relayed_sums(plan);
  const RelayVerdict relays = verify_broadcast(plan);
  Verdict verdict;
  verdict.method = "relay sends";
  verdict.link_conflicts = relays.conflicts;
  // Otherwise the fate of the sends depends on the routers.
  if (relays.conflicts) {
    verdict.complete = relays.complete;
    if (relays.complete) {
      verdict.steps = relays.steps;
      verdict.cycles = relays.cycles;
    }
    verdict.tcd = relays.tcd;
    verdict.longest_hops = relays.longest_hops;
    verdict.link_transfers = relays.tcd;
    verdict.duplicates = 0;
  }
  for (const RelayProblem& problem : relays.problems) verdict.problems.push_back(problem.text);
  if (relays.problem_count > relays.problems.size()) {
    verdict.problems.push_back(
        fmt::format("... and {} more", relays.problem_count - relays.problems.size()));
  }
  return verdict;
}

}  // namespace gossamer
