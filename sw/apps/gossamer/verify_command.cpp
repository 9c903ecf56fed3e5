// SPDX-License-Identifier: Apache-2.0
/// gossamer verify: the static proof.
#include "commands.hpp"
#include "gossamer/collectives/partial/experiment_run.hpp"
#include "gossamer/emit/arrivals.hpp"
#include "gossamer/emit/buildable.hpp"
#include "gossamer/emit/emit.hpp"
#include "gossamer/planner/load.hpp"
#include "gossamer/sim/sum_trees.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/proof.hpp"
#include "message_options.hpp"
#include "terminal.hpp"

namespace gossamer::cli {

namespace {

struct VerifyArguments {
  std::string plan;
  std::string arrivals;
  MessageArguments message;
  ReportOutput report;
};

/// Adds the first broken entry of an arrival contract to the problems of a plan that is right.
void check_arrivals(const Plan& plan, const std::string& file, Report& report) {
  require_format(plan, "arrivals");
  if (!report.problems.empty()) return;
  if (const auto broken = broken_arrival(with_figures_of(plan, report), file)) {
    report.problems.push_back(*broken);
  }
}

int run(const VerifyArguments& arguments) {
  PlanOrExperiment document = load_plan_or_experiment(arguments.plan);
  arguments.message.apply(document, arguments.plan);
  Report report = std::visit([](const auto& one) { return prove(one, progress_bar()); }, document);
  const auto* const plan = std::get_if<Plan>(&document);
  if (plan != nullptr) report = with_buildable(std::move(report), *plan);
  if (!arguments.arrivals.empty()) {
    if (plan == nullptr) throw InputError("--arrivals: an experiment has no arrival contract");
    check_arrivals(*plan, arguments.arrivals, report);
  }
  // The proof has shown that all nodes have one tree; a run on names shows which.
  if (plan != nullptr && report.problems.empty()) add_sums(*plan, report);
  return finish(report, arguments.report);
}

}  // namespace

void add_verify_command(Command& app, Action& action) {
  auto arguments = std::make_shared<VerifyArguments>();
  Command* command = app.add_subcommand(
      "verify", "Prove a plan from its tables: completeness, link conflicts, exact steps");
  add_plan_argument(*command, arguments->plan);
  command
      ->add_option(
          "--arrivals", arguments->arrivals,
          "Also check this arrival contract, arrivals.json of gossamer emit --format arrivals")
      ->type_name("FILE");
  arguments->report.add_to(*command);
  arguments->message.add_to(*command);
  command->footer("Exit status 0: proved; 1: the plan is wrong, with the reason.\n");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gossamer::cli
