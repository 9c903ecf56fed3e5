// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/array.hpp"

#include <array>
#include <catch2/catch.hpp>

#include "gossamer/machines/stream/program.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/util/error.hpp"
#include "simulate.hpp"

namespace gossamer {
namespace {

using Sides = std::vector<std::uint32_t>;

testing::Outcome checked(const Sides& sides, std::uint32_t k, std::uint64_t steps) {
  ArrayOptions options;
  options.packets_per_node = k;
  const Plan plan = plan_array(Topology::mesh(sides), options);
  const testing::Outcome outcome = testing::simulate_fast(plan, steps + 10);
  CAPTURE(sides, k);
  REQUIRE(outcome.complete);
  REQUIRE(outcome.steps == steps);
  REQUIRE(plan.expected.analytic_steps == steps);
  REQUIRE(plan.expected.lower_bound_steps <= steps);
  REQUIRE(outcome.conflicts == 0);
  REQUIRE(outcome.max_queue == plan.expected.queue_depth);
  return outcome;
}

std::uint64_t product(const Sides& sides) { return Topology::mesh(sides).nodes(); }

TEST_CASE(
    "the array all-gather takes exactly ceil((P-1)/2) steps, the lower bound, on 2-D meshes 2..20 "
    "x 2..20 with an even side, and (P-1)/2 + 2 on the others",
    "[gossip][array]") {
  for (std::uint32_t nx = 2; nx <= 20; ++nx) {
    for (std::uint32_t ny = 2; ny <= 20; ++ny) {
      const std::uint64_t nodes = std::uint64_t{nx} * ny;
      const bool even = nodes % 2 == 0;
      const testing::Outcome outcome = checked({nx, ny}, 1, even ? nodes / 2 : (nodes - 1) / 2 + 2);
      CAPTURE(nx, ny);
      REQUIRE(outcome.max_queue == (even ? 1 : 2));
      const Plan plan = plan_array(Topology::mesh(std::array{nx, ny}), {});
      if (even) {
        REQUIRE(plan.expected.lower_bound_steps == outcome.steps);
        REQUIRE(outcome.duplicates == nodes);
        REQUIRE(plan.program.as<StreamProgram>().is_plain());
      } else {
        REQUIRE(*plan.expected.lower_bound_steps + 2 == outcome.steps);
      }
    }
  }
}

TEST_CASE("the array all-gather keeps its counts in three and more dimensions", "[gossip][array]") {
  const auto expected = [](const Sides& sides) {
    const std::uint64_t nodes = product(sides);
    return nodes % 2 == 0 ? nodes / 2 : (nodes - 1) / 2 + 2;
  };
  for (std::uint32_t nx = 2; nx <= 7; ++nx) {
    for (std::uint32_t ny = 2; ny <= 7; ++ny) {
      for (std::uint32_t nz = 2; nz <= 7; ++nz) {
        const Sides sides{nx, ny, nz};
        checked(sides, 1, expected(sides));
      }
    }
  }
  for (const Sides& sides :
       {Sides{3, 3, 3, 3}, Sides{3, 5, 3, 5}, Sides{2, 3, 4, 5}, Sides{3, 3, 5, 4}, Sides(5, 2),
        Sides(5, 3), Sides(8, 2), Sides{3, 2, 3, 2, 3, 2}, Sides{3, 3, 3, 3, 3, 3}}) {
    checked(sides, 1, expected(sides));
  }
}

TEST_CASE("the array all-gather meets its exact count for every number of packets",
          "[gossip][array]") {
  for (std::uint32_t k = 1; k <= 9; ++k) {
    for (const Sides& sides : {Sides{2, 2}, Sides{2, 5}, Sides{4, 4}, Sides{3, 6}, Sides{7, 4},
                               Sides{2, 2, 2}, Sides{3, 4, 5}, Sides{3, 3, 2, 3}}) {
      checked(sides, k, (k * (product(sides) - 1) + 1) / 2);
    }
    for (const Sides& sides : {Sides{3, 3}, Sides{3, 7}, Sides{7, 3}, Sides{5, 5}, Sides{9, 5},
                               Sides{3, 3, 3}, Sides{5, 3, 7}, Sides{3, 3, 3, 3}}) {
      checked(sides, k, k * ((product(sides) - 1) / 2 + 2));
    }
  }
}

TEST_CASE("on a line everything crosses the last link: k (P-1) steps, the lower bound",
          "[gossip][array]") {
  for (std::uint32_t n = 2; n <= 40; ++n) {
    for (std::uint32_t k = 1; k <= 4; ++k) {
      const std::uint64_t steps = std::uint64_t{k} * (n - 1);
      const testing::Outcome outcome = checked({n}, k, steps);
      CAPTURE(n, k);
      REQUIRE(plan_array(Topology::mesh(std::array{n}), {k}).expected.lower_bound_steps == steps);
      REQUIRE(outcome.duplicates == 0);
    }
  }
}

TEST_CASE("the array all-gather refuses tori and is found by its name", "[gossip][array]") {
  REQUIRE_THROWS_WITH(plan_array(Topology::torus(std::array{4U, 4U}), {}),
                      Catch::Contains("--topology mesh"));
  const Topology mesh = Topology::mesh(std::array{5U, 6U});
  const Plan plan =
      make_plan({mesh, "gossip", "array", {{"packets", std::int64_t{2}}}, Progress{}});
  REQUIRE(plan == plan_array(mesh, {2}));
}

TEST_CASE("an array plan takes 2d bytes per node", "[gossip][array][plan]") {
  for (const Sides& sides : {Sides{100, 101}, Sides{101, 101}, Sides{31, 31, 31}}) {
    const Plan plan = plan_array(Topology::mesh(sides), {});
    CAPTURE(sides);
    REQUIRE(plan.program.as<StreamProgram>().memory_bytes() <=
            (2 * sides.size() + 1) * plan.topology.nodes());
  }
}

}  // namespace
}  // namespace gossamer
