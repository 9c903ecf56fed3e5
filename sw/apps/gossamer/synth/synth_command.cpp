// SPDX-License-Identifier: Apache-2.0
/// gossamer synth: area and clock frequency of a plan's hardware, by yosys and nextpnr-ice40.
#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

#include "commands.hpp"
#include "gossamer/emit/emit.hpp"
#include "gossamer/planner/load.hpp"
#include "gossamer/report/network_json.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/json_text.hpp"
#include "gossamer/util/output_file.hpp"
#include "python_script.hpp"
#include "synth_script.hpp"
#include "terminal.hpp"

namespace gossamer::cli {

namespace {

struct SynthArguments {
  std::string plan;
  int width = 32;
  int seed = 1;
  ReportOutput report;
};

std::string megahertz(const nlohmann::ordered_json& value) {
  return value.is_null() ? "-" : fmt::format("{:.0f}", value.get<double>());
}

void print_row(std::string_view name, const nlohmann::ordered_json& area,
               const nlohmann::ordered_json& fmax) {
  fmt::print("  {:<34} {:>7} {:>7} {:>7} {:>7} {:>7}\n", name, area["cells"].get<std::uint64_t>(),
             area["flip_flops"].get<std::uint64_t>(), area["lut4"].get<std::uint64_t>(),
             area["ice40_flip_flops"].get<std::uint64_t>(), megahertz(fmax));
}

void print_table(const nlohmann::ordered_json& result) {
  fmt::print("  {:<34} {:>7} {:>7} {:>7} {:>7} {:>7}\n", "", "cells", "FF", "LUT4", "iCE FF",
             "MHz");
  for (const auto& entry : result["classes"]) {
    fmt::print("class {}, {} nodes\n", entry["class"].get<std::uint64_t>(),
               entry["nodes"].get<std::uint64_t>());
    // Relay routers have no parts that could be tied off.
    const bool relays = entry["forwarding"].is_null();
    if (!relays) print_row("router, forwarding alone", entry["forwarding"], nullptr);
    print_row("router", entry["router"], nullptr);
    print_row(relays ? "router and message memory" : "router and network interface",
              entry["with_interface"], entry["fmax_mhz"]);
  }
  if (result["classes_left_out"] != 0) {
    fmt::print("  {} classes more\n", result["classes_left_out"].get<std::uint64_t>());
  }
  if (result["network"].is_null()) {
    fmt::print("network: too large to place here\n");
  } else {
    fmt::print("network of {} nodes, with a test frame\n", result["nodes"].get<std::uint64_t>());
    print_row("network", result["network"], result["network"]["fmax_mhz"]);
  }
}

int run(const SynthArguments& arguments) {
  const Plan plan = load_plan(arguments.plan);
  const TemporaryFolder work = TemporaryFolder::make();
  write_files(emit_files(plan, "sv"), work.path());
  const int status =
      run_python(std::string(kSynthScript),
                 {std::to_string(arguments.width), std::to_string(arguments.seed)}, work.path());
  // The script's sys.exit() with a message, which it has printed, e.g. for a missing tool.
  if (status == 1) return kBadInput;
  if (status != 0) throw std::runtime_error(fmt::format("{}: status {}", kPython, status));
  std::ifstream in(work.path() / "result.json");
  const auto measured = parse_json(std::string(std::istreambuf_iterator<char>(in), {}));
  nlohmann::ordered_json result{{"collective", plan.collective}, {"algorithm", plan.algorithm}};
  add_network(result, plan.topology);
  result.update(measured);
  if (!arguments.report.deliver(json_text(result))) print_table(result);
  return kDone;
}

}  // namespace

void add_synth_command(Command& app, Action& action) {
  auto arguments = std::make_shared<SynthArguments>();
  Command* command = app.add_subcommand(
      "synth", "Area and clock of a plan's routers and network, by yosys and nextpnr-ice40");
  add_plan_argument(*command, arguments->plan);
  command->add_option("--width", arguments->width, "Data bits of a flit")
      ->range(1, 256)
      ->capture_default_str()
      ->type_name("BITS");
  command->add_option("--seed", arguments->seed, "Seed of the placer")
      ->range(1, 1000000)
      ->capture_default_str()
      ->type_name("N");
  arguments->report.add_to(*command);
  command->footer(
      "docs/synthesis.md describes the measurements. Example: gossamer synth plan.json\n");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gossamer::cli
