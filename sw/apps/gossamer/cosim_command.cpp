// SPDX-License-Identifier: Apache-2.0
/// gossamer cosim: SystemC model and Verilated RTL in lock step.
#include <fmt/format.h>

#include <charconv>
#include <chrono>

#include "commands.hpp"
#include "engines.hpp"
#include "gossamer/planner/load.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/tb/lock_step.hpp"
#include "gossamer/tb/relay_lock_step.hpp"
#include "gossamer/util/error.hpp"
#include "terminal.hpp"

namespace gossamer::cli {

namespace {

struct CosimArguments {
  std::string plan;
  ReportOutput report;
  std::string fault;
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
  if (at == std::string::npos || (side != "rtl" && side != "model")) refuse("no such side");
  fault.side = side == "rtl" ? tb::Side::kDevice : tb::Side::kReference;
  const char* const end = text.data() + text.size();
  const auto [after_cycle, bad_cycle] = std::from_chars(text.data() + at + 1, end, fault.cycle);
  if (bad_cycle != std::errc() || after_cycle == end || *after_cycle != ':' || fault.cycle == 0) {
    refuse("a cycle from 1 on is expected");
  }
  const auto [after_node, bad_node] = std::from_chars(after_cycle + 1, end, fault.node);
  if (bad_node != std::errc() || after_node == end || *after_node != ':' ||
      fault.node >= topology.nodes()) {
    refuse("no such node");
  }
  const auto port = port_from_name(std::string(after_node + 1, end), topology.dimensions());
  if (!port) refuse("no such port");
  fault.port = *port;
  fault.upset.flip = 1;
  return fault;
}

/// "lock step  every link in every cycle: model and RTL agree", unless the report goes there.
void print_agreement(int status, const CosimArguments& arguments) {
  if (status != kDone || arguments.report.is_alone()) return;
  fmt::print("  {:<18} every link in every cycle: model and RTL agree\n", "lock step");
}

/// The lock step of a relay plan as an engine: it runs both sides, observers see the model.
class RelayCosim final : public RelayEngine {
 public:
  explicit RelayCosim(const Plan& plan)
      : engines_(make_relay_lock_step_engines(plan)),
        lock_step_(plan.topology, *engines_.model, *engines_.rtl) {}

  void inject(const tb::Fault& fault) { lock_step_.inject(fault); }
  [[nodiscard]] const std::vector<tb::RelayDifference>& differences() const { return differences_; }

  [[nodiscard]] std::string_view name() const override { return "cosim"; }
  void run(RelayObserver* observer) override { differences_ = lock_step_.run(observer); }
  [[nodiscard]] RelayStatistics statistics() const override { return engines_.model->statistics(); }

 private:
  RelayLockStepEngines engines_;
  tb::RelayLockStep lock_step_;
  std::vector<tb::RelayDifference> differences_;
};

int run_relay(const CosimArguments& arguments, const Plan& plan) {
  RelayCosim cosim(plan);
  if (!arguments.fault.empty()) cosim.inject(parse_fault(arguments.fault, plan.topology));
  Report report = run_relay_plan(plan, cosim, nullptr);
  if (!cosim.differences().empty()) report.problems.clear();
  for (const tb::RelayDifference& difference : cosim.differences()) {
    report.problems.push_back(difference.text());
  }
  const int status = finish(report, arguments.report);
  print_agreement(status, arguments);
  return status;
}

int run(const CosimArguments& arguments) {
  const Plan plan = load_plan(arguments.plan);
  if (std::holds_alternative<RelayProgram>(plan.program)) return run_relay(arguments, plan);
  const LockStepEngines engines = make_lock_step_engines(plan);
  tb::LockStep lock_step(plan.topology, *engines.model, *engines.rtl);
  if (!arguments.fault.empty()) lock_step.inject(parse_fault(arguments.fault, plan.topology));

  Scoreboard scoreboard(plan.topology, packets_per_node(plan));
  TransferCounter counter;
  ObserverList observers;
  observers.add(&scoreboard);
  observers.add(&counter);
  const auto analytic = plan.expected.analytic_steps;
  const std::uint64_t limit = analytic ? 2 * *analytic + 64 : settled_after(plan);
  ProgressObserver progress(progress_bar(), analytic.value_or(limit));
  observers.add(&progress);

  const auto start = std::chrono::steady_clock::now();
  const auto differences = lock_step.run(limit, &observers);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;

  Report report = report_for(plan, "cosim");
  report.complete = scoreboard.complete();
  if (scoreboard.complete()) report.steps = scoreboard.completion_step();
  report.cycles = lock_step.cycles();
  report.link_transfers = counter.transfers();
  report.link_conflicts = engines.model->statistics().link_conflicts;
  report.duplicates = scoreboard.duplicates();
  report.max_queue = engines.model->statistics().max_queue;
  report.wall_seconds = wall.count();
  report.router_cycles_per_second = static_cast<double>(plan.topology.nodes()) *
                                    static_cast<double>(lock_step.cycles()) /
                                    std::max(wall.count(), 1e-9);
  if (differences.empty()) {
    judge(report);
  } else {
    for (const tb::Difference& difference : differences) {
      report.problems.push_back(difference.text());
    }
  }
  const int status = finish(report, arguments.report);
  print_agreement(status, arguments);
  return status;
}

}  // namespace

void add_cosim_command(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<CosimArguments>();
  CLI::App* command = app.add_subcommand(
      "cosim", "Run SystemC model and Verilated RTL in lock step and compare every link");
  command->add_option("plan", arguments->plan, "Plan file, - for standard input")
      ->required()
      ->type_name("PLAN");
  arguments->report.add_to(*command);
  command
      ->add_option("--fault", arguments->fault,
                   "Flip a bit on one side to see it caught, e.g. rtl@5:3:x+ or model@5:3:x+")
      ->type_name("SIDE@CYCLE:NODE:PORT");
  command->footer(
      "Exit status 0: they agree and complete in the planned steps; 1: the first cycle in which "
      "they\n"
      "differ is printed, every link of it.\n");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gossamer::cli
