// SPDX-License-Identifier: Apache-2.0
/// gossamer diagnose: finds faults from the packets that a self-test received.
#include <fmt/format.h>

#include "commands.hpp"
#include "gossamer/collectives/all_gather/diagnosis.hpp"
#include "gossamer/plan/topology_io.hpp"
#include "gossamer/planner/load.hpp"
#include "gossamer/sim/broken_machine.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/input_file.hpp"
#include "gossamer/util/json_text.hpp"
#include "gossamer/util/output_file.hpp"
#include "terminal.hpp"

namespace gossamer::cli {

namespace {

struct DiagnoseArguments {
  std::string plan;
  std::string received;
  std::string output;
  bool json = false;
};

int run(const DiagnoseArguments& arguments) {
  const PlanOrExperiment document = load_plan_or_experiment(arguments.plan);
  const auto* plan = std::get_if<Plan>(&document);
  if (plan == nullptr) {
    throw InputError(
        fmt::format("{}: is an experiment, not a plan; gossamer simulate runs it", arguments.plan));
  }
  Received received(*plan, false);
  InputFile told(arguments.received);
  received.read(told.stream(), told.name());
  const Diagnosis diagnosis = diagnose(*plan, received);
  if (arguments.json) {
    nlohmann::ordered_json found = parse_json(faults_json(diagnosis.found));
    print_json({{"explained", diagnosis.explained}, {"faults", std::move(found)}});
  } else {
    for (const std::string& line : fault_lines(diagnosis.found)) fmt::print("{}\n", line);
  }
  if (!arguments.output.empty()) {
    OutputFile file(arguments.output);
    file.stream() << faults_json(diagnosis.found);
    file.commit();
  }
  if (!diagnosis.explained) {
    fmt::print(stderr,
               "gossamer: not explained: a machine with these faults receives other packets\n");
  }
  return diagnosis.explained && diagnosis.found.is_healthy() ? kDone : kCheckFailed;
}

}  // namespace

void add_diagnose_command(Command& app, Action& action) {
  auto arguments = std::make_shared<DiagnoseArguments>();
  Command* command = app.add_subcommand(
      "diagnose", "Find dead links and nodes from the packets that a self-test received");
  command
      ->add_option("plan", arguments->plan,
                   "Plan of the self-test: a hamiltonian all-gather on a healthy torus, one packet "
                   "per dimension; - for standard input")
      ->required()
      ->type_name("PLAN");
  command
      ->add_option("--received", arguments->received,
                   "CSV rows node,packet: all packets of each node after the last step, its own "
                   "included; - for standard input")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("-o,--output", arguments->output, "Write the faults as a file for plan --faults")
      ->type_name("FAULTS.json");
  add_json_flag(*command, arguments->json);
  command->footer(
      "Exit status 0: no faults; 1: faults are listed, or do not explain all packets.\n");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gossamer::cli
