// SPDX-License-Identifier: Apache-2.0
#include "gossamer/planner/planner.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/plan/topology_io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "algorithm_lists.hpp"
#include "best_plan.hpp"
#include "flat_sides.hpp"
#include "gossamer/collectives/all_gather/elastic.hpp"
#include "gossamer/plan/collective.hpp"
#include "gossamer/plan/link_words.hpp"
#include "gossamer/planner/suite.hpp"
#include "gossamer/report/physical.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/suggest.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/units.hpp"
#include "gossamer/util/words.hpp"
#include "grouped_plan.hpp"
#include "side_orders.hpp"

namespace gossamer {

namespace {

constexpr auto kOptions = std::to_array<OptionSpec>({
    {"packets", OptionKind::kNumber, "Packets or vector blocks per node; default by algorithm"},
    {"words", OptionKind::kNumber, "Words per vector, not blocks; default by algorithm"},
    {"operation", OptionKind::kText,
     "sum (default), saturating-sum, signed-saturating-sum, max, min, and, or, xor", "sum"},
    {"type", OptionKind::kText, "int, float16, bfloat16, float32, float64; default uint", "uint"},
    {"accumulate", OptionKind::kText, "float32: type of partial sums; default that of --type"},
    {"invariant", OptionKind::kText, "length: one order of sums for all lengths; default none"},
    {"bytes", OptionKind::kText, "Message of a node, e.g. 64KiB or 4096; default none"},
    {"link-bits", OptionKind::kNumber, "Bits per link and per flit; default 32"},
    {"word-bits", OptionKind::kNumber, "Bits per vector word; default its type's, up to 32"},
    {"clock", OptionKind::kText, "Clock frequency, e.g. 800MHz; default 1GHz", "1GHz"},
    {"energy", OptionKind::kText, "fJ per bit, default link=110,router=29,buffer=29",
     "link=110,router=29,buffer=29"},
    {"time-independent", OptionKind::kFlag, "Use the same table in every step"},
    {"seed", OptionKind::kNumber, "Seed of searches and random arrivals; default 1", "1"},
    {"effort", OptionKind::kNumber, "Restarts of a search; default 1500, with auto 500"},
    {"torus-algorithm", OptionKind::kText, "Torus algorithm to fold; default hamiltonian",
     "hamiltonian"},
    {"source", OptionKind::kText, "Source or root node, e.g. 3,5; default the origin"},
    {"flits", OptionKind::kNumber, "Flits per message or packet, or auto; default 1", "1", "auto"},
    {"adder-cycles", OptionKind::kNumber, "Cycles of an adder, 0 to 15; default 0", "0"},
    {"elastic", OptionKind::kFlag, "Use valid/ready links: any latency, nodes may stall"},
    {"chunk", OptionKind::kText, "Flits per packet and round (elastic); default auto", "auto"},
    {"slots", OptionKind::kText, "Flits per queue (elastic); default auto", "auto"},
    {"link-latency", OptionKind::kText,
     "Cycles per link: 2, or x=1,y=2, or x=1,wrap-x=3, or folded-layout, or a file; default 1",
     "1"},
    {"hop-cycles", OptionKind::kNumber, "Cycles per hop of a message's head; default 1", "1"},
    {"relay-cycles", OptionKind::kNumber, "Cycles from receiving to forwarding; default 0", "0"},
    {"timing", OptionKind::kText,
     "self (default): send as early as possible; step: all sends of a step together", "self"},
    {"active", OptionKind::kText, "Active nodes: FILE, random:M:SEED or X,Y;X,Y..; required"},
    {"targets", OptionKind::kText, "Target nodes, in the form of --active; required"},
    {"counts", OptionKind::kText, "Packets per node: 3,0,1,... or random:K:SEED; required"},
    {"splitting", OptionKind::kText, "split (default) packets into parts, or send them whole",
     "split"},
    {"sides", OptionKind::kText, "alternate: odd packets go the longer way; default fixed",
     "fixed"},
    {"skip-last", OptionKind::kFlag, "Skip the last subphase of packing"},
    {"prefix", OptionKind::kText, "tree (default), or two-way: half the prefix steps", "tree"},
    {"pack-wrap", OptionKind::kFlag, "Pack in the shorter direction around each ring"},
    {"separate", OptionKind::kFlag, "Visit the most significant dimension twice"},
    {"rule", OptionKind::kText, "paper (default), or balanced: use all dimensions evenly", "paper"},
    {"load", OptionKind::kText, "Utilizations to simulate, e.g. 0.1,0.2,0.5; required"},
    {"interval", OptionKind::kText,
     "Length of an interval: bound (default), V + M X time units; exact, as long as needed",
     "bound"},
    {"broadcasts", OptionKind::kNumber, "Broadcasts to simulate per load; default 100000",
     "100000"},
    {"prefix-flits", OptionKind::kNumber, "Flits per prefix message; default 1", "1"},
    {"groups", OptionKind::kText, "Shape, 4x4, or axes, x,z, of groups; default one group"},
    {"group-stride", OptionKind::kText, "Distance between group members, e.g. 2x4; default 1"},
    {"block", OptionKind::kNumber, "Packets per block that the program repeats; default all"},
    {"pace", OptionKind::kText,
     "slowest: steps last as long as the slowest link; default: each link at its own pace"},
    {"frame", OptionKind::kNumber, "Steps per frame of packed trees; default best of 1 to 4"},
});

/// True when the option equals its default, in any spelling.
bool is_standard(const std::string& name, const ParameterValue& value, const Topology& topology) {
  if (is_message_option(name)) return is_standard_message_option(name, value, topology);
  const auto* const option =
      std::find_if(kOptions.begin(), kOptions.end(),
                   [&name](const OptionSpec& known) { return known.name == name; });
  if (option == kOptions.end() || option->standard.empty()) return false;
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    return std::to_string(*number) == option->standard;
  }
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr && *text == option->standard;
}

/// Its steps move packets of --flits words; elsewhere --flits is the length of a message.
bool moves_packets(const Algorithm& algorithm) {
  return has_word(algorithm.options, "adder-cycles") &&
         !has_word(algorithm.options, "relay-cycles");
}

/// The options of make_elastic, taken out of the request, in which `elastic` stays.
std::optional<ElasticOptions> take_elastic(PlanRequest& request, const Algorithm& algorithm) {
  if (!has_word(algorithm.options, "elastic")) return std::nullopt;
  constexpr auto kElasticOptions =
      std::to_array<const char*>({"flits", "chunk", "slots", "link-latency"});
  const bool elastic = flag_option(request, "elastic");
  // Steps also move packets of words.
  const bool packets = !elastic && moves_packets(algorithm);
  const auto number_or_auto = [&](const char* name, std::uint32_t most) {
    const auto text = text_option(request, name);
    std::optional<std::uint32_t> number;
    if (!text || *text == "auto") return number;
    number = whole_number(*text, most);
    if (number.value_or(0) < 1) {
      throw InputError(fmt::format("--{}: \"{}\": auto or a number from 1 to {} is expected", name,
                                   *text, most));
    }
    return number;
  };
  ElasticOptions options;
  if (!packets) {
    options.flits = number_option<std::uint32_t>(request, "flits", 1, kMaxElasticFlits).value_or(1);
  }
  options.chunk = number_or_auto("chunk", kMaxChunk);
  options.slots = number_or_auto("slots", kMaxElasticSlots);
  if (const auto latency = text_option(request, "link-latency")) {
    options.latency = parse_link_latency(*latency, request.topology);
  }
  for (const char* name : kElasticOptions) {
    const auto given = request.parameters.find(name);
    if (given == request.parameters.end()) continue;
    if (packets && given->first == "flits") continue;
    const bool standard = is_standard(given->first, given->second, request.topology);
    request.parameters.erase(given);
    if (!standard && !elastic) {
      throw InputError(fmt::format("--{}: requires --elastic{}", name,
                                   name == std::string_view("link-latency") ? " or --bytes" : ""));
    }
  }
  return elastic ? std::optional(std::move(options)) : std::nullopt;
}

/// Elastic routers wait for each other in both directions, so forwarded streams run along rings of
/// live two-way links.
void check_elastic_shape(const PlanRequest& request) {
  const Topology& topology = request.topology;
  const auto refuse = [](std::string_view cause, std::string_view instead) {
    throw InfeasibleError(fmt::format("--elastic: {}; nearest feasible: {}", cause, instead));
  };
  if (request.parameters.contains("adder-cycles")) {
    refuse("no cycles are known for adders of several cycles", "--adder-cycles without --elastic");
  }
  if (request.parameters.contains("invariant")) {
    refuse(
        "its order of additions depends on the length of the vector, so --invariant is not "
        "supported",
        "--invariant without --elastic");
  }
  const bool trees = request.collective == "broadcast";
  if (topology.kind() == "grid" && !trees) {
    refuse("does not support cylinders", "without --elastic");
  }
  if (!topology.faults().dead_cores.empty()) {
    refuse(
        "does not support dead cores, because every router on a ring begins with its own packet or "
        "word",
        "--dead-node instead of --dead-core, or without --elastic");
  }
  if (request.collective != "gossip" && topology.live_nodes() != topology.nodes()) {
    refuse("does not support sums around dead nodes, because every node owns a part",
           "without --elastic");
  }
}

/// The network without the arcs whose reverse is dead: an elastic link needs it for ready.
Topology with_two_way_links(const Topology& topology) {
  if (topology.faults().dead_arcs.empty()) return topology;
  Faults faults = topology.faults();
  for (const LinkId arc : topology.faults().dead_arcs) {
    faults.dead_arcs.push_back(reverse_arc(topology, arc));
  }
  Topology two_way = topology.healthy().with_faults(std::move(faults));
  if (live_parts(two_way).size() > 1) {
    throw InfeasibleError(
        "--elastic: live two-way links do not connect all nodes; nearest feasible: without "
        "--elastic");
  }
  return two_way;
}

/// The message options, removed from the request. Without --bytes a reduction's width and an
/// elastic plan's latency are separate options.
MessageOptions take_message(PlanRequest& request, const Algorithm& algorithm) {
  MessageOptions message;
  const bool bytes = request.parameters.contains("bytes");
  const bool elastic = flag_option(request, "elastic");
  for (auto at = request.parameters.begin(); at != request.parameters.end();) {
    const bool own = (!bytes && has_word(algorithm.options, at->first)) ||
                     (elastic && at->first == "link-latency");
    if (own || !is_message_option(at->first)) {
      ++at;
      continue;
    }
    message.insert(*at);
    at = request.parameters.erase(at);
  }
  if (bytes && has_word(algorithm.options, "word-bits")) {
    const std::string type =
        text_option(request, "accumulate").value_or(text_option(request, "type").value_or(""));
    if (type == word_type_name(WordType::kFloat64)) widen_links(message, WordType::kFloat64);
  }
  return message;
}

const Algorithm& algorithm_named(std::string_view collective, std::string_view name) {
  std::vector<std::string_view> known;
  std::string_view elsewhere;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != collective) {
      if (algorithm.name == name && elsewhere.empty()) elsewhere = algorithm.collective;
      continue;
    }
    if (algorithm.name == name) return algorithm;
    known.push_back(algorithm.name);
  }
  require_collective(collective);
  throw InputError(fmt::format(
      "--algorithm: \"{}\" is unknown for {}{}; gossamer list {} shows all", name,
      field_name(collective),
      elsewhere.empty() ? did_you_mean(name, known)
                        : fmt::format("; it is an algorithm for {}", field_name(elsewhere)),
      field_name(collective)));
}

/// Where machines can lay a plan on the network with sides of 1, it is made for the one without.
bool knows_no_flat_sides(const Algorithm& algorithm) {
  const std::vector<std::string_view> names = words_of(algorithm.machines);
  return !names.empty() && std::all_of(names.begin(), names.end(), [](std::string_view name) {
    return find_machine(name)->info().embeds;
  });
}

/// Throws InfeasibleError when elastic plans are requested of an algorithm without any, in a
/// collective that has some.
void require_elastic(const Algorithm& algorithm, const PlanRequest& request) {
  const auto is_elastic = [&](const Algorithm& other) {
    return other.collective == algorithm.collective && has_word(other.options, "elastic");
  };
  if (!flag_option(request, "elastic") || is_elastic(algorithm)) return;
  if (std::none_of(algorithms().begin(), algorithms().end(), is_elastic)) return;
  throw InfeasibleError(
      fmt::format("--elastic: {} plans do not run on elastic routers; nearest feasible: {}",
                  algorithm.name, nearest_elastic(algorithm.collective, request.topology)));
}

std::uint32_t flits_of_a_packet(const Plan& plan, const PhysicalQuantities& given) {
  const std::uint64_t flits = physical_figures(plan, given).packet_flits;
  if (flits <= kMaxElasticFlits) return static_cast<std::uint32_t>(flits);
  throw InputError(fmt::format("--bytes: elastic packets have up to {1} flits, not {0}", flits,
                               kMaxElasticFlits));
}

/// All algorithms, grouped by collective, from all files.
std::vector<Algorithm>& registry() {
  static std::vector<Algorithm> all = [] {
    std::vector<Algorithm> lists;
    for (const auto list : {gossip_algorithms(), broadcast_algorithms(), reduction_algorithms(),
                            product_algorithms(), partial_algorithms()}) {
      lists.insert(lists.end(), list.begin(), list.end());
    }
    std::vector<Algorithm> grouped;
    for (const Algorithm& first : lists) {
      const auto same = [&first](const Algorithm& other) {
        return other.collective == first.collective;
      };
      if (std::any_of(grouped.begin(), grouped.end(), same)) continue;
      std::copy_if(lists.begin(), lists.end(), std::back_inserter(grouped), same);
    }
    return grouped;
  }();
  return all;
}

/// A vector with fewer flits than the algorithm's blocks is not padded: others may be faster.
void deal_short_vector(const Algorithm& algorithm, const PhysicalQuantities& message,
                       PlanRequest& request) {
  const Topology& topology = request.topology;
  const std::uint64_t blocks = static_cast<std::uint64_t>(topology.dimensions()) * topology.cores();
  if (!has_word(algorithm.options, "words") || message.flits() >= blocks) return;
  if (request.parameters.contains("packets") || flag_option(request, "elastic")) return;
  request.parameters.try_emplace("words", static_cast<std::int64_t>(message.flits()));
}

/// Passes the length of the message to an algorithm with an option for it.
void deal_message(const Algorithm& algorithm, const PhysicalQuantities& message,
                  PlanRequest& request) {
  for (const char* name : {"adder-cycles", "flits"}) {
    if (!moves_packets(algorithm) || flag_option(request, "elastic")) break;
    if (!request.parameters.contains(name)) continue;
    throw InputError(fmt::format("--{}: not with --bytes; use --words", name));
  }
  deal_short_vector(algorithm, message, request);
  // Flits of a message; with adders of several cycles, words of a packet.
  const bool elastic = has_word(algorithm.options, "elastic");
  // A stream down trees has a packet per flit.
  const bool by_packets =
      request.collective == "broadcast" && elastic && !flag_option(request, "elastic");
  if (has_word(algorithm.options, "flits") && !by_packets &&
      (elastic || !moves_packets(algorithm))) {
    if (algorithm.experiment != nullptr) {
      throw InputError("--bytes: an experiment has many messages; use --flits");
    }
    if (request.parameters.contains("flits")) {
      throw InputError("--flits: excludes --bytes, which also sets the number of flits");
    }
    // How long elastic packets are follows from how many the plan has.
    if (!elastic) {
      if (message.flits() > kMaxFlits) {
        throw InfeasibleError(
            fmt::format("--bytes: {} on links of {} bits are {} flits; messages of {} have up to "
                        "{}; nearest feasible: wider links or fewer bytes",
                        bytes_text(message.bytes), message.link_bits, message.flits(),
                        algorithm.name, kMaxFlits));
      }
      request.parameters["flits"] = static_cast<std::int64_t>(message.flits());
    }
  } else if (algorithm.word_by_word) {
    if (!request.parameters.contains("packets")) {
      request.parameters.try_emplace("words", static_cast<std::int64_t>(message.flits()));
    }
  } else if (request.collective == "broadcast") {
    // Streams are configured with the number of packets. Where one tree is enough, these are its
    // flits.
    constexpr std::uint64_t kMost = kMaxPacketsPerNode;
    if (message.flits() > kMost && words_of(algorithm.machines).size() > 1) {
      throw InfeasibleError(fmt::format(
          "{0}: supports up to {2} flits, not {1}; nearest feasible: --algorithm disjoint-trees",
          algorithm.name, message.flits(), kMost));
    }
    request.parameters.try_emplace("packets",
                                   static_cast<std::int64_t>(std::min(message.flits(), kMost)));
  }
}

/// A collective that works around faults and delivers at least as much as this one; otherwise
/// empty.
std::string_view collective_round_faults(std::string_view collective) {
  for (const Collective& one : collectives()) {
    if (one.name != collective || one.from == Origin::kRoot || one.combines) continue;
    if (one.to == Destination::kPairs) return {};
    const bool all = one.to == Destination::kEveryNode || one.to == Destination::kCounts;
    return all ? "gossip" : "all-to-all";
  }
  return {};
}

}  // namespace

std::string named_shape(const Topology& topology) {
  return topology_words(topology) + (topology.is_healthy() ? "" : " with faults") +
         (topology.has_equal_links() ? ""
          : topology.is_healthy()    ? " with"
                                     : " and") +
         (topology.has_equal_links() ? "" : " links that are not equally fast");
}

std::string nearest_shape(std::string_view collective, std::string_view algorithm,
                          const Topology& topology) {
  const auto any = [&](const Topology& shape, bool this_one) {
    return std::find_if(algorithms().begin(), algorithms().end(), [&](const Algorithm& other) {
      return other.collective == collective && (!this_one || other.name == algorithm) &&
             serves(other.shapes, shape);
    });
  };
  if (!algorithm.empty()) {
    if (const auto other = any(topology, false); other != algorithms().end()) {
      return fmt::format("--algorithm {}", other->name);
    }
  }
  const Topology torus = Topology::torus(topology.sides());
  const Topology mesh = Topology::mesh(topology.sides());
  for (const Topology& shape : {topology.healthy(), torus, mesh}) {
    if (any(shape, !algorithm.empty()) == algorithms().end()) continue;
    if (topology.is_healthy()) return fmt::format("--topology {}", shape.kind());
    const std::string_view round = collective_round_faults(collective);
    return fmt::format("a {} without faults{}", named_shape(shape),
                       round.empty() || round == collective
                           ? ""
                           : fmt::format(", or {}, which supports faults", field_name(round)));
  }
  return "--topology torus";
}

std::string nearest_feasible(const PlanRequest& request, std::string_view algorithm) {
  if (request.topology.has_equal_links()) {
    return nearest_shape(request.collective, algorithm, request.topology);
  }
  std::string feasible = "--pace slowest";
  // Longer searches would only be for a message.
  constexpr NodeId kMostPlanned = 1024;
  if (request.topology.nodes() > kMostPlanned) return feasible;
  PlanRequest equal = request;
  equal.topology = request.topology.with_equal_links();
  equal.algorithm = algorithm;
  equal.progress = {};
  try {
    const PlanOrExperiment made = make_plan_or_experiment(equal);
    const auto* plan = std::get_if<Plan>(&made);
    if (plan != nullptr && plan->expected.analytic_steps) {
      feasible += fmt::format(" ({} steps)",
                              *plan->expected.analytic_steps * request.topology.slowest_period());
    }
  } catch (const InfeasibleError&) {
    // The same request is also infeasible on equal links.
  } catch (const InputError&) {
    // So are its options.
  }
  return feasible;
}

namespace {

constexpr const char* kPace = "pace";

/// The plan for equal links, of which a step takes as long as the slowest link.
PlanOrExperiment plan_at_slowest_pace(PlanRequest request) {
  const std::string pace = text_option(request, kPace).value_or("");
  if (pace != "slowest") {
    throw InputError(fmt::format("--pace: \"{}\" is unknown; there is slowest", pace));
  }
  const std::uint32_t period = request.topology.slowest_period();
  request.parameters.erase(kPace);
  if (request.topology.has_equal_links()) return make_plan_or_experiment(request);
  request.topology = request.topology.with_equal_links();
  PlanOrExperiment made = make_plan_or_experiment(request);
  if (auto* plan = std::get_if<Plan>(&made)) {
    plan->parameters[kPace] = pace;
    plan->parameters["step_periods"] = std::int64_t{period};
  }
  return made;
}

/// Some of the algorithm's plans may be laid on other nodes.
bool makes_programs_that_move(const Algorithm& algorithm) {
  const std::vector<std::string_view> names = words_of(algorithm.machines);
  return std::any_of(names.begin(), names.end(),
                     [](std::string_view name) { return find_machine(name)->info().moves; });
}

PlanOrExperiment plan_in_order(const Algorithm& algorithm, PlanRequest request) {
  if (has_flat_sides(request.topology) && knows_no_flat_sides(algorithm)) {
    if (flag_option(request, "elastic")) {
      throw InfeasibleError(
          "--elastic: does not support sides of 1; nearest feasible: the same network without "
          "them");
    }
    const auto made = plan_in_order(algorithm, without_flat_sides(request));
    return with_flat_sides(std::get<Plan>(made), request.topology);
  }
  std::erase_if(request.parameters, [&](const auto& option) {
    const bool takes = has_word(algorithm.options, option.first) || is_message_option(option.first);
    return !takes && is_standard(option.first, option.second, request.topology);
  });
  const MessageOptions message = take_message(request, algorithm);
  const auto quantities = parse_message(message, request.topology);
  if (quantities) deal_message(algorithm, *quantities, request);
  for (const auto& [name, value] : request.parameters) {
    if (!has_word(algorithm.options, name)) {
      throw InputError(fmt::format("--{}: algorithm {} does not support it{}{}", name,
                                   algorithm.name, algorithm.options.empty() ? "" : "; it takes ",
                                   algorithm.options));
    }
  }
  // A torus planner rejects a mesh with its own reasons, and vice versa.
  const bool plain = request.topology.is_healthy() && request.topology.has_equal_links() &&
                     request.topology.kind() != "grid";
  if (!plain && !serves(algorithm.shapes, request.topology)) {
    throw InfeasibleError(fmt::format("{}: does not support a {}; nearest feasible: {}",
                                      algorithm.name, named_shape(request.topology),
                                      nearest_feasible(request, algorithm.name)));
  }
  require_connected(request.topology);
  if (algorithm.experiment != nullptr) return algorithm.experiment(request);
  auto elastic = take_elastic(request, algorithm);
  if (elastic) check_elastic_shape(request);
  const Topology asked = request.topology;
  if (elastic) request.topology = with_two_way_links(asked);
  Plan plan = algorithm.plan(request);
  if (elastic) {
    plan.topology = asked;
    if (quantities) elastic->flits = flits_of_a_packet(plan, *quantities);
    plan = make_elastic(std::move(plan), *elastic);
  }
  set_message(plan, message);
  if (has_word(algorithm.options, "word-bits")) {
    set_word_bits(plan, number_option<int>(request, "word-bits", 1, kMostWordBits).value_or(0));
  }
  return plan;
}

}  // namespace

PlanOrExperiment plan_by(const Algorithm& algorithm, PlanRequest request) {
  require_elastic(algorithm, request);
  if (!makes_programs_that_move(algorithm)) return plan_in_order(algorithm, std::move(request));
  return best_of_side_orders(request, [&algorithm](const PlanRequest& in_order) {
    return plan_in_order(algorithm, in_order);
  });
}

bool serves(Shapes shapes, const Topology& topology) {
  if (!topology.is_healthy() && !topology.has_equal_links()) return false;
  const Shapes needed = !topology.has_equal_links() ? Shapes::kUnequal
                        : !topology.is_healthy()    ? Shapes::kFaulty
                        : topology.is_torus()       ? Shapes::kTorus
                        : topology.is_mesh()        ? Shapes::kMesh
                                                    : Shapes::kGrid;
  return (static_cast<unsigned>(shapes) & static_cast<unsigned>(needed)) != 0;
}

std::span<const Algorithm> algorithms() { return registry(); }

void register_algorithm(const Algorithm& algorithm) {
  const auto refuse = [&algorithm](std::string_view cause) {
    throw std::invalid_argument(fmt::format("register_algorithm: {} of {}: {}", algorithm.name,
                                            algorithm.collective, cause));
  };
  if (!is_user_algorithm(algorithm.name)) refuse("the name must have the form user:NAME");
  if (algorithm.plan == nullptr) refuse("the planner is missing");
  for (const std::string_view word : words_of(algorithm.options)) {
    if (std::none_of(kOptions.begin(), kOptions.end(),
                     [word](const OptionSpec& option) { return option.name == word; })) {
      refuse(fmt::format("there is no option {}", word));
    }
  }
  std::vector<Algorithm>& all = registry();
  const auto last = std::find_if(all.rbegin(), all.rend(), [&algorithm](const Algorithm& other) {
    return other.collective == algorithm.collective;
  });
  if (last == all.rend()) refuse("the collective is unknown");
  if (std::any_of(all.begin(), all.end(), [&algorithm](const Algorithm& other) {
        return other.collective == algorithm.collective && other.name == algorithm.name;
      })) {
    refuse("it is registered already");
  }
  all.insert(last.base(), algorithm);
}

bool is_standard_option(const PlanRequest& request, const std::string& name) {
  return is_standard(name, request.parameters.at(name), request.topology);
}

bool is_user_algorithm(std::string_view name) {
  constexpr std::string_view kUser = "user:";
  return name.starts_with(kUser) && name.size() > kUser.size();
}

std::int64_t packets_for_every_port(const Topology& topology) {
  return 2 * std::int64_t{topology.dimensions()};
}

std::span<const OptionSpec> plan_options() { return kOptions; }

void require_collective(std::string_view asked) {
  const std::string_view name = collective_name(asked);
  std::vector<std::string_view> known;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective == name) return;
    known.push_back(algorithm.collective);
  }
  for (const Collective& one : collectives()) known.push_back(one.field_name);
  throw InputError(fmt::format("collective: \"{}\" is unknown{}; gossamer list shows all", asked,
                               did_you_mean(asked, known)));
}

bool takes_option(std::string_view collective, std::string_view algorithm,
                  std::string_view option) {
  return has_word(algorithm_named(collective_name(collective), algorithm).options, option);
}

Plan make_plan(const PlanRequest& request) {
  PlanOrExperiment made = make_plan_or_experiment(request);
  if (auto* plan = std::get_if<Plan>(&made)) return std::move(*plan);
  throw InputError(
      fmt::format("collective: {} is an experiment of many runs, not a plan", request.collective));
}

PlanOrExperiment make_plan_or_experiment(const PlanRequest& asked) {
  PlanRequest request = asked;
  request.collective = collective_name(asked.collective);
  if (request.parameters.contains(kPace)) return plan_at_slowest_pace(std::move(request));
  if (request.collective == kSuite) return plan_suite(request);
  if (asks_for_groups(request)) return plan_groups(request);
  if (!request.algorithm.empty()) {
    const Algorithm& algorithm = algorithm_named(request.collective, request.algorithm);
    return plan_by(algorithm, std::move(request));
  }
  return best_plan(request);
}

std::optional<std::int64_t> whole_option(const PlanRequest& request, std::string_view name,
                                         std::int64_t min, std::int64_t max) {
  const auto found = request.parameters.find(std::string(name));
  if (found == request.parameters.end()) return std::nullopt;
  const auto* value = std::get_if<std::int64_t>(&found->second);
  if (value == nullptr || *value < min || *value > max) {
    throw InputError(fmt::format("--{}: a whole number from {} to {} is expected{}", name, min, max,
                                 value == nullptr ? "" : fmt::format(", not {}", *value)));
  }
  return *value;
}

std::optional<std::string> text_option(const PlanRequest& request, std::string_view name) {
  const auto found = request.parameters.find(std::string(name));
  if (found == request.parameters.end()) return std::nullopt;
  const auto* value = std::get_if<std::string>(&found->second);
  if (value == nullptr) throw InputError(fmt::format("--{}: a text is expected", name));
  return *value;
}

std::optional<std::string> typed_option(const PlanRequest& request, std::string_view name) {
  const auto found = request.parameters.find(std::string(name));
  if (found != request.parameters.end()) {
    if (const auto* number = std::get_if<std::int64_t>(&found->second)) {
      return std::to_string(*number);
    }
  }
  return text_option(request, name);
}

bool flag_option(const PlanRequest& request, std::string_view name) {
  const auto found = request.parameters.find(std::string(name));
  if (found == request.parameters.end()) return false;
  const auto* value = std::get_if<bool>(&found->second);
  if (value == nullptr) throw InputError(fmt::format("--{}: takes no value", name));
  return *value;
}

}  // namespace gossamer
