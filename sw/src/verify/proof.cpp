// SPDX-License-Identifier: Apache-2.0
#include "gossamer/verify/proof.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// Runs a proof and reports what it finds.
template <typename Proof>
void add_verdict(Report& report, Proof proof) {
  const auto start = std::chrono::steady_clock::now();
  const Verdict verdict = proof();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  // An argument that ends before it knows what links carry does not know who lacks what, either.
  if (verdict.complete || verdict.link_transfers) report.complete = verdict.complete;
  report.steps = verdict.steps;
  report.cycles = verdict.cycles;
  if (report.physical && report.cycles) {
    report.cycles = report.physical->in_cycles(*report.cycles);
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
}

}  // namespace

Report prove(const Plan& plan, const Progress& progress) {
  Report report = report_for(plan, "proof");
  add_verdict(report, [&] { return verify(plan, progress); });
  if (const auto* table = std::get_if<TimetableProgram>(&plan.program);
      table != nullptr && plan.demand.to == Destination::kEachSource && report.steps) {
    report.cycles = *report.steps * table->flits;
    report.time_units = static_cast<double>(*report.steps);
  }
  if (const auto* queued = std::get_if<QueuedProgram>(&plan.program); queued && report.steps) {
    report.cycles = queued->cycles(*report.steps, plan.demand);
    report.time_units = static_cast<double>(*report.cycles) / queued->clock.flits;
  }
  add_physical(report);
  return report;
}

Plan proved(Plan plan, std::string_view place, const Progress& progress) {
  const Report proof = prove(plan, progress);
  if (!proof.problems.empty()) {
    throw InputError(
        fmt::format("{}: verify refuses this plan: {}", place, proof.problems.front()));
  }
  ExpectedFigures& expected = plan.expected;
  if (!expected.analytic_steps) expected.analytic_steps = proof.steps;
  if (!expected.analytic_cycles && !proof.physical) expected.analytic_cycles = proof.cycles;
  return plan;
}

Report prove(const Experiment& experiment, const Progress& progress) {
  Report report = report_for(experiment, "proof");
  add_verdict(report, [&] { return verify_experiment(experiment, progress); });
  return report;
}

}  // namespace gossamer
