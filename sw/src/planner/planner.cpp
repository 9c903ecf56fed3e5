// SPDX-License-Identifier: Apache-2.0
#include "gossamer/planner/planner.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "gossamer/gossip/hamiltonian.hpp"
#include "gossamer/partial/active_nodes.hpp"
#include "gossamer/partial/building_blocks.hpp"
#include "gossamer/partial/dynamic_broadcast.hpp"
#include "gossamer/partial/partial_broadcast.hpp"
#include "gossamer/partial/partial_exchange.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

Plan hamiltonian(const PlanRequest& request) {
  HamiltonianOptions options;
  if (const auto k = number_option(request, "packets", 1, kMaxPacketsPerNode)) {
    options.packets_per_node = static_cast<std::uint32_t>(*k);
  }
  return plan_hamiltonian(request.topology, options);
}

// --- partial collectives ------------------------------------------------------------------------

/// The first of two words is the default; true when the second was given.
bool second_word(const PlanRequest& request, std::string_view name, std::string_view first,
                 std::string_view second) {
  const auto given = text_option(request, name);
  if (!given || *given == first) return false;
  if (*given == second) return true;
  throw InputError(
      fmt::format("option --{}: \"{}\" is neither {} nor {}", name, *given, first, second));
}

std::optional<PacketClock> packet_clock(const PlanRequest& request, std::uint32_t default_flits) {
  const auto flits = number_option(request, "flits", 1, kMaxPacketFlits);
  const auto prefix = number_option(request, "prefix-flits", 1, kMaxPacketFlits);
  if (!flits && !prefix) return std::nullopt;
  return PacketClock{static_cast<std::uint32_t>(flits.value_or(default_flits)),
                     static_cast<std::uint32_t>(prefix.value_or(1))};
}

std::vector<NodeId> node_set(const PlanRequest& request, std::string_view name) {
  const auto text = text_option(request, name);
  if (!text) throw InputError(fmt::format("option --{}: is required", name));
  return parse_active(request.topology, *text, fmt::format("option --{}", name));
}

bounds::BroadcastRules broadcast_rules(const PlanRequest& request) {
  bounds::BroadcastRules rules;
  rules.split = !second_word(request, "splitting", "split", "whole");
  rules.alternate = second_word(request, "sides", "fixed", "alternate");
  rules.skip_last = flag_option(request, "skip-last");
  rules.two_way = second_word(request, "prefix", "tree", "two-way");
  rules.wrap = flag_option(request, "wrap");
  return rules;
}

PartialBroadcastOptions broadcast_options(const PlanRequest& request,
                                          const bounds::BroadcastRules& rules) {
  PartialBroadcastOptions options;
  options.rules = rules;
  options.clock = packet_clock(
      request, bounds::substeps_per_unit(bounds::EqualSides::of(request.topology), rules.split));
  return options;
}

Plan partial_broadcast(const PlanRequest& request) {
  PartialBroadcastOptions options = broadcast_options(request, broadcast_rules(request));
  options.active = node_set(request, "active");
  return plan_partial_broadcast(request.topology, options);
}

Plan multinode_split(const PlanRequest& request) {
  return plan_multinode(request.topology, broadcast_options(request, {}));
}

Plan multinode_whole(const PlanRequest& request) {
  bounds::BroadcastRules rules;
  rules.split = false;
  rules.alternate = second_word(request, "sides", "fixed", "alternate");
  return plan_multinode(request.topology, broadcast_options(request, rules));
}

PrefixOptions prefix_options(const PlanRequest& request) {
  return {second_word(request, "prefix", "tree", "two-way"), packet_clock(request, 1),
          node_set(request, "active")};
}

Plan tree_prefix(const PlanRequest& request) {
  return plan_prefix(request.topology,
                     {false, packet_clock(request, 1), node_set(request, "active")});
}

Plan two_way_prefix(const PlanRequest& request) {
  return plan_prefix(request.topology,
                     {true, packet_clock(request, 1), node_set(request, "active")});
}

Plan packing(const PlanRequest& request) {
  return plan_packing(request.topology, {flag_option(request, "wrap"), prefix_options(request)});
}

Plan monotone_routing(const PlanRequest& request) {
  return plan_monotone_routing(
      request.topology,
      {!flag_option(request, "separate"), prefix_options(request), node_set(request, "targets")});
}

Plan line_broadcast(const PlanRequest& request) {
  LineBroadcastOptions options;
  const auto counts = text_option(request, "counts");
  if (!counts) throw InputError("option --counts: is required");
  options.counts = parse_counts(request.topology, *counts);
  const bool whole = second_word(request, "splitting", "split", "whole");
  const bool alternate = second_word(request, "sides", "fixed", "alternate");
  if (alternate && !whole) {
    throw InfeasibleError(
        "sides alternate: split packets go both ways in halves anyway; nearest feasible: "
        "--splitting whole");
  }
  if (whole) options.mode = alternate ? bounds::RingMode::kAlternate : bounds::RingMode::kWhole;
  options.clock = packet_clock(request, request.topology.is_torus() && !whole ? 2 : 1);
  return plan_line_broadcast(request.topology, options);
}

PartialExchangeOptions exchange_options(const PlanRequest& request) {
  PartialExchangeOptions options;
  if (second_word(request, "rule", "paper", "balanced")) options.rule = ExchangeRule::kBalanced;
  options.two_way = second_word(request, "prefix", "tree", "two-way");
  options.clock = packet_clock(request, 1);
  options.active = node_set(request, "active");
  return options;
}

Plan partial_exchange(const PlanRequest& request) {
  return plan_partial_exchange(request.topology, exchange_options(request));
}

Plan gather_online(const PlanRequest& request) {
  return plan_gather_online(request.topology, exchange_options(request));
}

Plan gather_reversed(const PlanRequest& request) {
  return plan_gather_reversed(request.topology, exchange_options(request));
}

Plan dynamic_broadcast(const PlanRequest& request) {
  DynamicOptions options;
  options.rules = broadcast_rules(request);
  options.clock = broadcast_options(request, options.rules).clock;
  if (second_word(request, "interval", "bound", "exact")) options.interval = IntervalRule::kExact;
  const auto loads = text_option(request, "load");
  if (!loads) throw InputError("option --load: is required");
  options.loads = parse_loads(*loads);
  options.broadcasts = static_cast<std::uint64_t>(
      number_option(request, "broadcasts", kMinDynamicBroadcasts, kMaxDynamicBroadcasts)
          .value_or(static_cast<std::int64_t>(options.broadcasts)));
  options.seed = static_cast<std::uint64_t>(
      number_option(request, "seed", 0, std::numeric_limits<std::int64_t>::max()).value_or(1));
  return plan_dynamic_broadcast(request.topology, options);
}

constexpr auto kAlgorithms = std::to_array<Algorithm>({
    {"gossip", "hamiltonian",
     "d edge-disjoint Hamiltonian cycles, every packet both ways round one",
     "torus, all sides >= 3 (2-D: also a side of 2 beside an even one); k = d packets: floor(P/2) "
     "steps, the lower bound; k = 2d: P - 1; buffer 1; fully time-independent",
     "packets", hamiltonian},
    {"gossip", "multinode-split",
     "every packet in d parts (torus: 2d), a part for each order of the dimensions, line by line",
     "equal sides, torus and mesh, any d: (N-1)/(gd) units, the lower bound; buffer N/p parts",
     "flits prefix-flits", multinode_split},
    {"gossip", "multinode-whole", "the same with whole packets, dealt to d classes by digit sum",
     "equal sides, torus and mesh, any d; within a few steps of N/(gd); buffer about N/pd",
     "sides flits prefix-flits", multinode_whole},
    {"partial-broadcast", "packed",
     "prefix, packing and line broadcasts in d classes at once, kept apart by barriers",
     "equal sides, torus and mesh, any d, M nodes anywhere: exactly the formula's time whatever "
     "the "
     "placement; near-optimal (Theorem 6)",
     "active splitting sides skip-last prefix wrap flits prefix-flits", partial_broadcast},
    {"partial-exchange", "rows-columns",
     "along x first or along y first, by the numbers of active nodes in row and column",
     "p x p, M nodes anywhere: at most 2m(N-p) + 2(p-1) steps, m = floor(sqrt M) (--rule paper)",
     "active rule prefix flits prefix-flits", partial_exchange},
    {"partial-gather", "online", "the exchange's rule with x and y exchanged",
     "p x p; the exchange's bound; decided by the routers as packets come",
     "active prefix flits prefix-flits", gather_online},
    {"partial-gather", "reversed", "the exchange of the same nodes run backward, send by send",
     "p x p; exactly the exchange's steps; a list of all sends", "active rule flits prefix-flits",
     gather_reversed},
    {"dynamic-broadcast", "intervals",
     "partial broadcasts back to back for packets that arrive at random",
     "equal sides; stable up to Eq. (14); mean delay at most Eq. (11)",
     "load interval broadcasts seed splitting sides skip-last prefix wrap flits prefix-flits",
     dynamic_broadcast},
    {"prefix", "tree", "counts up a tree of lines and back: everybody learns M, active nodes ranks",
     "equal sides, any d; all d orders at once; 2d(p-1) prefix steps", "active flits prefix-flits",
     tree_prefix},
    {"prefix", "two-way", "counts from both ends of every line, dimension after dimension",
     "equal sides, any d; all d orders at once; d(p-1) prefix steps", "active flits prefix-flits",
     two_way_prefix},
    {"packing", "greedy", "the packet of rank i goes to node i, digit by digit",
     "equal sides, any d and placement: d(p-1) steps without conflict; --wrap d floor(p/2)",
     "active prefix wrap flits prefix-flits", packing},
    {"monotone-routing", "greedy", "the packet of rank i goes to the i-th target: pack and unpack",
     "equal sides, any d and placements: (2d-1)(p-1) steps without conflict; --separate 2d(p-1)",
     "active targets prefix separate flits prefix-flits", monotone_routing},
    {"line-broadcast", "pass-through",
     "all broadcasts on a line or ring at once; what passes goes before own packets",
     "1-D, any number of packets a node: the formula's steps; optimal on lines",
     "counts splitting sides flits prefix-flits", line_broadcast},
});

constexpr auto kOptions = std::to_array<OptionSpec>({
    {"packets", OptionKind::kNumber, "Own packets of each node (gossip)"},
    {"active", OptionKind::kText, "Active nodes: FILE, random:M:SEED or X,Y;X,Y;... (partial ...)"},
    {"targets", OptionKind::kText, "Target nodes, written like --active (monotone-routing)"},
    {"counts", OptionKind::kText, "Packets of each node: 3,0,1,... or random:K:SEED"},
    {"splitting", OptionKind::kText,
     "split: parts for all classes at once; whole: packets stay whole"},
    {"sides", OptionKind::kText,
     "fixed, or alternate: odd packets take the longer way round (whole)"},
    {"skip-last", OptionKind::kFlag, "Leave out the last packing subphase"},
    {"prefix", OptionKind::kText, "tree, or two-way: half the prefix steps"},
    {"wrap", OptionKind::kFlag, "Pack the shorter way round the rings"},
    {"separate", OptionKind::kFlag, "Visit the most significant dimension twice"},
    {"rule", OptionKind::kText,
     "paper, or balanced: spread what the paper sends along x (exchange)"},
    {"load", OptionKind::kText, "Utilizations, e.g. 0.1,0.2,0.5 (dynamic-broadcast)"},
    {"interval", OptionKind::kText,
     "bound: V + M X, exact: as long as it takes (dynamic-broadcast)"},
    {"broadcasts", OptionKind::kNumber, "Broadcasts to simulate for each load (dynamic-broadcast)"},
    {"seed", OptionKind::kNumber, "Seed of the arrivals (dynamic-broadcast)"},
    {"flits", OptionKind::kNumber, "Flits of a packet"},
    {"prefix-flits", OptionKind::kNumber, "Flits of a prefix message"},
});

bool names_option(std::string_view options, std::string_view name) {
  while (!options.empty()) {
    const std::size_t blank = options.find(' ');
    if (options.substr(0, blank) == name) return true;
    if (blank == std::string_view::npos) return false;
    options.remove_prefix(blank + 1);
  }
  return false;
}

const Algorithm& find_algorithm(const PlanRequest& request) {
  std::string known;
  for (const Algorithm& algorithm : kAlgorithms) {
    if (algorithm.collective != request.collective) continue;
    if (request.algorithm.empty() || algorithm.name == request.algorithm) return algorithm;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", algorithm.name);
  }
  if (known.empty()) {
    throw InputError(fmt::format("collective: \"{}\" is unknown; gossamer list shows what there is",
                                 request.collective));
  }
  throw InputError(fmt::format("algorithm: \"{}\" is unknown for {}; there is {}",
                               request.algorithm, request.collective, known));
}

}  // namespace

std::span<const Algorithm> algorithms() { return kAlgorithms; }

std::span<const OptionSpec> plan_options() { return kOptions; }

Plan make_plan(const PlanRequest& request) {
  const Algorithm& algorithm = find_algorithm(request);
  for (const auto& [name, value] : request.parameters) {
    if (!names_option(algorithm.options, name)) {
      throw InputError(fmt::format("option --{}: algorithm {} does not take it{}{}", name,
                                   algorithm.name, algorithm.options.empty() ? "" : "; it takes ",
                                   algorithm.options));
    }
  }
  return algorithm.plan(request);
}

std::optional<std::int64_t> number_option(const PlanRequest& request, std::string_view name,
                                          std::int64_t min, std::int64_t max) {
  const auto found = request.parameters.find(std::string(name));
  if (found == request.parameters.end()) return std::nullopt;
  const auto* value = std::get_if<std::int64_t>(&found->second);
  if (value == nullptr || *value < min || *value > max) {
    throw InputError(fmt::format("option --{}: a whole number from {} to {} is expected{}", name,
                                 min, max,
                                 value == nullptr ? "" : fmt::format(", not {}", *value)));
  }
  return *value;
}

std::optional<std::string> text_option(const PlanRequest& request, std::string_view name) {
  const auto found = request.parameters.find(std::string(name));
  if (found == request.parameters.end()) return std::nullopt;
  const auto* value = std::get_if<std::string>(&found->second);
  if (value == nullptr) throw InputError(fmt::format("option --{}: a text is expected", name));
  return *value;
}

bool flag_option(const PlanRequest& request, std::string_view name) {
  const auto found = request.parameters.find(std::string(name));
  if (found == request.parameters.end()) return false;
  const auto* value = std::get_if<bool>(&found->second);
  if (value == nullptr) throw InputError(fmt::format("option --{}: takes no value", name));
  return *value;
}

}  // namespace gossamer
