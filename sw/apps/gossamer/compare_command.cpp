// SPDX-License-Identifier: Apache-2.0
/// gossamer compare: algorithms of one collective side by side, measured.
#include <fmt/format.h>

#include "commands.hpp"
#include "gossamer/broadcast/broadcast.hpp"
#include "gossamer/compare/broadcast.hpp"
#include "gossamer/compare/gossip.hpp"
#include "gossamer/report/text_table.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/output_file.hpp"
#include "request_words.hpp"
#include "terminal.hpp"

namespace gossamer::cli {

namespace {

struct CompareArguments {
  std::string topology = "torus";
  std::string dims;
  std::vector<std::string> algorithms;
  bool json = false;
  std::string output = "-";

  [[nodiscard]] Topology network() const { return Topology::make(topology, parse_dims(dims)); }
};

struct CompareGossipArguments : CompareArguments {
  double startup = 0.1;
  bool table2 = false;
};

struct CompareBroadcastArguments : CompareArguments {
  std::string source;
  RelayClock clock;
  std::string timing = "step";
};

int write(const std::string& text, const CompareArguments& arguments) {
  OutputFile file(arguments.output);
  file.stream() << text;
  file.commit();
  return kDone;
}

/// Table 2 as the paper prints it beside what its formulas give unrounded fractions.
std::string table2_text() {
  const auto printed = paper_table2(bounds::Fractions::kAsPrinted);
  const auto exact = paper_table2(bounds::Fractions::kExact);
  std::vector<std::vector<std::string>> rows = {
      {"torus", "r", "T_stv", "exact", "T_opt", "exact", "T_one", "exact"}};
  const auto pair = [](double as_printed, double exactly) {
    return std::array{fmt::format("{:.0f}", as_printed), fmt::format("{:.1f}", exactly)};
  };
  for (std::size_t i = 0; i < printed.size(); ++i) {
    std::vector<std::string> row = {fmt::format("{}^{}", printed[i].side, printed[i].dimensions),
                                    fmt::format("{:g}", printed[i].startup)};
    for (const auto& cells : {pair(printed[i].scheduled, exact[i].scheduled),
                              pair(printed[i].optimal, exact[i].optimal),
                              pair(printed[i].one_packet, exact[i].one_packet)}) {
      row.insert(row.end(), cells.begin(), cells.end());
    }
    rows.push_back(std::move(row));
  }
  return "Meyer & Sibeyn, Table 2: with fractions rounded as printed, and exact\n" +
         text_table(rows, Alignment::kNumbers);
}

int run_gossip(const CompareGossipArguments& arguments) {
  if (arguments.table2) return write(table2_text(), arguments);
  if (arguments.dims.empty()) throw InputError("compare gossip: --dims is required");
  GossipComparisonOptions options;
  options.startup = arguments.startup;
  options.algorithms = arguments.algorithms;
  options.progress = progress_bar();
  const GossipComparison comparison = compare_gossip(arguments.network(), options);
  options.progress = {};
  return write(arguments.json ? comparison_json(comparison) : comparison_table(comparison),
               arguments);
}

int run_broadcast(const CompareBroadcastArguments& arguments) {
  const Topology topology = arguments.network();
  BroadcastComparisonOptions options;
  if (!arguments.source.empty()) options.source = parse_source(topology, arguments.source);
  options.clock = arguments.clock;
  options.clock.timing = parse_timing(arguments.timing);
  options.algorithms = arguments.algorithms;
  const BroadcastComparison comparison = compare_broadcast(topology, options);
  return write(arguments.json ? comparison_json(comparison) : comparison_table(comparison),
               arguments);
}

void add_common(CLI::App& command, CompareArguments& arguments, bool dims_required) {
  command.add_option("--topology", arguments.topology, "torus or mesh")
      ->capture_default_str()
      ->type_name("KIND");
  command.add_option("--dims", arguments.dims, "Sides, dimension 0 (x) first, e.g. 16x16")
      ->required(dims_required)
      ->type_name("AxB[xC..]");
  command.add_option("--algorithms", arguments.algorithms, "Only these, e.g. hamiltonian,ring")
      ->delimiter(',')
      ->type_name("NAME,..");
  command.add_flag("--json", arguments.json, "As JSON");
  command.add_option("-o,--output", arguments.output, "Where to write, - for standard output")
      ->capture_default_str()
      ->type_name("FILE");
}

void add_gossip(CLI::App& compare, Action& action) {
  auto arguments = std::make_shared<CompareGossipArguments>();
  CLI::App* command = compare.add_subcommand(
      "gossip", "Steps against formula and bounds, buffers, tables, and time by the cost model");
  add_common(*command, *arguments, false);
  command
      ->add_option("--startup", arguments->startup,
                   "Start-up time r of a packet, in the time one node's data takes over a link")
      ->capture_default_str()
      ->type_name("R");
  command->add_flag("--table2", arguments->table2, "The paper's Table 2 and its exact figures");
  command->footer(
      "T is steps x (1/k + r) with the steps measured: k packets a node are of size 1/k.\n"
      "Example: gossamer compare gossip --dims 12x12 --startup 0.1\n");
  command->callback(
      [arguments, &action] { action = [arguments] { return run_gossip(*arguments); }; });
}

void add_broadcast(CLI::App& compare, Action& action) {
  auto arguments = std::make_shared<CompareBroadcastArguments>();
  CLI::App* command = compare.add_subcommand(
      "broadcast", "Steps, total distance, cycles, header and table bits from one source");
  arguments->topology = "mesh";
  add_common(*command, *arguments, true);
  command->add_option("--source", arguments->source, "Coordinates, e.g. 3,5; default the origin")
      ->type_name("X,Y[,Z..]");
  command->add_option("--flits", arguments->clock.flits, "Flits of the message")
      ->check(CLI::Range(1U, kMaxFlits))
      ->capture_default_str()
      ->type_name("F");
  command->add_option("--hop-cycles", arguments->clock.hop_cycles, "Cycles of the head a hop")
      ->check(CLI::Range(1U, kMaxHopCycles))
      ->capture_default_str()
      ->type_name("R");
  command
      ->add_option("--relay-cycles", arguments->clock.relay_cycles,
                   "Cycles between receiving and sending on")
      ->check(CLI::Range(0U, kMaxRelayCycles))
      ->capture_default_str()
      ->type_name("O");
  command->add_option("--timing", arguments->timing, "step: together; self: each when it can")
      ->capture_default_str()
      ->type_name("step|self");
  command->footer("Example: gossamer compare broadcast --dims 8x8 --source 2,5 --flits 4\n");
  command->callback(
      [arguments, &action] { action = [arguments] { return run_broadcast(*arguments); }; });
}

}  // namespace

void add_compare_command(CLI::App& app, Action& action) {
  CLI::App* compare = app.add_subcommand(
      "compare", "Run a collective's algorithms on one network and put the figures side by side");
  compare->require_subcommand(1);
  add_gossip(*compare, action);
  add_broadcast(*compare, action);
}

}  // namespace gossamer::cli
