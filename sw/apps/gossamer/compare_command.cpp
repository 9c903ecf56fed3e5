// SPDX-License-Identifier: Apache-2.0
/// gossamer compare: algorithms of one collective side by side.
#include <fmt/format.h>

#include "commands.hpp"
#include "gossamer/collectives/all_gather/elastic.hpp"
#include "gossamer/compare/broadcast.hpp"
#include "gossamer/compare/elastic.hpp"
#include "gossamer/compare/gossip.hpp"
#include "gossamer/compare/physical.hpp"
#include "gossamer/compare/reductions.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/error.hpp"
#include "request_words.hpp"
#include "shape_options.hpp"
#include "terminal.hpp"

namespace gossamer::cli {

namespace {

/// Arguments common to both comparisons.
struct CompareArguments {
  ShapeArguments shape;
  std::vector<std::string> algorithms;
  std::string engine;
  bool json = false;
  bool all = false;

  /// Whoever names the algorithms wants to know why one of them is refused.
  [[nodiscard]] TableStyle style() const {
    return {terminal_columns(), all || !algorithms.empty()};
  }
};

/// Adds the options that both have.
void add_common_options(Command& command, CompareArguments& arguments) {
  add_shape_options(command, arguments.shape);
  command.add_option("--algorithm", arguments.algorithms, "Only these, in this order; default all")
      ->type_name("NAME");
  command.add_flag("--all", arguments.all, "Show why each refused algorithm does not apply");
  add_json_flag(command, arguments.json);
}

/// With --bytes: the same bytes for every algorithm, in cycles and seconds, and the conventional
/// network.
struct PhysicalArguments {
  std::string bytes;
  std::string link_bits = "32";
  std::string clock = "1GHz";
  std::string energy;
  std::string link_latency;
  PhysicalComparisonOptions options;
  bool plans_only = false;

  [[nodiscard]] PhysicalQuantities quantities(const Topology& topology) const {
    MessageOptions message{{"bytes", bytes}, {"link-bits", link_bits}, {"clock", clock}};
    if (!energy.empty()) message["energy"] = energy;
    if (!link_latency.empty()) message["link-latency"] = link_latency;
    return *parse_message(message, topology);
  }
};

/// Adds the options to the command and returns the one that selects this comparison.
Option* add_physical_options(Command& command, PhysicalArguments& arguments) {
  constexpr const char* kGroup = "With bytes";
  Option* bytes =
      command
          .add_option("--bytes", arguments.bytes,
                      "A node's message: compare cycles, time and energy for this many bytes, "
                      "including the conventional wormhole network")
          ->type_name("B")
          ->group(kGroup);
  const auto add = [&](const std::string& name, auto& value, const std::string& help,
                       const std::string& type) {
    command.add_option(name, value, help)
        ->capture_default_str()
        ->type_name(type)
        ->needs(bytes)
        ->group(kGroup);
  };
  add("--link-bits", arguments.link_bits, "Bits of a flit", "W");
  add("--clock", arguments.clock, "The clock's frequency", "F");
  add("--link-latency", arguments.link_latency,
      "Cycles of links, as of gossamer plan; the longest counts, also for the wormhole network",
      "SPEC");
  add("--energy", arguments.energy, "Femtojoules per bit: link=110,router=29,buffer=29", "SPEC");
  add("--vcs", arguments.options.router.channels, "Wormhole: virtual channels per input port", "V");
  add("--buffer", arguments.options.router.buffer, "Wormhole: flits per virtual channel", "FLITS");
  add("--payload", arguments.options.messages.packet_payload,
      "Wormhole: flits of a packet after its head", "FLITS");
  add("--message-cycles", arguments.options.messages.start_up,
      "Wormhole: cycles that software takes to start a message", "CYCLES");
  command
      .add_flag("--plans-only", arguments.plans_only,
                "Without the conventional network, which takes a while for large messages")
      ->needs(bytes)
      ->group(kGroup);
  return bytes;
}

int compare_bytes(const CompareArguments& common, PhysicalArguments physical,
                  const std::string& collective, const std::string& source) {
  const Topology topology = shape_of(common.shape);
  if (!topology.has_equal_links()) {
    throw InfeasibleError(
        "--bytes: the conventional network has equally fast links; nearest feasible: without "
        "--bytes");
  }
  PhysicalComparisonOptions& options = physical.options;
  options.quantities = physical.quantities(topology);
  options.conventional = !physical.plans_only;
  options.algorithms = common.algorithms;
  if (!source.empty()) options.source = parse_source(topology, source);
  options.progress = progress_bar();
  const PhysicalComparison comparison = compare_physical(topology, collective, options);
  options.progress = {};
  fmt::print("{}", common.json ? comparison_json(comparison)
                               : comparison_table(comparison, common.style()));
  return kDone;
}

struct GossipArguments : CompareArguments {
  PhysicalArguments physical;
  std::vector<double> startups = {0.1};
  bool paper_table = false;
};

int compare_gossip_algorithms(const GossipArguments& arguments) {
  if (arguments.paper_table) {
    const auto cells = measured_table2(progress_bar());
    fmt::print("{}", arguments.json ? table2_json(cells) : table2_text(cells, arguments.style()));
    return kDone;
  }
  GossipComparisonOptions options;
  options.startups = arguments.startups;
  options.algorithms = arguments.algorithms;
  options.progress = progress_bar();
  if (!arguments.engine.empty()) {
    options.measure = [&arguments](const Plan& plan) {
      RunOptions run;
      run.judged = true;
      return run_on_engine(arguments.engine, plan, {}, run).steps;
    };
  }
  const GossipComparison comparison = compare_gossip(shape_of(arguments.shape), options);
  options.progress = {};
  fmt::print("{}", arguments.json ? comparison_json(comparison)
                                  : comparison_table(comparison, arguments.style()));
  return kDone;
}

void add_gossip(Command& compare, Action& action) {
  auto arguments = std::make_shared<GossipArguments>();
  Command* command = compare.add_subcommand(
      "all-gather", "Steps, bounds, buffers, tables and time of the all-gather algorithms");
  command->alias("gossip");
  add_common_options(*command, *arguments);
  add_link_rate_options(*command, arguments->shape);
  Option* dims = command->get_option("--dims");
  Option* startups =
      command
          ->add_option("--startup", arguments->startups,
                       "Start-up times r of a packet, in units of the time that one node's data "
                       "takes over a link; default 0.1")
          ->type_name("R");
  Option* engine =
      command
          ->add_option("--engine", arguments->engine,
                       "Measure on this engine; default: fast, or the verifier where that would "
                       "take long")
          ->type_name("NAME");
  command
      ->add_flag("--paper-table", arguments->paper_table,
                 "Table 2 of the gossip paper: as printed, by exact formulas, and measured")
      ->excludes(dims)
      ->excludes(startups)
      ->excludes(engine);
  add_physical_options(*command, arguments->physical)->excludes(startups)->excludes(engine);
  command->footer(
      "Examples: gossamer compare all-gather --dims 16x16 --startup 0.01 0.1 1\n"
      "          gossamer compare all-gather --dims 8x8 --bytes 4KiB --link-bits 128\n");
  command->callback([arguments, &action] {
    action = [arguments] {
      if (!arguments->physical.bytes.empty() && arguments->paper_table) {
        throw InputError("--bytes excludes --paper-table; see gossamer compare all-gather --help");
      }
      if (!arguments->physical.bytes.empty()) {
        return compare_bytes(*arguments, arguments->physical, "gossip", "");
      }
      return compare_gossip_algorithms(*arguments);
    };
  });
}

struct ElasticArguments {
  std::string topology = "torus";
  std::string dims;
  ElasticComparisonOptions options;
  std::string engine = "fast";
  bool json = false;

  [[nodiscard]] static TableStyle style() { return {terminal_columns(), true}; }
};

int compare_chunks(const ElasticArguments& arguments) {
  ElasticComparisonOptions options = arguments.options;
  options.run = [&arguments](const Plan& plan, const StallScript* stalls) {
    EngineOptions engine_options;
    if (stalls != nullptr) engine_options.stalls = *stalls;
    return run_on_engine(arguments.engine, plan, engine_options, {});
  };
  const ElasticComparison comparison =
      compare_elastic(Topology::make(arguments.topology, parse_dims(arguments.dims)), options);
  fmt::print("{}", arguments.json ? comparison_json(comparison)
                                  : comparison_table(comparison, arguments.style()));
  for (const ElasticComparisonRow& row : comparison.rows) {
    for (const std::string& problem : row.problems) {
      fmt::print(stderr, "gossamer: check failed: latency {}, chunk {}: {}\n", row.latency,
                 row.chunk, problem);
    }
  }
  return comparison.has_problems() ? kCheckFailed : kDone;
}

void add_elastic(Command& compare, Action& action) {
  auto arguments = std::make_shared<ElasticArguments>();
  Command* command = compare.add_subcommand(
      "elastic", "Cost of latency and stalls in an elastic all-gather, chunk by chunk");
  command->add_option("--dims", arguments->dims, "Sides, dimension 0 (x) first, e.g. 8x8")
      ->required()
      ->type_name("AxB[xC..]");
  command->add_option("--topology", arguments->topology, "torus or mesh")
      ->capture_default_str()
      ->type_name("KIND");
  command
      ->add_option("--algorithm", arguments->options.algorithm,
                   "Algorithm of the wiring; default as in gossamer plan")
      ->type_name("NAME");
  command->add_option("--flits", arguments->options.flits, "Flits of each packet")
      ->capture_default_str()
      ->range(1U, kMaxElasticFlits)
      ->type_name("F");
  command
      ->add_option("--chunk", arguments->options.chunks,
                   "Flits of a round, each with every latency; auto: the mean latency")
      ->capture_default_str()
      ->type_name("G");
  command
      ->add_option("--link-latency", arguments->options.latencies,
                   "Cycles of the links, as in gossamer plan")
      ->capture_default_str()
      ->type_name("SPEC");
  command
      ->add_option("--stall", arguments->options.stalls,
                   "Also run under these stall scripts, as gossamer simulate does")
      ->type_name("random:SEED:S,M,V[:SKEW]|FILE");
  command->add_option("--engine", arguments->engine, "Measure on this engine")
      ->capture_default_str()
      ->type_name("NAME");
  add_json_flag(*command, arguments->json);
  command->footer(
      "Example: gossamer compare elastic --dims 8x8 --chunk 1 2 4 --link-latency 1 2 4\n"
      "Exit status 1: a run broke a promise of its plan.\n");
  command->callback(
      [arguments, &action] { action = [arguments] { return compare_chunks(*arguments); }; });
}

struct BroadcastArguments : CompareArguments {
  PhysicalArguments physical;
  std::string source;
  std::uint32_t flits = 1;
  std::uint32_t hop_cycles = 1;
  std::uint32_t relay_cycles = 0;
};

int compare_broadcast_algorithms(const BroadcastArguments& arguments) {
  const Topology topology = shape_of(arguments.shape);
  BroadcastComparisonOptions options;
  if (!arguments.source.empty()) options.source = parse_source(topology, arguments.source);
  options.clock.flits = arguments.flits;
  options.clock.hop_cycles = arguments.hop_cycles;
  options.clock.relay_cycles = arguments.relay_cycles;
  options.algorithms = arguments.algorithms;
  options.progress = progress_bar();
  options.run = [&arguments](const Plan& plan) {
    return run_on_engine(arguments.engine, plan, {}, {});
  };
  const BroadcastComparison comparison = compare_broadcast(topology, options);
  options.progress = {};
  fmt::print("{}", arguments.json ? comparison_json(comparison)
                                  : comparison_table(comparison, arguments.style()));
  for (const BroadcastComparisonRow& row : comparison.rows) {
    for (const std::string& problem : row.problems) {
      fmt::print(stderr, "gossamer: check failed: {}: {}\n", row.algorithm, problem);
    }
  }
  return comparison.has_problems() ? kCheckFailed : kDone;
}

void add_broadcast(Command& compare, Action& action) {
  auto arguments = std::make_shared<BroadcastArguments>();
  arguments->engine = "fast";
  Command* command = compare.add_subcommand(
      "broadcast", "Steps, distance, cycles and tables of the broadcast algorithms");
  command
      ->add_option("--source", arguments->source, "Coordinates of the source; default the origin")
      ->type_name("X,Y[,Z..]");
  add_common_options(*command, *arguments);
  Option* bytes = add_physical_options(*command, arguments->physical);
  command
      ->add_option("--flits,--packets", arguments->flits,
                   "Flits of the message; packets for algorithms that send streams")
      ->excludes(bytes)
      ->capture_default_str()
      ->range(1U, kMaxFlits)
      ->type_name("F");
  command->add_option("--hop-cycles", arguments->hop_cycles, "Cycles that the head needs for a hop")
      ->capture_default_str()
      ->range(1U, kMaxHopCycles)
      ->type_name("R");
  command
      ->add_option("--relay-cycles", arguments->relay_cycles,
                   "Cycles between receiving and forwarding")
      ->capture_default_str()
      ->range(0U, kMaxRelayCycles)
      ->type_name("O");
  command->add_option("--engine", arguments->engine, "Measure on this engine")
      ->capture_default_str()
      ->type_name("NAME");
  command->footer(
      "Example: gossamer compare broadcast --dims 8x8 --source 2,5 --flits 4 --relay-cycles 1\n"
      "Exit status 1: a run broke a promise of its plan.\n");
  command->callback([arguments, &action] {
    action = [arguments] {
      if (!arguments->physical.bytes.empty()) {
        return compare_bytes(*arguments, arguments->physical, "broadcast", arguments->source);
      }
      return compare_broadcast_algorithms(*arguments);
    };
  });
}

struct ReductionArguments : CompareArguments {
  PhysicalArguments physical;
  std::string root;
  std::uint64_t words = 0;
  std::uint32_t packets = 0;
};

void add_reduction(Command& compare, Action& action, const std::string& collective) {
  auto arguments = std::make_shared<ReductionArguments>();
  Command* command = compare.add_subcommand(
      collective,
      fmt::format("Steps and links of the {} algorithms, against the bound", collective));
  add_common_options(*command, *arguments);
  if (collective != "reduce") add_link_rate_options(*command, arguments->shape);
  Option* words =
      command->add_option("--words", arguments->words, "Words of the vector")->type_name("M");
  Option* bytes = add_physical_options(*command, arguments->physical)->excludes(words);
  if (collective == "reduce") {
    command->add_option("--source", arguments->root, "Coordinates of the root; default the origin")
        ->type_name("X,Y[,Z..]");
  } else {
    command
        ->add_option("--packets", arguments->packets, "Blocks of each node; default the dimensions")
        ->type_name("K")
        ->excludes(words)
        ->excludes(bytes);
  }
  command->footer(
      fmt::format("Example: gossamer compare {} --dims 8x8 --words 64\n"
                  "Exit status 1: a proof contradicts its plan.\n",
                  collective));
  command->callback([arguments, collective, &action] {
    action = [arguments, collective] {
      if (!arguments->physical.bytes.empty()) {
        return compare_bytes(*arguments, arguments->physical, collective, arguments->root);
      }
      std::map<std::string, ParameterValue> parameters;
      if (!arguments->root.empty()) parameters["source"] = arguments->root;
      if (arguments->words != 0) parameters["words"] = static_cast<std::int64_t>(arguments->words);
      if (arguments->packets != 0) parameters["packets"] = std::int64_t{arguments->packets};
      const ReductionComparison comparison = compare_reductions(
          shape_of(arguments->shape), collective, parameters, arguments->algorithms);
      fmt::print("{}", arguments->json ? comparison_json(comparison)
                                       : comparison_table(comparison, arguments->style()));
      return comparison.has_problems() ? kCheckFailed : kDone;
    };
  });
}

void add_all_to_all(Command& compare, Action& action) {
  struct Arguments : CompareArguments {
    PhysicalArguments physical;
  };
  auto arguments = std::make_shared<Arguments>();
  Command* command = compare.add_subcommand(
      "all-to-all", "Cycles, time and energy of total exchange, against the conventional network");
  add_common_options(*command, *arguments);
  add_physical_options(*command, arguments->physical)->required();
  command->footer("Example: gossamer compare all-to-all --dims 8x8 --bytes 4032 --link-bits 128\n");
  command->callback([arguments, &action] {
    action = [arguments] {
      return compare_bytes(*arguments, arguments->physical, "all-to-all", "");
    };
  });
}

}  // namespace

void add_compare_command(Command& app, Action& action) {
  Command* command = app.add_subcommand(
      "compare", "Compare a collective's algorithms: measured, by formula, against bounds");
  command->require_subcommand();
  add_gossip(*command, action);
  add_elastic(*command, action);
  add_broadcast(*command, action);
  for (const char* collective : {"reduce-scatter", "all-reduce", "reduce"}) {
    add_reduction(*command, action, collective);
  }
  add_all_to_all(*command, action);
}

}  // namespace gossamer::cli
