// SPDX-License-Identifier: Apache-2.0
/// gossamer verify: the static proof.
#include <fmt/format.h>

#include <chrono>

#include "commands.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/verify/verify.hpp"
#include "terminal.hpp"

namespace gossamer::cli {

namespace {

struct VerifyArguments {
  std::string plan;
  std::string report;
};

int run(const VerifyArguments& arguments) {
  const Plan plan = read_plan_file(arguments.plan);
  const auto start = std::chrono::steady_clock::now();
  const Verdict verdict = verify(plan, progress_bar());
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;

  Report report = report_for(plan, "proof");
  report.complete = verdict.complete;
  report.steps = verdict.steps;
  report.cycles = verdict.cycles;
  report.tcd = verdict.tcd;
  report.link_transfers = verdict.link_transfers;
  report.link_conflicts = verdict.link_conflicts;
  report.duplicates = verdict.duplicates;
  report.max_queue = verdict.max_queue;
  report.wall_seconds = wall.count();
  report.problems = verdict.problems;
  const int status = finish(report, arguments.report, false);
  if (arguments.report != "-") {
    fmt::print("  {:<18} {}\n", "proved by", method_name(verdict.method));
  }
  return status;
}

}  // namespace

void add_verify_command(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<VerifyArguments>();
  CLI::App* command = app.add_subcommand(
      "verify", "Prove a plan from its tables: completeness, link conflicts, exact steps");
  command->add_option("plan", arguments->plan, "Plan file, - for standard input")
      ->required()
      ->type_name("PLAN");
  command->add_option("--report", arguments->report, "Write the report as JSON, - prints it alone")
      ->type_name("FILE");
  command->footer("Exit status 0: proved; 1: the plan is wrong, with the reason.\n");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gossamer::cli
