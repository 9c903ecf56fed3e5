// SPDX-License-Identifier: Apache-2.0
/// The all-gather algorithms in the registry's calling form.
#include <fmt/format.h>

#include <array>
#include <limits>

#include "algorithm_lists.hpp"
#include "gossamer/bounds/gossip.hpp"
#include "gossamer/collectives/all_gather/all_gather.hpp"
#include "gossamer/collectives/all_gather/array.hpp"
#include "gossamer/collectives/all_gather/auto.hpp"
#include "gossamer/collectives/all_gather/class_tables.hpp"
#include "gossamer/collectives/all_gather/degraded.hpp"
#include "gossamer/collectives/all_gather/folded.hpp"
#include "gossamer/collectives/all_gather/hamiltonian.hpp"
#include "gossamer/collectives/all_gather/one_packet_paper.hpp"
#include "gossamer/collectives/all_gather/ring.hpp"
#include "gossamer/collectives/all_gather/scheduled.hpp"
#include "gossamer/collectives/all_gather/strands.hpp"
#include "gossamer/collectives/all_gather/timetable.hpp"
#include "gossamer/collectives/all_gather/two_packet.hpp"
#include "gossamer/collectives/all_gather/unequal.hpp"
#include "gossamer/collectives/all_gather/zigzag.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {

namespace {

/// A queue of unknown length.
constexpr std::uint32_t kAnyDepth = 0xffffffff;

Plan hamiltonian(const PlanRequest& request) {
  return plan_hamiltonian(request.topology, {packets_option(request)});
}

Plan array(const PlanRequest& request) {
  return plan_array(request.topology, {packets_or_one(request)});
}

Plan folded(const PlanRequest& request) {
  if (!request.topology.is_mesh()) {
    throw InfeasibleError("folded: supports meshes only; nearest feasible: --topology mesh");
  }
  PlanRequest torus{Topology::torus(request.topology.sides()), request.collective, "hamiltonian",
                    request.parameters, request.progress};
  if (const auto found = torus.parameters.find("torus-algorithm");
      found != torus.parameters.end()) {
    const auto* name = std::get_if<std::string>(&found->second);
    if (name == nullptr) throw InputError("--torus-algorithm: a name is expected");
    torus.algorithm = *name;
    torus.parameters.erase(found);
  }
  return plan_folded(make_plan(torus));
}

Plan two_packet(const PlanRequest& request) {
  return plan_two_packet(request.topology, {flag_option(request, "time-independent")});
}

Plan one_packet(const PlanRequest& request) {
  return plan_one_packet_paper(request.topology,
                               {flag_option(request, "time-independent"), std::nullopt});
}

/// A plan for all routers, in which those with a dead core have no packets.
template <typename Planner>
Plan with_live_cores(const Topology& topology, Planner plan_for) {
  if (topology.faults().dead_cores.empty()) return plan_for(topology);
  Faults routers = topology.faults();
  routers.dead_cores.clear();
  Plan plan = plan_for(topology.healthy().with_faults(std::move(routers)));
  plan.topology = topology;
  plan.expected = {};
  plan.expected.lower_bound_steps = bounds::gossip_lower_bound(topology, plan.demand.pieces);
  auto& program = plan.program.edit<StreamProgram>();
  for (const NodeId node : topology.faults().dead_cores) {
    for (const Port port : all_ports(program.ports())) {
      StreamPort entry = program.at(node, port);
      entry.preload.clear();
      program.set(node, port, entry);
    }
  }
  plan.expected.queue_depth = kAnyDepth;
  return plan;
}

/// Fills in the steps and the longest queue by the verifier where no formula gives them.
Plan settled(Plan plan) {
  if (plan.expected.queue_depth != kAnyDepth) return plan;
  const Verdict verdict = [&plan] {
    try {
      return verify(plan);
    } catch (const InputError& error) {
      throw InfeasibleError(
          fmt::format("{}: {}; nearest feasible: --algorithm trail, or a smaller network",
                      plan.algorithm, error.what()));
    }
  }();
  if (!verdict.complete) throw std::logic_error(plan.algorithm + ": the plan is incomplete");
  plan.expected.analytic_steps = verdict.steps;
  plan.expected.analytic_cycles = verdict.steps;
  plan.expected.queue_depth =
      static_cast<std::uint32_t>(std::max<std::uint64_t>(1, *verdict.max_queue));
  return plan;
}

Plan zigzag(const PlanRequest& request) {
  return plan_zigzag(request.topology, {packets_or_one(request)});
}

Plan rows(const PlanRequest& request) {
  return plan_rows(request.topology, {packets_or_one(request)});
}

Plan strands(const PlanRequest& request) {
  return plan_strands(request.topology,
                      {packets_or_one(request), seed_option(request), request.progress});
}

Plan tables(const PlanRequest& request) {
  return plan_tables(request.topology, {packets_or_one(request)});
}

Plan automatic(const PlanRequest& request) {
  AutoOptions options{packets_or_one(request), seed_option(request), request.progress,
                      flag_option(request, "time-independent")};
  const bool torus = request.topology.is_torus() && request.topology.is_healthy();
  const bool elastic = flag_option(request, "elastic");
  if (!torus && !elastic && !request.parameters.contains("packets")) {
    options.packets_per_node = static_cast<std::uint32_t>(request.topology.dimensions());
  }
  // Elastic routers count no steps. Streams of a healthy network lose their dead cores' packets; a
  // timetable would be another one.
  options.time_independent =
      options.time_independent || elastic || !request.topology.faults().dead_cores.empty();
  return settled(with_live_cores(request.topology, [&options](const Topology& routers) {
    return plan_auto(routers, options);
  }));
}

/// --block B: the program of B packets is repeated.
Plan unequal(const PlanRequest& request) {
  const std::uint32_t k = packets_or_one(request);
  const std::uint32_t block = number_option<std::uint32_t>(request, "block", 1, k).value_or(k);
  return plan_unequal(request.topology, {block, seed_option(request), request.progress}, k / block,
                      k % block);
}

Plan scheduled(const PlanRequest& request) {
  const std::uint32_t k = packets_or_one(request);
  if (!request.topology.has_equal_links()) return unequal(request);
  if (request.parameters.contains("block")) {
    throw InputError("--block: requires links of different rates, e.g. --link-rate x=1,y=1/4");
  }
  if (request.topology.routers_are_alike()) return plan_scheduled(request.topology, k);
  return plan_timetable(request.topology, {k, seed_option(request)});
}

/// A construction for damaged networks. The verifier completes the figures of plans without a
/// formula.
template <Plan (*construct)(const Topology&, const DegradedOptions&)>
Plan degraded(const PlanRequest& request) {
  return settled(with_live_cores(request.topology, [&request](const Topology& routers) {
    return construct(routers, {packets_option(request), seed_option(request)});
  }));
}

Plan ring(const PlanRequest& request) { return plan_ring(request.topology, {}); }
Plan ring_two_way(const PlanRequest& request) { return plan_ring(request.topology, {true}); }
Plan shared_cycles(const PlanRequest& request) { return plan_shared_cycles(request.topology); }
Plan hierarchical(const PlanRequest& request) { return plan_hierarchical(request.topology, {}); }
Plan hierarchical_two_way(const PlanRequest& request) {
  return plan_hierarchical(request.topology, {true});
}

constexpr auto kGossipAlgorithms = std::to_array<Algorithm>({
    {"gossip", Shapes::kTorus, "hamiltonian",
     "d edge-disjoint Hamiltonian cycles, every packet in both directions around one",
     "torus, all sides >= 3 (also sides of 2, each with an even side, with limits for d >= 3); k "
     "= d packets: floor(P/2) steps, the lower bound; k = 2d: P - 1; buffer 1; fully "
     "time-independent",
     "packets elastic flits chunk slots link-latency", "stream elastic", hamiltonian},
    {"gossip", Shapes::kFaulty, "degraded",
     "around dead links and nodes: the fewest steps of cut, trail, walks, tree and in-out",
     "a plan whenever the live network is connected; one dead link or arc on a torus with "
     "hamiltonian plans: the lower bound for k >= 2d - 1; fully time-independent",
     "packets seed", "stream elastic", degraded<plan_degraded>},
    {"gossip", Shapes::kEveryOrFaulty, "auto",
     "the best algorithm for the network and number of packets",
     "the fewest steps of all that apply: on healthy tori of the time-independent ones, elsewhere "
     "also of timetables, unless --time-independent; the plan names the algorithm, the reason and "
     "the gap",
     "packets seed time-independent elastic flits chunk slots link-latency",
     "stream elastic timetable", automatic},
    {"gossip", Shapes::kMeshOrGrid, "array",
     "both directions around one Hamiltonian cycle of the mesh, or of all nodes except a corner",
     "mesh; an even number of nodes: ceil(k (P-1) / 2) steps, the lower bound in 2-D, buffer 1 for "
     "k <= 2; all sides odd: k ((P-1)/2 + 2), buffer 2k; a line: k (P-1), the lower bound; fully "
     "time-independent",
     "packets elastic flits chunk slots link-latency", "stream elastic", array},
    {"gossip", Shapes::kMesh, "folded",
     "a torus plan mapped to the mesh, two mesh steps per torus step",
     "mesh of up to 4 dimensions, torus plans without fan-in; twice the torus' steps: with "
     "hamiltonian, k = 2d packets in 2 (P-1), the lower bound, k = d in 2 floor(P/2), within one "
     "of it; tables alternate with the parity of the step",
     "packets torus-algorithm", "stream", folded},
    historical(
        {"gossip", Shapes::kTorus, "two-packet",
         "the paper's two cycles of a 2-D torus, two packets per node, one in each direction of "
         "each cycle",
         "2-D torus: P/2 steps with both sides even (buffer 1) or one side C odd (one switch, "
         "buffer C + 1; --time-independent: P/2 + C + 1 steps, buffer 2); 2 x odd: P/2 + 1; both "
         "odd: uses hamiltonian",
         "time-independent elastic flits chunk slots link-latency", "stream elastic", two_packet}),
    historical(
        {"gossip", Shapes::kTorus, "one-packet",
         "the paper's d cycles of laps, one packet per node, neighbours supply the nodes off a "
         "cycle",
         "torus, d = 2..6, in some axis order n1 a multiple of d, n2..n(d-1) of n1, nd >= d (and "
         "a few more): about P/2d + P/2nd steps with one switch; more with --time-independent "
         "(buffer 1)",
         "time-independent elastic flits chunk slots link-latency", "stream elastic", one_packet}),
    {"gossip", Shapes::kTorus, "zigzag", "two cycles of zigzag strands, closed formula",
     "2-D torus, one side a multiple of 4, the other even; k packets: ceil(k (P + 6) / 4) steps, "
     "ceil(k (P + 2) / 4) with a side of 4; one packet: 2 (1) above the lower bound; buffer k; "
     "fully time-independent",
     "packets elastic flits chunk slots link-latency", "stream elastic", zigzag},
    {"gossip", Shapes::kTorus, "strands",
     "2d directed cycles whose streams are relayed over a few hops",
     "torus, sides >= 3, up to 20,000 nodes or one side >= 4d, odd ones included; one packet: 2 "
     "above the lower bound by formula where regular, otherwise usually 2 to 5 by seeded search; k "
     "times that for k; buffer k; fully time-independent",
     "packets seed elastic flits chunk slots link-latency", "stream elastic", strands},
    {"gossip", Shapes::kTorus, "rows", "one Hamiltonian cycle by rows, closed formula",
     "2-D torus, odd sides, one an odd multiple of the other; L the shorter: ceil(k (P + L + 2) / "
     "4) steps; buffer k; fully time-independent",
     "packets elastic flits chunk slots link-latency", "stream elastic", rows},
    {"gossip", Shapes::kTorus, "tables", "small tables found by search, from the library",
     "tori of up to about 10x10 that the library lists; steps exact, 0 to 9 above the lower bound "
     "for one packet, k times that for k; buffer k; fully time-independent",
     "packets elastic flits chunk slots link-latency", "stream elastic", tables},
    {"gossip", Shapes::kTorusOrFaulty, "cut",
     "the remains of the d Hamiltonian cycles after faults: whole ones, one-way ones, paths",
     "torus with hamiltonian plans; one dead link or arc: ceil(k (P-1) / (2d-1)) steps for k >= "
     "2d - 1, the lower bound; one dead node: all cycles as paths; fully time-independent",
     "packets seed", "stream", degraded<plan_cut>},
    {"gossip", Shapes::kFaulty, "whole-cycles",
     "both directions around the remaining Hamiltonian cycles, or around one found by search, a "
     "packet on each",
     "where there is one; floor(P/2) steps, P the live nodes; buffer 1; fully time-independent",
     "seed elastic flits chunk slots link-latency", "stream elastic", degraded<plan_whole_cycles>},
    {"gossip", Shapes::kEveryOrFaulty, "trail",
     "both directions around one closed trail through all live nodes, found by annealing",
     "ceil(k (L-1) / 2) steps, L the trail's length: the number of live nodes or a few more; up to "
     "600 nodes, more where a Hamiltonian cycle can be repaired; buffer k",
     "packets seed", "stream", degraded<plan_trail>},
    {"gossip", Shapes::kEveryOrFaulty, "walks",
     "one-way closed walks through all live nodes, pairwise without a common arc, found by search",
     "R >= 3 walks for k >= R packets: L - 1 steps for k = R, L the number of live nodes or a few "
     "more; up to 600 nodes; not every network has them",
     "packets seed", "stream", degraded<plan_walks>},
    {"gossip", Shapes::kEveryOrFaulty, "tree",
     "all packets along one spanning tree, in both directions",
     "every network that two-way links connect; k (P-1) steps, P the live nodes; queues",
     "packets seed", "stream", degraded<plan_spanning_tree>},
    {"gossip", Shapes::kEveryOrFaulty, "in-out",
     "up one tree in odd steps, down another in even ones; one-way links suffice",
     "every connected network of up to 4 dimensions; at most 2 (k P + h - 1) steps, h the height; "
     "queues",
     "packets seed", "stream", degraded<plan_in_out>},
    {"gossip", Shapes::kAny, "scheduled",
     "By ROMs: one word per step selects each port's packet; on a healthy torus the same for "
     "all nodes, otherwise one program per node",
     "torus: ceil(k(P-1)/(2d)) steps, the lower bound, on every torus tried, with a buffer of some "
     "packets and a ROM of as many words in each router; elsewhere, with one ROM per node: "
     "the lower bound in nearly every case, also with links that are not equally fast",
     "packets seed block", "timetable", scheduled},
    historical({"gossip", Shapes::kTorus, "ring",
                "one packet per node in one direction around one Hamiltonian cycle",
                "every torus; P - 1 steps; buffer 1; fully time-independent",
                "elastic flits chunk slots link-latency", "stream elastic", ring}),
    historical({"gossip", Shapes::kTorus, "ring-two-way",
                "one packet per node in both directions around one Hamiltonian cycle",
                "every torus; floor(P/2) steps; buffer 1; fully time-independent",
                "elastic flits chunk slots link-latency", "stream elastic", ring_two_way}),
    historical(
        {"gossip", Shapes::kTorus, "shared-cycles",
         "one packet per node in both directions around all d Hamiltonian cycles (Theorem 1)",
         "where hamiltonian applies; no formula; buffer 1; fully time-independent", "", "stream",
         shared_cycles}),
    historical(
        {"gossip", Shapes::kTorus, "hierarchical",
         "all-gather dimension by dimension, in one direction along each line",
         "every torus; P - 1 steps; one packet per node; a buffer of P / (last side) packets "
         "and more",
         "", "timetable", hierarchical}),
    historical({"gossip", Shapes::kTorus, "hierarchical-two-way",
                "all-gather dimension by dimension, in both directions along each line",
                "every torus; sum of ceil(n_0..n_{i-1} (n_i - 1) / 2) steps; one packet per node",
                "", "timetable", hierarchical_two_way}),
});

}  // namespace

std::optional<std::uint32_t> packets_option(const PlanRequest& request) {
  return number_option<std::uint32_t>(request, "packets", 1, kMaxPacketsPerNode);
}

std::uint32_t packets_or_one(const PlanRequest& request) {
  return packets_option(request).value_or(1);
}

std::uint64_t seed_option(const PlanRequest& request) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return number_option<std::uint64_t>(request, "seed", 0, kMost).value_or(1);
}

std::span<const Algorithm> gossip_algorithms() { return kGossipAlgorithms; }

}  // namespace gossamer
