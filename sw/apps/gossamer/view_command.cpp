// SPDX-License-Identifier: Apache-2.0
/// gossamer view: plans as a page that plays them.
///
/// The page executes stream programs itself, by the machine model of docs/plan-format.md.
/// All programs but streams go with the trace of a run on the
/// fast engine, dynamic broadcasts with that of their first intervals.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "commands.hpp"
#include "gossamer/collectives/partial/dynamic_broadcast.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/planner/load.hpp"
#include "gossamer/report/network_json.hpp"
#include "gossamer/sim/judge.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/input_file.hpp"
#include "gossamer/util/json_text.hpp"
#include "gossamer/util/output_file.hpp"
#include "gossamer/util/overloaded.hpp"
#include "gossamer/verify/proof.hpp"
#include "message_options.hpp"
#include "stall_option.hpp"
#include "terminal.hpp"
#include "view_dynamic.hpp"
#include "view_run.hpp"
#include "view_template.hpp"

namespace gossamer::cli {

namespace {

/// A screen cannot show more distinct nodes.
constexpr std::uint64_t kMaxNodes = std::uint64_t{1} << 16U;
/// The page keeps a bit for each node and packet.
constexpr std::uint64_t kMaxKnowledgeBytes = std::uint64_t{512} << 20U;

/// Whose programs the page executes itself (viewer/src/machine.js), however long they run.
constexpr std::string_view kPageMachine = "stream";

struct ViewArguments {
  std::vector<std::string> plans;
  std::string output;
  std::string load;
  std::string stall;
  bool json = false;
  MessageArguments message;
};

/// JSON inside a script element: no character there may end the element.
std::string without_markup(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

void check_steps(const std::string& name, std::uint64_t steps) {
  if (steps <= kMaxSteps) return;
  throw InputError(
      fmt::format("{0}: the page plays up to {2} steps, not {1}", name, steps, kMaxSteps));
}

/// Steps of a stream program: as planned, otherwise as run by the fast engine.
std::uint64_t stream_steps(const std::string& name, const Plan& plan) {
  if (const auto planned = plan.expected.analytic_steps) return *planned;
  RunOptions options;
  options.max_steps = kMaxSteps;
  options.judged = true;
  options.progress = progress_bar();
  if (const auto steps = run_on_engine("fast", plan, {}, options).steps) return *steps;
  throw InputError(
      fmt::format("{}: the plan states no number of steps and does not complete within {} steps",
                  name, kMaxSteps));
}

/// The load whose run is shown, in millionths: --load, else the plan's first.
std::uint32_t shown_load(const DynamicProgram& program, const std::string& load) {
  if (load.empty()) return program.load_millionths.front();
  const std::vector<double> loads = parse_loads(load);
  if (loads.size() != 1) throw InputError("--load: one utilization is expected, e.g. 0.4");
  return load_in_millionths(loads.front());
}

/// Additional data that the page needs for a plan, as members of its document.
std::string extra_text(const std::string& name, const Plan& plan, const std::string& stall) {
  if (plan.demand.to == Destination::kPairs) return plan_run_text(name, plan, {});
  // It counts the packets of one group of all nodes.
  if (plan.machine().info().has_members) {
    throw InputError(
        fmt::format("{}: the page does not support plans of several collectives", name));
  }
  if (plan.demand.groups) return plan_run_text(name, plan, {});
  if (run_facts(plan).stalls) {
    std::optional<StallScript> stalls;
    std::string text;
    if (!stall.empty()) {
      stalls = read_stalls(name, plan, stall);
      text = fmt::format("\"stall\":{},", without_markup(dump_json(nlohmann::ordered_json(stall))));
    }
    return text + plan_run_text(name, plan, stalls);
  }
  // The page numbers own packets by their node, which those of one root are not.
  if (plan.machine().name() != kPageMachine || plan.demand.from == Origin::kRoot) {
    return plan_run_text(name, plan, {});
  }
  const std::uint64_t bytes = Judge::memory_bytes(plan);
  if (bytes > kMaxKnowledgeBytes) {
    throw InputError(
        fmt::format("{}: the packets of all nodes take {} MiB; the page holds up to {}", name,
                    bytes >> 20U, kMaxKnowledgeBytes >> 20U));
  }
  const std::uint64_t steps = stream_steps(name, plan);
  check_steps(name, steps);
  return fmt::format("\"steps\":{}", steps);
}

/// One entry of the page's array.
std::string page_entry(const std::string& name, const PlanOrExperiment& document,
                       const ViewArguments& arguments) {
  std::ostringstream json;
  const auto checked = [&name](const Topology& topology) {
    if (topology.nodes() <= kMaxNodes) return;
    throw InputError(fmt::format("{0}: the page draws up to {2} nodes, not {1}", name,
                                 topology.nodes(), kMaxNodes));
  };
  const std::string extra =
      std::visit(Overloaded{[&](const Plan& plan) {
                              checked(plan.topology);
                              write_plan(plan, json, PlanEncoding::kJson);
                              std::string message;
                              if (quantities_of(plan)) {
                                message = fmt::format(R"("message":"{}",)",
                                                      message_summary(*prove(plan, {}).physical));
                              }
                              return message + extra_text(name, plan, arguments.stall);
                            },
                            [&](const Experiment& experiment) {
                              checked(experiment.topology);
                              write_experiment(experiment, json, PlanEncoding::kJson);
                              return dynamic_run_text(
                                  name, experiment, shown_load(experiment.program, arguments.load));
                            }},
                 document);
  return fmt::format("{{\"plan\":{},{}}}", without_markup(json.str()), extra);
}

/// The summary of a document for --json.
nlohmann::ordered_json summary_of(const std::string& name, const PlanOrExperiment& document) {
  const auto entry = [&name](const auto& one, std::string_view collective,
                             std::string_view algorithm) {
    nlohmann::ordered_json json{{"plan", name},
                                {"plan_hash", fmt::format("{:016x}", plan_hash(one))},
                                {"collective", collective},
                                {"algorithm", algorithm}};
    add_network(json, one.topology);
    return json;
  };
  return std::visit(
      Overloaded{[&](const Plan& plan) { return entry(plan, plan.collective, plan.algorithm); },
                 [&](const Experiment& experiment) {
                   return entry(experiment, Experiment::kCollective, Experiment::kAlgorithm);
                 }},
      document);
}

/// The JSON of gossamer workload in a file; empty for other files and standard input.
std::optional<nlohmann::ordered_json> workload_in(const std::string& name) {
  if (name == "-") return std::nullopt;
  auto json = nlohmann::ordered_json::parse(InputFile(name).text(), nullptr, false);
  if (!json.is_object() || !json.contains("workload") || !json.contains("timeline")) {
    return std::nullopt;
  }
  return json;
}

/// Writes the template with `documents` in its place.
void write_page(const ViewArguments& arguments, std::span<const std::string_view> parts,
                const std::string& documents, const nlohmann::ordered_json& summary) {
  std::string page;
  for (const std::string_view part : parts) page += part;
  constexpr std::string_view kPlace = "@PLANS@";
  page.replace(page.find(kPlace), kPlace.size(), documents);
  OutputFile file(arguments.output);
  file.stream() << page;
  file.commit();
  if (arguments.json) print_json(summary);
}

int view_workload(const ViewArguments& arguments, const nlohmann::ordered_json& workload) {
  if (arguments.plans.size() > 1) {
    throw InputError(fmt::format("{}: the page shows one workload, and no plans beside it",
                                 arguments.plans.front()));
  }
  const nlohmann::ordered_json summary{{"page", arguments.output},
                                       {"workload", arguments.plans.front()}};
  write_page(arguments, workload_template_parts(), without_markup(dump_json(workload)), summary);
  return kDone;
}

int run(const ViewArguments& arguments) {
  if (arguments.json && arguments.output == "-") {
    throw InputError("-o and --json: only one of them can use standard output");
  }
  if (const auto workload = workload_in(arguments.plans.front())) {
    return view_workload(arguments, *workload);
  }
  std::string documents;
  nlohmann::ordered_json summary{{"page", arguments.output},
                                 {"plans", nlohmann::ordered_json::array()}};
  bool any_dynamic = false;
  bool any_waits = false;
  for (const std::string& name : arguments.plans) {
    PlanOrExperiment document = load_plan_or_experiment(name);
    arguments.message.apply(document, name);
    const auto* const plan = std::get_if<Plan>(&document);
    any_waits = any_waits || (plan != nullptr && run_facts(*plan).stalls);
    any_dynamic = any_dynamic || std::holds_alternative<Experiment>(document);
    documents +=
        fmt::format("{}{}", documents.empty() ? "" : ",\n", page_entry(name, document, arguments));
    summary["plans"].push_back(summary_of(name, document));
  }
  if (!arguments.load.empty() && !any_dynamic) {
    throw InputError("--load: for dynamic-broadcast experiments only");
  }
  if (!arguments.stall.empty() && !any_waits) {
    throw InputError("--stall: these routers do not support stalls; plan with --elastic");
  }
  write_page(arguments, viewer_template_parts(), fmt::format("[{}]", documents), summary);
  return kDone;
}

}  // namespace

void add_view_command(Command& app, Action& action) {
  auto arguments = std::make_shared<ViewArguments>();
  Command* command = app.add_subcommand(
      "view", "Write a page that plays a plan, or two side by side, in any browser");
  command
      ->add_option("plans", arguments->plans, "One plan, two to compare, or the JSON of a workload")
      ->required()
      ->expected(1, 2)
      ->type_name("PLAN");
  command
      ->add_option("-o,--output", arguments->output,
                   "Page, one HTML file that works offline; - for standard output")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--load", arguments->load,
                   "Dynamic broadcast: utilization of the run to show; default: the plan's first")
      ->type_name("L");
  command
      ->add_option("--stall", arguments->stall,
                   "Elastic plans: stalls of nodes and links, as in gossamer simulate")
      ->type_name(kStallForm);
  arguments->message.add_to(*command);
  add_json_flag(*command, arguments->json);
  command->footer("Example: gossamer view plan.json -o view.html\n");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gossamer::cli
