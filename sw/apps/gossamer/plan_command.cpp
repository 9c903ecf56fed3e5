// SPDX-License-Identifier: Apache-2.0
/// gossamer plan: from a request to a plan file.
#include <fmt/format.h>

#include <type_traits>
#include <utility>

#include "commands.hpp"
#include "gossamer/collectives/partial/experiment_run.hpp"
#include "gossamer/emit/buildable.hpp"
#include "gossamer/plan/collective.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/planner/suite.hpp"
#include "gossamer/report/report.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/output_file.hpp"
#include "gossamer/util/overloaded.hpp"
#include "gossamer/util/text.hpp"
#include "plan_help.hpp"
#include "request_words.hpp"
#include "shape_options.hpp"
#include "terminal.hpp"

namespace gossamer::cli {

namespace {

struct PlanArguments {
  std::string collective;
  ShapeArguments shape;
  std::string algorithm;
  std::string output;
  bool json = false;
  /// Values of the algorithms' own options, as typed.
  std::map<std::string, std::string> texts;
  std::map<std::string, bool> flags;
};

/// The algorithm that was chosen, how far it is from the lower bound, and what it was compared
/// with.
std::string choice_of(const Plan& plan, const std::string& requested) {
  const ExpectedFigures& expected = plan.expected;
  if (plan.algorithm == requested || !expected.analytic_steps || !expected.lower_bound_steps ||
      *expected.analytic_steps < *expected.lower_bound_steps) {
    return {};
  }
  const std::uint64_t above = *expected.analytic_steps - *expected.lower_bound_steps;
  std::string choice =
      fmt::format("{}: {} steps, {}", plan.algorithm, *expected.analytic_steps,
                  above == 0 ? "the lower bound" : fmt::format("{} above the lower bound", above));
  if (const auto reason = plan.parameters.find("reason"); reason != plan.parameters.end()) {
    if (const auto* text = std::get_if<std::string>(&reason->second)) {
      choice += fmt::format("; {}", *text);
    }
  }
  return choice;
}
std::string choice_of(const Experiment& /*experiment*/, const std::string& /*requested*/) {
  return {};
}

int run(const PlanArguments& arguments) {
  check_planned(arguments.output, arguments.json);
  // "x=128,y=32": widths of the axes' links.
  ShapeArguments shape = arguments.shape;
  const auto bits = arguments.texts.find("link-bits");
  const bool of_axes = bits != arguments.texts.end() && bits->second.find('=') != std::string::npos;
  if (of_axes) shape.rates.link_bits = bits->second;
  PlanRequest request{
      shape_of(shape), arguments.collective, arguments.algorithm, {}, progress_bar()};
  for (const OptionSpec& option : plan_options()) {
    const std::string name(option.name);
    if (const auto text = arguments.texts.find(name);
        text != arguments.texts.end() && !text->second.empty() && !(of_axes && text == bits)) {
      request.parameters[name] = parse_value(option, text->second);
    }
    if (const auto flag = arguments.flags.find(name);
        flag != arguments.flags.end() && flag->second) {
      request.parameters[name] = true;
    }
  }
  OutputFile file(arguments.output);
  const PlanOrExperiment made = make_plan_or_experiment(request);
  request.progress = {};
  const PlanEncoding encoding = encoding_for(arguments.output);
  std::visit(Overloaded{[&](const Plan& plan) { write_plan(plan, file.stream(), encoding); },
                        [&](const Experiment& experiment) {
                          write_experiment(experiment, file.stream(), encoding);
                        }},
             made);
  file.commit();
  const auto summary = [&](const auto& document) {
    Report report = report_for(document, kNoEngineYet);
    if constexpr (std::is_same_v<decltype(document), const Plan&>) {
      report = with_buildable(std::move(report), document);
    }
    print_planned(report, plan_hash(document), arguments.output, arguments.json,
                  choice_of(document, arguments.algorithm));
  };
  std::visit(summary, made);
  return kDone;
}

}  // namespace

void add_plan_command(Command& app, Action& action) {
  auto arguments = std::make_shared<PlanArguments>();
  Command* command = app.add_subcommand(
      "plan", "Compute a schedule and the routers' tables, and write them as a plan");
  command
      ->add_option("collective", arguments->collective,
                   "Collective, e.g. all-gather; one of those below")
      ->required()
      ->checked([](const std::string& name) {
        if (name != kSuite) require_collective(name);
      })
      ->type_name("COLLECTIVE");
  add_shape_options(*command, arguments->shape);
  add_link_rate_options(*command, arguments->shape);
  command
      ->add_option("--algorithm", arguments->algorithm,
                   "Algorithm of gossamer list COLLECTIVE; default: the first that supports the "
                   "network and the options, or auto if that takes fewer steps")
      ->type_name("NAME");
  command
      ->add_option("-o,--output", arguments->output,
                   "Plan file; JSON, or CBOR if it ends in .cbor; - for standard output")
      ->required()
      ->type_name("PLAN");
  add_json_flag(*command, arguments->json);
  for (const OptionSpec& option : plan_options()) {
    const std::string name(option.name);
    const std::string help(option.help);
    if (option.kind == OptionKind::kFlag) {
      command->add_flag("--" + name, arguments->flags[name], help)->group("Algorithm options");
    } else {
      command->add_option("--" + name, arguments->texts[name], help)
          ->type_name(option.kind == OptionKind::kNumber ? "N" : "TEXT")
          ->group("Algorithm options");
    }
  }
  command->special_help([arguments] { return plan_help(arguments->collective); });
  std::string known;
  const auto add = [&known](std::string_view name, const std::string& summary) {
    constexpr std::size_t kNameWidth = 21;
    std::string head = fmt::format("  {}", name);
    for (const std::string& line : wrapped(summary, kColumns - kNameWidth)) {
      known += fmt::format("{:<{}}{}\n", head, kNameWidth, line);
      head.clear();
    }
  };
  for (const Collective& collective : collectives()) {
    const bool has_alias = !collective.field_name.empty();
    add(field_name(collective.name),
        fmt::format("{}{}", collective.summary,
                    has_alias ? fmt::format(" (also {})", collective.name) : ""));
  }
  add(kSuite, "contexts for six collectives, on all nodes and along each axis");
  command->footer(
      fmt::format("Collectives:\n"
                  "{}\n"
                  "gossamer plan COLLECTIVE --help lists the options of one collective.\n"
                  "Example: gossamer plan all-gather --topology torus --dims 16x16 -o plan.json\n",
                  known));
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gossamer::cli
