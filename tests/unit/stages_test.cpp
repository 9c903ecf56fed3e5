// SPDX-License-Identifier: Apache-2.0
/// All-reduce in stages: docs/spec/middle-reductions.md, section 4.
#include <algorithm>
#include <catch2/catch.hpp>
#include <tuple>

#include "../reduction.hpp"
#include "gossamer/collectives/reduce/stages.hpp"
#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {
namespace {

using Sides = std::vector<std::uint32_t>;

Plan planned(const Sides& sides, std::uint64_t words, std::uint32_t effort = 2000) {
  WordSearchOptions options;
  options.words = words;
  options.effort = effort;
  return plan_stages(Topology::torus(sides), options);
}

TEST_CASE("stages reach the page's steps", "[reduction][stages]") {
  for (const auto& [sides, words, steps] :
       {std::tuple<Sides, std::uint64_t, std::uint64_t>{{3, 4}, 1, 3},
        {{3, 4}, 2, 3},
        {{3, 4}, 4, 4},
        {{4, 8}, 1, 6},
        {{4, 8}, 2, 6},
        {{4, 8}, 4, 7},
        {{4, 8}, 6, 8},
        {{4, 8}, 8, 8},
        {{5, 7}, 1, 5},
        {{5, 7}, 2, 6},
        {{5, 7}, 4, 7},
        {{5, 7}, 6, 8},
        {{5, 7}, 8, 8},
        {{6, 10}, 2, 8},
        {{6, 10}, 4, 9},
        {{3, 4, 5}, 1, 5},
        {{3, 4, 5}, 4, 6},
        {{4, 4, 4}, 8, 7}}) {
    const Plan plan = planned(sides, words);
    CAPTURE(words);
    CHECK(*plan.expected.analytic_steps <= steps);
    testing::check_reduction(plan);
  }
}

TEST_CASE("stages of small, long and odd networks are right", "[reduction][stages]") {
  for (const Sides& sides : {Sides{2},
                             {3},
                             {5},
                             {9},
                             {64},
                             {2, 2},
                             {2, 3},
                             {1, 4},
                             {2, 2, 2},
                             {3, 16},
                             {7, 4},
                             {2, 3, 4}}) {
    const std::uint64_t most = sides.size() * *std::max_element(sides.begin(), sides.end());
    for (const std::uint64_t words : {1U, 2U, 3U, 5U}) {
      if (words <= most) testing::check_reduction(planned(sides, words, 50));
    }
  }
}

TEST_CASE("a ring sums up words that divide it at the bound", "[reduction][stages]") {
  for (const auto& [side, words] :
       {std::pair<std::uint32_t, std::uint64_t>{8, 2}, {8, 4}, {9, 3}, {12, 4}, {15, 5}, {16, 4}}) {
    const Plan plan = planned({side}, words);
    CAPTURE(side, words);
    CHECK(*plan.expected.analytic_steps == *plan.expected.lower_bound_steps);
    testing::check_reduction(plan);
  }
}

TEST_CASE("the same seed and effort give the same stages", "[reduction][stages]") {
  WordSearchOptions options;
  options.words = 6;
  const Topology torus = Topology::torus(Sides{5, 7});
  const Plan plan = plan_stages(torus, options);
  std::uint64_t calls = 0;
  options.progress = [&calls](std::string_view, std::uint64_t, std::uint64_t) { ++calls; };
  CHECK(plan_stages(torus, options) == plan);
  CHECK(calls != 0);
}

TEST_CASE("what stages cannot do is refused", "[reduction][stages]") {
  const Topology torus = Topology::torus(Sides{5, 7});
  CHECK_THROWS_AS(plan_stages(Topology::mesh(Sides{4, 4}), {}), InfeasibleError);
  WordSearchOptions options;
  options.words = 15;
  CHECK_THROWS_AS(plan_stages(torus, options), InfeasibleError);
  options.words = 8;
  options.most_steps = 7;
  options.effort = 10;
  CHECK_THROWS_AS(plan_stages(torus, options), InfeasibleError);
  CHECK_THROWS_AS(plan_stages(Topology::torus(Sides{2, 2, 2, 3}), {}), InfeasibleError);
  // Nodes combine in different orders.
  options.most_steps.reset();
  options.operation = Operation::kSignedSaturatingSum;
  CHECK_THROWS_AS(plan_stages(torus, options), InfeasibleError);
}

TEST_CASE("a damaged stage is refused", "[reduction][stages]") {
  const Plan plan = planned({3, 4}, 4);
  const auto& whole = plan.program.as<TimetableProgram>();
  std::size_t rows = 0;
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
    const std::size_t count = whole.roms()[whole.rom_of(node)].sends.size();
    for (std::size_t row = 0; row < count; ++row) {
      for (const bool turned : {false, true}) {
        Plan damaged = plan;
        auto& program = damaged.program.edit<TimetableProgram>();
        TimetableRom rom = program.roms()[program.rom_of(node)];
        if (turned) {
          rom.sends[row].port = opposite(rom.sends[row].port);
        } else {
          rom.sends.erase(rom.sends.begin() + static_cast<std::ptrdiff_t>(row));
        }
        program.assign(node, program.intern(std::move(rom)));
        CAPTURE(node, row, turned);
        CHECK_FALSE(verify(damaged).ok());
        ++rows;
      }
    }
  }
  CHECK(rows > 100);
}

TEST_CASE("an all-reduce on unequal sides takes stages", "[reduction][stages]") {
  PlanRequest request{Topology::torus(Sides{5, 7}), "all-reduce", "", {}, {}};
  request.parameters["words"] = std::int64_t{8};
  const Plan plan = make_plan(request);
  CHECK(plan.algorithm == "stages");
  CHECK(*plan.expected.analytic_steps == 8);
  CHECK(std::get<std::string>(plan.parameters.at("reason")).starts_with("fewest steps of"));
}

}  // namespace
}  // namespace gossamer
