// SPDX-License-Identifier: Apache-2.0
#include "gossamer/topology/fold.hpp"
#include "gossamer/sim/engines.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <tuple>

#include "gossamer/collectives/all_gather/hamiltonian.hpp"
#include "gossamer/collectives/partial/active_nodes.hpp"
#include "gossamer/collectives/partial/partial_broadcast.hpp"
#include "gossamer/collectives/partial/partial_exchange.hpp"
#include "gossamer/sim/folded_steps.hpp"
#include "gossamer/sim/judge.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"
#include "queued.hpp"

namespace gossamer {
namespace {

TEST_CASE("the fold is a bijection whose inverse is the other function", "[fold]") {
  for (std::uint32_t p = 2; p <= 60; ++p) {
    for (std::uint32_t position = 0; position < p; ++position) {
      REQUIRE(folded_position(p, folded_ring_node(p, position)) == position);
    }
  }
  REQUIRE(folded_ring_node(7, 3) == 5);
}

TEST_CASE("a ring's 2p messages fill all 4(p-1) link slots of the line exactly once, p = 2..40",
          "[fold]") {
  for (std::uint32_t p = 2; p <= 40; ++p) {
    std::set<std::tuple<std::uint32_t, bool, std::uint32_t>> used;
    std::size_t slots = 0;
    for (std::uint32_t node = 0; node < p; ++node) {
      for (const bool positive : {false, true}) {
        const FoldedPath path = folded_path(p, node, positive);
        std::uint32_t at = folded_position(p, node);
        std::uint32_t next_half = 0;
        for (const FoldedHop& hop : path.links()) {
          CAPTURE(p, node, positive);
          REQUIRE(hop.position == at);
          REQUIRE(hop.half >= next_half);
          next_half = hop.half + 1;
          at = hop.positive ? at + 1 : at - 1;
          REQUIRE(at < p);
          used.emplace(hop.position, hop.positive, hop.half);
          ++slots;
        }
        REQUIRE(folded_ring_node(p, at) == (node + (positive ? 1 : p - 1)) % p);
      }
    }
    REQUIRE(slots == 4 * std::size_t{p - 1});
    REQUIRE(used.size() == slots);
  }
}

/// Runs a torus plan and judges it as a gossip on the folded mesh.
std::uint64_t folded_gossip_steps(const Plan& plan) {
  const Topology mesh = Topology::mesh(plan.topology.sides());
  const Demand demand = Demand::all_gather(packets_per_node(plan));
  Judge judge(mesh, demand);
  FoldedSteps folded(plan.topology, demand, judge);
  const auto engine = make_fast_engine(plan);
  watch(*engine, 2 * *plan.expected.analytic_steps + 4, folded);
  REQUIRE(folded.collisions() == 0);
  REQUIRE(judge.complete());
  return judge.completion_step();
}

TEST_CASE("every all-gather for a torus runs on the folded mesh with a slowdown of 2",
          "[fold][gossip]") {
  for (const auto& sides :
       std::vector<std::vector<std::uint32_t>>{{3, 3}, {4, 4}, {5, 7}, {6, 4}, {2, 6}, {9, 5}}) {
    const Plan plan = plan_hamiltonian(Topology::torus(sides), {});
    CAPTURE(plan.topology.dims_text());
    REQUIRE(folded_gossip_steps(plan) <= 2 * *plan.expected.analytic_steps);
  }
  for (const auto& sides : std::vector<std::vector<std::uint32_t>>{
           {2}, {5}, {2, 2}, {3, 3}, {6, 6}, {3, 3, 3}, {2, 2, 2, 2}}) {
    const Plan plan = plan_multinode(Topology::torus(sides), {});
    CAPTURE(plan.topology.dims_text());
    REQUIRE(folded_gossip_steps(plan) <= 2 * *plan.expected.analytic_steps);
  }
}

/// Tracks a packet of a mesh run by its id alone: every link that it takes leaves a node where it
/// was before.
class HoldsWhatItSends final : public Observer {
 public:
  HoldsWhatItSends(const Topology& mesh, PacketId ids_per_node)
      : mesh_(mesh), ids_per_node_(ids_per_node) {}
  bool on_links(const LinkView& view) override {
    std::vector<std::pair<NodeId, PacketId>> arrivals;
    for (LinkId link = 0; link < view.packets.size(); ++link) {
      const PacketId packet = view.packets[link];
      if (packet == kNoPacket) continue;
      const NodeId from = mesh_.link_from(link);
      const NodeId to = mesh_.neighbor(from, mesh_.link_port(link));
      REQUIRE(to != kNoNode);
      if (from != packet / ids_per_node_) REQUIRE(held_.count({from, packet}) == 1);
      arrivals.emplace_back(to, packet);
    }
    held_.insert(arrivals.begin(), arrivals.end());
    return true;
  }
  [[nodiscard]] bool holds(NodeId node, PacketId packet) const {
    return held_.count({node, packet}) == 1;
  }

 private:
  const Topology& mesh_;
  PacketId ids_per_node_;
  std::set<std::pair<NodeId, PacketId>> held_;
};

TEST_CASE("partial collectives of a torus run on the folded mesh, packets and all",
          "[fold][partial]") {
  SplitMix64 random(31);
  for (int i = 0; i < 60; ++i) {
    const auto p = static_cast<std::uint32_t>(2 + random.below(5));
    const Topology torus = testing::equal_sided(true, 2, p);
    const Topology mesh = testing::equal_sided(false, 2, p);
    const std::uint32_t nodes = torus.nodes();
    const auto active =
        random_nodes(nodes, static_cast<std::uint32_t>(1 + random.below(nodes)), random.next());
    CAPTURE(i, p, active.size());

    const Plan exchange = plan_partial_exchange(torus, {ExchangeRule::kPaper, false, {}, active});
    HoldsWhatItSends carried(mesh, nodes);
    FoldedSteps folded(torus, Demand::from_nodes(active, Destination::kEachNode), carried);
    watch(*make_fast_engine(exchange), kNoStepLimit, folded);
    REQUIRE(folded.collisions() == 0);
    for (const NodeId origin : active) {
      for (NodeId destination = 0; destination < nodes; ++destination) {
        if (destination == origin) continue;
        const PacketId id =
            PacketId{folded_node(torus, origin)} * nodes + folded_node(torus, destination);
        REQUIRE(carried.holds(folded_node(torus, destination), id));
      }
    }

    PartialBroadcastOptions options;
    options.active = active;
    options.rules.split = random.below(2) != 0;
    const Plan broadcast = plan_partial_broadcast(torus, options);
    const PacketId parts = packets_per_node(broadcast);
    HoldsWhatItSends parts_carried(mesh, parts);
    FoldedSteps parts_folded(torus, Demand::all_gather(parts), parts_carried);
    watch(*make_fast_engine(broadcast), kNoStepLimit, parts_folded);
    REQUIRE(parts_folded.collisions() == 0);

    for (const Plan* plan : {&exchange, &broadcast}) {
      const Report report = run_plan(*plan, *make_fast_engine(*plan), {.fold = true});
      REQUIRE(report.problems.empty());
      REQUIRE(report.topology == "mesh");
      REQUIRE(*report.steps <= 2 * *testing::run_queued(*plan).steps);
    }
  }
}

TEST_CASE("plans that cannot be folded are refused", "[fold]") {
  const Plan mesh = plan_multinode(testing::equal_sided(false, 2, 3), {});
  REQUIRE_THROWS_AS(check_foldable(mesh), InfeasibleError);
}

TEST_CASE("N/4 steps are impossible for a multinode broadcast on a 2x2 torus", "[fold][errata]") {
  // The paper's torus time p^2/4 is 1 for p = 2, but the farthest node is two links away.
  const Plan plan = plan_multinode(Topology::torus(std::vector<std::uint32_t>{2, 2}),
                                   {{false, false, false, false, false}, {}, {}});
  REQUIRE(plan.expected.lower_bound_steps == 2);
  REQUIRE(*testing::run_queued(plan).steps >= 2);
}

}  // namespace
}  // namespace gossamer
