// SPDX-License-Identifier: Apache-2.0
#include "proof.hpp"

#include <chrono>

namespace gossamer::cli {

Report prove(const Plan& plan, const Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  const Verdict verdict = verify(plan, progress);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;

  Report report = report_for(plan, "proof");
  report.complete = verdict.complete;
  report.steps = verdict.steps;
  report.cycles = verdict.cycles;
  if (const auto* queued = std::get_if<QueuedProgram>(&plan.program); queued && verdict.steps) {
    report.cycles = queued->cycles(*verdict.steps);
    report.time_units = static_cast<double>(*report.cycles) / queued->clock.flits;
  }
  report.tcd = verdict.tcd;
  if (report.broadcast) report.broadcast->longest_hops = verdict.longest_hops;
  report.link_transfers = verdict.link_transfers;
  report.link_conflicts = verdict.link_conflicts;
  report.duplicates = verdict.duplicates;
  report.max_queue = verdict.max_queue;
  report.wall_seconds = wall.count();
  report.problems = verdict.problems;
  report.proved_by = method_name(verdict.method);
  return report;
}

}  // namespace gossamer::cli
