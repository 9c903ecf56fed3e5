// SPDX-License-Identifier: Apache-2.0
/// The broadcast algorithms as the registry calls them.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "algorithm_lists.hpp"
#include "gossamer/bounds/broadcast.hpp"
#include "gossamer/collectives/broadcast/cycles.hpp"
#include "gossamer/collectives/broadcast/disjoint_trees.hpp"
#include "gossamer/collectives/broadcast/eye.hpp"
#include "gossamer/collectives/broadcast/faulty.hpp"
#include "gossamer/collectives/broadcast/figure2.hpp"
#include "gossamer/collectives/broadcast/min_tcd.hpp"
#include "gossamer/collectives/broadcast/rivals.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// The options of all relay algorithms, handed to one planner.
template <Plan (*planner)(const Topology&, const BroadcastOptions&)>
Plan broadcast(const PlanRequest& request) {
  BroadcastOptions options{root_option(request), clock_options(request)};
  // Self-timed messages never meet and are never slower (docs/algorithms/broadcast.md), but on
  // detours around faults they could.
  options.clock.timing = parse_timing(
      text_option(request, "timing").value_or(request.topology.is_healthy() ? "self" : "step"));
  return planner(request.topology, options);
}

/// A planner of healthy networks, with detours around dead links.
template <Plan (*planner)(const Topology&, const BroadcastOptions&)>
Plan detoured(const Topology& topology, const BroadcastOptions& options) {
  if (topology.is_healthy()) return planner(topology, options);
  return with_detours(planner(topology.healthy(), options), topology);
}

Plan disjoint_trees(const PlanRequest& request) {
  DisjointTreesOptions options{root_option(request), packets_or_one(request)};
  options.one_per_tree = flag_option(request, "elastic");
  if (options.one_per_tree && !request.parameters.contains("packets")) options.packets.reset();
  return plan_disjoint_trees(request.topology, options);
}

Plan on_hamiltonian_cycles(const PlanRequest& request) {
  return plan_cycle_broadcast(request.topology, {root_option(request), packets_or_one(request)});
}

/// Cut through along one tree of shortest ways the last of M flits arrives in cycle ecc + M - 1.
Plan shortest(const PlanRequest& request) {
  PlanRequest one_tree = request;
  one_tree.algorithm = "tree";
  one_tree.parameters.erase("packets");
  one_tree.parameters["flits"] = std::int64_t{packets_or_one(request)};
  Plan tree = make_plan(one_tree);
  PlanRequest many_trees = request;
  many_trees.algorithm = "disjoint-trees";
  Plan trees = make_plan(many_trees);
  const std::uint64_t steps =
      std::min(*trees.expected.analytic_steps, *tree.expected.analytic_cycles);
  const Topology& topology = request.topology;
  if (topology.is_torus() &&
      bounds::hamiltonian_message_steps(topology, packets_or_one(request)) < steps) {
    try {
      return on_hamiltonian_cycles(request);
    } catch (const InfeasibleError&) {
      // A torus without such cycles.
    }
  }
  return *trees.expected.analytic_steps < *tree.expected.analytic_cycles ? trees : tree;
}

constexpr std::string_view kBroadcastOptions = "source flits hop-cycles relay-cycles timing";

constexpr auto kBroadcastAlgorithms = std::to_array<Algorithm>({
    {"broadcast", Shapes::kFaulty, "pairing",
     "around dead links and nodes: one-port relays along one tree, paired from the last step back",
     "every network that two-way links connect, any source; ceil(log2 N) steps, N the live nodes, "
     "no contention; a list of sends per node",
     kBroadcastOptions, "relay", broadcast<plan_pairing>},
    {"broadcast", Shapes::kBothOrFaulty, "eye",
     "one-port cut-through relays between eyes, by coordinate parities",
     "power-of-two sides; mesh: any source of equal sides, else an eye; torus: any source; log2 N "
     "steps, minimum total distance from an eye, no contention, no table; around dead links by "
     "detours where possible",
     kBroadcastOptions, "relay", broadcast<detoured<plan_eye>>},
    {"broadcast", Shapes::kEveryOrFaulty, "min-tcd",
     "one-port cut-through relays over recursive cuts of least distance",
     "any sides, any source; ceil(log2 N) steps, no contention; a list of sends per node; detours "
     "like eye",
     kBroadcastOptions, "relay", broadcast<detoured<plan_min_tcd>>, nullptr, 1U << 14},
    historical(
        {"broadcast", Shapes::kMesh, "figure2",
         "the papers' order of dimensions with the best targets",
         "mesh, equal power-of-two sides, any source; log2 N steps; the 2-D paper's Figure 2",
         kBroadcastOptions, "relay", broadcast<plan_figure2>}),
    {"broadcast", Shapes::kEveryOrFaulty, "tree",
     "routers that copy a passing message along a dimension-ordered tree",
     "any sides, any source; N - 1 link traversals, eccentricity steps; not one-port; "
     "time-independent table",
     "source flits hop-cycles", "relay", broadcast<plan_tree>},
    {"broadcast", Shapes::kEvery, "disjoint-trees",
     "a stream of packets down every one of several trees that share no link",
     "any sides, any source, --packets M; mesh: exactly ceil(M/d) - 1 + the largest distance, the "
     "bound, where that is 2 in every dimension; torus: 2d trees; fixed wiring, no queue; with "
     "--elastic one packet of --flits F per tree, on links of any latency",
     "source packets elastic flits slots link-latency", "stream elastic", disjoint_trees},
    {"broadcast", Shapes::kEvery, "hamiltonian",
     "both directions around d edge-disjoint Hamiltonian cycles, the wiring of the all-gather",
     "torus, where all-gather hamiltonian applies, any source, --packets M: ceil((ceil(M/d) + P - "
     "2) / 2) steps, the bound on a ring; mesh with an even number of nodes: one cycle, as if d "
     "were 1; fixed wiring",
     "source packets", "stream", on_hamiltonian_cycles},
    {"broadcast", Shapes::kEvery, "auto",
     "tree, disjoint-trees or hamiltonian, whichever ends first with M flits or packets of "
     "--packets M",
     "any sides, any source; never more than M - 1 + the largest distance", "source packets",
     "relay stream", shortest},
    historical({"broadcast", Shapes::kEvery, "doubling", "recursive doubling without eyes",
                "any sides, any source; sum of ceil(log2 side) steps, no contention",
                kBroadcastOptions, "relay", broadcast<plan_doubling>}),
    historical({"broadcast", Shapes::kEvery, "xy-unicast", "the source sends to every node itself",
                "any sides, any source; N - 1 steps", kBroadcastOptions, "relay",
                broadcast<plan_xy_unicast>}),
});

}  // namespace

NodeId root_option(const PlanRequest& request) {
  NodeId root = 0;
  if (const auto source = typed_option(request, "source")) {
    root = parse_source(request.topology, *source);
  }
  if (!request.topology.has_core(root)) {
    throw InputError(fmt::format("--source: node {} is dead", node_text(request.topology, root)));
  }
  return root;
}

MessageClock clock_options(const PlanRequest& request) {
  MessageClock clock;
  const auto read = [&request](std::string_view name, std::uint32_t min, std::uint32_t max,
                               std::uint32_t& value) {
    value = number_option<std::uint32_t>(request, name, min, max).value_or(value);
  };
  read("flits", 1, kMaxFlits, clock.flits);
  read("hop-cycles", 1, kMaxHopCycles, clock.hop_cycles);
  read("relay-cycles", 0, kMaxRelayCycles, clock.relay_cycles);
  return clock;
}

std::span<const Algorithm> broadcast_algorithms() { return kBroadcastAlgorithms; }

}  // namespace gossamer
