// SPDX-License-Identifier: Apache-2.0
/// gossamer compose: several plans as one.
#include <fmt/format.h>

#include "commands.hpp"
#include "gossamer/compose/composition.hpp"
#include "gossamer/emit/buildable.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/planner/load.hpp"
#include "gossamer/report/report.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/output_file.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/words.hpp"
#include "gossamer/verify/proof.hpp"
#include "terminal.hpp"

namespace gossamer::cli {

namespace {

constexpr std::uint64_t kLatestFirstStep = std::uint64_t{1} << 32U;

struct ComposeArguments {
  std::vector<std::string> plans;
  std::string first_steps;
  bool contexts = false;
  std::string output;
  bool json = false;
};

/// One for each plan: "1,5".
std::vector<std::uint64_t> parse_first_steps(const std::string& text, std::size_t plans) {
  if (text.empty()) return std::vector<std::uint64_t>(plans, 1);
  std::vector<std::uint64_t> steps;
  for (const std::string_view word : words_of(text, ',')) {
    const auto step = whole_number(word, kLatestFirstStep);
    if (!step || *step == 0) {
      throw InputError(fmt::format(
          "--first-steps: \"{}\" is not a step; numbers from 1 on are expected, e.g. 1,5", word));
    }
    steps.push_back(*step);
  }
  if (steps.size() != plans) {
    throw InputError(fmt::format("--first-steps: {} for {}; one step per plan is expected",
                                 counted(steps.size(), "step"), counted(plans, "plan")));
  }
  return steps;
}

int run(const ComposeArguments& arguments) {
  check_planned(arguments.output, arguments.json);
  if (arguments.plans.size() < 2) {
    throw InputError(
        fmt::format("compose: {}: two or more plans are expected", arguments.plans.front()));
  }
  const std::vector<std::uint64_t> first_steps =
      parse_first_steps(arguments.first_steps, arguments.plans.size());
  if (arguments.contexts && !arguments.first_steps.empty()) {
    throw InputError("--first-steps: excludes --contexts, which run one after the other");
  }
  std::vector<Plan> plans;
  for (const std::string& name : arguments.plans) {
    plans.push_back(proved(load_plan(name), name, progress_bar()));
  }
  const Plan plan = [&] {
    if (arguments.contexts) return compose_contexts(std::move(plans), arguments.plans);
    std::vector<PlanMember> members;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      members.push_back({std::move(plans[i]), first_steps[i]});
    }
    return compose(std::move(members), arguments.plans);
  }();
  OutputFile file(arguments.output);
  write_plan(plan, file.stream(), encoding_for(arguments.output));
  file.commit();
  print_planned(with_buildable(report_for(plan, kNoEngineYet), plan), plan_hash(plan),
                arguments.output, arguments.json);
  return kDone;
}

}  // namespace

void add_compose_command(Command& app, Action& action) {
  auto arguments = std::make_shared<ComposeArguments>();
  Command* command = app.add_subcommand(
      "compose", "Make one plan of several that run on one network, together or one at a time");
  command->add_option("plans", arguments->plans, "Two or more plans for the same network")
      ->required()
      ->expected(1, 64)
      ->type_name("PLAN");
  command
      ->add_option("-o,--output", arguments->output,
                   "Plan file; JSON, or CBOR if it ends in .cbor; - for standard output")
      ->required()
      ->type_name("PLAN");
  command
      ->add_option("--first-steps", arguments->first_steps,
                   "First step of each plan, from 1 on, e.g. 1,5; default: step 1 for all")
      ->type_name("S,S,..");
  command->add_flag("--contexts", arguments->contexts,
                    "The plans are contexts: they run one at a time and share one register per "
                    "output port; default: they run together");
  add_json_flag(*command, arguments->json);
  command->footer(
      "Each plan becomes a member, numbered from 0. At every node, members that run\n"
      "together must use different output ports; groups along different axes do.\n"
      "Contexts may use the same ports; simulate --rounds selects their order.\n"
      "Example: gossamer compose rows.json columns.json -o both.json\n");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gossamer::cli
