// SPDX-License-Identifier: Apache-2.0
/// The judge on links made by hand: what it accepts, and that every mutation is found.
#include "gossamer/sim/judge.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "gossamer/collectives/partial/partial_broadcast.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/sim/contribution.hpp"
#include "queued.hpp"

using namespace gossamer;

namespace {

/// What crosses a link in a step.
struct Send {
  std::uint64_t step = 1;
  NodeId from = 0;
  Port port = 0;
  PacketId packet = 0;
};

/// Shows the judge `steps` steps with these sends, or fewer when it has seen enough.
std::uint64_t show(Judge& judge, const Topology& topology, const std::vector<Send>& sends,
                   std::uint64_t steps) {
  for (std::uint64_t step = 1; step <= steps; ++step) {
    std::vector<PacketId> packets(topology.link_slots(), kNoPacket);
    for (const Send& send : sends) {
      if (send.step != step) continue;
      packets[topology.link(send.from, send.port)] = send.packet;
    }
    if (!judge.on_links({.cycle = step - 1, .step = step, .begins = true, .packets = packets})) {
      return step;
    }
  }
  return steps;
}

constexpr Port kDown = 0;
constexpr Port kUp = 1;

Topology line(std::uint32_t nodes) { return Topology::mesh(std::array{nodes}); }
Topology ring(std::uint32_t nodes) { return Topology::torus(std::array{nodes}); }

/// All-gather of one packet each on a ring of 3: both neighbours get it in one step.
std::vector<Send> ring_gossip() {
  std::vector<Send> sends;
  for (NodeId node = 0; node < 3; ++node) {
    sends.push_back({1, node, kUp, node});
    sends.push_back({1, node, kDown, node});
  }
  return sends;
}

/// An engine that has nothing but results.
class Results final : public Engine {
 public:
  [[nodiscard]] std::string_view name() const override { return "results"; }
  [[nodiscard]] LinkView links() override { return {}; }
  void clock(std::uint64_t /*cycles*/) override {}
  [[nodiscard]] EngineStatistics statistics() const override { return {}; }
  [[nodiscard]] PrefixResult prefix(int order, NodeId node) const override {
    return results.at({order, node});
  }
  std::map<std::pair<int, NodeId>, PrefixResult> results;
};

}  // namespace

TEST_CASE("the judge of an all-gather counts deliveries, missing ones and copies too many",
          "[judge]") {
  const Topology topology = ring(3);
  const Demand demand = Demand::all_gather(1);
  std::vector<Send> sends = ring_gossip();
  SECTION("right") {
    Judge judge(topology, demand);
    REQUIRE(judge.missing() == 6);
    REQUIRE(show(judge, topology, sends, 5) == 1);
    REQUIRE(judge.complete());
    REQUIRE(judge.completion_step() == 1);
    REQUIRE(judge.duplicates() == 0);
  }
  SECTION("a send is missing") {
    sends.pop_back();
    Judge judge(topology, demand);
    REQUIRE(show(judge, topology, sends, 5) == 5);
    REQUIRE_FALSE(judge.complete());
    REQUIRE(judge.missing() == 1);
    REQUIRE(judge.missing(1) == 1);
    REQUIRE(judge.missing(0) == 0);
  }
  SECTION("a packet comes twice") {
    sends.pop_back();
    sends.push_back({2, 1, kUp, 0});
    sends.push_back({3, 2, kDown, 2});
    Judge judge(topology, demand);
    REQUIRE(show(judge, topology, sends, 5) == 3);
    REQUIRE(judge.complete());
    REQUIRE(judge.duplicates() == 1);
    REQUIRE(judge.completion_step() == 3);
  }
  SECTION("a node sends what it does not have") {
    sends.back().packet = 0;
    Judge judge(topology, demand);
    show(judge, topology, sends, 5);
    REQUIRE(judge.misplaced() == 1);
    REQUIRE_FALSE(judge.complete());
  }
  SECTION("a node sends a packet that no node has") {
    sends.back().packet = 3;
    Judge judge(topology, demand);
    show(judge, topology, sends, 5);
    REQUIRE(judge.misplaced() == 1);
  }
  SECTION("what arrives in a step can be sent on in the next one only") {
    const Topology five = line(3);
    Judge judge(five, Demand::broadcast(0));
    show(judge, five, {{1, 0, kUp, 0}, {1, 1, kUp, 0}}, 1);
    REQUIRE(judge.misplaced() == 1);
    REQUIRE(judge.missing(2) == 1);
  }
}

TEST_CASE("the judge of a broadcast follows deliveries by cut-through", "[judge]") {
  const Topology topology = line(4);
  Judge judge(topology, Demand::broadcast(1));
  const auto deliver = [&](std::uint64_t cycle, std::vector<Delivery> deliveries) {
    return judge.on_links({.cycle = cycle, .begins = true, .deliveries = deliveries});
  };
  REQUIRE(deliver(7, {{0, 2, 0}, {2, 1, 0}}));
  REQUIRE(judge.missing() == 1);
  REQUIRE(judge.missing(3) == 1);
  REQUIRE(deliver(9, {{3, 2, 0}}));
  REQUIRE(judge.complete());
  REQUIRE(judge.completion_step() == 2);
  REQUIRE(judge.completion_cycle() == 9);
  // The run goes on: what else is delivered is too much.
  REQUIRE(deliver(11, {{3, 3, 0}}));
  REQUIRE(judge.duplicates() == 1);
  REQUIRE(judge.completion_step() == 2);
  REQUIRE(deliver(12, {{3, 3, 1}}));
  REQUIRE(judge.misplaced() == 1);
}

TEST_CASE("arrivals count from the step on in which a class begins to broadcast", "[judge]") {
  // Node 2's packet is packed to node 0 in two hops, and broadcast from there.
  const Topology topology = line(3);
  const Demand demand = Demand::from_nodes({2}, Destination::kEveryNode);
  const ArrivalRule rule{{0}, {3}};
  const std::vector<Send> sends = {
      {1, 2, kDown, 2}, {2, 1, kDown, 2}, {3, 0, kUp, 2}, {4, 1, kUp, 2}};
  Judge judge(topology, demand, rule);
  REQUIRE(show(judge, topology, sends, 2) == 2);
  REQUIRE(judge.missing() == 3);
  Judge whole(topology, demand, rule);
  REQUIRE(show(whole, topology, sends, 9) == 4);
  REQUIRE(whole.complete());
  REQUIRE(whole.duplicates() == 0);
  SECTION("a packed piece is at one place") {
    std::vector<Send> wrong = sends;
    wrong[1].from = 2;
    Judge judged(topology, demand, rule);
    show(judged, topology, wrong, 9);
    REQUIRE_FALSE(judged.complete());
    REQUIRE(judged.misplaced() >= 1);
  }
  SECTION("the rule of a plan") {
    PartialBroadcastOptions options;
    options.active = {1, 2, 7};
    const Plan plan = plan_partial_broadcast(testing::equal_sided(true, 2, 4), options);
    const ArrivalRule of_plan = plan.machine().arrivals(plan);
    REQUIRE(of_plan.class_of_piece.size() == 3 * std::size_t{packets_per_node(plan)});
    for (const std::uint64_t first : of_plan.first_step) REQUIRE(first > 1);
  }
}

TEST_CASE("the judge of personal pieces tracks the place of each piece", "[judge]") {
  // Node 1 of three sends to both others; id = origin * 3 + destination.
  const Topology topology = line(3);
  std::vector<Send> sends = {{1, 1, kDown, 3}, {1, 1, kUp, 5}};
  const auto judge_of = [&](Destination to, Origin from) {
    Demand demand = Demand::from_nodes({1}, to);
    demand.from = from;
    return demand;
  };
  SECTION("exchange") {
    Judge judge(topology, judge_of(Destination::kEachNode, Origin::kSources));
    REQUIRE(judge.missing() == 2);
    REQUIRE(judge.location(5) == 1);
    REQUIRE_THROWS_AS(judge.location(4 + 9), std::out_of_range);
    REQUIRE(show(judge, topology, sends, 3) == 1);
    REQUIRE(judge.complete());
    REQUIRE(judge.location(5) == 2);
  }
  SECTION("a piece goes the wrong way, and another is sent from where it is not") {
    sends[1].port = kDown;
    sends[0].from = 2;
    Judge judge(topology, judge_of(Destination::kEachNode, Origin::kSources));
    REQUIRE(show(judge, topology, sends, 3) == 3);
    REQUIRE(judge.missing(2) == 1);
    REQUIRE(judge.missing(0) == 1);
    REQUIRE(judge.misplaced() == 1);
  }
  SECTION("a piece leaves its destination again") {
    sends.push_back({2, 2, kDown, 5});
    sends[0].step = 3;
    Judge judge(topology, judge_of(Destination::kEachNode, Origin::kSources));
    REQUIRE(show(judge, topology, sends, 4) == 4);
    REQUIRE(judge.missing(2) == 1);
  }
  SECTION("gather") {
    const std::vector<Send> gathered = {{1, 0, kUp, 1}, {2, 2, kDown, 7}};
    Judge judge(topology, judge_of(Destination::kEachSource, Origin::kEveryNode));
    REQUIRE(show(judge, topology, gathered, 3) == 2);
    REQUIRE(judge.complete());
    REQUIRE(judge.completion_step() == 2);
  }
}

TEST_CASE("the judge of packing waits for the last barrier", "[judge]") {
  const Topology topology = line(3);
  const Demand demand = Demand::from_nodes({1, 2}, Destination::kRankedNode);
  Judge judge(topology, demand);
  REQUIRE(show(judge, topology, {{1, 1, kDown, 1}, {1, 2, kDown, 2}}, 4) == 4);
  REQUIRE(judge.complete());
  REQUIRE(judge.completion_step() == 4);
  Judge lacking(topology, demand);
  show(lacking, topology, {{1, 1, kDown, 1}}, 4);
  REQUIRE_FALSE(lacking.complete());
  REQUIRE(lacking.missing(1) == 1);
  Judge routed(topology, [&] {
    Demand to_targets = demand;
    to_targets.to = Destination::kTarget;
    to_targets.targets = {1, 2};
    return to_targets;
  }());
  REQUIRE(routed.complete());
}

TEST_CASE("the judge of counts compares every result with the truth", "[judge]") {
  const Topology topology = Topology::mesh(std::array{2U, 2U});
  Demand demand = Demand::from_nodes({1, 2}, Destination::kCounts);
  demand.pieces = 2;
  Results engine;
  // Order 0: 0, 1, 2, 3; order 1 (y least significant): 0, 2, 1, 3.
  const std::array<std::array<std::uint32_t, 4>, 2> before = {{{0, 0, 1, 2}, {0, 1, 0, 2}}};
  for (int order = 0; order < 2; ++order) {
    for (NodeId node = 0; node < 4; ++node) {
      engine.results[{order, node}] = {before[static_cast<std::size_t>(order)][node], 2};
    }
  }
  Judge judge(topology, demand);
  REQUIRE_FALSE(judge.complete());
  judge.check_results(engine);
  REQUIRE(judge.complete());
  for (int order = 0; order < 2; ++order) {
    for (NodeId node = 0; node < 4; ++node) {
      for (const bool total : {false, true}) {
        PrefixResult& result = engine.results[{order, node}];
        const PrefixResult right = result;
        ++(total ? result.total : result.before);
        Judge strict(topology, demand);
        strict.check_results(engine);
        REQUIRE_FALSE(strict.complete());
        REQUIRE(strict.missing(node) == 1);
        result = right;
      }
    }
  }
}

namespace {

std::uint64_t word(NodeId node, PacketId piece, std::uint64_t pieces) {
  return contribution(node, piece, pieces);
}

/// The words that the network interfaces wrote in a step.
struct Written {
  std::uint64_t step;
  Result result;
};

/// Shows the written words, those of each step in the next step; true if the judge requested the
/// end.
bool show_results(Judge& judge, const std::vector<Written>& written, std::uint64_t steps) {
  for (std::uint64_t step = 1; step <= steps + 1; ++step) {
    std::vector<Result> results;
    for (const Written& one : written) {
      if (one.step + 1 == step) results.push_back(one.result);
    }
    // As engines of streams show them: something of every link, here of the only one.
    const std::vector<PacketId> idle{kNoPacket};
    if (!judge.on_links({.step = step, .begins = true, .packets = idle, .results = results})) {
      return true;
    }
  }
  return false;
}

std::uint64_t total(std::uint32_t nodes, PacketId piece, std::uint64_t pieces) {
  std::uint64_t sum = 0;
  for (NodeId node = 0; node < nodes; ++node) sum += word(node, piece, pieces);
  return sum;
}

}  // namespace

TEST_CASE("the judge of a reduce-scatter requires every contribution once in every word",
          "[judge]") {
  const Topology topology = line(3);
  const Demand demand = Demand::combined(Destination::kOwner, Operation::kSum, 3);
  std::vector<Written> right;
  for (NodeId node = 0; node < 3; ++node) {
    right.push_back({node + 1U, {node, node, total(3, node, 3), 3}});
  }
  Judge judge(topology, demand);
  REQUIRE(judge.missing() == 3);
  REQUIRE(show_results(judge, right, 5));
  REQUIRE(judge.complete());
  REQUIRE(judge.completion_step() == 3);
  REQUIRE(judge.duplicates() == 0);
  for (std::size_t i = 0; i < right.size(); ++i) {
    for (int mutation = 0; mutation < 5; ++mutation) {
      CAPTURE(i, mutation);
      std::vector<Written> wrong = right;
      Result& result = wrong[i].result;
      if (mutation == 0) wrong.erase(wrong.begin() + static_cast<std::ptrdiff_t>(i));
      if (mutation == 1) result.packet = (result.packet + 1) % 3;
      // A contribution twice, one missing, and one replaced by another.
      if (mutation == 2) result.value += word(1, result.packet, 3), ++result.terms;
      if (mutation == 3) result.value -= word(1, result.packet, 3), --result.terms;
      if (mutation == 4) result.value += word(1, result.packet, 3) - word(0, result.packet, 3);
      Judge strict(topology, demand);
      REQUIRE_FALSE(show_results(strict, wrong, 5));
      REQUIRE_FALSE(strict.complete());
      REQUIRE(strict.missing() == 1);
      REQUIRE(strict.missing(right[i].result.node) == 1);
      REQUIRE(strict.duplicates() == (mutation == 2 || mutation == 4 ? 1 : 0));
    }
  }
  SECTION("a right word that is overwritten is lost") {
    right.push_back({2, {0, 0, 1, 1}});
    Judge strict(topology, demand);
    REQUIRE_FALSE(show_results(strict, right, 5));
    REQUIRE(strict.missing() == 1);
  }
}

TEST_CASE("the judge of an all-reduce looks at every node, that of a reduce at the root",
          "[judge]") {
  const Topology topology = ring(3);
  const std::uint64_t sum = total(3, 0, 1);
  Judge all(topology, Demand::combined(Destination::kEveryNode, Operation::kMax, 1));
  Judge root(topology, Demand::combined(Destination::kRoot, Operation::kSum, 1, 1));
  REQUIRE(all.missing() == 3);
  REQUIRE(root.missing() == 1);
  REQUIRE_FALSE(show_results(all, {{1, {1, 0, sum, 3}}}, 3));
  REQUIRE(show_results(root, {{1, {1, 0, sum, 3}}}, 3));
  REQUIRE(all.missing() == 2);
  REQUIRE(root.complete());
  // A contribution counted three times: an exclusive or would not see it.
  Judge thrice(topology, Demand::combined(Destination::kRoot, Operation::kSum, 1, 1));
  REQUIRE_FALSE(show_results(thrice, {{1, {1, 0, sum + 2 * word(2, 0, 1), 5}}}, 3));
  REQUIRE(thrice.duplicates() == 2);
  // No such word on a link.
  const std::vector<PacketId> packets = {1, kNoPacket};
  static_cast<void>(thrice.on_links({.step = 9, .begins = true, .packets = packets}));
  REQUIRE(thrice.misplaced() == 1);
}
