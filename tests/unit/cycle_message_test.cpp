// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <sstream>

#include "gossamer/bounds/broadcast.hpp"
#include "gossamer/collectives/broadcast/cycles.hpp"
#include "gossamer/collectives/reduce/cycles.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/verify.hpp"
#include "simulate.hpp"

namespace gossamer {
namespace {

using Sides = std::vector<std::uint32_t>;

/// Steps of a run that the judge accepts; the proof has the same figures.
std::uint64_t judged(const Plan& plan) {
  INFO(plan.collective << " on " << plan.topology.dims_text() << " from " << plan.demand.root
                       << ", " << plan.demand.pieces << " words");
  const auto run = testing::simulate_fast(plan, settled_after(plan).value());
  REQUIRE(run.complete);
  REQUIRE(run.conflicts == 0);
  REQUIRE(run.steps == *plan.expected.analytic_steps);
  REQUIRE(*plan.expected.lower_bound_steps <= run.steps);
  const Verdict verdict = verify(plan);
  INFO((verdict.problems.empty() ? "" : verdict.problems.front()));
  REQUIRE(verdict.ok());
  REQUIRE(verdict.steps == run.steps);
  REQUIRE(verdict.link_transfers == run.transfers);
  return run.steps;
}

TEST_CASE("messages on a ring of 2..24 nodes take ceil((q + P - 2) / 2) steps from any root",
          "[broadcast][reduction][slow]") {
  for (std::uint32_t nodes = 2; nodes <= 24; ++nodes) {
    const Topology ring = Topology::torus(Sides{nodes});
    for (std::uint32_t words = 1; words <= 40; ++words) {
      const std::uint64_t steps = (words + nodes - 2 + 1) / 2;
      for (const NodeId root : {NodeId{0}, nodes / 2, nodes - 1}) {
        const Plan broadcast = plan_cycle_broadcast(ring, {root, words});
        REQUIRE(judged(broadcast) == steps);
        // On odd rings the general bound does not see that one of the farthest node's neighbours is
        // as far away as the node.
        const bool loose = nodes % 2 != 0 && words % 2 == 0;
        REQUIRE(*broadcast.expected.lower_bound_steps + (loose ? 1 : 0) == steps);
        const Plan reduce = plan_cycle_reduce(ring, {root, words});
        REQUIRE(judged(reduce) == steps);
        // Each node but the root sends each word once.
        REQUIRE(testing::simulate_fast(reduce, steps).transfers ==
                std::uint64_t{words} * (nodes - 1));
      }
    }
  }
}

// The table of docs/algorithms/broadcast.md.
TEST_CASE("long messages on tori take the documented steps", "[broadcast][reduction][slow]") {
  constexpr std::array<std::uint32_t, 6> kWords{1, 16, 64, 256, 1024, 4096};
  struct Row {
    Sides sides;
    std::array<std::uint64_t, 6> steps;
    std::array<std::uint64_t, 6> bounds;
  };
  for (const Row& row : {
           Row{{4, 4}, {8, 11, 23, 71, 263, 1031}, {4, 7, 19, 67, 259, 1027}},
           Row{{8, 8}, {32, 35, 47, 95, 287, 1055}, {8, 11, 23, 71, 263, 1031}},
           Row{{16, 16}, {128, 131, 143, 191, 383, 1151}, {16, 19, 31, 79, 271, 1039}},
           Row{{4, 4, 4}, {32, 34, 42, 74, 202, 714}, {6, 8, 16, 48, 176, 688}},
       }) {
    const Topology torus = Topology::torus(row.sides);
    for (std::size_t i = 0; i < kWords.size(); ++i) {
      const NodeId root = static_cast<NodeId>(5 * i) % torus.nodes();
      CHECK(bounds::hamiltonian_message_steps(torus, kWords[i]) == row.steps[i]);
      if (kWords[i] <= kMaxPacketsPerNode) {
        const Plan broadcast = plan_cycle_broadcast(torus, {root, kWords[i]});
        CHECK(judged(broadcast) == row.steps[i]);
        CHECK(*broadcast.expected.lower_bound_steps >= row.bounds[i]);
      }
      const Plan reduce = plan_cycle_reduce(torus, {root, kWords[i]});
      CHECK(judged(reduce) == row.steps[i]);
      CHECK(*reduce.expected.lower_bound_steps >= row.bounds[i]);
    }
  }
}

TEST_CASE("messages on tori of odd sides, sides of 2 and three dimensions are complete",
          "[broadcast][reduction]") {
  for (const Sides& sides : {Sides{3, 3}, Sides{3, 4}, Sides{2, 4}, Sides{2, 2}, Sides{5, 7},
                             Sides{3, 3, 3}, Sides{2, 3, 4}, Sides{3, 3, 3, 3}}) {
    const Topology torus = Topology::torus(sides);
    for (const std::uint32_t words : {1U, 2U, 3U, 7U, 20U}) {
      for (const NodeId root : {NodeId{0}, torus.nodes() / 2, torus.nodes() - 1}) {
        judged(plan_cycle_broadcast(torus, {root, words}));
        for (const Operation operation : {Operation::kSum, Operation::kSignedSaturatingSum}) {
          judged(plan_cycle_reduce(torus, {root, words, operation}));
        }
      }
    }
  }
}

TEST_CASE("messages on meshes take one cycle from every root", "[broadcast][reduction]") {
  for (const Sides& sides : {Sides{4, 4}, Sides{5, 4}, Sides{2, 2}, Sides{3, 2, 3}}) {
    const Topology mesh = Topology::mesh(sides);
    for (const std::uint32_t words : {1U, 2U, 7U}) {
      for (NodeId root = 0; root < mesh.nodes(); ++root) {
        const std::uint64_t steps = (words + mesh.nodes() - 1) / 2;
        CHECK(judged(plan_cycle_broadcast(mesh, {root, words})) == steps);
        CHECK(judged(plan_cycle_reduce(mesh, {root, words})) == steps);
      }
    }
  }
}

TEST_CASE("documents of messages on cycles are read as they were written", "[broadcast][plan]") {
  const Topology torus = Topology::torus(Sides{4, 3});
  for (const Plan& plan : {plan_cycle_broadcast(torus, {5, 9}), plan_cycle_reduce(torus, {5, 9})}) {
    std::ostringstream document;
    write_plan(plan, document, PlanEncoding::kJson);
    std::istringstream read(document.str());
    CHECK(read_plan(read, "plan") == plan);
  }
}

TEST_CASE("broadcast and reduce take Hamiltonian cycles by default where they are fastest",
          "[broadcast][reduction]") {
  const auto planned = [](const Sides& sides, const std::string& collective,
                          const std::string& algorithm) {
    const std::string option = collective == "reduce" ? "words" : "packets";
    return make_plan(
        {Topology::torus(sides), collective, algorithm, {{option, std::int64_t{8}}}, {}});
  };
  for (const std::string collective : {"broadcast", "reduce"}) {
    const Plan ring = planned({8}, collective, "auto");
    CHECK(ring.algorithm == "hamiltonian");
    CHECK(ring.expected.analytic_steps == 7U);
    CHECK(planned({8}, collective, "disjoint-trees").expected.analytic_steps == 10U);
    CHECK(planned({8, 8}, collective, "auto").algorithm != "hamiltonian");
  }
}

TEST_CASE("messages on cycles are refused without cycles and beyond the routers' room",
          "[broadcast][reduction]") {
  for (const Sides& odd : {Sides{3, 3}, Sides{8}}) {
    const Topology mesh = Topology::mesh(odd);
    CHECK_THROWS_AS(plan_cycle_broadcast(mesh, {0, 4}), InfeasibleError);
    CHECK_THROWS_AS(plan_cycle_reduce(mesh, {0, 4}), InfeasibleError);
  }
  CHECK_THROWS_AS(plan_cycle_broadcast(Topology::torus(Sides{2, 3}), {0, 4}), InfeasibleError);
  const Topology ring = Topology::torus(Sides{8});
  CHECK_THROWS_AS(plan_cycle_broadcast(ring, {0, kMaxPacketsPerNode + 1}), InputError);
  CHECK_THROWS_WITH(plan_cycle_reduce(ring, {0, 100'000}),
                    Catch::Contains("nearest feasible: --words 65535"));
}

}  // namespace
}  // namespace gossamer
