// SPDX-License-Identifier: Apache-2.0
#include "queued_proof.hpp"

#include "gossamer/sim/queued_engine.hpp"

namespace gossamer {

Verdict prove_queued(const Plan& plan, const Progress& progress) {
  const auto engine = make_fast_queued_engine(plan);
  RunOptions options;
  options.scoreboard = true;
  options.progress = progress;
  const Report report = run_queued_plan(plan, *engine, options);
  Verdict verdict;
  verdict.method = ProofMethod::kReplay;
  verdict.complete = report.complete.value_or(false);
  verdict.steps = report.steps;
  verdict.link_conflicts = report.link_conflicts.value_or(0);
  verdict.max_queue = report.max_queue.value_or(0);
  verdict.link_transfers = report.link_transfers;
  verdict.duplicates = report.duplicates;
  verdict.problems = report.problems;
  if (verdict.max_queue > plan.expected.queue_depth) {
    verdict.problems.push_back("a queue grows to " + std::to_string(verdict.max_queue) +
                               " packets, the plan says " +
                               std::to_string(plan.expected.queue_depth));
  }
  return verdict;
}

}  // namespace gossamer
