// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/folded.hpp"

#include <array>
#include <catch2/catch.hpp>

#include "gossamer/collectives/all_gather/hamiltonian.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/util/error.hpp"
#include "simulate.hpp"

namespace gossamer {
namespace {

using Sides = std::vector<std::uint32_t>;

Plan fold_hamiltonian(const Sides& sides, std::uint32_t k) {
  HamiltonianOptions options;
  options.packets_per_node = k;
  return plan_folded(plan_hamiltonian(Topology::torus(sides), options));
}

/// Runs the folded plan. It must end in exactly twice the torus' steps, or one step earlier if
/// packets are dealt unevenly to the cycles.
testing::Outcome checked(const Sides& sides, std::uint32_t k) {
  const Plan plan = fold_hamiltonian(sides, k);
  const testing::Outcome outcome =
      testing::simulate_fast(plan, std::uint64_t{2} * k * plan.topology.nodes() + 10);
  CAPTURE(sides, k);
  REQUIRE(outcome.complete);
  if (plan.expected.analytic_steps) {
    REQUIRE(*plan.expected.analytic_steps == outcome.steps);
  } else {
    REQUIRE(k % sides.size() != 0);
    REQUIRE(outcome.steps <= plan.expected.bound_steps.value());
    REQUIRE(outcome.steps + 1 >= plan.expected.bound_steps.value());
  }
  REQUIRE(outcome.conflicts == 0);
  REQUIRE(outcome.max_queue == plan.expected.queue_depth);
  return outcome;
}

TEST_CASE(
    "a folded torus fills every mesh link in every step and takes exactly two steps for one, "
    "2-D meshes 3..16 x 3..16",
    "[gossip][folded]") {
  for (std::uint32_t nx = 3; nx <= 16; ++nx) {
    for (std::uint32_t ny = 3; ny <= 16; ++ny) {
      const Sides sides{nx, ny};
      const std::uint64_t nodes = std::uint64_t{nx} * ny;
      const testing::Outcome outcome = checked(sides, 2);
      CAPTURE(sides);
      REQUIRE(outcome.steps == nodes / 2 * 2);
      REQUIRE(outcome.transfers == outcome.steps * Topology::mesh(sides).links());
      REQUIRE(outcome.max_queue <= 2);
      const Plan plan = fold_hamiltonian(sides, 2);
      REQUIRE(outcome.steps - *plan.expected.lower_bound_steps == (nodes % 2 == 0 ? 1 : 0));
    }
  }
}

TEST_CASE("with 2d packets per node a folded torus meets the corner's lower bound in any dimension",
          "[gossip][folded]") {
  for (const Sides& sides :
       {Sides{7}, Sides{10}, Sides{3, 4}, Sides{5, 7}, Sides{6, 6}, Sides{3, 3, 3}, Sides{4, 4, 4},
        Sides{3, 4, 5}, Sides{5, 6, 3}, Sides{3, 3, 3, 3}, Sides{4, 3, 5, 3}}) {
    const auto k = static_cast<std::uint32_t>(2 * sides.size());
    const testing::Outcome outcome = checked(sides, k);
    const Plan plan = fold_hamiltonian(sides, k);
    CAPTURE(sides);
    REQUIRE(outcome.steps == 2 * (plan.topology.nodes() - std::uint64_t{1}));
    REQUIRE(plan.expected.lower_bound_steps == outcome.steps);
  }
}

TEST_CASE("a folded torus keeps its count for every number of packets", "[gossip][folded]") {
  for (std::uint32_t k = 1; k <= 9; ++k) {
    for (const Sides& sides : {Sides{3, 3}, Sides{4, 6}, Sides{5, 8}, Sides{7, 7}, Sides{9},
                               Sides{3, 4, 5}, Sides{3, 3, 3}, Sides{3, 3, 3, 4}}) {
      checked(sides, k);
    }
  }
}

TEST_CASE("a ring folded onto a line takes k (P - 1) steps, the lower bound", "[gossip][folded]") {
  // P even and k odd: a step less than twice the ring's, 3 and not 4 for P = 4.
  for (std::uint32_t nodes = 3; nodes <= 20; ++nodes) {
    for (std::uint32_t k = 1; k <= 5; ++k) {
      const testing::Outcome outcome = checked({nodes}, k);
      CAPTURE(nodes, k);
      REQUIRE(outcome.steps == std::uint64_t{k} * (nodes - 1));
      REQUIRE(fold_hamiltonian({nodes}, k).expected.lower_bound_steps == outcome.steps);
    }
  }
}

TEST_CASE("a folded torus with sides of 2 needs at most two steps for one", "[gossip][folded]") {
  for (const Sides& sides : {Sides{2}, Sides{2, 2}, Sides{2, 4}, Sides{6, 2}, Sides{2, 4, 4},
                             Sides{5, 2, 4}, Sides{2, 2, 2, 2}}) {
    for (std::uint32_t k = 1; k <= 8; ++k) {
      const Plan plan = fold_hamiltonian(sides, k);
      const testing::Outcome outcome = testing::simulate_fast(plan, *plan.expected.bound_steps);
      CAPTURE(sides, k);
      REQUIRE(outcome.complete);
      REQUIRE(outcome.conflicts == 0);
      REQUIRE_FALSE(plan.expected.analytic_steps.has_value());
    }
  }
}

TEST_CASE("folded is found by its name, takes a torus algorithm, and refuses what it cannot fold",
          "[gossip][folded]") {
  const Topology mesh = Topology::mesh(std::array{5U, 6U});
  const auto request = [](const Topology& topology, const std::string& torus_algorithm) {
    return PlanRequest{topology,
                       "gossip",
                       "folded",
                       {{"packets", std::int64_t{4}}, {"torus-algorithm", torus_algorithm}},
                       Progress{}};
  };
  REQUIRE(make_plan(request(mesh, "hamiltonian")) == fold_hamiltonian({5, 6}, 4));
  REQUIRE_THROWS_AS(make_plan(request(mesh, "no-such")), InputError);
  REQUIRE_THROWS_WITH(make_plan(request(Topology::torus(std::array{5U, 6U}), "hamiltonian")),
                      Catch::Contains("--topology mesh"));
  REQUIRE_THROWS_AS(fold_hamiltonian({3, 3, 3, 3, 3}, 5), InfeasibleError);
  // Two in-ports at one out-port: refused.
  Plan joined = plan_hamiltonian(Topology::torus(std::array{3U, 3U}), {});
  auto& program = joined.program.edit<StreamProgram>();
  StreamPort both = program.at(0, 0);
  both.feed = PortSet(0b1110);
  program.set(0, 0, both);
  REQUIRE_THROWS_WITH(plan_folded(joined), Catch::Contains("--torus-algorithm hamiltonian"));
}

}  // namespace
}  // namespace gossamer
