// SPDX-License-Identifier: Apache-2.0
/// Every single link and node of small networks, and random damage: plans are proved, run, and
/// followed by a witness that gets the faults from the test.
#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "damage_witness.hpp"
#include "gossamer/bounds/broadcast.hpp"
#include "gossamer/bounds/cuts.hpp"
#include "gossamer/bounds/gossip.hpp"
#include "gossamer/machines/relay/broadcast_proof.hpp"
#include "gossamer/machines/relay/program.hpp"
#include "gossamer/machines/ring/program.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"
#include "gossamer/verify/verify.hpp"
#include "relay.hpp"
#include "timetable.hpp"

namespace gossamer {
namespace {

using testing::DamagedGrid;
using testing::grid_of;
using testing::randomly_damaged;
using testing::Sighting;
using testing::small_networks;
using Sides = std::vector<std::uint32_t>;

std::string describe(const DamagedGrid& grid) {
  const Topology topology = grid.topology();
  std::string text = topology.dims_text() + " " + std::string(topology.kind());
  for (const std::string& line : fault_lines(topology)) text += ", " + line;
  return text;
}

/// Proof, fast engine and witness agree on the plan's steps, which it returns.
std::uint64_t agreed_steps(const DamagedGrid& grid, const std::string& algorithm,
                           std::uint32_t packets) {
  const Plan plan = make_plan({grid.topology(),
                               "gossip",
                               algorithm,
                               {{"packets", std::int64_t{packets}}, {"seed", std::int64_t{1}}},
                               {}});
  const Verdict verdict = verify(plan);
  INFO(describe(grid) << " " << (verdict.problems.empty() ? "" : verdict.problems.front()));
  REQUIRE(verdict.ok());
  REQUIRE(verdict.complete);
  const Report report = run_plan(plan, *make_fast_engine(plan));
  REQUIRE(report.problems.empty());
  REQUIRE(report.complete == true);
  const Sighting seen =
      testing::witness_streams(grid, plan.program.as<StreamProgram>(), 4 * *verdict.steps);
  CHECK(seen.wrong.empty());
  CHECK(seen.steps == *verdict.steps);
  CHECK(*report.steps == *verdict.steps);
  CHECK(*plan.expected.lower_bound_steps <= *verdict.steps);
  return *verdict.steps;
}

/// ceil(log2 P') steps by proof, fast engine and witness.
void check_broadcast(const DamagedGrid& grid, NodeId source) {
  const Topology topology = grid.topology();
  const Plan plan =
      make_plan({topology, "broadcast", "pairing", {{"source", node_text(topology, source)}}, {}});
  INFO(describe(grid) << " from " << source);
  const auto& program = plan.program.as<RelayProgram>();
  const Sighting seen = testing::witness_relays(grid, program);
  CHECK(seen.wrong.empty());
  CHECK(seen.steps == static_cast<std::uint64_t>(bounds::ceil_log2(topology.cores())));
  const RelayVerdict verdict = verify_broadcast(plan);
  CHECK(verdict.ok());
  CHECK(verdict.steps == seen.steps);
  const testing::RelayOutcome outcome = testing::run_relay_fast(plan);
  CHECK(outcome.complete);
  CHECK(outcome.conflicts == 0);
  CHECK(outcome.cycles == plan.expected.analytic_cycles);
}

/// Calls visit for the network with each of its links dead, and with each of its nodes dead; the
/// flag is true for a node. Disconnected networks must be refused.
template <typename Visit>
void for_each_single_fault(const DamagedGrid& healthy, Visit visit) {
  for (const DamagedGrid& grid : testing::single_faults(healthy)) {
    if (grid.is_connected()) {
      visit(grid, !grid.dead_nodes.empty());
    } else {
      INFO(describe(grid));
      CHECK_THROWS_AS(make_plan({grid.topology(), "gossip", "", {}, {}}), InfeasibleError);
    }
  }
}

/// The fewest links of a router that is left.
int fewest_links(const DamagedGrid& grid) {
  int fewest = grid.ports();
  for (std::uint32_t node = 0; node < grid.nodes(); ++node) {
    if (grid.dead_nodes.contains(node)) continue;
    int links = 0;
    for (int port = 0; port < grid.ports(); ++port) links += grid.is_open(node, port) ? 1 : 0;
    fewest = std::min(fewest, links);
  }
  return fewest;
}

TEST_CASE("every single dead link of a small torus costs the steps of the theorem", "[damage]") {
  std::size_t cases = 0;
  for (const Sides& sides : small_networks()) {
    if (std::find(sides.begin(), sides.end(), 2U) != sides.end()) continue;
    const auto d = static_cast<std::uint32_t>(sides.size());
    for_each_single_fault(grid_of(sides, true), [&](const DamagedGrid& grid, bool node) {
      if (node) return;
      const std::uint32_t k = 2 * d - 1;
      // k (P - 1) / (2d - 1) with k = 2d - 1.
      CHECK(agreed_steps(grid, "", k) == grid.nodes() - 1);
      ++cases;
    });
  }
  CHECK(cases > 1000);
}

TEST_CASE("every single dead link or node of a small network is avoided", "[damage][slow]") {
  const bool torus = GENERATE(true, false);
  std::size_t cases = 0;
  for (const Sides& sides : small_networks()) {
    for_each_single_fault(grid_of(sides, torus), [&](const DamagedGrid& grid, bool) {
      const Topology topology = grid.topology();
      std::uint64_t steps = 0;
      try {
        // Past a node with one link there is no closed trail: the search need not find that out.
        steps = agreed_steps(grid, fewest_links(grid) < 2 ? "tree" : "trail", 1);
      } catch (const InfeasibleError&) {
        // Other bridges, and a handful of nodes.
        steps = agreed_steps(grid, "tree", 1);
      }
      CHECK(steps <= topology.live_nodes() - 1);
      NodeId source = 0;
      while (!topology.is_live(source)) ++source;
      check_broadcast(grid, source);
      ++cases;
    });
  }
  CHECK(cases > 2500);
}

TEST_CASE("connected damage of up to a third of the links always has a proved plan", "[damage]") {
  SplitMix64 random(15);
  std::size_t planned = 0;
  std::size_t broadcast = 0;
  while (planned < 40) {
    const DamagedGrid grid = randomly_damaged(random);
    if (!grid.is_connected() || grid.topology().is_healthy() || grid.topology().cores() < 2)
      continue;
    agreed_steps(grid, "degraded", static_cast<std::uint32_t>(1 + random.below(3)));
    ++planned;
    NodeId source = 0;
    while (!grid.has_core(source)) ++source;
    try {
      check_broadcast(grid, source);
      ++broadcast;
    } catch (const InfeasibleError& error) {
      // Only one-way links hold it together: fan-out goes all the same.
      CHECK_THAT(error.what(), Catch::Contains("--algorithm tree"));
    }
    const Plan fan_out = make_plan({grid.topology(),
                                    "broadcast",
                                    "tree",
                                    {{"source", node_text(grid.topology(), source)}},
                                    {}});
    CHECK(verify_broadcast(fan_out).ok());
    CHECK(testing::run_relay_fast(fan_out).complete);
  }
  CHECK(broadcast > planned / 2);
}

TEST_CASE("pairing: steps and sends of the named cases", "[damage]") {
  struct Row {
    DamagedGrid grid;
    NodeId source;
    std::uint64_t steps;
  };
  DamagedGrid node = grid_of({8, 8}, false);
  node.dead_nodes = {3 + 8 * 3};
  DamagedGrid box = grid_of({8, 8}, false);
  box.dead_nodes = {27, 28, 35, 36};
  DamagedGrid cube = grid_of({4, 4, 4}, true);
  cube.dead_nodes = {0};
  const Row row = GENERATE_COPY(Row{node, 18, 6}, Row{box, 0, 6}, Row{cube, 21, 6});
  check_broadcast(row.grid, row.source);
  const Topology topology = row.grid.topology();
  const Plan plan =
      make_plan({topology, "broadcast", "", {{"source", node_text(topology, row.source)}}, {}});
  CHECK(plan.algorithm == "pairing");
  CHECK(plan.expected.analytic_steps == row.steps);
  CHECK(*plan.expected.analytic_tcd >= topology.live_nodes() - 1);
}

TEST_CASE("eye from (2,2) of 8x8: the dead links that it avoids", "[damage]") {
  const DamagedGrid healthy = grid_of({8, 8}, false);
  const std::uint64_t least = 69;
  int unused = 0;
  int detoured = 0;
  int refused = 0;
  for (std::uint32_t node = 0; node < 64; ++node) {
    for (const int port : {1, 3}) {
      if (!healthy.beside(node, port)) continue;
      DamagedGrid grid = healthy;
      grid.cut(node, port);
      try {
        const Plan plan = make_plan({grid.topology(), "broadcast", "eye", {{"source", "2,2"}}, {}});
        const Sighting seen = testing::witness_relays(grid, plan.program.as<RelayProgram>());
        CHECK(seen.wrong.empty());
        CHECK(seen.steps == 6);
        CHECK(verify_broadcast(plan).ok());
        CHECK(testing::run_relay_fast(plan).complete);
        const std::uint64_t more = *plan.expected.analytic_tcd - least;
        // A plan that stays needs no table; one with a detour has lists.
        CHECK((more == 0) == plan.program.as<RelayProgram>().rule.has_value());
        CHECK((more == 0 || more == 2 || more == 4));
        ++(more == 0 ? unused : detoured);
      } catch (const InfeasibleError& error) {
        CHECK_THAT(error.what(), Catch::Contains("--algorithm pairing"));
        ++refused;
      }
    }
  }
  CHECK(unused == 49);
  CHECK(detoured == 31);
  CHECK(refused == 32);
}

TEST_CASE("a dead source, and messages that would collide, are refused", "[damage]") {
  DamagedGrid grid = grid_of({8, 8}, false);
  grid.dead_nodes = {0};
  CHECK_THROWS_WITH(make_plan({grid.topology(), "broadcast", "", {}, {}}),
                    "--source: node 0,0 is dead");
  // Self-timed, where the clock lets messages meet, and where it does not.
  int meet = 0;
  int pass = 0;
  for (std::uint32_t node = 1; node < 64; ++node) {
    grid.dead_nodes = {node};
    PlanRequest request{grid.topology(),
                        "broadcast",
                        "pairing",
                        {{"timing", "self"}, {"flits", std::int64_t{9}}},
                        {}};
    try {
      const Plan plan = make_plan(request);
      CHECK(verify_broadcast(plan).ok());
      ++pass;
    } catch (const InfeasibleError& error) {
      CHECK_THAT(error.what(), Catch::Contains("--timing step"));
      ++meet;
    }
  }
  CHECK(meet + pass == 63);
}

TEST_CASE("the proof does not trust a plan's claims about a dead source or a dead link",
          "[damage]") {
  const DamagedGrid healthy = grid_of({4, 4}, false);
  const Plan plan = make_plan({healthy.topology(), "broadcast", "eye", {{"source", "1,1"}}, {}});
  CHECK(verify_broadcast(plan).ok());
  std::size_t refused = 0;
  for (std::uint32_t node = 0; node < 16; ++node) {
    for (const int port : {1, 3}) {
      if (!healthy.beside(node, port)) continue;
      DamagedGrid grid = healthy;
      grid.cut(node, port);
      Plan broken = plan;
      broken.topology = grid.topology();
      const bool fine =
          testing::witness_relays(grid, plan.program.as<RelayProgram>()).wrong.empty();
      CHECK(verify_broadcast(broken).ok() == fine);
      refused += fine ? 0U : 1U;
    }
  }
  CHECK(refused > 5);
  Plan broken = plan;
  Faults faults;
  faults.dead_nodes = {5};
  broken.topology = plan.topology.with_faults(faults);
  CHECK_FALSE(verify_broadcast(broken).ok());
}

TEST_CASE("reductions avoid dead links on the remaining cycles", "[damage]") {
  struct Row {
    Sides sides;
    bool torus;
    /// Cycles that are left.
    std::uint64_t cycles;
  };
  const Row row = GENERATE(Row{{5, 4}, true, 1}, Row{{8, 8}, true, 1}, Row{{3, 3, 3}, true, 2},
                           Row{{4, 4, 3}, true, 2}, Row{{4, 4}, false, 1}, Row{{6, 5}, false, 1});
  SplitMix64 random(3);
  for (int i = 0; i < 6; ++i) {
    DamagedGrid grid = grid_of(row.sides, row.torus);
    std::optional<std::uint32_t> to;
    std::uint32_t node = 0;
    int port = 0;
    while (!to) {
      node = static_cast<std::uint32_t>(random.below(grid.nodes()));
      port = static_cast<int>(random.below(static_cast<std::uint64_t>(grid.ports())));
      to = grid.beside(node, port);
    }
    grid.cut(node, port);
    const Topology topology = grid.topology();
    for (const std::uint64_t k : {1U, 2U, 3U, 5U}) {
      const std::uint64_t turns = bounds::ceil_div(k, row.cycles);
      for (const char* collective : {"reduce-scatter", "all-reduce"}) {
        INFO(describe(grid) << " " << collective << " k " << k);
        Plan plan{topology, "", "", {}, {}, RelayProgram(0), {}};
        try {
          plan = make_plan(
              {topology, collective, "degraded", {{"packets", static_cast<std::int64_t>(k)}}, {}});
        } catch (const InfeasibleError& error) {
          // A corner of a mesh that has lost a link is on no cycle.
          CHECK_FALSE(row.torus);
          CHECK_THAT(error.what(), Catch::Contains("visits every live node once"));
          continue;
        }
        CHECK(plan.algorithm == "degraded");
        const Verdict verdict = verify(plan);
        INFO((verdict.problems.empty() ? "" : verdict.problems.front()));
        CHECK(verdict.ok());
        const Report report = run_plan(plan, *make_fast_engine(plan));
        INFO((report.problems.empty() ? "" : report.problems.front()));
        CHECK(report.problems.empty());
        CHECK(report.complete == true);
        const bool scatter = plan.demand.to == Destination::kOwner;
        CHECK(*report.steps == (scatter ? bounds::ceil_div(turns * (topology.nodes() - 1), 2)
                                        : turns * (topology.nodes() - 1)));
        CHECK(*plan.expected.lower_bound_steps <= *report.steps);
        // No register drives a dead link.
        const auto& program = plan.program.as<RingProgram>();
        for (const auto& [from, out] : grid.dead_arcs) {
          CHECK(program.at(from, static_cast<Port>(out)) == RingPort{});
        }
      }
    }
  }
}

TEST_CASE("all-reduces avoid dead nodes", "[damage]") {
  struct Row {
    Sides sides;
    bool torus;
    std::vector<std::uint32_t> dead;
  };
  const Row row =
      GENERATE(Row{{5, 5}, true, {12}}, Row{{5, 4}, true, {7}}, Row{{4, 4}, true, {0, 1}},
               Row{{7, 7}, true, {24, 40}}, Row{{3, 3, 3}, true, {13}}, Row{{3, 4, 3}, true, {0}},
               Row{{5, 5}, false, {0}}, Row{{4, 4}, false, {0, 4}},
               Row{{8, 8}, true, {3, 11, 19, 27, 35, 43, 51, 59}});
  DamagedGrid grid = grid_of(row.sides, row.torus);
  grid.dead_nodes.insert(row.dead.begin(), row.dead.end());
  const Topology topology = grid.topology();
  const std::uint64_t live = grid.nodes() - row.dead.size();
  for (const std::uint64_t k : {1U, 2U, 3U}) {
    INFO(describe(grid) << " k " << k);
    Plan plan = make_plan(
        {topology, "all-reduce", "degraded", {{"packets", static_cast<std::int64_t>(k)}}, {}});
    CHECK(plan.demand.pieces == k * live);
    const Verdict verdict = verify(plan);
    INFO((verdict.problems.empty() ? "" : verdict.problems.front()));
    CHECK(verdict.ok());
    const Report report = run_plan(plan, *make_fast_engine(plan));
    INFO((report.problems.empty() ? "" : report.problems.front()));
    CHECK(report.problems.empty());
    CHECK(report.complete == true);
    CHECK(*report.steps == k * (live - 1));
    CHECK(report.link_transfers == verdict.link_transfers);
    CHECK(*plan.expected.lower_bound_steps <= *report.steps);
    for (const std::uint32_t node : row.dead) {
      for (int port = 0; port < grid.ports(); ++port) {
        CHECK(plan.program.as<RingProgram>().at(node, static_cast<Port>(port)) == RingPort{});
      }
    }
    // Proof and judge use the participating nodes.
    for (const bool revived : {false, true}) {
      Plan wrong = plan;
      Faults faults = topology.faults();
      if (revived) {
        faults.dead_nodes.pop_back();
      } else {
        NodeId other = 0;
        while (!topology.is_live(other)) ++other;
        faults.dead_nodes.push_back(other);
        std::sort(faults.dead_nodes.begin(), faults.dead_nodes.end());
      }
      wrong.topology = topology.healthy().with_faults(faults);
      CHECK_FALSE(verify(wrong).ok());
      CHECK(run_plan(wrong, *make_fast_engine(wrong)).complete != true);
    }
  }
}

TEST_CASE("faults that cycles cannot avoid are refused with the reason, and timetables avoid them",
          "[damage]") {
  DamagedGrid dead = grid_of({4, 4}, true);
  dead.dead_nodes = {3};
  DamagedGrid core = grid_of({5, 5}, true);
  core.dead_cores = {3};
  struct Row {
    Topology topology;
    const char* collective;
    const char* reason;
  };
  for (const Row& row : {Row{dead.topology(), "reduce-scatter", "every node owns a block"},
                         // Two colours, and one has a node too many.
                         Row{dead.topology(), "all-reduce", "visits every live node once"},
                         Row{core.topology(), "all-reduce", "every router adds a word"}}) {
    CHECK_THROWS_WITH(make_plan({row.topology, row.collective, "degraded", {}, {}}),
                      Catch::Contains(row.reason) && Catch::Contains("--algorithm scheduled"));
    CHECK(make_plan({row.topology, row.collective, "", {}, {}}).algorithm == "scheduled");
  }
  CHECK_THROWS_WITH(make_plan({dead.topology(), "all-to-all", "isotropic", {}, {}}),
                    Catch::Contains("--algorithm auto"));
  CHECK(make_plan({dead.topology(), "all-to-all", "", {}, {}}).algorithm == "scheduled");
}

/// Proof, fast engine and witness of a timetable agree on its steps, which it returns.
std::uint64_t agreed_rows(const DamagedGrid& grid, const Plan& plan, testing::RowsFor collective) {
  INFO(describe(grid) << " " << plan.collective);
  const auto& program = plan.program.as<TimetableProgram>();
  const Verdict verdict = verify(plan);
  INFO((verdict.problems.empty() ? "" : verdict.problems.front()));
  REQUIRE(verdict.ok());
  const Report report = run_plan(plan, *make_fast_engine(plan));
  INFO((report.problems.empty() ? "" : report.problems.front()));
  CHECK(report.problems.empty());
  CHECK(report.complete == true);
  CHECK(report.link_transfers == verdict.link_transfers);
  const Sighting seen = testing::witness_rows(grid, program, collective);
  CHECK(seen.wrong.empty());
  CHECK(seen.steps == *verdict.steps);
  CHECK(*report.steps == *verdict.steps);
  CHECK(*plan.expected.analytic_steps == *verdict.steps);
  CHECK(*plan.expected.lower_bound_steps <= *verdict.steps);
  return *verdict.steps;
}

/// All three collectives of a damaged network, k pieces a node of the reductions.
void check_timetables(const DamagedGrid& grid, std::uint32_t k) {
  const Topology topology = grid.topology();
  const auto planned = [&](const char* collective) {
    PlanRequest request{topology, collective, "scheduled", {}, {}};
    if (collective != std::string("all-to-all")) request.parameters["packets"] = std::int64_t{k};
    return make_plan(request);
  };
  const std::uint64_t scatter =
      agreed_rows(grid, planned("reduce-scatter"), testing::RowsFor::kReduceScatter);
  const std::uint64_t all = agreed_rows(grid, planned("all-reduce"), testing::RowsFor::kAllReduce);
  // The reduce-scatter, and an all-gather of the sums.
  const Plan gather = make_plan({topology,
                                 "gossip",
                                 "scheduled",
                                 {{"packets", std::int64_t{k}}, {"seed", std::int64_t{1}}},
                                 {}});
  if (!topology.is_torus() || !topology.is_healthy() || k > 1) {
    CHECK(all == scatter + *gather.expected.analytic_steps);
  }
  agreed_rows(grid, planned("all-to-all"), testing::RowsFor::kAllToAll);
}

TEST_CASE("reductions and all-to-alls by timetables avoid all kinds of faults", "[damage]") {
  DamagedGrid link = grid_of({8, 8}, true);
  link.cut(3 + 8 * 4, 1);
  DamagedGrid node = grid_of({5, 4}, true);
  node.dead_nodes = {7};
  DamagedGrid core = grid_of({5, 5}, true);
  core.dead_cores = {0, 12, 13};
  DamagedGrid mixed = grid_of({4, 3, 3}, false);
  mixed.dead_nodes = {17};
  mixed.dead_cores = {0, 5};
  mixed.cut(20, 1);
  mixed.dead_arcs.insert({30, 3});
  DamagedGrid one_way = grid_of({5}, true);
  for (std::uint32_t at = 0; at < 5; ++at) one_way.dead_arcs.insert({at, 0});
  DamagedGrid bridge = grid_of({7, 3}, false);
  bridge.dead_nodes = {3, 17};
  for (const DamagedGrid& grid : {link, node, core, mixed, one_way, bridge, grid_of({5, 5}, false),
                                  grid_of({4, 1, 3}, true)}) {
    check_timetables(grid, 1);
    check_timetables(grid, 2);
  }
}

TEST_CASE("reduce-scatters around faults take as many steps as all-gathers", "[damage]") {
  struct Row {
    DamagedGrid grid;
    std::uint64_t steps;
  };
  DamagedGrid link = grid_of({8, 8}, true);
  link.cut(3 + 8 * 4, 1);
  DamagedGrid node = grid_of({8, 8}, true);
  node.dead_nodes = {3 + 8 * 3};
  DamagedGrid column = grid_of({8, 8}, true);
  for (std::uint32_t y = 0; y < 8; ++y) column.dead_nodes.insert(3 + 8 * y);
  DamagedGrid mesh = grid_of({8, 8}, false);
  mesh.dead_nodes = {3 + 8 * 3};
  // docs/spec/faults.md, section 10.
  for (const Row& row : {Row{link, 21}, Row{node, 21}, Row{column, 19}, Row{mesh, 31}}) {
    const Plan plan = make_plan(
        {row.grid.topology(), "reduce-scatter", "scheduled", {{"packets", std::int64_t{1}}}, {}});
    CHECK(agreed_rows(row.grid, plan, testing::RowsFor::kReduceScatter) == row.steps);
    CHECK(*plan.expected.lower_bound_steps == row.steps);
  }
}

/// The cost of an all-to-all at the most crowded set of routers, by exhaustive search.
std::uint64_t steps_of_all_cuts(const DamagedGrid& grid) {
  std::uint64_t most = 0;
  for (std::uint32_t set = 1; set + 1 < 1U << grid.nodes(); ++set) {
    const auto is_inside = [set](std::uint32_t node) { return (set >> node & 1U) != 0; };
    std::uint64_t inside = 0;
    std::uint64_t outside = 0;
    std::uint64_t out = 0;
    std::uint64_t in = 0;
    for (std::uint32_t node = 0; node < grid.nodes(); ++node) {
      if (grid.has_core(node)) ++(is_inside(node) ? inside : outside);
      for (int port = 0; port < grid.ports(); ++port) {
        if (!grid.is_open(node, port) || is_inside(node) == is_inside(*grid.beside(node, port))) {
          continue;
        }
        ++(is_inside(node) ? out : in);
      }
    }
    const std::uint64_t arcs = std::min(out, in);
    if (arcs != 0) most = std::max(most, (inside * outside + arcs - 1) / arcs);
  }
  return most;
}

TEST_CASE("the cut of an all-to-all's bound is usually the worst cut", "[damage]") {
  SplitMix64 random(12);
  int tried = 0;
  int worst = 0;
  while (tried < 40) {
    const DamagedGrid grid = randomly_damaged(random);
    if (grid.nodes() > 12 || !grid.is_connected()) continue;
    ++tried;
    INFO(describe(grid));
    const std::uint64_t all = steps_of_all_cuts(grid);
    const std::uint64_t found = bounds::cut_steps(grid.topology(), 1);
    CHECK(found <= all);
    worst += found == all ? 1 : 0;
    const Plan plan = make_plan({grid.topology(), "all-to-all", "scheduled", {}, {}});
    CHECK(*plan.expected.analytic_steps >= all);
  }
  CHECK(worst >= 38);
}

TEST_CASE("all-to-alls take the steps of the documentation", "[damage]") {
  struct Row {
    const char* kind;
    Sides sides;
    const char* faults;
    std::uint64_t steps;
    std::uint64_t bound;
  };
  // docs/faults.md.
  for (const Row& row :
       {Row{"torus", {8, 8}, "", 65, 64}, Row{"torus", {8, 8}, "link:3,4:x+", 69, 69},
        Row{"torus", {8, 8}, "node:3,3", 67, 67}, Row{"torus", {8, 8}, "harvest:x=3", 96, 96},
        Row{"torus", {8, 8}, "harvest:3,3-4,4", 65, 65},
        Row{"torus", {8, 8}, "random:10:1", 75, 74}, Row{"mesh", {8, 8}, "", 129, 128},
        Row{"mesh", {8, 8}, "link:3,4:x+", 147, 147}, Row{"mesh", {8, 8}, "node:3,3", 142, 142},
        Row{"mesh", {8, 8}, "harvest:3,3-4,4", 151, 150},
        Row{"mesh", {8, 8}, "random:10:1", 200, 200},
        Row{"torus", {4, 4, 4}, "node:0,0,0", 34, 32}}) {
    const Topology topology = with_named_faults(Topology::make(row.kind, row.sides), row.faults);
    INFO(row.kind << " " << topology.dims_text() << " " << row.faults);
    const Plan plan = make_plan({topology, "all-to-all", "scheduled", {}, {}});
    CHECK(plan.expected.analytic_steps == row.steps);
    CHECK(plan.expected.lower_bound_steps == row.bound);
    CHECK(verify(plan).ok());
  }
}

TEST_CASE("a timetable's damaged or added dead row is detected by proof and engine", "[damage]") {
  DamagedGrid grid = grid_of({3, 3}, true);
  grid.dead_cores = {4};
  grid.cut(0, 1);
  for (const char* collective : {"reduce-scatter", "all-reduce", "all-to-all"}) {
    const Plan right = make_plan({grid.topology(), collective, "scheduled", {}, {}});
    const auto& program = right.program.as<TimetableProgram>();
    const auto refused = [&](const Plan& wrong) {
      INFO(collective);
      CHECK_FALSE(verify(wrong).ok());
      CHECK_FALSE(run_plan(wrong, *make_fast_engine(wrong)).problems.empty());
    };
    Plan wrong = right;
    const auto refused_with = [&](std::size_t rom, const auto& change) {
      std::vector<TimetableRom> roms = program.roms();
      change(roms[rom]);
      wrong.program = testing::with_roms(program, std::move(roms));
      refused(wrong);
    };
    for (std::size_t rom = 0; rom < program.roms().size(); ++rom) {
      const TimetableRom& rows = program.roms()[rom];
      for (std::size_t at = 0; at < rows.sends.size(); ++at) {
        refused_with(rom, [&](TimetableRom& changed) {
          changed.sends.erase(changed.sends.begin() + static_cast<std::ptrdiff_t>(at));
        });
      }
      for (std::size_t at = 0; at < rows.arrivals.size(); ++at) {
        refused_with(rom, [&](TimetableRom& changed) {
          changed.arrivals.erase(changed.arrivals.begin() + static_cast<std::ptrdiff_t>(at));
        });
        if (rows.arrivals[at].with.none()) continue;
        refused_with(rom, [&](TimetableRom& changed) { changed.arrivals[at].with = {}; });
      }
    }
    wrong.program = right.program;
    DamagedGrid other = grid;
    other.dead_cores = {5};
    wrong.topology = other.topology();
    refused(wrong);
  }
}

TEST_CASE("faults by name, and links drawn by a seed", "[damage]") {
  const Topology torus = Topology::torus(Sides{6, 5});
  CHECK(with_named_faults(torus, "").is_healthy());
  const Topology named = with_named_faults(torus, "link:1,1:x+ node:3,3  harvest:x=5 core:0,0");
  CHECK(named.faults().dead_nodes.size() == 6);
  CHECK(named.faults().dead_cores.size() == 1);
  CHECK(dead_links(named).links.size() == 1);
  // 31 links are left of 60 when a tree of 30 nodes is: no more can die.
  for (const std::uint32_t links : {1U, 7U, 31U}) {
    const std::string words = "random:" + std::to_string(links) + ":4";
    const Topology damaged = with_named_faults(torus, words);
    CHECK(dead_links(damaged).links.size() == links);
    CHECK(live_parts(damaged).size() == 1);
    CHECK(with_named_faults(torus, words) == damaged);
    CHECK_FALSE(with_named_faults(torus, "random:" + std::to_string(links) + ":5") == damaged);
  }
  for (const char* words : {"random:32:4", "random:1", "random::1", "random:1:x", "link", "x"}) {
    INFO(words);
    CHECK_THROWS_AS(with_named_faults(torus, words), InputError);
  }
}

TEST_CASE("the bound of a network with dead cores counts paths between live ones", "[damage]") {
  // A line of five whose first router has no core: the ends are three apart, not four.
  DamagedGrid line = grid_of({5}, false);
  line.dead_cores = {0};
  CHECK(bounds::gossip_lower_bound(line.topology(), 1) == 3);
  CHECK(agreed_steps(line, "tree", 1) == 3);
}

}  // namespace
}  // namespace gossamer
