// SPDX-License-Identifier: Apache-2.0
/// Every single link and node of every small torus and mesh dead: the engines' modules, and
/// Verilated RTL, do what the fast engine and a witness do that the test has told what is broken.
#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "damage_witness.hpp"
#include "gossamer/machines/elastic/program.hpp"
#include "gossamer/machines/relay/broadcast_proof.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/topology/live_tree.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/verify.hpp"
#include "relay_plans.hpp"

namespace gossamer {
namespace {

using testing::DamagedGrid;
using Sides = std::vector<std::uint32_t>;

/// Networks of more nodes are tried on RTL by hand (docs/faults.md).
constexpr std::uint32_t kMostVerilated = 16;

/// Proof, and one trace on all of the engines; the steps (elastic: cycles) that they agree on.
std::uint64_t agreed(const Plan& plan, const std::vector<const char*>& engines) {
  const Verdict verdict = verify(plan);
  INFO(plan.collective << " " << plan.algorithm << " "
                       << (verdict.problems.empty() ? "" : verdict.problems.front()));
  REQUIRE(verdict.ok());
  std::string expected;
  std::uint64_t steps = 0;
  for (const char* engine : engines) {
    std::ostringstream trace;
    RunOptions options;
    options.trace = &trace;
    const Report report = run_plan(plan, *make_engine(engine, plan, {}), options);
    INFO(engine << " " << (report.problems.empty() ? "" : report.problems.front()));
    REQUIRE(report.problems.empty());
    REQUIRE(report.complete == true);
    if (plan.program.is<ElasticProgram>()) {
      REQUIRE(report.cycles == verdict.cycles);
      steps = *report.cycles;
    } else {
      REQUIRE(report.steps == verdict.steps);
      steps = *report.steps;
    }
    if (expected.empty()) expected = trace.str();
    REQUIRE(trace.str() == expected);
  }
  return steps;
}

/// An all-gather by fixed wiring; by default the one that the program would choose.
void check_gossip(const DamagedGrid& grid, const std::vector<const char*>& engines,
                  std::int64_t packets = 1) {
  const Plan plan = make_plan({grid.topology(), "gossip", "degraded", {{"packets", packets}}, {}});
  const std::uint64_t steps = agreed(plan, engines);
  const auto seen = testing::witness_streams(grid, plan.program.as<StreamProgram>(), 4 * steps);
  REQUIRE(seen.wrong.empty());
  REQUIRE(seen.steps == steps);
}

/// The same for a broadcast.
void check_broadcast(const DamagedGrid& grid, const std::vector<const char*>& engines) {
  NodeId source = 0;
  while (!grid.has_core(source)) ++source;
  const Topology topology = grid.topology();
  const Plan plan =
      make_plan({topology, "broadcast", "", {{"source", node_text(topology, source)}}, {}});
  REQUIRE(verify_broadcast(plan).ok());
  const test::RelayRun expected = test::run_relay(plan, *make_engine("fast", plan, {}));
  REQUIRE(expected.complete);
  for (const char* engine : engines) {
    INFO(engine);
    REQUIRE(test::run_relay(plan, *make_engine(engine, plan, {})) == expected);
  }
}

/// And for sums and exchanges by timetable.
void check_timetables(const DamagedGrid& grid, const std::vector<const char*>& engines,
                      std::int64_t packets = 1) {
  struct Row {
    const char* collective;
    testing::RowsFor rows;
  };
  for (const Row& row : {Row{"reduce-scatter", testing::RowsFor::kReduceScatter},
                         Row{"all-reduce", testing::RowsFor::kAllReduce},
                         Row{"all-to-all", testing::RowsFor::kAllToAll}}) {
    PlanRequest request{grid.topology(), row.collective, "scheduled", {}, {}};
    if (row.rows != testing::RowsFor::kAllToAll) request.parameters["packets"] = packets;
    const Plan plan = make_plan(request);
    const std::uint64_t steps = agreed(plan, engines);
    const auto seen = testing::witness_rows(grid, plan.program.as<TimetableProgram>(), row.rows);
    REQUIRE(seen.wrong.empty());
    REQUIRE(seen.steps == steps);
  }
}

/// What needs a cycle through all live nodes, where there is one; how many plans there were.
std::size_t check_on_cycles(const DamagedGrid& grid, const std::vector<const char*>& engines,
                            std::int64_t packets) {
  std::size_t plans = 0;
  const auto attempt = [&](const char* collective, const char* algorithm, bool elastic) {
    PlanRequest request{grid.topology(), collective, algorithm, {}, {}};
    if (elastic) {
      request.parameters["elastic"] = true;
      request.parameters["flits"] = std::int64_t{2};
    } else {
      request.parameters["packets"] = packets;
    }
    try {
      agreed(make_plan(request), engines);
      ++plans;
    } catch (const InfeasibleError&) {
      // No such cycle, or a dead core or node that it must not pass by.
    }
  };
  attempt("reduce-scatter", "degraded", false);
  attempt("all-reduce", "degraded", false);
  attempt("gossip", "whole-cycles", true);
  return plans;
}

/// Sums along trees of live links, where there is no dead core: nothing crosses a dead arc.
void check_trees(const DamagedGrid& grid, const std::vector<const char*>& engines) {
  const Topology topology = grid.topology();
  if (!topology.faults().dead_cores.empty()) return;
  const std::string root = node_text(topology, first_live(topology));
  for (PlanRequest request : {PlanRequest{topology, "all-reduce", "tree", {}, {}},
                              PlanRequest{topology, "all-reduce", "packing", {}, {}},
                              PlanRequest{topology, "reduce", "tree", {{"source", root}}, {}}}) {
    request.parameters["words"] = std::int64_t{9};
    try {
      const Plan plan = make_plan(request);
      REQUIRE(agreed(plan, engines) >= plan.expected.lower_bound_steps);
      const auto& program = plan.program.as<TimetableProgram>();
      for (NodeId node = 0; node < grid.nodes(); ++node) {
        for (const SendRow& row : program.roms()[program.rom_of(node)].sends) {
          REQUIRE(grid.is_open(node, row.port));
        }
      }
    } catch (const InfeasibleError&) {
      // Totals need two-way links.
      REQUIRE(request.collective == "all-reduce");
    }
  }
}

/// Random damage of up to a third of the links, and what of every collective there is for it.
std::size_t try_random(std::uint64_t seed, std::size_t networks,
                       const std::vector<const char*>& engines) {
  SplitMix64 random(seed);
  std::size_t on_cycles = 0;
  for (std::size_t tried = 0; tried < networks;) {
    const DamagedGrid grid = testing::randomly_damaged(random);
    if (!grid.is_connected()) continue;
    const Topology topology = grid.topology();
    if (topology.is_healthy()) continue;
    ++tried;
    std::string faults;
    for (const std::string& line : fault_lines(topology)) faults += ", " + line;
    INFO(topology.kind() << " " << topology.dims_text() << faults);
    const auto packets = static_cast<std::int64_t>(1 + random.below(3));
    check_gossip(grid, engines, packets);
    agreed(make_plan({topology, "gossip", "scheduled", {{"packets", packets}}, {}}), engines);
    check_broadcast(grid, engines);
    check_timetables(grid, engines, packets);
    check_trees(grid, engines);
    on_cycles += check_on_cycles(grid, engines, packets);
  }
  return on_cycles;
}

/// A single fault, on the RTL or without.
void try_fault(const DamagedGrid& grid, bool rtl) {
  std::vector<const char*> engines = {"fast", "systemc"};
  if (rtl) engines.push_back("rtl");
  const Topology topology = grid.topology();
  INFO(topology.kind() << " " << topology.dims_text() << " " << fault_lines(topology).front());
  check_gossip(grid, engines);
  check_broadcast(grid, engines);
  if (grid.nodes() <= kMostVerilated) check_timetables(grid, engines);
}

/// Tries every single fault of the networks of `least` to `most` nodes; how many there were.
std::size_t try_networks(bool torus, std::uint32_t least, std::uint32_t most, bool rtl) {
  std::size_t cases = 0;
  for (const auto& sides : testing::small_networks()) {
    const DamagedGrid healthy = testing::grid_of(sides, torus);
    if (healthy.nodes() < least || healthy.nodes() > most) continue;
    for (const DamagedGrid& grid : testing::single_faults(healthy)) {
      if (!grid.is_connected()) continue;
      try_fault(grid, rtl);
      ++cases;
    }
  }
  return cases;
}

TEST_CASE("every single link and node of tori of up to 16 nodes, on all engines", "[faults][rtl]") {
  CHECK(try_networks(true, 0, kMostVerilated, true) > 400);
}

TEST_CASE("every single link and node of meshes of up to 16 nodes, on all engines",
          "[faults][rtl]") {
  CHECK(try_networks(false, 0, kMostVerilated, true) > 300);
}

TEST_CASE("every single link and node of larger tori up to 8x8 and 4x4x4, fast and systemc",
          "[faults]") {
  CHECK(try_networks(true, kMostVerilated + 1, 64, false) > 2000);
}

TEST_CASE("every single link and node of larger meshes up to 8x8 and 4x4x4, fast and systemc",
          "[faults]") {
  CHECK(try_networks(false, kMostVerilated + 1, 64, false) > 1500);
}

TEST_CASE("a selection of single dead links and nodes of 8x8 and 4x4x4 on Verilated RTL",
          "[faults][rtl]") {
  SplitMix64 random(64);
  for (const Sides& sides : {Sides{8, 8}, Sides{4, 4, 4}}) {
    for (const bool torus : {true, false}) {
      std::vector<DamagedGrid> faults = testing::single_faults(testing::grid_of(sides, torus));
      // One of the links, one of the nodes.
      for (const bool node : {false, true}) {
        std::size_t at = 0;
        do at = random.below(faults.size());
        while (faults[at].dead_nodes.empty() == node);
        try_fault(faults[at], true);
      }
    }
  }
}

TEST_CASE("random damage: every collective that supports faults, on fast and systemc", "[faults]") {
  CHECK(try_random(15, 25, {"fast", "systemc"}) > 5);
}

TEST_CASE("random damage, hundreds of networks, on all engines", "[.][by-hand]") {
  CHECK(try_random(1515, 400, {"fast", "systemc", "rtl"}) > 80);
}

TEST_CASE("every single link and node of all small networks on Verilated RTL", "[.][by-hand]") {
  const bool torus = GENERATE(true, false);
  CHECK(try_networks(torus, kMostVerilated + 1, 64, true) > 1500);
}

}  // namespace
}  // namespace gossamer
