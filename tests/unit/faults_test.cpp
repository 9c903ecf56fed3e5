// SPDX-License-Identifier: Apache-2.0
/// Shapes and faults: every plan is proved from its tables and run by the fast engine under the
/// judge, which knows dead links from the topology alone.
#include <array>
#include <catch2/catch.hpp>
#include <memory>
#include <sstream>

#include "gossamer/bounds/faults.hpp"
#include "gossamer/bounds/gossip.hpp"
#include "gossamer/collectives/all_gather/degraded.hpp"
#include "gossamer/collectives/all_gather/diagnosis.hpp"
#include "gossamer/collectives/all_gather/hamiltonian.hpp"
#include "gossamer/collectives/all_gather/stream_lines.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/broken_machine.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/topology/mesh_graph.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {
namespace {

using Sides = std::vector<std::uint32_t>;

/// "link:3,4:x+ node:2,2": the network with these faults.
Topology with(Topology topology, const std::string& faults) {
  Faults dead;
  std::istringstream words(faults);
  for (std::string word; words >> word;) {
    if (word.find('=') != std::string::npos || word.find('-', 1) == word.rfind('-')) {
      if (word.starts_with("box:")) {
        add_harvest(topology, word.substr(4), dead);
        continue;
      }
    }
    add_fault(topology, word, dead);
  }
  return topology.with_faults(dead);
}

Plan planned(const Topology& topology, const std::string& algorithm, std::uint32_t packets) {
  return make_plan({topology, "gossip", algorithm, {{"packets", std::int64_t{packets}}}, {}});
}

/// The plan is read back from its document, proved and run; the steps.
std::uint64_t checked_steps(const Plan& made) {
  std::stringstream document;
  write_plan(made, document, PlanEncoding::kJson);
  const Plan plan = read_plan(document, "plan");
  REQUIRE(plan == made);
  const Verdict verdict = verify(plan);
  INFO(plan.topology.dims_text() << " " << plan.algorithm << " "
                                 << (verdict.problems.empty() ? "" : verdict.problems.front()));
  REQUIRE(verdict.ok());
  REQUIRE(verdict.complete);
  const auto engine = make_fast_engine(plan);
  RunOptions options;
  options.judged = true;
  const Report report = run_plan(plan, *engine, options);
  INFO((report.problems.empty() ? "" : report.problems.front()));
  REQUIRE(report.problems.empty());
  REQUIRE(report.steps == verdict.steps);
  REQUIRE(report.link_transfers == verdict.link_transfers);
  REQUIRE(report.duplicates == verdict.duplicates);
  REQUIRE(report.max_queue == verdict.max_queue);
  return *verdict.steps;
}

TEST_CASE("uneven dealing on healthy tori: ceil((k (P-1) + k mod d) / 2d) steps", "[faults]") {
  const Sides sides = GENERATE(Sides{7}, Sides{3, 3}, Sides{4, 4}, Sides{7, 7}, Sides{8, 8},
                               Sides{3, 4, 5}, Sides{4, 4, 4}, Sides{3, 3, 3, 3});
  const Topology torus = Topology::torus(sides);
  const auto d = static_cast<std::uint64_t>(torus.dimensions());
  for (std::uint32_t k = 1; k <= 4 * d && k <= 8; ++k) {
    const std::uint64_t others = torus.nodes() - std::uint64_t{1};
    const std::uint64_t steps =
        k < d ? bounds::ceil_div(others, 2) : bounds::ceil_div(k * others + k % d, 2 * d);
    CHECK(checked_steps(planned(torus, "hamiltonian", k)) == steps);
  }
}

TEST_CASE("one dead link or arc costs what the table says", "[faults][slow]") {
  struct Row {
    Sides sides;
    std::array<std::uint64_t, 8> link;
    std::array<std::uint64_t, 8> arc;
  };
  const Row row = GENERATE(
      Row{{7}, {6, 12, 18, 24, 30, 36, 42, 48}, {6, 12, 18, 24, 30, 36, 42, 48}},
      Row{{3, 3}, {4, 6, 8, 11, 14, 16, 19, 22}, {4, 6, 8, 11, 14, 16, 19, 22}},
      Row{{4, 4}, {8, 12, 15, 20, 25, 30, 35, 40}, {8, 10, 15, 20, 25, 30, 35, 40}},
      Row{{7, 7}, {24, 36, 48, 64, 80, 96, 112, 128}, {24, 32, 48, 64, 80, 96, 112, 128}},
      Row{{8, 8}, {32, 48, 63, 84, 105, 126, 147, 168}, {32, 42, 63, 84, 105, 126, 147, 168}},
      Row{{3, 4, 5}, {30, 30, 40, 50, 59, 71, 83, 95}, {30, 30, 36, 48, 59, 71, 83, 95}},
      Row{{4, 4, 4}, {32, 32, 42, 53, 63, 76, 89, 101}, {32, 32, 38, 51, 63, 76, 89, 101}});
  const Topology torus = Topology::torus(row.sides);
  SplitMix64 random(1);
  for (int i = 0; i < 6; ++i) {
    const auto arc = static_cast<LinkId>(random.below(torus.link_slots()));
    Faults one;
    one.dead_arcs = {arc};
    Faults both = one;
    both.dead_arcs.push_back(reverse_arc(torus, arc));
    for (std::uint32_t k = 1; k <= 8; ++k) {
      INFO(torus.dims_text() << " k " << k << " " << arc_text(torus, arc));
      CHECK(checked_steps(planned(torus.with_faults(both), "degraded", k)) <= row.link[k - 1]);
      CHECK(checked_steps(planned(torus.with_faults(one), "degraded", k)) <= row.arc[k - 1]);
    }
  }
}

TEST_CASE("other faults take no more steps than the table says", "[faults][slow]") {
  struct Row {
    bool torus;
    Sides sides;
    std::string faults;
    std::array<std::uint64_t, 3> most;
    std::array<std::uint64_t, 3> bound;
  };
  const Row row = GENERATE(
      Row{true, {8, 8}, "node:3,3", {32, 62, 63}, {21, 42, 62}},
      Row{true, {8, 7}, "node:3,3", {27, 54, 54}, {18, 36, 54}},
      Row{true, {4, 4}, "node:0,0", {8, 14, 15}, {5, 10, 14}},
      Row{true, {4, 5}, "node:0,0", {9, 18, 27}, {6, 12, 18}},
      Row{true, {8, 8}, "link:0,0:x+ link:4,4:y-", {32, 63, 63}, {21, 42, 63}},
      Row{true, {8, 8}, "box:3,3-4,4", {30, 59, 59}, {20, 40, 59}},
      Row{true, {8, 8}, "box:x=3", {28, 55, 83}, {19, 37, 55}},
      Row{true,
          {8, 8},
          "link:2,5:x- link:1,7:y+ link:0,7:x- link:0,0:x+ link:5,7:y+ link:2,1:y+ link:1,7:x+ "
          "link:2,1:x+",
          {33, 65, 98},
          {32, 63, 95}},
      Row{false, {8, 8}, "box:3,3-4,4", {30, 59, 89}, {30, 59, 89}},
      Row{false, {8, 8}, "node:0,0", {32, 63, 95}, {31, 62, 93}},
      Row{false, {5, 5}, "node:2,2", {12, 23, 35}, {12, 23, 35}},
      Row{false, {7, 3}, "node:3,0 node:3,2", {18, 36, 54}, {10, 20, 30}});
  const Topology topology =
      with(row.torus ? Topology::torus(row.sides) : Topology::mesh(row.sides), row.faults);
  for (std::uint32_t k = 1; k <= 3; ++k) {
    INFO(topology.dims_text() << " " << row.faults << " k " << k);
    CHECK(checked_steps(planned(topology, "degraded", k)) <= row.most[k - 1]);
    // A bridge's sides may say more than the table, which has degrees and distances only.
    CHECK(bounds::gossip_lower_bound(topology, k) >= row.bound[k - 1]);
  }
}

TEST_CASE("five walks in three dimensions", "[faults]") {
  CHECK(checked_steps(planned(with(Topology::torus(Sides{3, 3, 3}), "node:0,0,0"), "", 5)) <= 25);
  CHECK(checked_steps(planned(with(Topology::torus(Sides{3, 3, 4}), "node:0,0,0"), "", 5)) <= 34);
  CHECK(checked_steps(planned(with(Topology::torus(Sides{4, 4, 4}), "node:0,0,0"), "", 5)) <= 63);
}

TEST_CASE("all sides odd: a trail of P + 1 visits", "[faults]") {
  const Topology mesh = Topology::mesh(Sides{5, 5});
  CHECK(checked_steps(planned(mesh, "trail", 1)) == 13);
  CHECK(checked_steps(planned(mesh, "trail", 2)) == 25);
  CHECK(checked_steps(planned(mesh, "trail", 3)) == 38);
}

TEST_CASE("a tree takes k (P' - 1) steps, two trees at most 2 (k P' + h - 1)", "[faults]") {
  const Topology torus = with(Topology::torus(Sides{8, 8}), "node:3,3");
  CHECK(checked_steps(planned(torus, "tree", 1)) == 62);
  CHECK(checked_steps(planned(torus, "tree", 2)) == 124);
  CHECK(checked_steps(planned(torus, "tree", 3)) == 186);
  const Topology one_way =
      with(Topology::torus(Sides{5}), "arc:0:x- arc:1:x- arc:2:x- arc:3:x- arc:4:x-");
  for (std::uint32_t k = 1; k <= 3; ++k) {
    CHECK(checked_steps(planned(one_way, "in-out", k)) <= 2 * (5 * k + 3));
    CHECK(checked_steps(planned(one_way, "degraded", k)) <= 2 * (5 * k + 3));
  }
}

TEST_CASE("timetables reach the lower bound on cylinders and around faults", "[faults]") {
  struct Row {
    Topology topology;
    std::uint64_t steps;
  };
  const Topology torus = Topology::torus(Sides{8, 8});
  const Row row = GENERATE_COPY(
      Row{with(torus, "link:3,4:x+"), 21}, Row{with(torus, "node:3,3"), 21},
      Row{with(torus, "box:x=3"), 19}, Row{with(Topology::mesh(Sides{8, 8}), "node:3,3"), 31},
      Row{with(Topology::torus(Sides{3, 4, 5}), "node:0,0,0"), 12},
      Row{Topology::grid(Sides{8, 4}, 1), 11}, Row{Topology::grid(Sides{5, 7}, 2), 12},
      Row{Topology::grid(Sides{4, 4, 2}, 3), 7});
  CHECK(checked_steps(planned(row.topology, "scheduled", 1)) <= row.steps);
  CHECK(bounds::gossip_lower_bound(row.topology, 1) <= row.steps);
}

TEST_CASE("a cylinder's default meets ceil(k (P-1) / 3)", "[faults]") {
  for (const Sides& sides : {Sides{8, 4}, Sides{5, 6}, Sides{3, 3}, Sides{4, 2}}) {
    for (std::uint32_t k = 1; k <= 3; ++k) {
      const Topology cylinder = Topology::grid(sides, 1);
      INFO(cylinder.dims_text() << " k " << k);
      const Plan plan = planned(cylinder, "", k);
      CHECK(checked_steps(plan) ==
            std::max(bounds::ceil_div(k * (cylinder.nodes() - std::uint64_t{1}), 3),
                     cylinder.diameter()));
      const Plan no_rom = make_plan(
          {cylinder, "gossip", "", {{"packets", std::int64_t{k}}, {"time-independent", true}}, {}});
      CHECK(no_rom.program.is<StreamProgram>());
      checked_steps(no_rom);
    }
  }
  // Two links side by side bring two nodes no more than what enters the pair: 2 links at the end of
  // a ladder, so k (P - 2) / 2, and the trail is one above that.
  CHECK(checked_steps(planned(Topology::grid(Sides{2, 6}, 1), "", 2)) == 11);
  CHECK(checked_steps(planned(Topology::grid(Sides{2, 6}, 1), "", 3)) <= 17);
}

TEST_CASE("random damage that leaves the network connected always has a proved plan", "[faults]") {
  SplitMix64 random(7);
  int planned_networks = 0;
  for (int i = 0; i < 80; ++i) {
    const Sides sides = random.below(3) == 0
                            ? Sides{3, 3, 3}
                            : Sides{static_cast<std::uint32_t>(2 + random.below(5)),
                                    static_cast<std::uint32_t>(2 + random.below(5))};
    const auto wrap = static_cast<std::uint32_t>(random.below(std::uint64_t{1} << sides.size()));
    const Topology shape = Topology::grid(sides, wrap);
    Faults faults;
    for (NodeId node = 0; node < shape.nodes(); ++node) {
      for (int p = 0; p < shape.ports(); ++p) {
        const auto port = static_cast<Port>(p);
        if (shape.beyond(node, port) == kNoNode || random.below(6) != 0) continue;
        const LinkId arc = shape.link(node, port);
        faults.dead_arcs.push_back(arc);
        if (random.below(2) == 0) faults.dead_arcs.push_back(reverse_arc(shape, arc));
      }
      if (random.below(12) == 0 && faults.dead_nodes.size() + 3 < shape.nodes()) {
        (random.below(3) == 0 ? faults.dead_cores : faults.dead_nodes).push_back(node);
      }
    }
    const Topology topology = shape.with_faults(faults);
    if (live_parts(topology).size() != 1) {
      CHECK_THROWS_AS(planned(topology, "", 1), InfeasibleError);
      continue;
    }
    ++planned_networks;
    for (const std::uint32_t k : {1U, 2U}) {
      for (const char* algorithm : {"", "scheduled", "auto"}) {
        // Where nothing happened to be hit.
        if (topology.is_healthy()) continue;
        INFO(topology.dims_text() << " wrap " << wrap << " " << algorithm);
        checked_steps(planned(topology, algorithm, k));
      }
    }
  }
  CHECK(planned_networks > 20);
}

TEST_CASE("ten thousand nodes with a dead node are planned and proved", "[faults][slow]") {
  const Topology torus = Topology::torus(Sides{100, 100});
  const Topology node = with(torus, "node:37,41");
  const Plan plan = planned(node, "trail", 1);
  CHECK(std::get<std::int64_t>(plan.parameters.at("length")) == node.live_nodes() + 1);
  CHECK(verify(plan).ok());
}

TEST_CASE("complete cycles pass nodes with dead cores", "[faults]") {
  const Topology topology = with(Topology::mesh(Sides{2, 2}), "core:1,0");
  CHECK(checked_steps(make_plan({topology, "gossip", "whole-cycles", {}, {}})) == 2);
}

TEST_CASE("a dead core has no packets to send", "[faults]") {
  for (const char* algorithm : {"trail", "scheduled"}) {
    INFO(algorithm);
    Plan plan = make_plan({Topology::mesh(Sides{2, 2}), "gossip", algorithm, {}, {}});
    plan.topology = with(plan.topology, "core:1,0");
    const Verdict verdict = verify(plan);
    const Report run = run_plan(plan, *make_fast_engine(plan));
    // A stream's queue is preloaded; a timetable finds no word at the core's port, and sends none.
    const bool sends = algorithm == std::string("trail");
    CHECK(verdict.complete == !sends);
    CHECK(run.complete == !sends);
    CHECK_FALSE(verdict.ok());
    REQUIRE_FALSE(verdict.problems.empty());
    CHECK_THAT(verdict.problems.front(), Catch::Contains("core is dead"));
    CHECK(verdict.link_transfers == run.link_transfers);
    CHECK(verdict.duplicates == run.duplicates);
  }
}

TEST_CASE("sides of 1 are shapes like others", "[faults]") {
  for (const Topology& topology :
       {Topology::torus(Sides{8, 1}), Topology::torus(Sides{1, 4, 4}), Topology::mesh(Sides{5, 1}),
        Topology::grid(Sides{1, 4, 3}, 3), Topology::mesh(Sides{1, 2})}) {
    INFO(topology.dims_text());
    checked_steps(make_plan({topology, "gossip", "", {}, {}}));
    for (const char* collective : {"all-reduce", "barrier", "broadcast"}) {
      INFO(collective);
      const Plan plan = make_plan(
          {topology, collective, collective == std::string("broadcast") ? "min-tcd" : "", {}, {}});
      CHECK(verify(plan).ok());
      CHECK(plan.topology == topology);
    }
  }
  CHECK(Topology::torus(Sides{8, 1}).links() == 16);
  CHECK_THROWS_AS(Topology::torus(Sides{1, 1}), InputError);
}

TEST_CASE("every collective supports or refuses a cylinder", "[faults]") {
  const Topology cylinder = Topology::grid(Sides{8, 4}, 1);
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.plan == nullptr) continue;
    INFO(algorithm.collective << " " << algorithm.name);
    PlanRequest request{
        cylinder, std::string(algorithm.collective), std::string(algorithm.name), {}, {}};
    if (!serves(algorithm.shapes, cylinder)) {
      CHECK_THROWS_AS(make_plan(request), InfeasibleError);
      continue;
    }
    try {
      const Plan plan = make_plan(request);
      CHECK(verify(plan).ok());
    } catch (const InfeasibleError& error) {
      CHECK_THAT(error.what(), Catch::Contains("nearest feasible"));
    }
  }
}

TEST_CASE("mesh graph descriptors", "[faults]") {
  const Topology found = mesh_graph_topology(
      "# two boards\n"
      "mesh_descriptors {\n  name: \"M0\"\n  arch: WORMHOLE_B0\n"
      "  device_topology { dims: [ 8, 4 ] dim_types: [ RING, LINE ] }\n"
      "  host_topology { dims: [ 1, 1 ] }\n  channels { count: 2 policy: STRICT }\n}\n"
      "top_level_instance { mesh { mesh_descriptor: \"M0\" mesh_id: 0 } }\n",
      "file");
  CHECK(found == Topology::grid(Sides{8, 4}, 1));
  CHECK(mesh_graph_topology("device_topology: < dims: 4 dims: 3 >", "file") ==
        Topology::mesh(Sides{4, 3}));
  CHECK_THROWS_WITH(mesh_graph_topology("mesh_descriptors {\n}", "file"),
                    Catch::Contains("file: line 2: there is no device_topology"));
  CHECK_THROWS_WITH(
      mesh_graph_topology("device_topology { dims: [4, 4] dim_types: [TORUS] }", "file"),
      Catch::Contains("neither RING nor LINE"));
  for (const char* text : {"device_topology { dims: [4, 4", "device_topology { dims: [0] }", "}",
                           "device_topology { dims: [4x4] }", "a", "a: \"b"}) {
    INFO(text);
    CHECK_THROWS_AS(mesh_graph_topology(text, "file"), InputError);
  }
}

std::unique_ptr<Engine> on_fast(const Plan& plan) { return make_fast_engine(plan); }

/// Every node's packets after the self-test on a machine that broke.
std::unique_ptr<Received> self_test(const Plan& plan, const Faults& breaks, bool garbage = false) {
  auto made = std::make_unique<Received>(plan);
  Received& received = *made;
  const auto machine =
      make_broken_machine(plan, std::array{Break{.what = breaks, .garbage = garbage}}, on_fast);
  for (std::uint64_t step = 0; step < *plan.expected.analytic_steps; ++step) {
    received.on_links(machine->links());
    machine->clock(1);
  }
  for (const NodeId node : breaks.dead_nodes) received.silence(node);
  return made;
}

std::uint64_t missing_pairs(const Plan& plan, const Faults& breaks, bool garbage) {
  const auto made = self_test(plan, breaks, garbage);
  const Received& received = *made;
  const std::uint64_t packets = plan.topology.nodes() * plan.demand.pieces;
  std::uint64_t missing = 0;
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
    for (PacketId packet = 0; packet < packets; ++packet) {
      missing += received.has(node, packet) ? 0U : 1U;
    }
  }
  return missing;
}

TEST_CASE("a dead arc costs h (h + 1) / 2 pairs of node and packet, a dead link twice that",
          "[faults]") {
  struct Row {
    Sides sides;
    std::uint64_t arc;
  };
  const Row row = GENERATE(Row{{8, 8}, 496}, Row{{7, 7}, 300}, Row{{3, 3}, 10});
  const bool garbage = GENERATE(false, true);
  const Plan plan = plan_hamiltonian(Topology::torus(row.sides), {});
  for (const LinkId arc : {LinkId{0}, LinkId{5}, LinkId{30}}) {
    Faults breaks;
    breaks.dead_arcs = {arc};
    CHECK(missing_pairs(plan, breaks, garbage) == row.arc);
    breaks.dead_arcs.push_back(reverse_arc(plan.topology, arc));
    CHECK(missing_pairs(plan, breaks, garbage) == 2 * row.arc);
  }
  CHECK(missing_pairs(plan, {}, garbage) == 0);
}

TEST_CASE("a diagnosis names exactly the broken parts", "[faults][slow]") {
  SplitMix64 random(11);
  for (int i = 0; i < 1000; ++i) {
    const Sides sides = i % 5 == 0 ? Sides{3, 3, 4}
                                   : Sides{static_cast<std::uint32_t>(3 + random.below(6)),
                                           static_cast<std::uint32_t>(3 + random.below(6))};
    const Plan plan = plan_hamiltonian(Topology::torus(sides), {});
    const Topology& torus = plan.topology;
    Faults breaks;
    for (std::uint64_t faults = random.below(8); faults > 0; --faults) {
      const auto arc = static_cast<LinkId>(random.below(torus.link_slots()));
      breaks.dead_arcs.push_back(arc);
      if (random.below(2) == 0) breaks.dead_arcs.push_back(reverse_arc(torus, arc));
    }
    if (random.below(4) == 0) {
      breaks.dead_nodes.push_back(static_cast<NodeId>(random.below(torus.nodes())));
    }
    const Diagnosis diagnosis = diagnose(plan, *self_test(plan, breaks, i % 2 == 0));
    INFO(torus.dims_text() << " case " << i);
    CHECK(diagnosis.explained);
    CHECK(diagnosis.found == torus.with_faults(breaks));
  }
}

TEST_CASE("unexplainable observations are reported, and foreign packets are refused", "[faults]") {
  const Plan plan = plan_hamiltonian(Topology::torus(Sides{5, 5}), {});
  const auto made = self_test(plan, {});
  const Received& received = *made;
  Received odd(plan, false);
  for (NodeId node = 0; node < 25; ++node) {
    for (PacketId packet = 0; packet < 50; ++packet) {
      // One packet from far away is lost, and nothing that came the same way.
      if (received.has(node, packet) && (node != 12 || packet != 0)) odd.add(node, packet);
    }
  }
  CHECK_FALSE(diagnose(plan, odd).explained);
  for (const char* text : {"node;packet\n", "node,packet\n25,0\n", "node,packet\n0,50\n",
                           "node,packet\n0\n", "node,packet\n0,x\n", ""}) {
    std::istringstream in(text);
    Received foreign(plan, false);
    CHECK_THROWS_AS(foreign.read(in, "r.csv"), InputError);
  }
  CHECK_THROWS_AS(diagnose(planned(plan.topology, "hamiltonian", 3), received), InputError);
}

TEST_CASE("invalid faults are rejected", "[faults]") {
  const Topology mesh = Topology::mesh(Sides{4, 4});
  for (const char* fault : {"link:3,0:x+", "arc:0,0:y-", "node:4,0", "core:1", "link:1,1:z+",
                            "link:1,1", "lost:1,1", ""}) {
    Faults faults;
    INFO(fault);
    CHECK_THROWS_AS(add_fault(mesh, fault, faults), InputError);
  }
  Faults both;
  both.dead_nodes = {3};
  both.dead_cores = {3};
  CHECK_THROWS_WITH(mesh.with_faults(both), Catch::Contains("say one of them"));
  Faults all;
  for (NodeId node = 0; node < 15; ++node) all.dead_nodes.push_back(node);
  CHECK_THROWS_AS(mesh.with_faults(all), InputError);
  // What touches a dead node is dead with it; naming a fault twice is allowed.
  const Topology topology = with(mesh, "node:1,1 link:1,1:x+ link:1,1:x+ link:3,2:y+ arc:3,3:y-");
  CHECK(fault_lines(topology) == std::vector<std::string>{"link 3,2:y+", "node 1,1"});
  CHECK(topology.links() == 48 - 8 - 2);
  CHECK_THROWS_WITH(
      planned(with(mesh, "link:0,0:x+ link:0,0:y+"), "", 1),
      Catch::Contains("2 parts, of 15, 1 nodes") && Catch::Contains("--dead-node 0,0"));
}

}  // namespace
}  // namespace gossamer
