// SPDX-License-Identifier: Apache-2.0
#include "gossamer/verify/proof.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "gossamer/plan/run_facts.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

void add_figures(Report& report, const Verdict& verdict) {
  // An argument that ends before link contents are known does not know the missing packets either.
  if (verdict.complete || verdict.link_transfers) report.complete = verdict.complete;
  report.steps = verdict.steps;
  report.cycles = verdict.cycles;
  if (report.physical && report.cycles) {
    report.cycles = report.physical->in_cycles(*report.cycles);
  }
  report.tcd = verdict.tcd;
  report.longest_hops = verdict.longest_hops;
  report.link_transfers = verdict.link_transfers;
  report.die_transfers = verdict.die_transfers;
  report.link_conflicts = verdict.link_conflicts;
  report.duplicates = verdict.duplicates;
  report.max_queue = verdict.max_queue;
  report.problems = verdict.problems;
  report.proved_by = verdict.method;
  for (std::size_t i = 0; i < verdict.members.size(); ++i) {
    add_figures(report.members.at(i), verdict.members[i]);
    add_physical(report.members[i]);
  }
}

}  // namespace

void add_verdict(Report& report, const std::function<Verdict()>& proof) {
  const auto start = std::chrono::steady_clock::now();
  const Verdict verdict = proof();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  add_figures(report, verdict);
  report.wall_seconds = wall.count();
}

Report prove(const Plan& plan, const Progress& progress) {
  Report report = report_for(plan, "proof");
  add_verdict(report, [&] { return verify(plan, progress); });
  if (const auto unit = run_facts(plan).unit_cycles; unit && report.cycles) {
    report.time_units = static_cast<double>(*report.cycles) / static_cast<double>(*unit);
  }
  add_physical(report);
  return report;
}

Plan with_figures_of(Plan plan, const Report& report) {
  ExpectedFigures& expected = plan.expected;
  if (!expected.analytic_steps) expected.analytic_steps = report.steps;
  if (!expected.analytic_cycles && !report.physical) expected.analytic_cycles = report.cycles;
  return plan;
}

Plan proved(Plan plan, std::string_view place, const Progress& progress) {
  const Report proof = prove(plan, progress);
  if (!proof.problems.empty()) {
    throw InputError(
        fmt::format("{}: verify rejects this plan: {}", place, proof.problems.front()));
  }
  return with_figures_of(std::move(plan), proof);
}

}  // namespace gossamer
