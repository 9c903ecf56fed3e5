// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <random>
#include <sstream>

#include "gossamer/bounds/broadcast.hpp"
#include "gossamer/collectives/broadcast/eye.hpp"
#include "gossamer/collectives/broadcast/min_tcd.hpp"
#include "gossamer/collectives/broadcast/rivals.hpp"
#include "gossamer/compare/tcd_map.hpp"
#include "gossamer/machines/relay/broadcast_proof.hpp"
#include "gossamer/machines/relay/cost.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/util/error.hpp"
#include "relay.hpp"

namespace gossamer {
namespace {

using testing::mesh;
using testing::torus;

TEST_CASE("self-timed relays never meet on a link, at any message length, delay and source",
          "[broadcast][timing][slow]") {
  std::mt19937 random(3);
  const std::vector<Topology> shapes{mesh({16, 16}), torus({8, 16}), mesh({8, 8, 8}),
                                     torus({4, 4, 8}), mesh({4, 4, 4, 4})};
  const std::vector<Topology> any_shapes{mesh({11, 13}), mesh({12, 12}), torus({9, 10}),
                                         mesh({5, 6, 7}), mesh({31})};
  const auto check = [](const Plan& plan) {
    CAPTURE(plan.algorithm, plan.topology.kind(), plan.topology.dims_text());
    REQUIRE(verify_broadcast(plan).regions_disjoint);
    const testing::RelayOutcome outcome = testing::run_relay_fast(plan);
    REQUIRE(outcome.complete);
    REQUIRE(outcome.conflicts == 0);
    REQUIRE(outcome.cycles == plan.expected.analytic_cycles);
  };
  for (int trial = 0; trial < 60; ++trial) {
    MessageClock clock{MessageTiming::kSelf, 1 + static_cast<std::uint32_t>(random() % 64),
                       1 + static_cast<std::uint32_t>(random() % 9),
                       static_cast<std::uint32_t>(random() % 40)};
    CAPTURE(clock.flits, clock.hop_cycles, clock.relay_cycles);
    for (const Topology& topology : shapes) {
      auto source = static_cast<NodeId>(random() % topology.nodes());
      check(plan_eye(topology, {source, clock}));
    }
    for (const Topology& topology : any_shapes) {
      const auto source = static_cast<NodeId>(random() % topology.nodes());
      const Plan self_timed = plan_min_tcd(topology, {source, clock});
      check(self_timed);
      MessageClock stepwise = clock;
      stepwise.timing = MessageTiming::kStep;
      const Plan by_steps = plan_min_tcd(topology, {source, stepwise});
      check(by_steps);
      REQUIRE(*self_timed.expected.analytic_cycles <= *by_steps.expected.analytic_cycles);
      REQUIRE(*by_steps.expected.analytic_cycles ==
              bounds::step_cycles(verify_broadcast(by_steps).longest_hops, clock));
    }
  }
}

TEST_CASE("the tree crosses N - 1 links, each once, and takes the eccentricity",
          "[broadcast][tree]") {
  for (const Topology& topology : {mesh({7}), torus({7}), mesh({5, 4}), torus({5, 4}),
                                   torus({2, 6}), mesh({3, 4, 5}), torus({3, 4, 5})}) {
    for (NodeId source = 0; source < topology.nodes(); ++source) {
      const Plan plan = plan_tree(topology, {source, {MessageTiming::kSelf, 5, 3, 0}});
      const auto& program = plan.program.as<RelayProgram>();
      CAPTURE(topology.kind(), topology.dims_text(), source);
      const RelayVerdict verdict = verify_broadcast(plan);
      REQUIRE(verdict.ok());
      REQUIRE(verdict.tcd == topology.nodes() - 1);
      REQUIRE(verdict.steps == bounds::eccentricity(topology, source));
      const testing::RelayOutcome outcome = testing::run_relay_fast(plan);
      REQUIRE(outcome.complete);
      REQUIRE(outcome.cycles == 3 * verdict.steps + 4);
      REQUIRE(outcome.cycles == plan.expected.analytic_cycles);
      REQUIRE(outcome.conflicts == 0);

      // Each node's table, followed from the source, reaches all nodes on shortest paths.
      const std::vector<FanOutEntry> table = fan_out_table(topology, program);
      std::vector<NodeId> reached{source};
      REQUIRE(table[source].in == FanOutEntry::kOwn);
      for (std::size_t i = 0; i < reached.size(); ++i) {
        for (const Port port : table[reached[i]].out) {
          const NodeId next = topology.neighbor(reached[i], port);
          REQUIRE(table[next].in == opposite(port));
          REQUIRE(topology.distance(source, next) == topology.distance(source, reached[i]) + 1);
          reached.push_back(next);
        }
      }
      REQUIRE(reached.size() == topology.nodes());
    }
  }
  REQUIRE_THROWS_AS(
      fan_out_table(mesh({4, 4}), plan_eye(mesh({4, 4}), {5, {}}).program.as<RelayProgram>()),
      std::invalid_argument);
}

TEST_CASE("doubling without eyes costs the same from everywhere: 84 on 8x8",
          "[broadcast][doubling]") {
  CHECK(bounds::doubling_tcd(std::vector{3, 3}) == 84);
  for (const Topology& topology :
       {mesh({8, 8}), torus({8, 8}), mesh({4, 16}), torus({2, 8}), mesh({5, 6}), torus({5, 6}),
        mesh({7, 3, 4}), torus({7, 3, 4})}) {
    const std::vector<std::uint64_t> map = tcd_map(topology, "doubling").tcd;
    for (NodeId source = 0; source < topology.nodes(); ++source) {
      const Plan plan = plan_doubling(topology, {source, {MessageTiming::kSelf, 4, 1, 1}});
      CAPTURE(topology.kind(), topology.dims_text(), source);
      const RelayVerdict verdict = verify_broadcast(plan);
      if (!verdict.ok()) FAIL(verdict.problems.front().text);
      REQUIRE(verdict.regions_disjoint);
      REQUIRE(verdict.tcd == map[source]);
      const testing::RelayOutcome outcome = testing::run_relay_fast(plan);
      REQUIRE(outcome.complete);
      REQUIRE(outcome.conflicts == 0);
      REQUIRE(outcome.cycles == plan.expected.analytic_cycles);
    }
  }
}

TEST_CASE("unicasts take N - 1 steps and the sum of the distances", "[broadcast][xy-unicast]") {
  for (const Topology& topology : {mesh({4, 5}), torus({4, 5}), mesh({3, 3, 3})}) {
    const std::vector<std::uint64_t> map = tcd_map(topology, "xy-unicast").tcd;
    for (NodeId source = 0; source < topology.nodes(); ++source) {
      for (const MessageTiming timing : {MessageTiming::kStep, MessageTiming::kSelf}) {
        const Plan plan = plan_xy_unicast(topology, {source, {timing, 3, 2, 1}});
        const RelayVerdict verdict = verify_broadcast(plan);
        REQUIRE(verdict.ok());
        REQUIRE(verdict.steps == topology.nodes() - 1);
        REQUIRE(verdict.tcd == map[source]);
        const testing::RelayOutcome outcome = testing::run_relay_fast(plan);
        REQUIRE(outcome.complete);
        REQUIRE(outcome.conflicts == 0);
        REQUIRE(outcome.cycles == plan.expected.analytic_cycles);
      }
    }
  }
}

TEST_CASE("the trace has one row a link, sorted, with the planned step in a self-timed run too",
          "[broadcast][trace]") {
  std::ostringstream trace;
  // From (1,1): x+ to (2,1); y+ to (.,2); then level 1.
  testing::run_relay_fast(plan_eye(mesh({4, 4}), {5, {}}), &trace);
  CHECK(trace.str() ==
        "step,hop,from,port,packet\n"
        "1,0,5,1,0\n"
        "2,0,5,3,0\n2,0,6,3,0\n"
        "3,0,5,0,0\n3,0,6,1,0\n3,0,9,0,0\n3,0,10,1,0\n"
        "4,0,4,2,0\n4,0,5,2,0\n4,0,6,2,0\n4,0,7,2,0\n4,0,8,3,0\n4,0,9,3,0\n4,0,10,3,0\n4,0,11,3,"
        "0\n");
  std::ostringstream by_steps;
  std::ostringstream self_timed;
  testing::run_relay_fast(plan_eye(mesh({8, 8}), {0, {MessageTiming::kStep, 4, 2, 3}}), &by_steps);
  testing::run_relay_fast(plan_eye(mesh({8, 8}), {0, {MessageTiming::kSelf, 4, 2, 3}}),
                          &self_timed);
  const std::string rows = by_steps.str();
  CHECK(rows == self_timed.str());
  CHECK(std::count(rows.begin(), rows.end(), '\n') == 1 + 79);
}

TEST_CASE("the fast engine refuses sends without a target and reports nodes without the message",
          "[broadcast][engine]") {
  RelayProgram program(0);
  program.add_send(0, RelayPath{{1, 4}});
  program.end_step();
  const Plan off{mesh({4}), "broadcast", "hand-made", {}, Demand::broadcast(0), program, {}};
  REQUIRE_THROWS_AS(make_fast_engine(off), InputError);
  RelayProgram short_program(0);
  short_program.add_send(0, RelayPath{{1, 1}});
  short_program.add_send(2, RelayPath{{1, 1}});
  short_program.end_step();
  for (const MessageTiming timing : {MessageTiming::kStep, MessageTiming::kSelf}) {
    short_program.clock.timing = timing;
    const Plan lost{mesh({4}),     "broadcast", "hand-made", {}, Demand::broadcast(0),
                    short_program, {}};
    const testing::RelayOutcome outcome = testing::run_relay_fast(lost);
    CHECK_FALSE(outcome.complete);
    CHECK(outcome.tcd == 1);
  }
}

TEST_CASE(
    "hardware sizes: nothing in an eye's routers, vectors at another source, lists for min-tcd",
    "[broadcast][hardware]") {
  RelayHardware hardware = relay_hardware(plan_eye(mesh({8, 8}), {18, {}}));
  CHECK(hardware.header_bits == 5);
  CHECK(hardware.table_bits == 0);
  hardware = relay_hardware(plan_eye(torus({8, 8}), {0, {}}));
  CHECK(hardware.header_bits == 7);
  CHECK(hardware.table_bits == 0);
  hardware = relay_hardware(plan_eye(mesh({8, 8}), {0, {}}));
  CHECK(hardware.most_table_bits == 6 * hardware.entry_bits);
  CHECK(hardware.table_bits == hardware.most_table_bits);
  hardware = relay_hardware(plan_min_tcd(mesh({8, 8}), {0, {}}));
  CHECK(hardware.table_bits == 63 * hardware.entry_bits);
  CHECK(hardware.most_table_bits == 6 * hardware.entry_bits);
  hardware = relay_hardware(plan_tree(mesh({4, 4, 4}), {0, {}}));
  CHECK(hardware.most_table_bits == 3 + 6);
  CHECK(hardware.header_bits == 0);
}

TEST_CASE("a node's list of sends is in step order", "[broadcast][hardware]") {
  const Plan plan = plan_min_tcd(mesh({7, 9}), {20, {}});
  const auto& program = plan.program.as<RelayProgram>();
  const SendsByNode lists = sends_by_node(plan.topology, program);
  REQUIRE(lists.entries.size() == plan.topology.nodes() - 1);
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
    const auto list = lists.of(node);
    REQUIRE(std::is_sorted(list.begin(), list.end(),
                           [](const auto& a, const auto& b) { return a.step < b.step; }));
    for (const SendsByNode::Entry& entry : list) {
      const auto sends = program.sends(entry.step);
      REQUIRE(std::any_of(sends.begin(), sends.end(), [&](const RelaySend& send) {
        return send.from == node && send.path == entry.path;
      }));
    }
  }
}

TEST_CASE("TCD maps of damaged networks and cylinders are those of their plans",
          "[broadcast][map][faults]") {
  const Topology square = mesh({4, 4});
  const Topology ring = torus({4, 4});
  const LinkId link = square.link(5, 0);
  const std::vector<Topology> networks{
      square.with_faults({{}, {}, {link, reverse_arc(square, link)}}),
      square.with_faults({{}, {}, {link}}), ring.with_faults({{}, {}, {ring.link(0, 1)}}),
      square.with_faults({{5}, {}, {}}), torus({3, 3}).with_faults({{}, {4}, {}}),
      // The line falls apart.
      mesh({4}).with_faults({{}, {0}, {mesh({4}).link(2, 1)}}),
      Topology::grid(std::array{4U, 4U}, 1), Topology::grid(std::array{3U, 5U}, 2)};
  std::size_t refused = 0;
  std::size_t drawn = 0;
  for (const Topology& topology : networks) {
    for (const std::string_view algorithm : tcd_map_algorithms()) {
      CAPTURE(algorithm, topology.kind(), topology.dims_text());
      std::vector<std::uint64_t> expected(topology.nodes(), 0);
      for (NodeId source = 0; source < topology.nodes(); ++source) {
        PlanRequest request{topology, "broadcast", std::string(algorithm), {}, {}};
        request.parameters["source"] = node_text(topology, source);
        try {
          expected[source] = verify_broadcast(make_plan(request)).tcd;
        } catch (const InfeasibleError&) {
        } catch (const InputError&) {
          REQUIRE_FALSE(topology.has_core(source));
        }
      }
      if (std::count(expected.begin(), expected.end(), 0U) == topology.nodes()) {
        REQUIRE_THROWS_AS(tcd_map(topology, algorithm), InfeasibleError);
        ++refused;
      } else {
        REQUIRE(tcd_map(topology, algorithm).tcd == expected);
        ++drawn;
      }
    }
  }
  CHECK(drawn == 19);
  CHECK(refused == 29);
  // Node 5 is an eye, and dead.
  CHECK(tcd_map_text(tcd_map(networks[3], "tree")) ==
        "14  14  14  14\n14   -  14* 14\n14  14* 14* 14\n14  14  14  14\n"
        "minimum 14, maximum 14, sum 210\n");
}

TEST_CASE("TCD maps: closed forms agree with plans, pictures show eyes and gaps",
          "[broadcast][map]") {
  for (const std::string_view algorithm :
       {"eye", "min-tcd", "figure2", "tree", "xy-unicast", "doubling"}) {
    const Topology topology = mesh({8, 8});
    const TcdMap map = tcd_map(topology, algorithm);
    for (const std::string_view source : {"0,0", "3,1", "2,5", "7,4"}) {
      PlanRequest request{topology, "broadcast", std::string(algorithm), {}, {}};
      request.parameters["source"] = std::string(source);
      const Plan plan = make_plan(request);
      const NodeId node = plan.program.as<RelayProgram>().source();
      CAPTURE(algorithm, source);
      REQUIRE(verify_broadcast(plan).tcd == map.tcd[node]);
    }
  }
  const TcdMap eye = tcd_map(mesh({4, 4}), "eye");
  CHECK(std::count(eye.eye.begin(), eye.eye.end(), true) == 4);
  CHECK(tcd_map_text(eye) ==
        "18  17  16  18\n16  15* 15* 17\n17  15* 15* 16\n18  16  17  18\n"
        "minimum 15, maximum 18, sum 264\n");
  CHECK_THAT(tcd_map_csv(eye), Catch::StartsWith("x,y,tcd,eye\n0,0,18,0\n1,0,17,0\n"));
  CHECK_THAT(tcd_map_csv(eye), Catch::Contains("1,1,15,1\n"));
  const TcdMap gaps = tcd_map(mesh({2, 4}), "eye");
  CHECK(tcd_map_text(gaps) == "-  -\n7* 7*\n7* 7*\n-  -\nminimum 7, maximum 7, sum 28\n");
  CHECK_THAT(tcd_map_csv(gaps), Catch::Contains("0,0,,0\n"));
  const std::string svg = tcd_map_svg(tcd_map(mesh({4, 4, 4}), "eye"));
  const auto occurrences = [&svg](std::string_view what) {
    std::size_t count = 0;
    for (std::size_t at = svg.find(what); at != std::string::npos; at = svg.find(what, at + 1)) {
      ++count;
    }
    return count;
  };
  CHECK(occurrences("<rect class=\"c\"") == 64);
  CHECK(occurrences("class=\"eye\"") == 8);
  CHECK(occurrences(">z=") == 4);
  CHECK(occurrences("url(#none)") == 0);
  CHECK(occurrences("prefers-color-scheme: dark") == 1);
  REQUIRE_THROWS_AS(tcd_map(mesh({4, 4}), "hamiltonian"), InputError);
  REQUIRE_THROWS_AS(tcd_map(mesh({5, 4}), "eye"), InfeasibleError);
}

TEST_CASE("broadcast is planned through the registry, eye by default, with checked options",
          "[broadcast][planner]") {
  const auto request = [](std::map<std::string, ParameterValue> parameters) {
    return PlanRequest{mesh({8, 8}), "broadcast", "", std::move(parameters), {}};
  };
  const Plan plan = make_plan(request({{"source", std::string("2,5")},
                                       {"flits", std::int64_t{4}},
                                       {"hop-cycles", std::int64_t{2}},
                                       {"relay-cycles", std::int64_t{1}},
                                       {"timing", std::string("self")}}));
  const auto& program = plan.program.as<RelayProgram>();
  CHECK(plan.algorithm == "eye");
  CHECK(program.source() == 42);
  CHECK(program.clock == MessageClock{MessageTiming::kSelf, 4, 2, 1});
  CHECK(std::get<std::string>(plan.parameters.at("source")) == "2,5");
  CHECK(make_plan(request({})).program.as<RelayProgram>().source() == 0);
  PlanRequest ring{mesh({8}), "broadcast", "", {{"source", std::int64_t{5}}}, {}};
  CHECK(make_plan(ring).program.as<RelayProgram>().source() == 5);
  for (const char* source : {"8,0", "1", "1,2,3", "a,b", "1,", "", "-1,0", "1 ,2"}) {
    CAPTURE(source);
    REQUIRE_THROWS_AS(make_plan(request({{"source", std::string(source)}})), InputError);
  }
  REQUIRE_THROWS_AS(make_plan(request({{"flits", std::int64_t{0}}})), InputError);
  REQUIRE_THROWS_AS(make_plan(request({{"timing", std::string("soon")}})), InputError);
  REQUIRE_THROWS_AS(make_plan(request({{"timing", std::int64_t{1}}})), InputError);
  PlanRequest tree = request({{"timing", std::string("step")}});
  tree.algorithm = "tree";
  REQUIRE_THROWS_AS(make_plan(tree), InputError);
}

}  // namespace
}  // namespace gossamer
