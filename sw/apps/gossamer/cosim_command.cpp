// SPDX-License-Identifier: Apache-2.0
/// gossamer cosim: SystemC model and Verilated RTL in lock step.
#include <fmt/format.h>

#include <charconv>

#include "commands.hpp"
#include "gossamer/emit/buildable.hpp"
#include "gossamer/planner/load.hpp"
#include "gossamer/planner/suite.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/sim/value_judge.hpp"
#include "gossamer/tb/lock_step.hpp"
#include "gossamer/util/error.hpp"
#include "message_options.hpp"
#include "stall_option.hpp"
#include "terminal.hpp"

namespace gossamer::cli {

namespace {

struct CosimArguments {
  std::string plan;
  MessageArguments message;
  ReportOutput report;
  std::string fault;
  std::string stall;
  std::string rounds;
};

/// "rtl@5:3:x+" or "model@5:3:x+": side, cycle, node, out-port.
tb::Fault parse_fault(const std::string& text, const Topology& topology) {
  const auto refuse = [&text](const std::string& cause) {
    throw InputError(
        fmt::format("--fault: \"{}\": {}; the form is rtl@CYCLE:NODE:PORT", text, cause));
  };
  tb::Fault fault;
  const std::size_t at = text.find('@');
  const std::string side = text.substr(0, at);
  if (at == std::string::npos || (side != "rtl" && side != "model"))
    refuse("the side is neither rtl nor model");
  fault.side = side == "rtl" ? tb::Side::kDevice : tb::Side::kReference;
  const char* const end = text.data() + text.size();
  const auto [after_cycle, bad_cycle] = std::from_chars(text.data() + at + 1, end, fault.cycle);
  if (bad_cycle != std::errc() || after_cycle == end || *after_cycle != ':' || fault.cycle == 0) {
    refuse("a cycle from 1 on is expected");
  }
  const auto [after_node, bad_node] = std::from_chars(after_cycle + 1, end, fault.node);
  if (bad_node != std::errc() || after_node == end || *after_node != ':' ||
      fault.node >= topology.nodes()) {
    refuse(fmt::format("the node is not in the range 0 to {}", topology.nodes() - 1));
  }
  const auto port = port_from_name(std::string(after_node + 1, end), topology.dimensions());
  if (!port) refuse("the port is not one of the network, such as x- or x+");
  fault.port = *port;
  fault.upset.flip = 1;
  return fault;
}

/// Lock step once more on words of the type, where the order of additions matters, links have
/// several lanes, or floats are compared. The first difference, of the sides or of a result and its
/// sum.
std::optional<std::string> compare_words(const Plan& plan, const EngineOptions& options) {
  std::optional<SumTrees> trees;
  if (values_show_order(plan)) {
    trees.emplace(plan);
    if (trees->problem()) return trees->problem();
  } else if (!values_show_words(plan)) {
    return std::nullopt;
  }
  return compare_values(plan, trees ? &*trees : nullptr, options, RunWords::kOfModels,
                        [&plan](const EngineOptions& again, std::uint64_t limit,
                                Observer& observer) -> std::optional<std::string> {
                          const auto rtl = make_engine("rtl", plan, again);
                          const auto model = make_engine("systemc", plan, again);
                          tb::LockStep lock_step(plan.topology, *model, *rtl);
                          watch(lock_step, limit, observer);
                          if (lock_step.differences().empty()) return std::nullopt;
                          return lock_step.differences().front().text();
                        });
}

int run(const CosimArguments& arguments) {
  PlanOrExperiment document = load_plan(arguments.plan);
  arguments.message.apply(document, arguments.plan);
  Plan plan = std::get<Plan>(std::move(document));
  if (!arguments.rounds.empty()) {
    plan = plan_of_rounds(plan, parse_rounds(plan, arguments.rounds));
  }
  EngineOptions engine_options;
  RunOptions options;
  if (!arguments.stall.empty()) {
    engine_options.stalls = read_stalls(arguments.plan, plan, arguments.stall);
    options.stalls = &*engine_options.stalls;
  }
  const auto rtl = make_engine("rtl", plan, engine_options);
  const auto model = make_engine("systemc", plan, engine_options);
  tb::LockStep lock_step(plan.topology, *model, *rtl);
  if (!arguments.fault.empty()) lock_step.inject(parse_fault(arguments.fault, plan.topology));
  options.judged = true;
  options.progress = progress_bar();
  Report report = run_plan(plan, lock_step, options);
  // A disagreement of the sides is more informative than an incomplete run.
  if (!lock_step.differences().empty()) report.problems.clear();
  for (const tb::Difference& difference : lock_step.differences()) {
    report.problems.push_back(difference.text());
  }
  const auto unreached = lock_step.unreached_fault();
  if (unreached && lock_step.differences().empty()) {
    report.problems.push_back(
        fmt::format("--fault: not reached: the run ends after {} cycles, there is no cycle {}",
                    lock_step.cycles(), unreached->cycle));
  }
  if (report.problems.empty()) {
    if (const auto found = compare_words(plan, engine_options)) report.problems.push_back(*found);
  }
  const int status = finish(with_buildable(report, plan), arguments.report);
  if (status == kDone && !arguments.report.is_alone()) {
    fmt::print("  {:<18} every link in every cycle: model and RTL agree\n", "lock step");
  }
  return status;
}

}  // namespace

void add_cosim_command(Command& app, Action& action) {
  auto arguments = std::make_shared<CosimArguments>();
  Command* command = app.add_subcommand(
      "cosim", "Run the SystemC model and the Verilated RTL in lock step and compare every link");
  add_plan_argument(*command, arguments->plan);
  arguments->report.add_to(*command);
  arguments->message.add_to(*command);
  command
      ->add_option("--fault", arguments->fault,
                   "Flip a bit on one side, to see that it is found, e.g. rtl@5:3:x+: cycle 5, "
                   "node 3, port x+; SIDE is rtl or model")
      ->type_name("SIDE@CYCLE:NODE:PORT");
  command
      ->add_option("--stall", arguments->stall,
                   "Elastic plans: stalls of nodes and links, as in gossamer simulate")
      ->type_name(kStallForm);
  command
      ->add_option("--rounds", arguments->rounds,
                   "Plans of contexts: the contexts to run, as in gossamer simulate")
      ->type_name("CONTEXT[@RANK],..");
  command->footer(
      "Exit status 0: both agree and complete in the planned steps; 1: they differ, and\n"
      "all differing links of the first such cycle are listed.\n");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gossamer::cli
