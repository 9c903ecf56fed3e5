// SPDX-License-Identifier: Apache-2.0
/// gossamer compare: algorithms of one collective side by side.
#include <fmt/format.h>

#include <algorithm>

#include "commands.hpp"
#include "gossamer/collectives/all_gather/elastic.hpp"
#include "gossamer/compare/broadcast.hpp"
#include "gossamer/compare/elastic.hpp"
#include "gossamer/compare/gossip.hpp"
#include "gossamer/compare/physical.hpp"
#include "gossamer/compare/reductions.hpp"
#include "gossamer/planner/requested_groups.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/output_file.hpp"
#include "gossamer/util/words.hpp"
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
  /// As typed; empty: one group of all nodes.
  std::string groups;
  std::string group_stride;

  /// The options of groups, as a plan's request has them.
  [[nodiscard]] std::map<std::string, ParameterValue> group_options() const {
    std::map<std::string, ParameterValue> options;
    if (!groups.empty()) options["groups"] = groups;
    if (!group_stride.empty()) options["group-stride"] = group_stride;
    return options;
  }

  /// Whoever names the algorithms wants to know why one of them is refused.
  [[nodiscard]] TableStyle style() const {
    return {terminal_columns(), all || !algorithms.empty()};
  }
};

/// Adds the options that both have.
void add_common_options(Command& command, CompareArguments& arguments) {
  add_shape_options(command, arguments.shape);
  command
      .add_option("--algorithm", arguments.algorithms,
                  "Compare only these, in this order; default: all")
      ->type_name("NAME");
  command.add_flag("--all", arguments.all, "Show the reason for each refused algorithm");
  add_json_flag(command, arguments.json);
}

void add_group_options(Command& command, CompareArguments& arguments) {
  command
      .add_option("--groups", arguments.groups,
                  "Run inside groups of nodes, as gossamer plan does: a shape, 4x4, or axes, x; "
                  "default: all nodes are one group")
      ->type_name("SHAPE|AXES");
  command
      .add_option("--group-stride", arguments.group_stride,
                  "Distance of neighbouring members of a group, 2 or 2x1; default 1")
      ->type_name("S");
}

/// With --bytes: the same bytes for every algorithm, in cycles and seconds, and the conventional
/// network.
struct PhysicalArguments {
  /// Sizes, comma-separated.
  std::string bytes;
  std::string csv;
  std::string link_bits = "32";
  std::string clock = "1GHz";
  std::string energy;
  std::string link_latency;
  PhysicalComparisonOptions options;
  bool plans_only = false;

  [[nodiscard]] PhysicalQuantities quantities(const Topology& topology,
                                              const std::string& size) const {
    MessageOptions message{{"bytes", size}, {"link-bits", link_bits}, {"clock", clock}};
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
                      "Message of a node, e.g. 64KiB, or several sizes, 4KiB,1MiB: compare cycles, "
                      "time and energy, also of the conventional wormhole network")
          ->type_name("B[,B..]")
          ->group(kGroup);
  const auto add = [&](const std::string& name, auto& value, const std::string& help,
                       const std::string& type) {
    command.add_option(name, value, help)
        ->capture_default_str()
        ->type_name(type)
        ->needs(bytes)
        ->group(kGroup);
  };
  add("--link-bits", arguments.link_bits, "Bits per flit, 1 to 65536", "W");
  add("--clock", arguments.clock, "Clock frequency, e.g. 800MHz", "F");
  add("--link-latency", arguments.link_latency,
      "Cycles per link, in the form of gossamer plan; the longest link counts; default 1, of a "
      "wormhole torus 2",
      "SPEC");
  add("--energy", arguments.energy,
      "fJ per bit: link=110,router=29,buffer=29; add= per addition, die= per link between dies",
      "SPEC");
  add("--vcs", arguments.options.router.channels, "Wormhole: virtual channels per input port", "V");
  add("--buffer", arguments.options.router.buffer, "Wormhole: flits per virtual channel", "FLITS");
  add("--payload", arguments.options.messages.packet_payload,
      "Wormhole: flits per packet after its head flit", "FLITS");
  add("--message-cycles", arguments.options.messages.start_up,
      "Wormhole: cycles of software to start a message", "CYCLES");
  command
      .add_option("--csv", arguments.csv,
                  "Write CSV, one line per size and row; - prints only the CSV")
      ->type_name("FILE")
      ->needs(bytes)
      ->group(kGroup);
  command
      .add_flag(
          "--plans-only", arguments.plans_only,
          "Leave out the conventional network, whose simulation takes long for large messages")
      ->needs(bytes)
      ->group(kGroup);
  return bytes;
}

int compare_bytes(const CompareArguments& common, PhysicalArguments physical,
                  const std::string& collective, const std::string& source) {
  const Topology topology = shape_of(common.shape);
  PhysicalComparisonOptions& options = physical.options;
  options.conventional = !physical.plans_only;
  options.algorithms = common.algorithms;
  options.messages.groups =
      requested_groups({topology, collective, {}, common.group_options(), {}});
  if (!source.empty()) {
    const auto& groups = options.messages.groups;
    options.source = parse_source(groups ? Topology::mesh(groups->shape) : topology, source);
  }
  options.progress = progress_bar();
  const auto sizes = words_of(physical.bytes, ',');
  if (std::find(sizes.begin(), sizes.end(), "") != sizes.end()) {
    throw InputError(fmt::format("--bytes: \"{}\" is not a list of sizes, e.g. 4KiB,64KiB,1MiB",
                                 physical.bytes));
  }
  std::vector<PhysicalComparison> comparisons;
  for (const std::string_view size : sizes) {
    options.quantities = physical.quantities(topology, std::string(size));
    comparisons.push_back(compare_physical(topology, collective, options));
  }
  options.progress = {};
  if (physical.csv == "-") {
    fmt::print("{}", comparison_csv(comparisons));
    return kDone;
  }
  if (!physical.csv.empty()) {
    OutputFile csv(physical.csv);
    csv.stream() << comparison_csv(comparisons);
    csv.commit();
  }
  if (common.json) {
    fmt::print("{}", comparisons.size() == 1 ? comparison_json(comparisons.front())
                                             : comparison_json(comparisons));
    return kDone;
  }
  for (const PhysicalComparison& comparison : comparisons) {
    fmt::print("{}{}", &comparison == &comparisons.front() ? "" : "\n",
               comparison_table(comparison, common.style()));
  }
  return kDone;
}

struct GossipArguments : CompareArguments {
  PhysicalArguments physical;
  std::vector<double> startups = {0.1};
  bool paper_table = false;
};

/// The comparisons without bytes know no groups.
void require_no_groups(const CompareArguments& arguments) {
  if (arguments.group_options().empty()) return;
  throw InputError("--groups: requires --bytes here; see gossamer compare all-gather --help");
}

int compare_gossip_algorithms(const GossipArguments& arguments) {
  require_no_groups(arguments);
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
  add_group_options(*command, *arguments);
  Option* dims = command->get_option("--dims");
  Option* startups = command
                         ->add_option("--startup", arguments->startups,
                                      "Start-up times r of a packet, in units of the time that the "
                                      "data of one node takes on a link; default 0.1")
                         ->type_name("R");
  Option* engine = command
                       ->add_option("--engine", arguments->engine,
                                    "Measure on fast, systemc or rtl; default: fast, or the "
                                    "verifier beyond 10^9 links x steps")
                       ->type_name("NAME");
  command
      ->add_flag("--paper-table", arguments->paper_table,
                 "Show Table 2 of Meyer and Sibeyn: as printed, by exact formulas, and measured")
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
                   "Algorithm of the wiring; default: as in gossamer plan")
      ->type_name("NAME");
  command->add_option("--flits", arguments->options.flits, "Flits per packet")
      ->capture_default_str()
      ->range(1U, kMaxElasticFlits)
      ->type_name("F");
  command
      ->add_option("--chunk", arguments->options.chunks,
                   "Flits per packet and round, each with every latency; auto: the mean latency")
      ->capture_default_str()
      ->type_name("G");
  command
      ->add_option("--link-latency", arguments->options.latencies,
                   "Cycles per link, in the form of gossamer plan")
      ->capture_default_str()
      ->type_name("SPEC");
  command
      ->add_option("--stall", arguments->options.stalls,
                   "Also run with these stalls, in the form of gossamer simulate")
      ->type_name("random:SEED:S,M,V[:SKEW]|FILE");
  command->add_option("--engine", arguments->engine, "Measure on fast, systemc or rtl")
      ->capture_default_str()
      ->type_name("NAME");
  add_json_flag(*command, arguments->json);
  command->footer(
      "Example: gossamer compare elastic --dims 8x8 --chunk 1 2 4 --link-latency 1 2 4\n"
      "Exit status 1: a run contradicts its plan.\n");
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
  require_no_groups(arguments);
  const Topology topology = shape_of(arguments.shape);
  if (!topology.has_equal_links()) {
    throw InfeasibleError(
        "compare broadcast: its plans need equally fast links; nearest feasible: with --bytes, "
        "which has the row of the slowest pace");
  }
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
      ->add_option("--source", arguments->source,
                   "Coordinates of the source, e.g. 2,5; default: the origin")
      ->type_name("X,Y[,Z..]");
  add_common_options(*command, *arguments);
  add_link_rate_options(*command, arguments->shape);
  add_group_options(*command, *arguments);
  Option* bytes = add_physical_options(*command, arguments->physical);
  command
      ->add_option("--flits,--packets", arguments->flits,
                   "Flits of the message, or packets of algorithms that send streams")
      ->excludes(bytes)
      ->capture_default_str()
      ->range(1U, kMaxFlits)
      ->type_name("F");
  command->add_option("--hop-cycles", arguments->hop_cycles, "Cycles per hop of the message's head")
      ->capture_default_str()
      ->range(1U, kMaxHopCycles)
      ->type_name("R");
  command
      ->add_option("--relay-cycles", arguments->relay_cycles,
                   "Cycles from receiving to forwarding the message")
      ->capture_default_str()
      ->range(0U, kMaxRelayCycles)
      ->type_name("O");
  command->add_option("--engine", arguments->engine, "Measure on fast, systemc or rtl")
      ->capture_default_str()
      ->type_name("NAME");
  command->footer(
      "Example: gossamer compare broadcast --dims 8x8 --flits 4 --relay-cycles 1\n"
      "Exit status 1: a run contradicts its plan.\n");
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
  add_link_rate_options(*command, arguments->shape);
  add_group_options(*command, *arguments);
  Option* words = command
                      ->add_option("--words", arguments->words,
                                   "Words per vector; default: each algorithm's standard vector")
                      ->type_name("M");
  Option* bytes = add_physical_options(*command, arguments->physical)->excludes(words);
  if (collective == "reduce") {
    command
        ->add_option("--source", arguments->root,
                     "Coordinates of the root, e.g. 2,5; default: the origin")
        ->type_name("X,Y[,Z..]");
  } else {
    command
        ->add_option("--packets", arguments->packets,
                     "Blocks per node; default: the number of dimensions")
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
      std::map<std::string, ParameterValue> parameters = arguments->group_options();
      static_cast<void>(
          requested_groups({shape_of(arguments->shape), collective, {}, parameters, {}}));
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
  add_link_rate_options(*command, arguments->shape);
  add_group_options(*command, *arguments);
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
      "compare", "Compare the algorithms of a collective: measured, by formula, and with bounds");
  command->require_subcommand();
  command->footer("gossamer compare COLLECTIVE --help lists the options of a comparison.\n");
  add_gossip(*command, action);
  add_elastic(*command, action);
  add_broadcast(*command, action);
  for (const char* collective : {"reduce-scatter", "all-reduce", "reduce"}) {
    add_reduction(*command, action, collective);
  }
  add_all_to_all(*command, action);
}

}  // namespace gossamer::cli
