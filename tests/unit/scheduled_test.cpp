// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/scheduled.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <functional>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/verify.hpp"
#include "simulate.hpp"

namespace gossamer {
namespace {

Topology torus(std::initializer_list<std::uint32_t> sides) {
  return Topology::torus(std::vector<std::uint32_t>(sides));
}

/// All lists of `dimensions` sides in low..high, every order of them.
void for_each_torus(int dimensions, std::uint32_t low, std::uint32_t high,
                    const std::function<void(const Topology&)>& body) {
  std::vector<std::uint32_t> sides(static_cast<std::size_t>(dimensions), low);
  while (true) {
    body(Topology::torus(sides));
    std::size_t at = 0;
    while (at < sides.size() && sides[at] == high) sides[at++] = low;
    if (at == sides.size()) return;
    ++sides[at];
  }
}

std::uint64_t trivial_bound(const Topology& topology) {
  return bounds::ceil_div(topology.nodes() - std::uint64_t{1},
                          static_cast<std::uint64_t>(topology.ports()));
}

const TimetableProgram& schedule(const Plan& plan) { return plan.program.as<TimetableProgram>(); }

/// The most packets that a router holds at a start of a step for sending on later, counted from the
/// tree's arcs: what no slot allocation can undercut.
std::uint64_t packets_held(const Topology& topology, const std::vector<ScheduleArc>& arcs) {
  std::vector<std::uint32_t> last(topology.nodes(), 0);
  for (const ScheduleArc& arc : arcs) last[arc.from] = arc.step;
  std::vector<std::int64_t> change(arcs.back().step + 2, 0);
  for (const ScheduleArc& arc : arcs) {
    const NodeId node = topology.neighbor(arc.from, arc.out_port);
    if (last[node] == 0) continue;
    ++change[arc.step + 1];
    --change[last[node] + 1];
  }
  std::int64_t held = 0;
  std::int64_t most = 0;
  for (const std::int64_t delta : change) most = std::max(most, held += delta);
  return static_cast<std::uint64_t>(most);
}

TEST_CASE("a schedule ends exactly at ceil((P-1)/2d) on every 2-D torus 3..40 x 3..40",
          "[gossip][scheduled]") {
  for_each_torus(2, 3, 40, [](const Topology& topology) {
    const Plan plan = plan_scheduled(topology);
    const Verdict verdict = verify(plan);
    CAPTURE(topology.dims_text());
    REQUIRE(verdict.ok());
    REQUIRE(verdict.steps == trivial_bound(topology));
    REQUIRE(verdict.duplicates == 0);
    REQUIRE(plan.expected.analytic_steps == verdict.steps);
    REQUIRE(plan.expected.lower_bound_steps == verdict.steps);
  });
}

TEST_CASE("a schedule ends exactly at ceil((P-1)/2d) in 3, 4, 5 and 6 dimensions, sides >= 3",
          "[gossip][scheduled]") {
  const std::array<std::pair<int, std::uint32_t>, 4> ranges{{{3, 10}, {4, 5}, {5, 4}, {6, 3}}};
  for (const auto& [dimensions, high] : ranges) {
    for_each_torus(dimensions, 3, high, [](const Topology& topology) {
      const Plan plan = plan_scheduled(topology);
      const Verdict verdict = verify(plan);
      CAPTURE(topology.dims_text());
      REQUIRE(verdict.ok());
      REQUIRE(verdict.steps == trivial_bound(topology));
    });
  }
}

TEST_CASE("with sides of 2 a schedule meets the bound for parallel links", "[gossip][scheduled]") {
  const std::array<std::pair<int, std::uint32_t>, 5> ranges{
      {{1, 40}, {2, 24}, {3, 8}, {4, 4}, {5, 3}}};
  for (const auto& [dimensions, high] : ranges) {
    for_each_torus(dimensions, 2, high, [](const Topology& topology) {
      const Plan plan = plan_scheduled(topology);
      const Verdict verdict = verify(plan);
      CAPTURE(topology.dims_text());
      REQUIRE(verdict.ok());
      REQUIRE(verdict.steps == bounds::gossip_lower_bound(topology, 1));
    });
  }
  // Where the plain count is not enough: the diameter, and the packet that comes twice in step 1.
  REQUIRE(bounds::gossip_lower_bound(torus({4, 2}), 1) == 3);
  REQUIRE(trivial_bound(torus({4, 2})) == 2);
  REQUIRE(bounds::gossip_lower_bound(torus({4, 4, 2, 2}), 1) == 9);
  REQUIRE(trivial_bound(torus({4, 4, 2, 2})) == 8);
}

TEST_CASE(
    "the fast engine runs a schedule in agreement with the proof, without a conflict or duplicate",
    "[gossip][scheduled][sim]") {
  const auto check_several = [](const Topology& topology, std::uint32_t packets) {
    const Plan plan = plan_scheduled(topology, packets);
    const Verdict verdict = verify(plan);
    const testing::Outcome outcome =
        testing::simulate_fast(plan, std::uint64_t{packets} * topology.nodes());
    CAPTURE(topology.dims_text(), packets);
    REQUIRE(plan.expected.analytic_steps == plan.expected.lower_bound_steps);
    REQUIRE(outcome.complete);
    REQUIRE(outcome.steps == plan.expected.analytic_steps);
    REQUIRE(outcome.steps == verdict.steps);
    REQUIRE(outcome.duplicates == 0);
    REQUIRE(outcome.conflicts == 0);
    REQUIRE(outcome.transfers == verdict.link_transfers);
    REQUIRE(outcome.transfers ==
            std::uint64_t{packets} * topology.nodes() * (topology.nodes() - 1));
    REQUIRE(outcome.max_queue == verdict.max_queue);
    REQUIRE(outcome.max_queue <= plan.expected.queue_depth);
  };
  const auto check = [&](const Topology& topology) { check_several(topology, 1); };
  // With one ROM per node, 2x5, 3x5, 2x7 and 2x8 take one more step.
  for (const std::uint32_t packets : {2U, 3U, 5U, 8U}) {
    for_each_torus(1, 2, 9, [&](const Topology& ring) { check_several(ring, packets); });
    for_each_torus(2, 2, 8, [&](const Topology& torus) { check_several(torus, packets); });
    for_each_torus(3, 2, 4, [&](const Topology& torus) { check_several(torus, packets); });
  }
  for_each_torus(1, 2, 30, check);
  for_each_torus(2, 2, 16, check);
  for_each_torus(3, 2, 5, check);
  for_each_torus(4, 2, 3, check);
  check(torus({3, 3, 3, 3, 3}));
}

TEST_CASE("the buffer has exactly as many slots as packets are held in the worst step",
          "[gossip][scheduled]") {
  const auto check = [](const Topology& topology) {
    for (const auto priority : {SchedulePriority::kNearestFirst, SchedulePriority::kNewestFirst}) {
      const std::vector<ScheduleArc> arcs = greedy_schedule(topology, {priority, true});
      const TimetableProgram program = build_schedule(topology, 1, arcs);
      CAPTURE(topology.dims_text());
      REQUIRE(program.slots() == std::max<std::uint64_t>(packets_held(topology, arcs), 1));
    }
  };
  for_each_torus(2, 3, 20, check);
  for_each_torus(3, 3, 6, check);
}

TEST_CASE("a schedule's tree has different directions in every step and reaches every node once",
          "[gossip][scheduled]") {
  for_each_torus(3, 3, 6, [](const Topology& topology) {
    CAPTURE(topology.dims_text());
    std::vector<std::uint32_t> informed(topology.nodes(), 0);
    std::uint32_t step = 0;
    PortSet directions;
    for (const ScheduleArc& arc : greedy_schedule(topology, {})) {
      REQUIRE(arc.step >= step);
      if (arc.step != step) directions = {};
      step = arc.step;
      REQUIRE(!directions.contains(arc.out_port));
      directions.insert(arc.out_port);
      const bool earlier = arc.from == 0 || (informed[arc.from] != 0 && informed[arc.from] < step);
      REQUIRE(earlier);
      const NodeId node = topology.neighbor(arc.from, arc.out_port);
      REQUIRE(node != 0);
      REQUIRE(informed[node] == 0);
      informed[node] = step;
    }
    REQUIRE(std::count(informed.begin(), informed.end(), 0U) == 1);
  });
}

TEST_CASE("buffers stay small: at most the longer side + 1 in 2-D, at most 24 in 3-D up to 10^3",
          "[gossip][scheduled]") {
  for_each_torus(2, 3, 40, [](const Topology& topology) {
    CAPTURE(topology.dims_text());
    REQUIRE(schedule(plan_scheduled(topology)).slots() <=
            std::max(topology.side(0), topology.side(1)) + 1);
  });
  for_each_torus(3, 3, 10, [](const Topology& topology) {
    CAPTURE(topology.dims_text());
    REQUIRE(schedule(plan_scheduled(topology)).slots() <= 24);
  });
}

TEST_CASE("large tori are scheduled and proved at the bound", "[gossip][scheduled][slow]") {
  for (const Topology& topology : {torus({1000, 1000}), torus({1001, 999}), torus({10, 30000}),
                                   torus({64, 64, 64}), torus({65535}), torus({16, 16, 16, 16})}) {
    CAPTURE(topology.dims_text());
    const Plan plan = plan_scheduled(topology);
    const Verdict verdict = verify(plan);
    REQUIRE(verdict.ok());
    REQUIRE(verdict.steps == bounds::gossip_lower_bound(topology, 1));
  }
}

TEST_CASE("the ROM's size is steps times one word of source and store fields",
          "[gossip][scheduled]") {
  const Plan plan = plan_scheduled(torus({8, 8}));
  const TimetableProgram& program = schedule(plan);
  // 4 slots: a source field says idle, own or one of 4 (6 values), a store field none or one of 4.
  REQUIRE(program.slots() == 4);
  REQUIRE(program.format().word_bits(4) == 4 * (3 + 3));
  REQUIRE(program.format().rom_bits(4) == 16 * 24);
  REQUIRE(std::get<std::int64_t>(plan.parameters.at("schedule_bits")) == 384);
  REQUIRE(std::get<std::int64_t>(plan.parameters.at("buffer_packets")) == 4);
  REQUIRE(plan.expected.queue_depth == 4);
}

TEST_CASE("trees that are not a schedule are refused as a planner's error", "[scheduled]") {
  const Topology topology = torus({3, 3});
  const auto build = [&](std::vector<ScheduleArc> arcs) {
    return build_schedule(topology, 1, arcs);
  };
  // One direction twice in a step; a sender that is only informed in the same step.
  REQUIRE_THROWS_AS(build({{1, 0, 1, 0}, {1, 0, 1, 0}}), std::logic_error);
  REQUIRE_THROWS_AS(build({{1, 0, 1, 0}, {1, 1, 3, 0}}), std::logic_error);
  REQUIRE(build({{1, 0, 1, 0}, {2, 1, 3, 0}}).steps() == 2);
}

TEST_CASE("scheduled refuses meshes and names an alternative", "[gossip][scheduled]") {
  REQUIRE_THROWS_AS(plan_scheduled(Topology::mesh(std::array{4U, 4U})), InfeasibleError);
  REQUIRE_THROWS_WITH(plan_scheduled(Topology::mesh(std::array{4U, 4U})),
                      Catch::Contains("--topology torus"));
  REQUIRE_THROWS_WITH(plan_scheduled(torus({100, 100}), 1000), Catch::Contains("fewer --packets"));
}

TEST_CASE("a schedule cannot be folded onto a mesh", "[gossip][scheduled][folded]") {
  const PlanRequest request{Topology::mesh(std::array{4U, 4U}),
                            "gossip",
                            "folded",
                            {{"torus-algorithm", std::string("scheduled")}},
                            {}};
  REQUIRE_THROWS_AS(make_plan(request), InfeasibleError);
}

}  // namespace
}  // namespace gossamer
