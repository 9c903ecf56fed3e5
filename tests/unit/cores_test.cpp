// SPDX-License-Identifier: Apache-2.0
/// All-reduce by cores, its closed form, and the lower bounds that it is compared with:
/// docs/spec/middle-reductions.md.
#include <array>
#include <catch2/catch.hpp>

#include "gossamer/bounds/cores.hpp"
#include "gossamer/bounds/reductions.hpp"
#include "gossamer/collectives/reduce/cores.hpp"
#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {
namespace {

Topology cube(std::uint32_t side, std::size_t dimensions) {
  return Topology::torus(std::vector<std::uint32_t>(dimensions, side));
}

/// Formula, proof and run agree; the links crossed.
std::uint64_t check_plan(const Plan& plan) {
  CAPTURE(plan.topology.dims_text(), plan.demand.pieces);
  const Verdict verdict = verify(plan);
  CAPTURE(verdict.problems);
  CHECK(verdict.ok());
  CHECK(verdict.complete);
  CHECK(verdict.steps == plan.expected.analytic_steps);
  const Report run = run_plan(plan, *make_fast_engine(plan), {});
  CAPTURE(run.problems);
  CHECK(run.problems.empty());
  CHECK(run.complete == true);
  CHECK(run.duplicates == 0);
  CHECK(run.steps == verdict.steps);
  CHECK(run.link_transfers == verdict.link_transfers);
  CHECK(run.link_conflicts == 0);
  CHECK(*plan.expected.lower_bound_steps <= *run.steps);
  return run.link_transfers.value_or(0);
}

TEST_CASE("the closed form of cores has the steps of the page's table", "[reduction][cores]") {
  // T - D for 1, 2, .. n words per dimension, n = 3 .. 16.
  const std::vector<std::vector<std::uint32_t>> late = {
      {0, 1, 1},
      {0, 0, 1, 1},
      {0, 1, 2, 2, 2},
      {0, 0, 1, 2, 2, 2},
      {0, 1, 2, 3, 3, 3, 3},
      {0, 0, 1, 1, 3, 3, 3, 3},
      {0, 1, 1, 2, 4, 4, 4, 4, 4},
      {0, 0, 1, 2, 2, 4, 4, 4, 4, 4},
      {0, 1, 2, 3, 3, 5, 5, 5, 5, 5, 5},
      {0, 0, 1, 1, 2, 2, 5, 5, 5, 5, 5, 5},
      {0, 1, 2, 2, 3, 3, 6, 6, 6, 6, 6, 6, 6},
      {0, 0, 1, 2, 3, 3, 3, 6, 6, 6, 6, 6, 6, 6},
      {0, 1, 1, 2, 2, 4, 4, 7, 7, 7, 7, 7, 7, 7, 7},
      {0, 0, 1, 1, 2, 3, 3, 3, 7, 7, 7, 7, 7, 7, 7, 7},
  };
  for (std::uint32_t n = 3; n <= 16; ++n) {
    REQUIRE(late[n - 3].size() == n);
    for (std::uint32_t w = 1; w <= n; ++w) {
      CAPTURE(n, w);
      CHECK(bounds::cores_steps(n, 2, 2 * w) == 2 * (n / 2) + late[n - 3][w - 1]);
      // Another dimension adds half a ring.
      CHECK(bounds::cores_steps(n, 3, 3 * w) == 3 * (n / 2) + late[n - 3][w - 1]);
      const double bound =
          static_cast<double>(bounds::all_reduce_lower_bound(cube(n, 2), std::uint64_t{2} * w));
      CHECK(static_cast<double>(bounds::cores_steps(n, 2, 2 * w)) <= 1.2 * bound + 1e-9);
    }
  }
}

TEST_CASE("cores takes the page's steps and links", "[reduction][cores]") {
  struct Row {
    std::uint32_t side;
    std::size_t dimensions;
    std::uint64_t words, steps, links;
  };
  for (const Row& row :
       {Row{4, 2, 8, 5, 320}, Row{5, 2, 10, 6, 600}, Row{8, 2, 4, 8, 2048}, Row{8, 2, 8, 9, 2304},
        Row{8, 2, 12, 11, 2112}, Row{8, 2, 16, 11, 2816}, Row{7, 2, 4, 7, 1120},
        Row{7, 2, 6, 8, 1218}, Row{6, 2, 6, 7, 720}, Row{10, 2, 10, 12, 3600},
        Row{4, 3, 12, 7, 2688}, Row{5, 3, 15, 8, 6000}, Row{6, 3, 9, 10, 8424}}) {
    const Plan plan = plan_cores(cube(row.side, row.dimensions), {row.words});
    CAPTURE(row.side, row.dimensions, row.words);
    CHECK(plan.expected.analytic_steps == row.steps);
    CHECK(check_plan(plan) == row.links);
  }
  // Judged in the page's own search, as a larger one.
  const Plan large = plan_cores(cube(8, 3), {24});
  CHECK(large.expected.analytic_steps == 15);
  CHECK(check_plan(large) == 46080);
}

TEST_CASE("in the regular case every link is busy in every step, at the bound",
          "[reduction][cores]") {
  for (const std::size_t d : {1U, 2U, 3U}) {
    for (std::uint32_t n = 3; n <= (d == 3 ? 6U : 12U); ++n) {
      for (std::uint32_t b = 1; b <= n; ++b) {
        if (n % b != 0 || (n - b) % 2 != 0) continue;
        const Plan plan = plan_cores(cube(n, d), {d * b});
        CAPTURE(d, n, b);
        CHECK(plan.expected.meets_bound());
        CHECK(check_plan(plan) == plan.topology.links() * *plan.expected.analytic_steps);
      }
    }
  }
}

TEST_CASE("cores completes every vector that it takes", "[reduction][cores]") {
  for (const auto& [n, d] : {std::pair<std::uint32_t, std::size_t>{3, 1},
                             {8, 1},
                             {9, 1},
                             {3, 2},
                             {4, 2},
                             {5, 2},
                             {6, 2},
                             {7, 2},
                             {8, 2},
                             {3, 3},
                             {4, 3},
                             {5, 3},
                             {3, 4}}) {
    for (std::uint64_t words = 1; words <= d * n; ++words) {
      const Plan plan = plan_cores(cube(n, d), {words});
      CHECK(plan.expected.analytic_steps ==
            bounds::cores_steps(n, static_cast<std::uint32_t>(d), words));
      check_plan(plan);
    }
  }
  // Forms of blocks of two sizes, whose cores meet messages from both sides in one step.
  for (const auto& [n, words] : {std::pair<std::uint32_t, std::uint64_t>{10, 6},
                                 {16, 10},
                                 {18, 5},
                                 {22, 14},
                                 {13, 7},
                                 {15, 9}}) {
    check_plan(plan_cores(cube(n, 2), {words}));
  }
}

TEST_CASE("a damaged cores plan is rejected", "[reduction][cores]") {
  for (const auto& [n, words] : {std::pair<std::uint32_t, std::uint64_t>{4, 8}, {5, 7}}) {
    const Plan good = plan_cores(cube(n, 2), {words});
    const auto& program = good.program.as<TimetableProgram>();
    std::size_t tried = 0;
    for (NodeId node = 0; node < good.topology.nodes(); node += 3) {
      const TimetableRom& rom = program.roms()[program.rom_of(node)];
      const auto judged = [&](const TimetableRom& damaged) {
        TimetableProgram other = program;
        other.assign(node, other.intern(damaged));
        Plan plan = good;
        plan.program = SharedProgram(std::move(other));
        ++tried;
        const Verdict verdict = verify(plan);
        CAPTURE(plan.topology.dims_text(), plan.demand.pieces, node);
        CHECK(!verdict.ok());
      };
      for (std::size_t i = 0; i < rom.sends.size(); ++i) {
        TimetableRom damaged = rom;
        damaged.sends.erase(damaged.sends.begin() + static_cast<std::ptrdiff_t>(i));
        judged(damaged);
      }
      for (std::size_t i = 0; i < rom.arrivals.size(); ++i) {
        TimetableRom damaged = rom;
        damaged.arrivals[i].with = WordSource();
        if (damaged.arrivals[i] == rom.arrivals[i]) continue;
        judged(damaged);
      }
    }
    CHECK(tried > 100);
  }
}

TEST_CASE("what cores cannot do is refused", "[reduction][cores]") {
  CHECK_THROWS_AS(plan_cores(Topology::mesh(std::vector<std::uint32_t>{4, 4}), {1}),
                  InfeasibleError);
  CHECK_THROWS_AS(plan_cores(Topology::torus(std::vector<std::uint32_t>{4, 5}), {1}),
                  InfeasibleError);
  CHECK_THROWS_AS(plan_cores(cube(2, 3), {1}), InfeasibleError);
  CHECK_THROWS_AS(plan_cores(cube(4, 2), {9}), InfeasibleError);
  CHECK_THROWS_AS(plan_cores(cube(4, 2), {4, Operation::kSignedSaturatingSum}), InfeasibleError);
}

TEST_CASE("operations other than sums are planned alike", "[reduction][cores]") {
  for (const Operation operation : {Operation::kMax, Operation::kXor, Operation::kSaturatingSum}) {
    check_plan(plan_cores(cube(5, 2), {5, operation}));
  }
}

TEST_CASE("lower bounds of short vectors and of few owners", "[reduction][bounds]") {
  const auto torus = [](std::vector<std::uint32_t> sides) { return Topology::torus(sides); };
  CHECK(bounds::all_reduce_lower_bound(torus({5, 7}), 8) == 7);
  CHECK(bounds::all_reduce_lower_bound(torus({5, 7}), 16) == 9);
  CHECK(bounds::all_reduce_lower_bound(torus({5, 5}), 10) == 6);
  CHECK(bounds::all_reduce_lower_bound(torus({7, 7}), 14) == 9);
  CHECK(bounds::all_reduce_lower_bound(torus({3, 4, 5}), 8) == 6);
  CHECK(bounds::all_reduce_lower_bound(torus({8, 8}), 16) == 11);
  // A mesh has no rings.
  CHECK(bounds::all_reduce_lower_bound(Topology::mesh(std::vector<std::uint32_t>{5, 7}), 8) == 13);
  for (const auto& [words, steps] : {std::pair<std::uint64_t, std::uint64_t>{1, 8},
                                     {24, 8},
                                     {28, 8},
                                     {32, 9},
                                     {40, 11},
                                     {48, 13},
                                     {64, 16}}) {
    CAPTURE(words);
    CHECK(bounds::owners_lower_bound(torus({8, 8}), words) == steps);
  }
  CHECK(bounds::owners_lower_bound(torus({5, 7}), 16) == 5);
  CHECK(bounds::owners_lower_bound(torus({5, 7}), 20) == 6);
  CHECK(bounds::owners_lower_bound(torus({5, 7}), 32) == 8);
  CHECK(bounds::owners_lower_bound(torus({4, 4, 4}), 32) == 6);
  CHECK(bounds::owners_lower_bound(torus({4, 4, 4}), 64) == 11);
  // In a plan: a reduce-scatter of fewer words than nodes.
  PlanRequest request{torus({8, 8}), "reduce-scatter", "hamiltonian", {}, {}};
  request.parameters["words"] = std::int64_t{48};
  CHECK(make_plan(request).expected.lower_bound_steps == 13);
}

TEST_CASE("a bound that an earlier version wrote is accepted, a wrong one is not",
          "[reduction][bounds]") {
  PlanRequest request{
      Topology::torus(std::vector<std::uint32_t>{5, 5}), "all-reduce", "rings", {}, {}};
  request.parameters["words"] = std::int64_t{10};
  Plan plan = make_plan(request);
  CHECK(plan.expected.lower_bound_steps == 6);
  plan.expected.lower_bound_steps = 6;
  CHECK(verify(plan).ok());
  request.parameters["words"] = std::int64_t{3};
  plan = make_plan(request);
  CHECK(plan.expected.lower_bound_steps == 5);
  plan.expected.lower_bound_steps = 4;
  CHECK(verify(plan).ok());
  plan.expected.lower_bound_steps = 3;
  CHECK(!verify(plan).ok());
}

TEST_CASE("an all-reduce of middle size takes cores where nothing is faster",
          "[reduction][cores]") {
  const auto chosen = [](std::uint32_t side, std::size_t d, std::int64_t words) {
    PlanRequest request{cube(side, d), "all-reduce", "", {}, {}};
    request.parameters["words"] = words;
    return make_plan(request);
  };
  for (const auto& [side, d, words, steps] :
       {std::tuple<std::uint32_t, std::size_t, std::int64_t, std::uint64_t>{8, 2, 16, 11},
        {8, 2, 8, 9},
        {5, 2, 10, 6},
        {4, 3, 12, 7},
        {7, 2, 8, 9}}) {
    const Plan plan = chosen(side, d, words);
    CAPTURE(side, d, words, plan.algorithm);
    CHECK(plan.algorithm == "cores");
    CHECK(plan.expected.analytic_steps == steps);
  }
  // Not where the order of combination matters.
  PlanRequest request{cube(8, 2), "all-reduce", "", {}, {}};
  request.parameters["words"] = std::int64_t{16};
  request.parameters["operation"] = std::string("signed-saturating-sum");
  CHECK(make_plan(request).algorithm == "rings");
}

}  // namespace
}  // namespace gossamer
