// SPDX-License-Identifier: Apache-2.0
/// gossamer synth: area and clock frequency of a plan's hardware, by yosys and nextpnr-ice40, or in
/// the cells of the user's libraries by yosys and abc.
#include <fmt/format.h>

#include "commands.hpp"
#include "gossamer/emit/emit.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/planner/load.hpp"
#include "gossamer/report/network_json.hpp"
#include "gossamer/util/checked.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/units.hpp"
#include "gossamer/util/words.hpp"
#include "gossamer/verify/proof.hpp"
#include "synth/measure.hpp"
#include "terminal.hpp"

namespace gossamer::cli {

namespace {

struct SynthArguments {
  std::string plan;
  std::optional<std::uint32_t> width;
  std::uint32_t seed = 1;
  std::vector<std::string> libraries;
  std::string top;
  std::string clock;
  std::uint32_t timeout = 0;
  ReportOutput report;
};

/// The largest network, in bits that its routers store: about 200,000 cells, which take yosys some
/// minutes and 2 GB.
constexpr std::uint64_t kMostNetworkBits = 40'000;
/// Data bits of a flit where no width is given, for that limit only.
constexpr std::uint32_t kUsualWidth = 32;

/// The figure; "-" for null.
std::string figure(const nlohmann::ordered_json& value, int digits = 0) {
  if (value.is_null()) return "-";
  return fmt::format("{:.{}f}", value.get<double>(), digits);
}

void print_row(std::string_view name, const nlohmann::ordered_json& area,
               const nlohmann::ordered_json& fmax) {
  fmt::print("  {:<34} {:>7} {:>7} {:>7} {:>7} {:>7}\n", name, figure(area["cells"]),
             figure(area["flip_flops"]), figure(area["lut4"]), figure(area["ice40_flip_flops"]),
             figure(fmax));
}

void print_classes_left_out(const nlohmann::ordered_json& result) {
  if (result["classes_left_out"] == 0) return;
  fmt::print("  {} classes more\n", result["classes_left_out"].get<std::uint64_t>());
}

void print_class(const nlohmann::ordered_json& entry) {
  fmt::print("class {}, {} nodes\n", entry["class"].get<std::uint64_t>(),
             entry["nodes"].get<std::uint64_t>());
}

void print_table(const nlohmann::ordered_json& result, bool framed) {
  fmt::print("  {:<34} {:>7} {:>7} {:>7} {:>7} {:>7}\n", "", "cells", "FF", "LUT4", "iCE FF",
             "MHz");
  for (const auto& entry : result["classes"]) {
    print_class(entry);
    if (entry["router"].is_null()) {
      print_row("tile", entry["with_interface"], entry["fmax_mhz"]);
      continue;
    }
    // Relay routers have no parts that could be tied off.
    const bool relays = entry["forwarding"].is_null();
    if (!relays) print_row("router, forwarding alone", entry["forwarding"], nullptr);
    print_row("router", entry["router"], nullptr);
    const bool memory = relays && !result.contains("contexts");
    print_row(memory ? "router and message memory" : "router and network interface",
              entry["with_interface"], entry["fmax_mhz"]);
  }
  print_classes_left_out(result);
  if (!result["network"].is_null()) {
    fmt::print("network of {} nodes{}\n", result["nodes"].get<std::uint64_t>(),
               framed ? ", with a test frame" : "");
    print_row("network", result["network"], result["network"]["fmax_mhz"]);
  } else if (framed) {
    fmt::print("network: too large to place here\n");
  }
}

void print_mapped_row(std::string_view name, const nlohmann::ordered_json& area) {
  fmt::print("  {:<20} {:>9} {:>10} {:>9} {:>7} {:>6} {:>8} {:>5}\n", name,
             figure(area["area_um2"], 1), figure(area["sequential_um2"], 1),
             figure(area["combinational_um2"], 1), figure(area["cells"]),
             figure(area["flip_flops"]), figure(area["path_ps"], 1), figure(area["clock_mhz"]));
}

/// Area and path in the cells of the user's libraries.
void print_mapped(const nlohmann::ordered_json& result) {
  fmt::print("  {:<20} {:>9} {:>10} {:>9} {:>7} {:>6} {:>8} {:>5}\n", "", "um2", "sequential",
             "combin.", "cells", "FF", "path ps", "MHz");
  std::string name;
  const nlohmann::ordered_json* slowest = nullptr;
  const auto add = [&](const std::string& row, const nlohmann::ordered_json& area) {
    print_mapped_row(row, area);
    if (area["path_ps"].is_null()) return;
    if (slowest != nullptr && (*slowest)["path_ps"] >= area["path_ps"]) return;
    name = row;
    slowest = &area;
  };
  for (const auto& entry : result["classes"]) {
    add(fmt::format("class {}, {} tiles", entry["class"].get<std::uint64_t>(),
                    entry["nodes"].get<std::uint64_t>()),
        entry);
  }
  print_classes_left_out(result);
  if (!result["network"].is_null()) {
    add(fmt::format("network, {} nodes", result["nodes"].get<std::uint64_t>()), result["network"]);
  }
  if (slowest == nullptr) return;
  std::string path = fmt::format("longest path ({}):", name);
  for (const auto& cell : (*slowest)["path"]) path += " " + cell["cell"].get<std::string>();
  for (const std::string& line : wrapped(path, kColumns - 2)) fmt::print("  {}\n", line);
}

/// Throws InfeasibleError for a network that is too large for the tool.
void require_small(const Plan& plan, std::uint32_t width) {
  const RouterCost cost = plan.machine().cost(plan);
  const auto bits = product(cost.flits.value_or(cost.packets), width);
  const auto all = bits ? product(*bits + cost.rom_bits, plan.topology.nodes()) : std::nullopt;
  if (all && *all <= kMostNetworkBits) return;
  throw InfeasibleError(fmt::format(
      "--top network: the routers of {} nodes store {} bits, and yosys maps networks "
      "of up to {}; nearest feasible: --top tile",
      plan.topology.nodes(), all ? grouped(*all) : "over 2^64", grouped(kMostNetworkBits)));
}

int run(const SynthArguments& arguments) {
  const Plan plan = proved(load_plan(arguments.plan), arguments.plan, progress_bar());
  if (!arguments.clock.empty() && arguments.libraries.empty()) {
    throw InputError("--clock: only with --liberty; generic cells have no delays");
  }
  require_format(plan, "sv");
  if (arguments.top == "network") require_small(plan, arguments.width.value_or(kUsualWidth));
  MeasureOptions options;
  options.width = arguments.width.value_or(0);
  options.seed = arguments.seed;
  options.libraries = arguments.libraries;
  options.top = arguments.top;
  options.timeout = arguments.timeout;
  if (!arguments.clock.empty()) {
    options.target_ps = 1e12 / static_cast<double>(parse_hertz("--clock", arguments.clock));
  }
  nlohmann::ordered_json measured;
  if (const int status = measure(plan, options, measured); status != kDone) return status;
  nlohmann::ordered_json result{{"collective", plan.collective}, {"algorithm", plan.algorithm}};
  add_network(result, plan.topology);
  result.update(measured);
  if (arguments.report.deliver(json_text(result))) return kDone;
  if (arguments.libraries.empty()) {
    print_table(result, arguments.top.empty());
  } else {
    print_mapped(result);
  }
  return kDone;
}

}  // namespace

void add_synth_command(Command& app, Action& action) {
  auto arguments = std::make_shared<SynthArguments>();
  Command* command = app.add_subcommand(
      "synth", "Measure area and clock of a plan's tiles and network, also in your cell library");
  add_plan_argument(*command, arguments->plan);
  command->add_option("--width", arguments->width, "Data bits per flit; default: the plan's")
      ->range(1U, 1024U)
      ->type_name("BITS");
  Option* liberty = command
                        ->add_option("--liberty", arguments->libraries,
                                     "Map to the cells of these Liberty files (.lib, .lib.gz): "
                                     "area in um2, longest path in ps; default: generic cells")
                        ->type_name("FILE");
  command
      ->add_option("--top", arguments->top,
                   "Measure each class of tiles, or the whole network; default: tile, without "
                   "--liberty also router and interface separately")
      ->one_of({"tile", "network"})
      ->type_name("tile|network");
  command
      ->add_option("--clock", arguments->clock,
                   "Minimize area at this clock, e.g. 1GHz; default: minimize the longest path")
      ->needs(liberty)
      ->type_name("F");
  command
      ->add_option("--timeout", arguments->timeout,
                   "Stop the tools after this many seconds; default: no limit")
      ->range(1U, 1'000'000U)
      ->type_name("S");
  command->add_option("--seed", arguments->seed, "Seed of the placer (iCE40)")
      ->range(1U, 1000000U)
      ->capture_default_str()
      ->type_name("N");
  arguments->report.add_to(*command);
  command->footer(
      "docs/synthesis.md describes the measurements.\n"
      "Examples: gossamer synth plan.json\n"
      "          gossamer synth plan.json --liberty gates.lib flops.lib.gz --width 256\n"
      "Exit status 2: also a library without a flip-flop, an inverter or a two-input\n"
      "gate, or a missing tool; 3: the network is too large, or a tool ran out of time.\n");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gossamer::cli
