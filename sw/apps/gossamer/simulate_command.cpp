// SPDX-License-Identifier: Apache-2.0
/// gossamer simulate: run a plan on an engine.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <thread>
#include <utility>

#include "commands.hpp"
#include "gossamer/collectives/partial/delay_csv.hpp"
#include "gossamer/collectives/partial/dynamic_broadcast.hpp"
#include "gossamer/collectives/partial/experiment_run.hpp"
#include "gossamer/emit/buildable.hpp"
#include "gossamer/planner/load.hpp"
#include "gossamer/planner/suite.hpp"
#include "gossamer/sim/broken_machine.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/output_file.hpp"
#include "message_options.hpp"
#include "plot/draw_plot.hpp"
#include "python_script.hpp"
#include "stall_option.hpp"
#include "terminal.hpp"
#include "wave_file.hpp"

namespace gossamer::cli {

namespace {

struct SimulateArguments {
  std::string plan;
  MessageArguments message;
  std::string engine = "fast";
  std::string trace;
  ReportOutput report;
  EngineOptions engine_options;
  std::string rounds;
  bool scoreboard = false;
  bool no_scoreboard = false;
  std::optional<std::uint64_t> max_steps;
  bool fold = false;
  std::vector<std::string> breaks;
  std::string received;
  std::string stall;
  std::string tile_clocks;
  /// Dynamic broadcast only.
  std::string load;
  std::string csv;
  std::string svg;
  bool execute = false;
  std::optional<unsigned> threads;
};

/// Which options were given that only the other kind of run has; throws InputError naming one.
void check_kind(const SimulateArguments& arguments, bool dynamic) {
  struct Given {
    std::string_view option;
    bool given;
    bool dynamic;
  };
  for (const Given& option :
       {Given{"--load", !arguments.load.empty(), true},
        Given{"--csv", !arguments.csv.empty(), true}, Given{"--svg", !arguments.svg.empty(), true},
        Given{"--execute", arguments.execute, true},
        Given{"--threads", arguments.threads.has_value(), true},
        Given{"--trace", !arguments.trace.empty(), false}, Given{"--fold", arguments.fold, false},
        Given{"--rounds", !arguments.rounds.empty(), false},
        Given{"--stall", !arguments.stall.empty(), false},
        Given{"--tile-clocks", !arguments.tile_clocks.empty(), false},
        Given{"--scoreboard", arguments.scoreboard, false},
        Given{"--no-scoreboard", arguments.no_scoreboard, false},
        Given{"--break", !arguments.breaks.empty(), false},
        Given{"--received", !arguments.received.empty(), false},
        Given{"--max-steps", arguments.max_steps.has_value(), false}}) {
    if (!option.given || option.dynamic == dynamic) continue;
    throw InputError(fmt::format("{}: {}: {}", arguments.plan, option.option,
                                 dynamic ? "dynamic-broadcast experiments do not support it"
                                         : "for dynamic-broadcast experiments only"));
  }
}

void check_stall_options(const SimulateArguments& arguments, const Plan& plan) {
  if (arguments.max_steps && run_facts(plan).stalls) {
    throw InputError(
        fmt::format("{}: --max-steps: elastic plans have cycles instead of steps", arguments.plan));
  }
}

int run_loads(const SimulateArguments& arguments, Experiment experiment) {
  if (!arguments.load.empty()) {
    std::vector<std::uint32_t>& loads = experiment.program.load_millionths;
    loads.clear();
    for (const double load : parse_loads(arguments.load)) {
      loads.push_back(load_in_millionths(load));
    }
  }
  // Opened before the run, so an invalid path is reported immediately.
  std::optional<OutputFile> csv;
  std::optional<OutputFile> svg;
  if (!arguments.csv.empty()) csv.emplace(arguments.csv);
  if (!arguments.svg.empty()) svg.emplace(arguments.svg);
  DynamicEngineOptions options;
  options.execute = arguments.execute;
  options.threads = arguments.threads.value_or(std::max(1U, std::thread::hardware_concurrency()));
  options.progress = progress_bar();
  const Report report =
      run_experiment_on(arguments.engine, experiment, arguments.engine_options, options);
  options.progress = {};
  if (svg) {
    if (!draw_json(report_json(report), "delay", svg->stream())) return kBadInput;
    svg->commit();
  }
  if (csv) {
    csv->stream() << delay_csv(points_of(report));
    csv->commit();
  }
  return finish(report, arguments.report, arguments.csv == "-" || arguments.svg == "-");
}

/// The faults that --break names.
std::vector<Break> breaks_of(const Topology& topology, const std::vector<std::string>& words) {
  std::vector<Break> breaks;
  for (const std::string& word : words) {
    try {
      breaks.push_back(parse_break(topology, word));
    } catch (const InputError& error) {
      throw InputError(fmt::format("--break: {}", error.what()));
    }
  }
  return breaks;
}

/// Two outputs of one name would leave the second alone.
void check_outputs(const SimulateArguments& arguments) {
  const std::array outputs{std::pair{"--trace", &arguments.trace},
                           std::pair{"--report", &arguments.report.file},
                           std::pair{"--csv", &arguments.csv},
                           std::pair{"--svg", &arguments.svg},
                           std::pair{"--received", &arguments.received},
                           std::pair{"--wave", &arguments.engine_options.wave}};
  for (auto one = outputs.begin(); one != outputs.end(); ++one) {
    if (one->second->empty() || *one->second == "-") continue;
    for (auto other = one + 1; other != outputs.end(); ++other) {
      if (*one->second != *other->second) continue;
      throw InputError(fmt::format("{}: {} and {} cannot both be written to it", *one->second,
                                   one->first, other->first));
    }
  }
}

int run(const SimulateArguments& arguments) {
  check_outputs(arguments);
  int on_stdout = arguments.report.is_alone() ? 1 : 0;
  for (const std::string* path :
       {&arguments.trace, &arguments.csv, &arguments.svg, &arguments.received}) {
    if (*path == "-") ++on_stdout;
  }
  if (on_stdout > 1) {
    throw InputError(
        "--trace, --report, --json, --csv, --svg, --received: only one of them can use standard "
        "output");
  }
  PlanOrExperiment document = load_plan_or_experiment(arguments.plan);
  arguments.message.apply(document, arguments.plan);
  auto* experiment = std::get_if<Experiment>(&document);
  check_kind(arguments, experiment != nullptr);
  if (experiment != nullptr) return run_loads(arguments, std::move(*experiment));
  Plan plan = std::get<Plan>(std::move(document));
  if (!arguments.rounds.empty()) {
    plan = plan_of_rounds(plan, parse_rounds(plan, arguments.rounds));
  }
  if (arguments.fold) {
    check_foldable(plan);
    if (arguments.message.given()) {
      throw InputError(fmt::format(
          "{}: --bytes: excludes --fold; plan the torus with --bytes instead", arguments.plan));
    }
  }
  check_stall_options(arguments, plan);
  std::optional<OutputFile> trace;
  if (!arguments.trace.empty()) trace.emplace(arguments.trace);
  RunOptions options;
  options.trace = trace ? &trace->stream() : nullptr;
  if (arguments.scoreboard || arguments.no_scoreboard) options.judged = arguments.scoreboard;
  options.fold = arguments.fold;
  options.max_steps = arguments.max_steps;
  options.progress = progress_bar();
  EngineOptions engine_options = arguments.engine_options;
  if (!arguments.stall.empty()) {
    engine_options.stalls = read_stalls(arguments.plan, plan, arguments.stall);
  }
  if (!arguments.tile_clocks.empty()) {
    engine_options.periods = read_tile_clocks(arguments.plan, plan, arguments.tile_clocks);
  }
  std::optional<WaveFile> wave;
  if (!engine_options.wave.empty()) {
    wave.emplace(engine_options.wave);
    engine_options.wave = wave->vcd_name();
  }
  std::optional<OutputFile> received_file;
  if (!arguments.received.empty()) received_file.emplace(arguments.received);
  std::optional<Received> received;
  if (received_file) options.observer = &received.emplace(plan);
  const std::vector<Break> breaks = breaks_of(plan.topology, arguments.breaks);
  // A self-test ends with its last planned step: later steps would deliver lost packets.
  if ((received || !breaks.empty()) && !options.max_steps && run_facts(plan).goes_on) {
    options.max_steps = plan.expected.analytic_steps;
  }
  const auto machine = [&](const Plan& on) {
    return make_engine(arguments.engine, on, engine_options);
  };
  const Report report = breaks.empty()
                            ? run_on_engine(arguments.engine, plan, engine_options, options)
                            : run_plan(plan, *make_broken_machine(plan, breaks, machine), options);
  options.progress = {};
  if (received) {
    for (const Break& each : breaks) {
      for (const NodeId node : each.what.dead_nodes) received->silence(node);
    }
    received->write(received_file->stream());
    received_file->commit();
  }
  if (wave) wave->commit();
  if (trace) trace->commit();
  if (!report.complete) {
    fmt::print(stderr,
               "gossamer: note: no scoreboard (it would take more than 2 GiB, or was declined); "
               "gossamer verify proves completeness\n");
  }
  return finish(with_buildable(report, plan), arguments.report,
                arguments.trace == "-" || arguments.received == "-");
}

}  // namespace

void add_simulate_command(Command& app, Action& action) {
  auto arguments = std::make_shared<SimulateArguments>();
  Command* command =
      app.add_subcommand("simulate", "Run a plan on an engine and check it against its figures");
  add_plan_argument(*command, arguments->plan);
  command
      ->add_option("--engine", arguments->engine,
                   "fast; systemc: clock cycle by clock cycle; rtl: Verilated routers; tlm: "
                   "elastic plans as transactions")
      ->capture_default_str()
      ->type_name("NAME");
  command
      ->add_option("--trace", arguments->trace,
                   "Write every packet on every link as CSV; - for standard output")
      ->type_name("FILE");
  command
      ->add_option("--rounds", arguments->rounds,
                   "Plans of contexts: contexts to run, in this order, e.g. 5@7,0,1; @7 is the "
                   "rank of the root; default: each context once")
      ->type_name("CONTEXT[@RANK],..");
  command->add_flag("--pin-level", arguments->engine_options.pin_level,
                    "systemc with one signal per pin: slow, with waves of all pins");
  command
      ->add_option("--wave", arguments->engine_options.wave,
                   "Write waves, VCD or FST by the ending of the name (systemc and rtl)")
      ->type_name("FILE.vcd|FILE.fst");
  arguments->report.add_to(*command);
  arguments->message.add_to(*command);
  Option* keep = command->add_flag(
      "--scoreboard", arguments->scoreboard,
      "Track the packets of every node in any amount of memory; default: up to 2 GiB");
  command
      ->add_flag("--no-scoreboard", arguments->no_scoreboard,
                 "Do not track packets: run exactly the planned steps, at full speed")
      ->excludes(keep);
  command
      ->add_option("--max-steps", arguments->max_steps,
                   "Give up after this many steps; default: above the steps of any correct plan")
      ->type_name("N");
  command->add_flag(
      "--fold", arguments->fold,
      "Run a torus plan on the mesh of the same sides: two mesh steps per torus step");
  command
      ->add_option("--break", arguments->breaks,
                   "Break the machine, not the plan, e.g. link:3,4:x+, arc:3,4:x+ or node:2,2; "
                   "packets sent there are lost (=silent, default), or links deliver wrong words "
                   "(=garbage), from step 1 or STEP on; repeatable")
      ->type_name("FAULT[=silent|garbage][@STEP]")
      ->repeatable();
  command
      ->add_option("--received", arguments->received,
                   "Write CSV rows node,packet: all packets of each node after the planned steps, "
                   "for gossamer diagnose")
      ->type_name("FILE");
  command
      ->add_option("--stall", arguments->stall,
                   "Elastic plans: stalls. Nodes offer in S, accept in M, and links deliver in V "
                   "of 256 cycles; nodes start up to SKEW cycles apart. Or a file of windows "
                   "kind,node,port,cycle,length")
      ->type_name(kStallForm);
  command
      ->add_option("--tile-clocks", arguments->tile_clocks,
                   "Elastic plans on systemc and rtl: each tile has its own clock with a random "
                   "period of MIN to MAX cycles; links are clock crossings")
      ->type_name(kTileClocksForm);
  constexpr const char* kDynamic = "Dynamic broadcast";
  command
      ->add_option("--load", arguments->load,
                   "Utilizations to run, e.g. 0.1,0.2,0.5; default: the plan's")
      ->type_name("L,L,..")
      ->group(kDynamic);
  command
      ->add_option("--csv", arguments->csv,
                   "Write delay against load as CSV; - for standard output")
      ->type_name("FILE")
      ->group(kDynamic);
  command
      ->add_option("--svg", arguments->svg, "Draw delay against load as SVG (requires matplotlib)")
      ->type_name("FILE")
      ->group(kDynamic);
  command
      ->add_flag("--execute", arguments->execute,
                 "Run every interval link by link and compare its end with the formula; systemc "
                 "and rtl always do")
      ->group(kDynamic);
  command
      ->add_option("--threads", arguments->threads,
                   "Number of threads, without effect on the results; default: one per core")
      ->range(1U, 1024U)
      ->type_name("N")
      ->group(kDynamic);
  command->footer("Exit status 0: complete in exactly the planned steps; 1: a check failed.\n");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gossamer::cli
