// SPDX-License-Identifier: Apache-2.0
/// All-reduce by forests: docs/spec/middle-reductions.md, section 3.
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "../reduction.hpp"
#include "gossamer/collectives/reduce/forest.hpp"
#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {
namespace {

Topology torus(std::vector<std::uint32_t> sides) { return Topology::torus(std::move(sides)); }

TEST_CASE("forests reach the page's steps", "[reduction][forest]") {
  for (const auto& [sides, words, steps] :
       {std::tuple<std::vector<std::uint32_t>, std::uint64_t, std::uint64_t>{{3, 3}, 8, 4},
        {{3, 4}, 8, 5},
        {{4, 4}, 16, 8},
        {{4, 4}, 32, 16},
        {{5, 5}, 20, 10},
        {{5, 7}, 16, 10},
        {{5, 7}, 32, 16},
        {{4, 8}, 10, 10},
        {{6, 6}, 16, 11},
        {{7, 7}, 32, 18},
        {{6, 10}, 24, 15},
        {{8, 8}, 20, 14},
        {{8, 8}, 24, 16},
        {{8, 8}, 32, 18},
        {{4, 4, 4}, 16, 9},
        {{4, 4, 4}, 32, 12},
        {{3, 4, 5}, 16, 9},
        {{3, 4, 5}, 32, 12}}) {
    WordSearchOptions options;
    options.words = words;
    const Plan plan = plan_forest(torus(sides), options);
    CHECK(*plan.expected.analytic_steps <= steps);
    testing::check_reduction(plan);
  }
}

TEST_CASE("forests of small and odd networks are right", "[reduction][forest]") {
  for (const auto& sides : {std::vector<std::uint32_t>{2},
                            {3},
                            {5},
                            {8},
                            {2, 2},
                            {2, 3},
                            {2, 4},
                            {1, 4},
                            {2, 2, 2},
                            {3, 16}}) {
    for (const std::uint64_t words : {1U, 2U, 3U, 7U, 65U}) {
      WordSearchOptions options;
      options.words = words;
      options.effort = 50;
      testing::check_reduction(plan_forest(torus(sides), options));
    }
  }
}

TEST_CASE("the same seed and effort give the same forest", "[reduction][forest]") {
  WordSearchOptions options;
  options.words = 16;
  const Plan plan = plan_forest(torus({5, 7}), options);
  std::uint64_t calls = 0;
  options.progress = [&calls](std::string_view, std::uint64_t, std::uint64_t) { ++calls; };
  CHECK(plan_forest(torus({5, 7}), options) == plan);
  CHECK(calls != 0);
  options.seed = 2;
  CHECK_FALSE(plan_forest(torus({5, 7}), options) == plan);
}

TEST_CASE("the halves of a forest mirror each other", "[reduction][forest]") {
  WordSearchOptions options;
  options.words = 20;
  const Plan plan = plan_forest(torus({5, 5}), options);
  const auto& program = plan.program.as<TimetableProgram>();
  const std::uint64_t steps = *plan.expected.analytic_steps;
  std::set<std::tuple<std::uint64_t, NodeId, NodeId>> rows;
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
    for (const SendRow& row : program.roms()[program.rom_of(node)].sends) {
      rows.emplace(row.step, node, plan.topology.neighbor(node, row.port));
    }
  }
  CHECK(rows.size() == 2 * 20 * 24);
  for (const auto& [step, from, to] : rows) {
    CHECK(rows.contains({steps + 1 - step, to, from}));
  }
}

TEST_CASE("forests run operations that are not associative", "[reduction][forest][order]") {
  for (const auto& sides : {std::vector<std::uint32_t>{5, 7}, {4, 4, 4}}) {
    WordSearchOptions options;
    options.words = 16;
    options.operation = Operation::kSignedSaturatingSum;
    testing::check_reduction(plan_forest(torus(sides), options));
  }
}

TEST_CASE("what forests cannot do is refused", "[reduction][forest]") {
  CHECK_THROWS_AS(plan_forest(Topology::mesh(std::vector<std::uint32_t>{4, 4}), {}),
                  InfeasibleError);
  WordSearchOptions options;
  options.words = 100'000;
  CHECK_THROWS_AS(plan_forest(torus({8, 8}), options), InfeasibleError);
  options.words = 32;
  options.most_steps = 16;
  CHECK_THROWS_AS(plan_forest(torus({8, 8}), options), InfeasibleError);
}

TEST_CASE("an all-reduce takes a forest where nothing is faster", "[reduction][forest]") {
  PlanRequest request{torus({5, 7}), "all-reduce", "", {}, {}};
  request.parameters["words"] = std::int64_t{16};
  Plan plan = make_plan(request);
  CHECK(plan.algorithm == "forest");
  CHECK(*plan.expected.analytic_steps <= 10);
  CHECK(std::get<std::string>(plan.parameters.at("reason")).starts_with("fewest steps of"));
  request.parameters["time-independent"] = true;
  plan = make_plan(request);
  CHECK(plan.algorithm == "packing");
  CHECK(std::get<std::int64_t>(plan.parameters.at("frame")) == 1);
}

}  // namespace
}  // namespace gossamer
