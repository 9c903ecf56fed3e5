// SPDX-License-Identifier: Apache-2.0
/// gossamer simulate: run a plan on an engine.
#include <fmt/format.h>

#include <optional>

#include "commands.hpp"
#include "engines.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/output_file.hpp"
#include "terminal.hpp"
#include "wave_file.hpp"

namespace gossamer::cli {

namespace {

struct SimulateArguments {
  std::string plan;
  std::string engine = "fast";
  std::string trace;
  std::string report;
  EngineOptions engine_options;
  bool scoreboard = false;
  bool no_scoreboard = false;
  std::optional<std::uint64_t> max_steps;
};

int run(const SimulateArguments& arguments) {
  if (arguments.trace == "-" && arguments.report == "-") {
    throw InputError("--trace and --report: only one of them can be standard output");
  }
  const Plan plan = read_plan_file(arguments.plan);
  std::optional<OutputFile> trace;
  if (!arguments.trace.empty()) trace.emplace(arguments.trace);
  RunOptions options;
  options.trace = trace ? &trace->stream() : nullptr;
  if (arguments.scoreboard || arguments.no_scoreboard) options.scoreboard = arguments.scoreboard;
  options.max_steps = arguments.max_steps;
  options.progress = progress_bar();
  EngineOptions engine_options = arguments.engine_options;
  std::optional<WaveFile> wave;
  if (!engine_options.wave.empty()) {
    wave.emplace(engine_options.wave);
    engine_options.wave = wave->vcd_name();
  }
  const Report report = run_on_engine(arguments.engine, plan, engine_options, options);
  options.progress = {};
  if (wave) wave->commit();
  if (trace) trace->commit();
  if (!report.complete) {
    fmt::print(stderr,
               "gossamer: note: no scoreboard was kept (it would take more than 2 GiB, or was "
               "declined); gossamer verify proves completeness\n");
  }
  return finish(report, arguments.report, arguments.trace == "-");
}

}  // namespace

void add_simulate_command(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<SimulateArguments>();
  CLI::App* command =
      app.add_subcommand("simulate", "Run a plan on an engine and check it against its figures");
  command->add_option("plan", arguments->plan, "Plan file, - for standard input")
      ->required()
      ->type_name("PLAN");
  command->add_option("--engine", arguments->engine, "fast, systemc or rtl")
      ->capture_default_str()
      ->type_name("NAME");
  command
      ->add_option("--trace", arguments->trace,
                   "Write every packet on every link as CSV, - for standard output")
      ->type_name("FILE");
  command->add_flag("--pin-level", arguments->engine_options.pin_level,
                    "SystemC with signals for pins: slow, waves of everything");
  command
      ->add_option("--wave", arguments->engine_options.wave,
                   "Write waves, VCD or FST by the name's ending (systemc and rtl)")
      ->type_name("FILE.vcd|FILE.fst");
  command->add_option("--report", arguments->report, "Write the report as JSON, - prints it alone")
      ->type_name("FILE");
  CLI::Option* keep =
      command->add_flag("--scoreboard", arguments->scoreboard,
                        "Track who knows what, whatever the memory (default: up to 2 GiB)");
  command
      ->add_flag("--no-scoreboard", arguments->no_scoreboard,
                 "Do not: run exactly the planned steps, at full speed")
      ->excludes(keep);
  command->add_option("--max-steps", arguments->max_steps, "Give up after so many steps")
      ->type_name("N");
  command->footer("Exit status 0: complete in exactly the planned steps; 1: some check failed.\n");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gossamer::cli
