// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <set>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/bounds/one_packet.hpp"
#include "gossamer/collectives/all_gather/auto.hpp"
#include "gossamer/collectives/all_gather/class_tables.hpp"
#include "gossamer/collectives/all_gather/strands.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/util/error.hpp"
#include "simulate.hpp"

namespace gossamer {
namespace {

Topology torus(std::initializer_list<std::uint32_t> sides) {
  return Topology::torus(std::vector<std::uint32_t>(sides));
}

TEST_CASE("every table of the library ends in exactly the steps it states", "[gossip][tables]") {
  std::set<std::vector<std::uint32_t>> seen;
  for (const LibraryTable& entry : one_packet_library()) {
    const ClassTable table = parse_table(entry);
    CAPTURE(entry.dims);
    REQUIRE(table.text() == entry.table);
    REQUIRE_FALSE(entry.provenance.empty());
    std::vector<std::uint32_t> sides = table.sides;
    std::sort(sides.begin(), sides.end());
    REQUIRE(seen.insert(sides).second);
    do {
      const Topology topology = Topology::torus(sides);
      CAPTURE(topology.dims_text());
      const Plan plan = plan_tables(topology, {});
      const testing::Outcome outcome = testing::simulate_fast(plan, entry.steps + 10);
      REQUIRE(outcome.complete);
      REQUIRE(outcome.steps == entry.steps);
      REQUIRE(plan.expected.analytic_steps == entry.steps);
      REQUIRE(library_steps(topology, 1) == entry.steps);
      REQUIRE(outcome.conflicts == 0);
      REQUIRE(plan.program.as<StreamProgram>().is_plain());
    } while (std::next_permutation(sides.begin(), sides.end()));
  }
  REQUIRE(seen.size() >= 30);
}

TEST_CASE("the library holds the published tables and better ones", "[gossip][tables]") {
  REQUIRE(library_steps(torus({3, 3}), 1) == 2);
  REQUIRE(library_steps(torus({4, 3}), 1) == 4);
  REQUIRE(library_steps(torus({5, 3}), 1) == 5);
  REQUIRE(library_steps(torus({5, 4}), 1) == 6);
  REQUIRE(library_steps(torus({5, 5}), 1) == 7);
  REQUIRE(library_steps(torus({6, 6}), 1) <= 11U);
  // Published: 16; 5x10 in 14, 4x7 and 6x7 were not known at all.
  REQUIRE(library_steps(torus({6, 9}), 1) == 15);
  REQUIRE(library_steps(torus({5, 10}), 1) == 14);
  REQUIRE(library_steps(torus({4, 7}), 1) == 8);
  REQUIRE(library_steps(torus({6, 7}), 1) == 14);
  REQUIRE(library_steps(torus({7, 7}), 1) <= 14U);
  REQUIRE(library_steps(torus({8, 8}), 1) <= 18U);
  REQUIRE(library_steps(torus({3, 3, 3}), 1) == 5);
  REQUIRE(library_steps(torus({6, 6, 6}), 1) <= 40U);
}

TEST_CASE("a library table carries k packets in k times the steps", "[gossip][tables]") {
  for (const Topology& topology : {torus({3, 4}), torus({5, 5}), torus({3, 3, 3})}) {
    for (std::uint32_t k = 2; k <= 5; ++k) {
      const Plan plan = plan_tables(topology, {k});
      const testing::Outcome outcome = testing::simulate_fast(plan, 100);
      CAPTURE(topology.dims_text(), k);
      REQUIRE(outcome.complete);
      REQUIRE(outcome.steps == library_steps(topology, k));
      REQUIRE(outcome.max_queue == k);
      REQUIRE(outcome.conflicts == 0);
    }
  }
}

TEST_CASE("tables refuses sides that the library does not list", "[gossip][tables]") {
  REQUIRE_THROWS_AS(plan_tables(torus({31, 31}), {}), InfeasibleError);
  REQUIRE_THROWS_WITH(plan_tables(torus({7, 9, 6}), {}), Catch::Contains("torus 6x6x6"));
  REQUIRE_THROWS_AS(plan_tables(Topology::mesh(std::array{5U, 5U}), {}), InfeasibleError);
}

TEST_CASE("the class-table search finds a known optimum, and only correct ones",
          "[gossip][search]") {
  OnePacketSearch search;
  search.rule = {2, 1};
  search.classes = 5;
  search.target_steps = 7;
  search.iterations = 2'000'000;
  const OnePacketFinding finding = search_one_packet(torus({5, 5}), search);
  REQUIRE(finding.plan);
  REQUIRE(finding.missing == 0);
  REQUIRE(finding.provenance.find("2,1 mod 5") != std::string::npos);
  const testing::Outcome outcome = testing::simulate_fast(*finding.plan, 50);
  REQUIRE(outcome.complete);
  REQUIRE(outcome.steps == 7);
  REQUIRE(finding.plan->expected.analytic_steps == 7);
  const OnePacketFinding again = search_one_packet(torus({5, 5}), search);
  REQUIRE(again.table == finding.table);
  REQUIRE(again.iterations == finding.iterations);

  // With a generous target the exact count is still the table's own.
  search = {};
  search.target_steps = 12;
  const OnePacketFinding loose = search_one_packet(torus({3, 6}), search);
  REQUIRE(loose.plan);
  REQUIRE(testing::simulate_fast(*loose.plan, 50).steps == loose.plan->expected.analytic_steps);
}

TEST_CASE("the class-table search reports when it gives up", "[gossip][search]") {
  // Impossible, by SAT.
  OnePacketSearch search;
  search.target_steps = 4;
  search.iterations = 100'000;
  const OnePacketFinding finding = search_one_packet(torus({4, 4}), search);
  REQUIRE_FALSE(finding.plan);
  REQUIRE(finding.missing > 0);
  REQUIRE(finding.iterations >= 100'000);
  REQUIRE(finding.iterations < 101'000);
  // The missing pairs are those of a simulation: a rule that does not close judges all nodes.
  search.rule = {1, 3};
  search.classes = 12;
  search.target_steps = 3;
  const OnePacketFinding all = search_one_packet(torus({3, 4}), search);
  REQUIRE_FALSE(all.table.closes());
  REQUIRE(all.missing > 0);

  search.rule = {1};
  REQUIRE_THROWS_AS(search_one_packet(torus({4, 4}), search), InputError);
  search.rule = {};
  search.classes = 0;
  search.most_classes = 6;
  REQUIRE_THROWS_AS(search_one_packet(torus({7, 11}), search), InfeasibleError);
  REQUIRE_THROWS_AS(search_one_packet(Topology::mesh(std::array{4U, 4U}), search), InfeasibleError);
}

Plan plan_by_name(const Topology& topology, const std::string& algorithm, std::int64_t k) {
  PlanRequest request{topology, "gossip", algorithm, {{"packets", k}}, {}};
  return make_plan(request);
}

TEST_CASE("auto picks the algorithm with the fewest steps and says why", "[gossip][auto]") {
  const auto chosen = [](const Topology& topology, std::int64_t k) {
    const Plan plan = plan_by_name(topology, "auto", k);
    CAPTURE(topology.dims_text(), k, plan.algorithm);
    REQUIRE(std::get<std::string>(plan.parameters.at("requested")) == "auto");
    const auto& reason = std::get<std::string>(plan.parameters.at("reason"));
    REQUIRE(reason.find(plan.algorithm) != std::string::npos);
    REQUIRE(reason.find('\n') == std::string::npos);
    REQUIRE(std::get<std::int64_t>(plan.parameters.at("gap")) ==
            static_cast<std::int64_t>(*plan.expected.analytic_steps -
                                      *plan.expected.lower_bound_steps));
    const testing::Outcome outcome =
        testing::simulate_fast(plan, *plan.expected.analytic_steps + 10);
    REQUIRE(outcome.complete);
    REQUIRE(outcome.steps == plan.expected.analytic_steps);
    return plan.algorithm;
  };
  REQUIRE(chosen(torus({8, 6}), 2) == "hamiltonian");
  REQUIRE(chosen(torus({8, 6}), 4) == "hamiltonian");
  REQUIRE(chosen(torus({16, 12}), 1) == "zigzag");
  REQUIRE(chosen(torus({16, 12}), 3) == "hamiltonian");
  REQUIRE(chosen(torus({3, 3, 3}), 1) == "tables");
  REQUIRE(chosen(torus({7, 7}), 1) == "tables");
  REQUIRE(chosen(torus({13, 13}), 1) == "rows");
  REQUIRE(chosen(torus({14, 18}), 1) == "strands");
  REQUIRE(chosen(torus({20, 25}), 1) == "strands");
  REQUIRE(chosen(torus({12, 6, 6}), 1) == "strands");
  REQUIRE(chosen(torus({19, 17}), 1) == "strands");
  // 125 steps, where the Hamiltonian plan takes 364.
  REQUIRE(chosen(torus({9, 9, 9}), 1) == "strands");
  REQUIRE(chosen(torus({9, 16}), 1) == "strands");
  REQUIRE(chosen(torus({4, 4, 4, 4}), 1) == "strands");
  REQUIRE(chosen(torus({9, 9, 9}), 3) == "hamiltonian");
  REQUIRE(chosen(torus({11, 3}), 1) == "strands");
  REQUIRE(chosen(torus({9}), 1) == "hamiltonian");
}

TEST_CASE("auto is never worse than any algorithm that it compares", "[gossip][auto][slow]") {
  for (std::uint32_t nx = 3; nx <= 12; ++nx) {
    for (std::uint32_t ny = 3; ny <= nx; ++ny) {
      for (std::uint32_t k = 1; k <= 5; k += 2) {
        const Topology topology = torus({nx, ny});
        const Plan plan = plan_auto(topology, {.packets_per_node = k});
        CAPTURE(topology.dims_text(), k, plan.algorithm);
        for (const AutoCandidate& candidate : auto_candidates()) {
          if (!candidate.exact) continue;
          if (const auto steps = candidate.predict(topology, k)) {
            REQUIRE(*plan.expected.analytic_steps <= *steps);
          }
        }
      }
    }
  }
}

TEST_CASE("auto tries the next candidate if a promising one is infeasible", "[gossip][auto]") {
  // Too many nodes to knit cycles, and too few columns for strands.
  const Topology topology = torus({3, 8002});
  REQUIRE_THROWS_AS(plan_strands(topology, {}), InfeasibleError);
  const Plan plan = plan_auto(topology, {});
  REQUIRE(plan.algorithm != "strands");
  REQUIRE(std::get<std::string>(plan.parameters.at("reason")).find("strands is infeasible here") !=
          std::string::npos);
  const Plan on_mesh = plan_auto(Topology::mesh(std::array{5U, 5U}), {});
  CHECK(on_mesh.algorithm == "scheduled");
  CHECK(on_mesh.expected.analytic_steps == on_mesh.expected.lower_bound_steps);
}

TEST_CASE("the one-packet algorithms are called by name, with options of the right kind",
          "[gossip][planner]") {
  REQUIRE(plan_by_name(torus({8, 6}), "zigzag", 1).expected.analytic_steps == 14);
  REQUIRE(plan_by_name(torus({5, 15}), "rows", 1).expected.analytic_steps == 21);
  REQUIRE(plan_by_name(torus({5, 5}), "tables", 2).expected.analytic_steps == 14);
  REQUIRE(plan_by_name(torus({14, 14}), "strands", 1).expected.lower_bound_steps == 49);
  REQUIRE_THROWS_AS(plan_by_name(torus({8, 6}), "zigzag", 0), InputError);
  PlanRequest request{torus({8, 6}), "gossip", "zigzag", {{"seed", std::int64_t{3}}}, {}};
  REQUIRE_THROWS_AS(make_plan(request), InputError);
}

}  // namespace
}  // namespace gossamer
