// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/unequal.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <sstream>

#include "../timetable.hpp"
#include "../unequal_judge.hpp"
#include "gossamer/bounds/unequal.hpp"
#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/plan/topology_io.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {
namespace {

using testing::judge_unequal;
using testing::UnequalNetwork;

Topology network(const char* kind, const char* dims, const LinkRateTexts& rates) {
  return with_link_rates(topology_named(kind, *whole_numbers(dims, 'x')), rates);
}
Topology chiplets(const char* kind, const char* dims, const char* chiplet, int period) {
  return network(kind, dims, {{}, {}, chiplet, "1/" + std::to_string(period)});
}
Topology axes(const char* kind, const char* dims, const char* rates) {
  return network(kind, dims, {rates, {}, {}, {}});
}

UnequalNetwork judged_network(const Topology& topology) {
  UnequalNetwork judged{topology.sides(),
                        {},
                        topology.link_periods().chiplets,
                        topology.link_periods().inside,
                        topology.link_periods().between};
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    judged.wraps.push_back(topology.wraps(dim));
  }
  return judged;
}

/// Runs the plan, and has the trace judged independently.
Report run_and_judge(const Plan& plan) {
  std::ostringstream trace;
  RunOptions options;
  options.trace = &trace;
  Report report = run_on_engine("fast", plan, {}, options);
  CHECK(report.problems.empty());
  CHECK(report.complete);
  CHECK(report.link_conflicts == 0);
  const bool reduces = plan.demand.combines();
  const auto k = static_cast<std::uint32_t>(reduces ? plan.demand.pieces / plan.topology.nodes()
                                                    : plan.demand.pieces);
  if (!reduces || plan.collective == "reduce-scatter") {
    const auto verdict = judge_unequal(judged_network(plan.topology), k, reduces, trace.str());
    CHECK(verdict.defect.empty());
    CHECK(verdict.steps == report.steps);
  }
  return report;
}

struct Case {
  Topology topology;
  std::uint32_t k;
  std::uint64_t steps;
  std::uint64_t above_bound;
  std::size_t programs;
};

/// An all-gather, and the reduce-scatter that is its reverse.
void check(const Case& known) {
  CAPTURE(link_periods_text(known.topology), known.topology.dims_text(), known.k);
  const Plan plan = plan_unequal(known.topology, {known.k, 1, {}});
  CHECK(*plan.expected.analytic_steps <= known.steps);
  CHECK(*plan.expected.lower_bound_steps == known.steps - known.above_bound);
  CHECK(plan.program.as<TimetableProgram>().roms().size() <= known.programs);
  const Verdict verdict = verify(plan);
  CHECK(verdict.complete);
  CHECK(verdict.problems.empty());
  CHECK(verdict.steps == plan.expected.analytic_steps);
  const Report report = run_and_judge(plan);
  CHECK(report.link_transfers == verdict.link_transfers);
  CHECK(report.max_queue == verdict.max_queue);
}

TEST_CASE("all-gathers on chiplets take the steps of the table", "[unequal]") {
  check({chiplets("mesh", "8x8", "4x4", 4), 1, 32, 0, 64});
  check({chiplets("mesh", "8x8", "4x4", 4), 8, 252, 0, 64});
  check({chiplets("torus", "8x8", "4x4", 4), 1, 26, 0, 16});
  check({chiplets("torus", "8x8", "4x4", 4), 8, 202, 0, 16});
  check({chiplets("mesh", "4x1", "2x1", 3), 1, 7, 0, 4});
  check({chiplets("torus", "8x1", "4x1", 3), 4, 27, 0, 4});
  check({chiplets("mesh", "16x1", "4x1", 3), 4, 147, 0, 16});
}

TEST_CASE("all-gathers on axes of different rates take the steps of the table", "[unequal]") {
  check({axes("torus", "8x8", "y=1/2"), 1, 22, 0, 1});
  check({axes("torus", "8x8", "y=1/2"), 8, 168, 0, 1});
  check({axes("torus", "8x8", "y=1/3"), 8, 189, 0, 1});
  check({axes("torus", "8x8", "x=3,y=2"), 8, 303, 0, 1});
  check({axes("torus", "4x4x4", "z=1/2"), 1, 13, 0, 1});
  check({axes("torus", "4x4x4", "y=1/2,z=1/3"), 8, 138, 0, 1});
}

TEST_CASE("all entries of the table of all-gathers", "[unequal][slow]") {
  check({chiplets("mesh", "8x8", "4x4", 4), 2, 63, 0, 64});
  check({chiplets("mesh", "8x8", "4x4", 4), 16, 504, 0, 64});
  check({chiplets("mesh", "8x8", "4x4", 2), 8, 252, 0, 64});
  check({chiplets("mesh", "8x8", "4x4", 8), 1, 54, 0, 64});
  check({chiplets("mesh", "8x8", "4x4", 8), 8, 390, 0, 64});
  check({chiplets("mesh", "8x8", "4x4", 16), 8, 774, 0, 64});
  check({chiplets("mesh", "8x8", "4x4", 8), 16, 774, 0, 64});
  check({chiplets("mesh", "8x8", "2x2", 4), 2, 122, 0, 64});
  check({chiplets("mesh", "8x8", "2x2", 4), 8, 482, 0, 64});
  check({chiplets("mesh", "8x8", "8x4", 4), 8, 252, 0, 64});
  check({chiplets("torus", "8x8", "4x4", 2), 8, 168, 0, 16});
  check({chiplets("torus", "8x8", "4x4", 4), 2, 51, 0, 16});
  check({chiplets("torus", "8x8", "4x4", 4), 4, 101, 0, 16});
  check({chiplets("torus", "8x8", "4x4", 4), 10, 252, 0, 16});
  check({chiplets("torus", "8x8", "4x4", 4), 16, 404, 0, 16});
  check({chiplets("torus", "8x8", "4x4", 8), 8, 224, 0, 16});
  check({chiplets("torus", "8x8", "4x4", 16), 8, 391, 1, 16});
  check({chiplets("torus", "8x8", "2x2", 4), 8, 243, 1, 4});
  check({axes("torus", "8x8", "y=1/3"), 1, 24, 0, 1});
  check({axes("torus", "8x8", "y=1/6"), 1, 30, 2, 1});
  check({axes("torus", "8x8", "y=1/2"), 2, 42, 0, 1});
  check({axes("torus", "8x8", "y=1/6"), 2, 54, 0, 1});
  check({axes("torus", "8x8", "y=1/6"), 8, 216, 0, 1});
  check({axes("torus", "8x8", "y=1/2"), 16, 336, 0, 1});
  check({axes("torus", "8x8", "y=1/3"), 16, 378, 0, 1});
  check({axes("torus", "8x8", "y=1/6"), 16, 432, 0, 1});
  check({axes("torus", "8x8", "y=1/8"), 8, 240, 12, 1});
  check({axes("torus", "8x8", "y=1/12"), 8, 360, 20, 1});
  check({axes("mesh", "8x8", "y=1/2"), 8, 336, 0, 64});
  check({axes("mesh", "8x8", "y=1/3"), 8, 378, 0, 64});
  check({axes("mesh", "8x8", "y=1/6"), 8, 432, 0, 64});
  check({axes("mesh", "8x8", "y=1/3"), 16, 756, 0, 64});
  check({axes("torus", "4x4x4", "z=1/2"), 8, 101, 0, 1});
  check({axes("torus", "4x4x4", "z=1/3"), 8, 108, 0, 1});
  check({axes("torus", "4x4x4", "z=1/6"), 8, 117, 0, 1});
  check({axes("torus", "4x4x4", "z=1/2"), 5, 64, 0, 1});
  check({axes("torus", "4x4x4", "z=1/3"), 16, 216, 0, 1});
  check({axes("mesh", "4x4x4", "z=1/3"), 8, 216, 0, 64});
  check({chiplets("mesh", "4x4x4", "2x2x2", 4), 8, 168, 0, 64});
  check({chiplets("mesh", "12x12", "4x4", 4), 2, 143, 0, 144});
  check({chiplets("mesh", "12x12", "4x4", 4), 8, 572, 0, 144});
  check({chiplets("torus", "12x12", "4x4", 4), 1, 58, 0, 16});
  check({chiplets("torus", "12x12", "4x4", 4), 8, 458, 0, 16});
  check({chiplets("mesh", "12x8", "4x4", 3), 8, 380, 0, 96});
  check({chiplets("torus", "16x16", "4x4", 4), 1, 103, 0, 16});
  check({chiplets("torus", "16x16", "4x4", 4), 2, 204, 0, 16});
  check({chiplets("torus", "16x16", "4x4", 4), 4, 408, 0, 16});
  check({chiplets("mesh", "16x16", "4x4", 4), 2, 255, 0, 256});
  check({chiplets("mesh", "16x16", "8x8", 8), 2, 255, 0, 256});
  check({chiplets("torus", "8x8x4", "4x4x4", 4), 2, 114, 0, 64});
}

PlanRequest request(const Topology& topology, const char* collective, std::int64_t packets) {
  return {topology, collective, {}, {{"packets", packets}}, {}};
}

TEST_CASE("a reduce-scatter is an all-gather in reverse, on the same number of programs",
          "[unequal]") {
  struct Known {
    Topology topology;
    std::int64_t k;
    std::uint64_t steps;
    std::size_t programs;
  };
  const std::vector<Known> cases{{chiplets("mesh", "8x8", "4x4", 4), 8, 252, 64},
                                 {chiplets("torus", "8x8", "4x4", 4), 8, 202, 16},
                                 {axes("torus", "8x8", "y=1/3"), 8, 189, 1},
                                 {chiplets("wrap-x", "8x4", "4x2", 3), 1, 0, 16},
                                 {axes("wrap-y", "3x4", "y=1/2"), 2, 0, 3}};
  for (const Known& known : cases) {
    CAPTURE(link_periods_text(known.topology), known.topology.dims_text(), known.k);
    const Plan gather = make_plan(request(known.topology, "all-gather", known.k));
    const Plan scatter = make_plan(request(known.topology, "reduce-scatter", known.k));
    CHECK(scatter.expected.analytic_steps == gather.expected.analytic_steps);
    CHECK(scatter.expected.lower_bound_steps == gather.expected.lower_bound_steps);
    if (known.steps != 0) CHECK(scatter.expected.analytic_steps == known.steps);
    CHECK(scatter.program.as<TimetableProgram>().roms().size() <= known.programs);
    for (const Plan* plan : {&gather, &scatter}) {
      const Verdict verdict = verify(*plan);
      CHECK(verdict.complete);
      CHECK(verdict.problems.empty());
      (void)run_and_judge(*plan);
    }
    PlanRequest after_another = request(known.topology, "all-reduce", known.k);
    after_another.algorithm = "scheduled";
    const Plan both = make_plan(after_another);
    const Report report = run_and_judge(both);
    CHECK(report.steps == 2 * *gather.expected.analytic_steps);
    CHECK(verify(both).problems.empty());
  }
}

TEST_CASE("a program of a block repeats without growing", "[unequal]") {
  const Topology mesh = chiplets("mesh", "8x8", "4x4", 4);
  const auto blocks = [&mesh](std::int64_t packets, std::int64_t block) {
    PlanRequest asked = request(mesh, "all-gather", packets);
    asked.parameters["block"] = block;
    Plan plan = make_plan(asked);
    const Report report = run_and_judge(plan);
    const Verdict verdict = verify(plan);
    CHECK(verdict.complete);
    CHECK(verdict.problems.empty());
    CHECK(verdict.steps == report.steps);
    return plan;
  };
  const Plan one = blocks(2, 2);
  const Plan eight = blocks(16, 2);
  CHECK(one.expected.analytic_steps == 63);
  CHECK(eight.expected.analytic_steps == 504);
  CHECK(eight.expected.lower_bound_steps == 504);
  const auto& program = eight.program.as<TimetableProgram>();
  CHECK(program.period() == 63);
  CHECK(program.format().words == 63);
  CHECK(program.slots() == one.program.as<TimetableProgram>().slots());
  // The remainder is a block of its own.
  CHECK(blocks(7, 2).expected.analytic_steps == 3 * 63 + 32);
}

TEST_CASE("short vectors of meshes take the weighted diameter", "[unequal][slow]") {
  const auto all_reduce = [](const Topology& topology, std::int64_t words) {
    PlanRequest asked{topology, "all-reduce", {}, {{"words", words}}, {}};
    const Plan plan = make_plan(asked);
    CHECK(plan.algorithm == "lines");
    CHECK(verify(plan).problems.empty());
    return run_and_judge(plan).steps;
  };
  const Topology mesh = chiplets("mesh", "8x8", "4x4", 4);
  CHECK(all_reduce(mesh, 1) == 20);
  CHECK(all_reduce(mesh, 2) == 20);
  CHECK(all_reduce(mesh, 3) == 24);
  CHECK(all_reduce(mesh, 4) == 24);
  // Lines of odd and even length, whose middle is inside a chiplet or between two.
  CHECK(all_reduce(chiplets("mesh", "9x4", "3x2", 3), 2) == 12 + 5);
  CHECK(all_reduce(chiplets("mesh", "6x6x4", "2x3x2", 2), 6) == 7 + 6 + 4 + 2);
  CHECK(all_reduce(axes("mesh", "5x4", "x=1/2"), 2) == 8 + 3);
  PlanRequest long_vector{mesh, "all-reduce", "lines", {{"words", std::int64_t{5}}}, {}};
  CHECK_THROWS_WITH(make_plan(long_vector), Catch::Contains("nearest feasible: --words 4"));
}

TEST_CASE("chiplets that no rate tells apart leave one program for all nodes", "[unequal]") {
  for (const char* chiplet : {"4x2", "2x2"}) {
    const Topology topology =
        network("torus", "4x2", {"y=1/4", {}, chiplet, chiplet[0] == '4' ? "1/4" : ""});
    CHECK(topology.routers_are_alike());
    const Plan plan = make_plan(request(topology, "all-gather", 2));
    CHECK(plan.program.as<TimetableProgram>().one_rom());
    std::stringstream document;
    write_plan(plan, document, PlanEncoding::kJson);
    CHECK(read_plan(document, "plan") == plan);
    CHECK(verify(plan).problems.empty());
    (void)run_and_judge(plan);
  }
}

TEST_CASE("the program of a reduce-scatter also repeats", "[unequal]") {
  struct Known {
    Topology topology;
    std::int64_t block;
    std::uint64_t steps;
  };
  const std::vector<Known> cases{{chiplets("mesh", "8x8", "4x4", 4), 2, 63},
                                 {chiplets("torus", "4x8", "2x4", 3), 1, 0},
                                 {axes("torus", "8x8", "y=1/2"), 2, 42}};
  for (const Known& known : cases) {
    CAPTURE(link_periods_text(known.topology), known.topology.dims_text());
    PlanRequest asked = request(known.topology, "reduce-scatter", 3 * known.block);
    asked.parameters["block"] = known.block;
    const Plan plan = make_plan(asked);
    const auto& program = plan.program.as<TimetableProgram>();
    CHECK(program.repeats());
    CHECK(program.own() == known.block * known.topology.nodes());
    if (known.steps != 0) CHECK(plan.expected.analytic_steps == 3 * known.steps);
    const Verdict verdict = verify(plan);
    CHECK(verdict.complete);
    CHECK(verdict.problems.empty());
    CHECK(verdict.steps == plan.expected.analytic_steps);
    (void)run_and_judge(plan);
  }
}

TEST_CASE("packets that fill no block follow in one of their own", "[unequal]") {
  const Topology mesh = chiplets("mesh", "8x8", "4x4", 4);
  const Topology torus = chiplets("torus", "8x4", "4x2", 3);
  for (const Topology* topology : {&mesh, &torus}) {
    PlanRequest asked = request(*topology, "reduce-scatter", 7);
    asked.parameters["block"] = std::int64_t{2};
    const Plan scatter = make_plan(asked);
    asked.collective = "all-gather";
    const Plan gather = make_plan(asked);
    if (topology == &mesh) CHECK(gather.expected.analytic_steps == 3 * 63 + 32);
    CHECK(scatter.expected.analytic_steps == gather.expected.analytic_steps);
    CHECK(std::get<std::int64_t>(scatter.parameters.at("blocks")) == 4);
    for (const Plan* plan : {&gather, &scatter}) {
      const Verdict verdict = verify(*plan);
      CHECK(verdict.complete);
      CHECK(verdict.problems.empty());
      CHECK(verdict.steps == plan->expected.analytic_steps);
      (void)run_and_judge(*plan);
    }
  }
}

TEST_CASE("chiplets of 8x4 and of 4x8 have the bound of each other", "[unequal]") {
  // The same network with its axes exchanged, and the same steps.
  check({chiplets("mesh", "8x8", "4x8", 4), 8, 252, 0, 64});
  const Topology wide = chiplets("mesh", "8x4", "4x2", 3);
  const Topology high = chiplets("mesh", "4x8", "2x4", 3);
  for (const std::int64_t k : {1, 3, 8}) {
    const Plan one = make_plan(request(wide, "all-gather", k));
    const Plan other = make_plan(request(high, "all-gather", k));
    CHECK(one.expected.lower_bound_steps == other.expected.lower_bound_steps);
    CHECK(one.expected.analytic_steps == other.expected.analytic_steps);
  }
}

/// The cut bound over all sets of nodes.
std::uint64_t cut_of_all_sets(const Topology& topology, std::uint64_t k) {
  std::uint64_t best = 0;
  for (std::uint32_t set = 1; set + 1 < (1U << topology.nodes()); ++set) {
    std::vector<std::uint64_t> periods;
    std::uint64_t inside = 0;
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      if ((set >> node & 1U) == 0) continue;
      ++inside;
      for (const Port port : all_ports(topology.ports())) {
        const NodeId from = topology.sender(node, port);
        if (from == kNoNode || (set >> from & 1U) != 0) continue;
        periods.push_back(topology.period(from, opposite(port)));
      }
    }
    const std::uint64_t wanted = k * (topology.nodes() - inside);
    const auto arrived = [&](std::uint64_t time) {
      std::uint64_t sum = 0;
      for (const std::uint64_t period : periods) sum += time / period;
      return sum;
    };
    while (arrived(best) < wanted) ++best;
  }
  return best;
}

TEST_CASE("the bound is at least the cut bound over all sets, and no plan is below it",
          "[unequal]") {
  Random random(7);
  const std::array<const char*, 5> kinds{"mesh", "torus", "wrap-x", "wrap-y", "mesh"};
  int made = 0;
  while (made < 40) {
    const std::uint32_t a = 1 + random.below(3);
    const std::uint32_t b = 1 + random.below(2);
    const std::uint32_t nx = a * (1 + random.below(3));
    const std::uint32_t ny = b * (1 + random.below(3));
    if (nx * ny < 2 || nx * ny > 12) continue;
    const auto sides = std::array{nx, ny};
    const Topology plain = topology_named(kinds[random.below(5)], sides);
    const auto rate = [&random] { return "1/" + std::to_string(1 + random.below(6)); };
    LinkRateTexts rates;
    rates.link_rate = "x=" + rate() + ",y=" + rate();
    if (random.below(3) != 0) {
      rates.chiplets = std::to_string(a) + "x" + std::to_string(b);
      rates.die_link_rate = "x=" + rate() + ",y=" + rate();
    }
    const Topology topology = with_link_rates(plain, rates);
    if (topology.has_equal_links()) continue;
    ++made;
    const std::uint32_t k = 1 + random.below(4);
    CAPTURE(topology.kind(), topology.dims_text(), link_periods_text(topology), k);
    const std::uint64_t bound = bounds::unequal_gather_bound(topology, k);
    CHECK(bound >= cut_of_all_sets(topology, k));
    const Plan plan = make_plan(request(topology, "all-gather", k));
    CHECK(*plan.expected.lower_bound_steps == bound);
    CHECK(*plan.expected.analytic_steps >= bound);
    CHECK(verify(plan).problems.empty());
    (void)run_and_judge(plan);
    (void)run_and_judge(make_plan(request(topology, "reduce-scatter", k)));
  }
}

TEST_CASE("an entry can decide: a packet that enters late enters twice", "[unequal]") {
  CHECK(cut_of_all_sets(chiplets("mesh", "4x2", "2x2", 8), 2) == 32);
  CHECK(bounds::unequal_gather_bound(chiplets("mesh", "8x8", "4x4", 8), 8) == 390);
  CHECK(bounds::unequal_gather_bound(chiplets("mesh", "8x8", "4x4", 5), 8) == 252);
}

TEST_CASE("bounds of all-reduce are those of the table", "[unequal]") {
  const auto bound = [](const Topology& topology, std::uint64_t words) {
    return bounds::unequal_all_reduce_bound(topology, words);
  };
  const Topology mesh = chiplets("mesh", "8x8", "4x4", 4);
  CHECK(bound(mesh, 1) == 20);
  CHECK(bound(mesh, 16) == 27);
  CHECK(bound(mesh, 64) == 51);
  CHECK(bound(mesh, 256) == 192);
  CHECK(bound(mesh, 1024) == 768);
  CHECK(bound(chiplets("mesh", "8x8", "4x4", 2), 1024) == 621);
  CHECK(bound(chiplets("mesh", "8x8", "4x4", 8), 256) == 384);
  const Topology torus = chiplets("torus", "8x8", "4x4", 4);
  CHECK(bound(torus, 1) == 14);
  CHECK(bound(torus, 256) == 156);
  CHECK(bound(torus, 1024) == 621);
  CHECK(bound(axes("torus", "8x8", "y=1/6"), 1024) == 864);
}

TEST_CASE("documents keep the periods, in JSON and CBOR", "[unequal]") {
  const std::vector<Plan> plans{
      make_plan(request(chiplets("mesh", "4x4", "2x2", 3), "all-gather", 2)),
      make_plan(request(axes("torus", "4x4", "y=2/3"), "reduce-scatter", 1))};
  for (const Plan& plan : plans) {
    for (const PlanEncoding encoding : {PlanEncoding::kJson, PlanEncoding::kCbor}) {
      std::stringstream document;
      write_plan(plan, document, encoding);
      CHECK(read_plan(document, "plan") == plan);
    }
  }
}

/// One change of a row: the program, and whether it differs.
TimetableProgram mutant(const TimetableProgram& program, Random& random) {
  std::vector<TimetableRom> roms = program.roms();
  TimetableRom& rom = roms[random.below(static_cast<std::uint32_t>(roms.size()))];
  SendRow& send = rom.sends[random.below(static_cast<std::uint32_t>(rom.sends.size()))];
  const bool has_arrivals = !rom.arrivals.empty();
  ArrivalRow* arrival =
      has_arrivals ? &rom.arrivals[random.below(static_cast<std::uint32_t>(rom.arrivals.size()))]
                   : nullptr;
  switch (random.below(7)) {
    case 0:
      if (send.step > 1) --send.step;
      break;
    case 1:
      ++send.step;
      break;
    case 2: {
      // The link is started again while it is busy.
      SendRow again = send;
      ++again.step;
      rom.sends.push_back(again);
      break;
    }
    case 3:
      send.source = WordSource::slot(random.below(program.slots()));
      break;
    case 4:
      if (arrival != nullptr) arrival->slot = random.below(program.slots());
      break;
    case 5:
      if (arrival != nullptr && arrival->step > 1) --arrival->step;
      break;
    default:
      if (arrival != nullptr) ++arrival->step;
      break;
  }
  const auto by_port = [](const auto& a, const auto& b) {
    return std::pair(a.step, a.port) < std::pair(b.step, b.port);
  };
  const auto same = [](const auto& a, const auto& b) {
    return a.step == b.step && a.port == b.port;
  };
  std::sort(rom.sends.begin(), rom.sends.end(), by_port);
  std::sort(rom.arrivals.begin(), rom.arrivals.end(), by_port);
  rom.sends.erase(std::unique(rom.sends.begin(), rom.sends.end(), same), rom.sends.end());
  rom.arrivals.erase(std::unique(rom.arrivals.begin(), rom.arrivals.end(), same),
                     rom.arrivals.end());
  return testing::with_roms(program, std::move(roms));
}

TEST_CASE("no mutant of a plan is accepted that an independent judge refuses", "[unequal]") {
  Random random(11);
  const std::vector<Plan> plans{
      make_plan(request(chiplets("mesh", "4x4", "2x2", 3), "all-gather", 2)),
      make_plan(request(chiplets("torus", "4x4", "2x2", 3), "all-gather", 2)),
      make_plan(request(axes("torus", "4x4", "y=1/2"), "all-gather", 2)),
      make_plan(request(chiplets("mesh", "4x4", "2x2", 3), "reduce-scatter", 2))};
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    const Plan& plan = plans[static_cast<std::size_t>(i) % plans.size()];
    Plan changed = plan;
    changed.program = mutant(plan.program.as<TimetableProgram>(), random);
    if (changed.program == plan.program) continue;
    CAPTURE(i, plan.collective, plan.topology.kind());
    std::ostringstream trace;
    RunOptions options;
    options.trace = &trace;
    const Report report = run_on_engine("fast", changed, {}, options);
    const bool runs = report.complete.value_or(false) && report.link_conflicts == 0;
    const Verdict verdict = verify(changed);
    const bool proved = verdict.complete && verdict.problems.empty();
    CHECK((!proved || runs));
    if (!plan.demand.combines()) {
      const auto judged = judge_unequal(judged_network(plan.topology), 2, false, trace.str());
      CHECK(report.complete == judged.defect.empty());
      if (judged.defect.empty()) CHECK(report.steps == judged.steps);
      CHECK((!proved || judged.defect.empty()));
    }
    if (!proved) ++refused;
  }
  CHECK(refused > 500);
}

}  // namespace
}  // namespace gossamer
