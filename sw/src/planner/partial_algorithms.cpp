// SPDX-License-Identifier: Apache-2.0
/// The collectives of partly active networks as the registry calls them.
#include <fmt/format.h>

#include <array>

#include "algorithm_lists.hpp"
#include "gossamer/collectives/partial/active_nodes.hpp"
#include "gossamer/collectives/partial/building_blocks.hpp"
#include "gossamer/collectives/partial/dynamic_broadcast.hpp"
#include "gossamer/collectives/partial/partial_broadcast.hpp"
#include "gossamer/collectives/partial/partial_exchange.hpp"
#include "gossamer/planner/gather_reversed.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// The first of two words is the default; true when the second was given.
bool second_word(const PlanRequest& request, std::string_view name, std::string_view first,
                 std::string_view second) {
  const auto given = text_option(request, name);
  if (!given || *given == first) return false;
  if (*given == second) return true;
  throw InputError(fmt::format("--{}: \"{}\" is neither {} nor {}", name, *given, first, second));
}

std::optional<PacketClock> packet_clock(const PlanRequest& request, std::uint32_t default_flits) {
  const auto flits = number_option<std::uint32_t>(request, "flits", 1, kMaxPacketFlits);
  const auto prefix = number_option<std::uint32_t>(request, "prefix-flits", 1, kMaxPacketFlits);
  if (!flits && !prefix) return std::nullopt;
  return PacketClock{flits.value_or(default_flits), prefix.value_or(1)};
}

std::vector<NodeId> node_set(const PlanRequest& request, std::string_view name) {
  const auto text = text_option(request, name);
  if (!text) throw InputError(fmt::format("--{0}: is required, e.g. --{0} random:5:1", name));
  return parse_active(request.topology, *text, fmt::format("--{}", name));
}

bounds::BroadcastRules broadcast_rules(const PlanRequest& request) {
  bounds::BroadcastRules rules;
  rules.split = !second_word(request, "splitting", "split", "whole");
  rules.alternate = second_word(request, "sides", "fixed", "alternate");
  rules.skip_last = flag_option(request, "skip-last");
  rules.two_way = second_word(request, "prefix", "tree", "two-way");
  rules.wrap = flag_option(request, "pack-wrap");
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
  return plan_packing(request.topology,
                      {flag_option(request, "pack-wrap"), prefix_options(request)});
}

Plan monotone_routing(const PlanRequest& request) {
  return plan_monotone_routing(
      request.topology,
      {!flag_option(request, "separate"), prefix_options(request), node_set(request, "targets")});
}

Plan line_broadcast(const PlanRequest& request) {
  LineBroadcastOptions options;
  const auto counts = text_option(request, "counts");
  if (!counts) throw InputError("--counts: is required, e.g. --counts random:9:1");
  options.counts = parse_counts(request.topology, *counts);
  const bool whole = second_word(request, "splitting", "split", "whole");
  const bool alternate = second_word(request, "sides", "fixed", "alternate");
  if (alternate && !whole) {
    throw InfeasibleError(
        "sides alternate: split packets already travel in both directions; nearest feasible: "
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

Experiment dynamic_broadcast(const PlanRequest& request) {
  DynamicOptions options;
  options.rules = broadcast_rules(request);
  options.clock = broadcast_options(request, options.rules).clock;
  if (second_word(request, "interval", "bound", "exact")) options.interval = IntervalRule::kExact;
  const auto loads = text_option(request, "load");
  if (!loads) throw InputError("--load: is required, e.g. --load 0.1,0.2,0.5");
  options.loads = parse_loads(*loads);
  options.broadcasts = number_option<std::uint64_t>(request, "broadcasts", kMinDynamicBroadcasts,
                                                    kMaxDynamicBroadcasts)
                           .value_or(options.broadcasts);
  options.seed = seed_option(request);
  return plan_dynamic_broadcast(request.topology, options);
}

constexpr auto kPartialAlgorithms = std::to_array<Algorithm>({
    historical(
        {"gossip", Shapes::kBoth, "multinode-split",
         "every packet in d parts (torus: 2d), one part per order of the dimensions, line by "
         "line",
         "equal sides, torus and mesh, any d: (N-1)/(gd) units, the lower bound; buffer N/p parts",
         "flits prefix-flits", "queued", multinode_split}),
    historical(
        {"gossip", Shapes::kBoth, "multinode-whole",
         "the same with whole packets, dealt to d classes by digit sum",
         "equal sides, torus and mesh, any d; within a few steps of N/(gd); buffer about N/pd",
         "sides flits prefix-flits", "queued", multinode_whole}),
    {"partial-broadcast", Shapes::kBoth, "packed",
     "prefix, packing and line broadcasts in d classes at once, kept apart by barriers",
     "equal sides, torus and mesh, any d, M nodes anywhere: exactly the formula's time for any "
     "placement; near-optimal (Theorem 6)",
     "active splitting sides skip-last prefix pack-wrap flits prefix-flits", "queued",
     partial_broadcast},
    {"partial-exchange", Shapes::kBoth, "rows-columns",
     "along x first or along y first, by the numbers of active nodes in row and column",
     "p x p, M nodes anywhere: at most 2m(N-p) + 2(p-1) steps, m = floor(sqrt M) (--rule paper)",
     "active rule prefix flits prefix-flits", "queued", partial_exchange},
    {"partial-gather", Shapes::kBoth, "online", "the exchange's rule with x and y exchanged",
     "p x p; the exchange's bound; decided by the routers as packets come",
     "active prefix flits prefix-flits", "queued", gather_online},
    {"partial-gather", Shapes::kBoth, "reversed",
     "the exchange of the same nodes run backward, send by send",
     "p x p; exactly the exchange's steps; a list of all sends", "active rule flits prefix-flits",
     "timetable", gather_reversed},
    {"dynamic-broadcast", Shapes::kBoth, "intervals",
     "partial broadcasts back to back for packets that arrive at random",
     "equal sides; stable up to Eq. (14); mean delay at most Eq. (11)",
     "load interval broadcasts seed splitting sides skip-last prefix pack-wrap flits prefix-flits",
     "", nullptr, dynamic_broadcast},
    {"prefix", Shapes::kBoth, "tree",
     "counts up a tree of lines and back: every node learns M, active nodes their ranks",
     "equal sides, any d; all d orders at once; 2d(p-1) prefix steps", "active flits prefix-flits",
     "queued", tree_prefix},
    {"prefix", Shapes::kBoth, "two-way",
     "counts from both ends of every line, dimension after dimension",
     "equal sides, any d; all d orders at once; d(p-1) prefix steps", "active flits prefix-flits",
     "queued", two_way_prefix},
    {"packing", Shapes::kBoth, "greedy", "the packet of rank i goes to node i, digit by digit",
     "equal sides, any d and placement: d(p-1) steps without conflict; --pack-wrap d floor(p/2)",
     "active prefix pack-wrap flits prefix-flits", "queued", packing},
    {"monotone-routing", Shapes::kBoth, "greedy",
     "the packet of rank i goes to the i-th target: pack and unpack",
     "equal sides, any d and placements: (2d-1)(p-1) steps without conflict; --separate 2d(p-1)",
     "active targets prefix separate flits prefix-flits", "queued", monotone_routing},
    {"line-broadcast", Shapes::kBoth, "pass-through",
     "all broadcasts on a line or ring at once; passing packets precede own packets",
     "1-D, any number of packets per node: the formula's steps; optimal on lines",
     "counts splitting sides flits prefix-flits", "queued", line_broadcast},
});

}  // namespace

std::span<const Algorithm> partial_algorithms() { return kPartialAlgorithms; }

}  // namespace gossamer
