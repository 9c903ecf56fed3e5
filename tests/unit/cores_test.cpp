// SPDX-License-Identifier: Apache-2.0
/// All-reduce by cores, its closed form, and the lower bounds that it is compared with:
/// docs/spec/middle-reductions.md.
#include <array>
#include <catch2/catch.hpp>
#include <sstream>
#include <tuple>

#include "../reduction.hpp"
#include "gossamer/bounds/cores.hpp"
#include "gossamer/bounds/reductions.hpp"
#include "gossamer/collectives/reduce/cores.hpp"
#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/report/physical.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {
namespace {

Topology cube(std::uint32_t side, std::size_t dimensions) {
  return Topology::torus(std::vector<std::uint32_t>(dimensions, side));
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
    CHECK(testing::check_reduction(plan) == row.links);
  }
  // Judged in the page's own search, as a larger one.
  const Plan large = plan_cores(cube(8, 3), {24});
  CHECK(large.expected.analytic_steps == 15);
  CHECK(testing::check_reduction(large) == 46080);
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
        CHECK(testing::check_reduction(plan) ==
              plan.topology.links() * *plan.expected.analytic_steps);
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
      testing::check_reduction(plan);
    }
  }
  // Forms of blocks of two sizes, whose cores meet messages from both sides in one step.
  for (const auto& [n, words] : {std::pair<std::uint32_t, std::uint64_t>{10, 6},
                                 {16, 10},
                                 {18, 5},
                                 {22, 14},
                                 {13, 7},
                                 {15, 9}}) {
    testing::check_reduction(plan_cores(cube(n, 2), {words}));
  }
}

/// The plan with a ROM per node, which is replayed.
Plan with_own_roms(Plan plan) {
  plan.program =
      SharedProgram(unrotated(plan.program.as<TimetableProgram>(), plan.topology, plan.demand));
  return plan;
}

TEST_CASE("a damaged cores plan is rejected", "[reduction][cores]") {
  for (const auto& [n, words] : {std::pair<std::uint32_t, std::uint64_t>{4, 8}, {5, 7}}) {
    const Plan good = with_own_roms(plan_cores(cube(n, 2), {words}));
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

TEST_CASE("one router per class of parities proves cores as a replay does", "[reduction][cores]") {
  for (const auto& [n, d] : {std::pair<std::uint32_t, std::size_t>{9, 1},
                             {12, 1},
                             {4, 2},
                             {5, 2},
                             {6, 2},
                             {8, 2},
                             {9, 2},
                             {3, 3},
                             {4, 3}}) {
    for (std::uint64_t words = 1; words <= d * n; ++words) {
      const Plan plan = plan_cores(cube(n, d), {words});
      if (plan.program.as<TimetableProgram>().rotation == 0) continue;
      CAPTURE(n, d, words);
      const Verdict proved = verify(plan);
      const Verdict replayed = verify(with_own_roms(plan));
      CHECK(proved.method == "positions");
      CHECK(replayed.method == "schedule");
      CHECK(proved.problems == replayed.problems);
      CHECK(proved.steps == replayed.steps);
      CHECK(proved.link_transfers == replayed.link_transfers);
      CHECK(proved.max_queue == replayed.max_queue);
    }
  }
}

TEST_CASE("cores on a million nodes is planned and proved", "[reduction][cores]") {
  struct Row {
    std::uint32_t side;
    std::size_t dimensions;
    std::uint64_t words, steps;
  };
  for (const Row& row : {Row{1000, 2, 1, 1000}, Row{1000, 2, 7, 1001}, Row{1000, 2, 2000, 1499},
                         Row{999, 2, 1998, 1497}, Row{100, 3, 300, 199}}) {
    Plan plan = plan_cores(cube(row.side, row.dimensions), {row.words});
    CAPTURE(row.side, row.dimensions, row.words);
    CHECK(plan.expected.analytic_steps == row.steps);
    CHECK(bounds::cores_steps(row.side, static_cast<std::uint32_t>(row.dimensions), row.words) ==
          row.steps);
    Verdict verdict = verify(plan);
    CHECK(verdict.problems.empty());
    CHECK(verdict.method == "positions");
    CHECK(verdict.steps == row.steps);
    // Full blocks of the regular case keep all links busy.
    if (row.words == row.side * row.dimensions) {
      CHECK((verdict.link_transfers == plan.topology.links() * row.steps) ==
            plan.expected.meets_bound());
    }
    // A row less, at all nodes of a class.
    auto& program = plan.program.edit<TimetableProgram>();
    TimetableRom rom = program.roms()[0];
    rom.sends.erase(rom.sends.begin() + static_cast<std::ptrdiff_t>(rom.sends.size() / 2));
    const std::uint32_t damaged = program.intern(rom);
    if (program.one_rom()) {
      TimetableProgram other(program.nodes(), program.ports(), program.own(), program.delivery());
      other.rotation = program.rotation;
      other.intern(rom);
      plan.program = SharedProgram(std::move(other));
    } else {
      std::vector<std::uint32_t> roms(program.parity_roms().begin(), program.parity_roms().end());
      roms[0] = damaged;
      program.assign_by_parity(plan.topology, roms);
    }
    verdict = verify(plan);
    CHECK(!verdict.ok());
    CHECK(!verdict.complete);
  }
}

TEST_CASE("a damaged program of cores is rejected, and the proof never errs",
          "[reduction][cores]") {
  for (const auto& torus : {std::pair<std::uint32_t, std::uint64_t>{4, 8}, {4, 5}, {5, 10}}) {
    // clang's lambdas cannot capture structured bindings.
    const std::uint32_t n = torus.first;
    const std::uint64_t words = torus.second;
    const Plan good = plan_cores(cube(n, 2), {words});
    const auto& program = good.program.as<TimetableProgram>();
    const std::uint64_t last = program.steps();
    for (std::uint32_t of = 0; of < program.roms().size(); ++of) {
      std::size_t tried = 0;
      const auto judge = [&](const TimetableRom& damaged, bool may_be_valid = false) {
        TimetableProgram other(program.nodes(), program.ports(), program.own(), program.delivery());
        other.rotation = program.rotation;
        std::vector<std::uint32_t> numbers;
        for (std::uint32_t i = 0; i < program.roms().size(); ++i) {
          numbers.push_back(other.intern(i == of ? damaged : program.roms()[i]));
        }
        std::vector<std::uint32_t> roms;
        for (const std::uint32_t rom : program.parity_roms()) roms.push_back(numbers[rom]);
        if (!roms.empty()) other.assign_by_parity(good.topology, roms);
        Plan plan = good;
        plan.program = SharedProgram(std::move(other));
        ++tried;
        CAPTURE(n, words, of, tried);
        const bool is_valid = verify(plan).ok();
        if (!may_be_valid) CHECK(!is_valid);
        CHECK(is_valid == verify(with_own_roms(plan)).ok());
      };
      const TimetableRom& rom = program.roms()[of];
      for (std::size_t i = 0; i < rom.sends.size(); i += 3) {
        TimetableRom damaged = rom;
        damaged.sends.erase(damaged.sends.begin() + static_cast<std::ptrdiff_t>(i));
        judge(damaged);
        damaged = rom;
        damaged.sends[i].port ^= 1U;
        std::ranges::sort(damaged.sends, {},
                          [](const SendRow& row) { return std::pair(row.step, row.port); });
        judge(damaged);
        damaged = rom;
        WordSource& source = damaged.sends[i].source;
        source = source.is_own() ? WordSource::own((source.index() + 1) % program.own())
                                 : WordSource::slot((source.index() + 1) % program.slots());
        judge(damaged);
        damaged = rom;
        ++damaged.sends[i].step;
        std::ranges::sort(damaged.sends, {},
                          [](const SendRow& row) { return std::pair(row.step, row.port); });
        judge(damaged, rom.sends[i].step == last);
      }
      for (std::size_t i = 0; i < rom.arrivals.size(); i += 3) {
        TimetableRom damaged = rom;
        damaged.arrivals.erase(damaged.arrivals.begin() + static_cast<std::ptrdiff_t>(i));
        judge(damaged);
        damaged = rom;
        damaged.arrivals[i].with = WordSource();
        if (damaged != rom) judge(damaged);
        damaged = rom;
        damaged.arrivals[i].delivers = !damaged.arrivals[i].delivers;
        judge(damaged);
      }
      CHECK(tried > 20);
    }
  }
}

TEST_CASE("a plan document has the rotation of cores", "[reduction][cores]") {
  for (const auto& [n, words] :
       {std::pair<std::uint32_t, std::uint64_t>{4, 8}, {4, 5}, {5, 10}, {9, 5}}) {
    const Plan plan = plan_cores(cube(n, 2), {words});
    std::stringstream document;
    write_plan(plan, document, PlanEncoding::kJson);
    CHECK(read_plan(document, "plan").program.as<TimetableProgram>() ==
          plan.program.as<TimetableProgram>());
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
    testing::check_reduction(plan_cores(cube(5, 2), {5, operation}));
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

TEST_CASE("a short message in bytes is planned as a short vector", "[reduction][cores]") {
  for (const auto& [bytes, algorithm, cycles] :
       {std::tuple<const char*, const char*, std::uint64_t>{"64", "line-sum", 8},
        {"512", "cores", 11},
        {"8KiB", "hamiltonian", 126}}) {
    PlanRequest request{cube(8, 2), "all-reduce", "", {}, {}};
    request.parameters["bytes"] = std::string(bytes);
    request.parameters["link-bits"] = std::int64_t{256};
    const Plan plan = make_plan(request);
    CAPTURE(bytes);
    CHECK(plan.algorithm == algorithm);
    const auto given = quantities_of(plan);
    REQUIRE(given);
    CHECK(physical_figures(plan, *given).in_cycles(*plan.expected.analytic_cycles) == cycles);
  }
}

}  // namespace
}  // namespace gossamer
