// SPDX-License-Identifier: Apache-2.0
/// The judge on links made by hand: what it accepts, and that every mutation is found.
#include "gossamer/sim/judge.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "gossamer/partial/partial_broadcast.hpp"
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
  std::uint64_t value = 0;
  std::uint32_t terms = 1;
};

/// Shows the judge `steps` steps with these sends, or fewer when it has seen enough.
std::uint64_t show(Judge& judge, const Topology& topology, const std::vector<Send>& sends,
                   std::uint64_t steps) {
  for (std::uint64_t step = 1; step <= steps; ++step) {
    std::vector<PacketId> packets(topology.link_slots(), kNoPacket);
    std::vector<std::uint64_t> values(topology.link_slots(), 0);
    std::vector<std::uint32_t> terms(topology.link_slots(), 0);
    for (const Send& send : sends) {
      if (send.step != step) continue;
      const LinkId link = topology.link(send.from, send.port);
      packets[link] = send.packet;
      values[link] = send.value;
      terms[link] = send.terms;
    }
    if (!judge.on_links({.cycle = step - 1,
                         .step = step,
                         .begins = true,
                         .packets = packets,
                         .values = values,
                         .terms = terms})) {
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
  SECTION("a node sends what nobody has") {
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
    const ArrivalRule of_plan = arrivals_count(plan);
    REQUIRE(of_plan.class_of_piece.size() == 3 * std::size_t{packets_per_node(plan)});
    for (const std::uint64_t first : of_plan.first_step) REQUIRE(first > 1);
  }
}

TEST_CASE("the judge of personal pieces knows where each one is", "[judge]") {
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

/// Three words on a line of three nodes, one a node or one for all.
Demand combined(Destination to, std::uint64_t pieces) {
  Demand demand;
  demand.to = to;
  demand.operation = Operation::kSum;
  demand.pieces = pieces;
  return demand;
}

std::uint64_t word(NodeId node, PacketId piece, std::uint64_t pieces) {
  return contribution(node, piece, pieces);
}

/// Every node's contribution to word v goes to node v, and the relay adds its own.
std::vector<Send> line_reduce_scatter() {
  const auto z = [](NodeId node, PacketId piece) { return word(node, piece, 3); };
  return {{1, 2, kDown, 0, z(2, 0), 1}, {2, 1, kDown, 0, z(2, 0) + z(1, 0), 2},
          {1, 0, kUp, 2, z(0, 2), 1},   {2, 1, kUp, 2, z(0, 2) + z(1, 2), 2},
          {3, 0, kUp, 1, z(0, 1), 1},   {3, 2, kDown, 1, z(2, 1), 1}};
}

}  // namespace

TEST_CASE("the judge of a reduce-scatter wants every contribution once in every word", "[judge]") {
  const Topology topology = line(3);
  const Demand demand = combined(Destination::kOwner, 3);
  const std::vector<Send> right = line_reduce_scatter();
  Judge judge(topology, demand);
  REQUIRE(judge.missing() == 3);
  REQUIRE(show(judge, topology, right, 5) == 3);
  REQUIRE(judge.complete());
  REQUIRE(judge.completion_step() == 3);
  REQUIRE(judge.duplicates() == 0);
  // Each send that ends at an owner left out, or with another word, a contribution too many or one
  // too few. The others only show that their relays got something.
  for (const std::size_t i : {1U, 3U, 4U, 5U}) {
    for (int mutation = 0; mutation < 4; ++mutation) {
      CAPTURE(i, mutation);
      std::vector<Send> wrong = right;
      if (mutation == 0) wrong.erase(wrong.begin() + static_cast<std::ptrdiff_t>(i));
      if (mutation == 1) wrong[i].packet = (wrong[i].packet + 1) % 3;
      if (mutation == 2) {
        wrong[i].value += word(wrong[i].from, wrong[i].packet, 3);
        ++wrong[i].terms;
      }
      if (mutation == 3) wrong[i].value -= word(wrong[i].from, wrong[i].packet, 3);
      Judge strict(topology, demand);
      show(strict, topology, wrong, 5);
      REQUIRE_FALSE(strict.complete());
      if (mutation == 2) REQUIRE(strict.duplicates() == 1);
    }
  }
}

TEST_CASE("the judge of an all-reduce takes a whole sum or the parts of one", "[judge]") {
  // A ring of three: each node sends its word both ways, so that everybody adds two arrivals.
  const Topology topology = ring(3);
  const Demand demand = combined(Destination::kEveryNode, 1);
  std::vector<Send> sends;
  for (NodeId node = 0; node < 3; ++node) {
    for (const Port port : {kDown, kUp}) sends.push_back({1, node, port, 0, word(node, 0, 1), 1});
  }
  Judge judge(topology, demand);
  REQUIRE(show(judge, topology, sends, 3) == 1);
  REQUIRE(judge.complete());
  SECTION("the sum itself arrives where the parts do not suffice") {
    sends.pop_back();
    const std::uint64_t total = word(0, 0, 1) + word(1, 0, 1) + word(2, 0, 1);
    Judge parts(topology, demand);
    show(parts, topology, sends, 3);
    REQUIRE(parts.missing() == 1);
    REQUIRE(parts.missing(0) == 1);
    sends.push_back({2, 1, kDown, 0, total, 3});
    Judge whole(topology, demand);
    REQUIRE(show(whole, topology, sends, 3) == 2);
    REQUIRE(whole.complete());
  }
  SECTION("the same part twice is not two parts") {
    sends.back().value = word(0, 0, 1);
    Judge strict(topology, demand);
    show(strict, topology, sends, 3);
    REQUIRE_FALSE(strict.complete());
  }
  SECTION("no such word") {
    sends.back().packet = 1;
    Judge strict(topology, demand);
    show(strict, topology, sends, 3);
    REQUIRE(strict.misplaced() == 1);
  }
}

TEST_CASE("the judge of a reduce looks at the root alone", "[judge]") {
  const Topology topology = line(3);
  Demand demand = combined(Destination::kRoot, 1);
  demand.root = 1;
  const std::vector<Send> sends = {{1, 0, kUp, 0, word(0, 0, 1), 1},
                                   {2, 2, kDown, 0, word(2, 0, 1), 1}};
  Judge judge(topology, demand);
  REQUIRE(judge.missing() == 1);
  REQUIRE(show(judge, topology, sends, 3) == 2);
  REQUIRE(judge.complete());
  Judge thrice(topology, demand);
  std::vector<Send> wrong = sends;
  // A contribution counted three times: an exclusive or would not see it.
  wrong[1].value *= 3;
  wrong[1].terms = 3;
  show(thrice, topology, wrong, 3);
  REQUIRE_FALSE(thrice.complete());
  REQUIRE(thrice.duplicates() == 2);
}
