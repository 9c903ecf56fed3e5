// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <catch2/catch.hpp>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/bounds/one_packet.hpp"
#include "gossamer/gossip/zigzag.hpp"
#include "gossamer/util/error.hpp"
#include "simulate.hpp"

namespace gossamer {
namespace {

Topology torus(std::initializer_list<std::uint32_t> sides) {
  return Topology::torus(std::vector<std::uint32_t>(sides));
}

/// Runs the plan and holds it to its own exact figures.
void require_exact(const Plan& plan, std::uint32_t k, std::uint64_t steps) {
  const testing::Outcome outcome = testing::simulate_fast(plan, 2 * steps + 10);
  CAPTURE(plan.topology.dims_text(), plan.algorithm, k);
  REQUIRE(outcome.complete);
  REQUIRE(outcome.steps == steps);
  REQUIRE(plan.expected.analytic_steps == steps);
  REQUIRE(plan.expected.lower_bound_steps == bounds::gossip_lower_bound(plan.topology, k));
  REQUIRE(outcome.conflicts == 0);
  REQUIRE(outcome.max_queue == k);
  REQUIRE(plan.expected.queue_depth == k);
}

TEST_CASE("zigzag gossips in exactly P/4 + 2 steps, P/4 + 1 beside a side of 4",
          "[gossip][zigzag]") {
  int tori = 0;
  for (std::uint32_t columns = 4; columns <= 24; columns += 4) {
    for (std::uint32_t rows = 4; rows <= 24; rows += 2) {
      const std::uint64_t nodes = std::uint64_t{columns} * rows;
      const std::uint64_t above = columns == 4 || rows == 4 ? 1 : 2;
      for (const Topology& topology : {torus({columns, rows}), torus({rows, columns})}) {
        const Plan plan = plan_zigzag(topology, {});
        require_exact(plan, 1, nodes / 4 + above);
        REQUIRE(std::get<StreamProgram>(plan.program).is_plain());
        REQUIRE(*plan.expected.analytic_steps == *plan.expected.lower_bound_steps + above);
        ++tori;
      }
    }
  }
  REQUIRE(tori == 132);
  require_exact(plan_zigzag(torus({4, 2}), {}), 1, 3);
  require_exact(plan_zigzag(torus({2, 4}), {}), 1, 3);
  require_exact(plan_zigzag(torus({40, 38}), {}), 1, 382);
}

TEST_CASE("zigzag keeps its exact count for every number of packets", "[gossip][zigzag]") {
  for (std::uint32_t columns = 4; columns <= 16; columns += 4) {
    for (std::uint32_t rows = columns == 4 ? 2 : 4; rows <= 12; rows += 2) {
      for (std::uint32_t k = 1; k <= 5; ++k) {
        for (const Topology& topology : {torus({columns, rows}), torus({rows, columns})}) {
          const std::uint64_t nodes = topology.nodes();
          const std::uint64_t extra = columns == 4 || rows == 4 ? 2 : 6;
          require_exact(plan_zigzag(topology, {k}), k, (k * (nodes + extra) + 3) / 4);
        }
      }
    }
  }
}

TEST_CASE("zigzag refuses other sides and names the nearest that work", "[gossip][zigzag]") {
  for (std::uint32_t nx = 2; nx <= 20; ++nx) {
    for (std::uint32_t ny = 2; ny <= 20; ++ny) {
      const bool multiple = nx % 4 == 0 || ny % 4 == 0;
      const bool even = nx % 2 == 0 && ny % 2 == 0;
      const bool long_enough = (nx > 2 && ny > 2) || nx == 4 || ny == 4;
      CAPTURE(nx, ny);
      if (multiple && even && long_enough) {
        REQUIRE_NOTHROW(plan_zigzag(torus({nx, ny}), {}));
      } else {
        REQUIRE_FALSE(bounds::zigzag_steps(torus({nx, ny}), 1));
        REQUIRE_THROWS_AS(plan_zigzag(torus({nx, ny}), {}), InfeasibleError);
      }
    }
  }
  REQUIRE_THROWS_WITH(plan_zigzag(torus({10, 13}), {}), Catch::Contains("nearest feasible: 12x14"));
  REQUIRE_THROWS_WITH(plan_zigzag(torus({6, 6}), {}), Catch::Contains("nearest feasible: 8x6"));
  REQUIRE_THROWS_WITH(plan_zigzag(torus({4, 4, 4}), {}), Catch::Contains("strands"));
  REQUIRE_THROWS_WITH(plan_zigzag(Topology::mesh(std::array{8U, 8U}), {}),
                      Catch::Contains("--topology torus"));
}

TEST_CASE("zigzag plans a large torus in 2d bytes a node", "[gossip][zigzag]") {
  const Plan plan = plan_zigzag(torus({1000, 1000}), {});
  REQUIRE(plan.expected.analytic_steps == 250002);
  REQUIRE(std::get<StreamProgram>(plan.program).memory_bytes() < 4004096);
}

TEST_CASE("rows gossips in exactly ceil(k (P + L + 2) / 4) steps", "[gossip][rows]") {
  for (std::uint32_t columns = 3; columns <= 21; columns += 2) {
    for (std::uint32_t rows = columns; rows <= 45; rows += 2 * columns) {
      for (std::uint32_t k = 1; k <= (columns * rows < 120 ? 5U : 1U); ++k) {
        for (const Topology& topology : {torus({columns, rows}), torus({rows, columns})}) {
          require_exact(plan_rows(topology, {k}), k,
                        (k * (std::uint64_t{columns} * rows + columns + 2) + 3) / 4);
        }
      }
    }
  }
}

TEST_CASE("rows refuses sides that are not odd multiples", "[gossip][rows]") {
  for (std::uint32_t nx = 2; nx <= 20; ++nx) {
    for (std::uint32_t ny = 2; ny <= 20; ++ny) {
      CAPTURE(nx, ny);
      if (nx % 2 == 1 && ny % 2 == 1 && (nx % ny == 0 || ny % nx == 0)) {
        REQUIRE_NOTHROW(plan_rows(torus({nx, ny}), {}));
      } else {
        REQUIRE_THROWS_AS(plan_rows(torus({nx, ny}), {}), InfeasibleError);
      }
    }
  }
  REQUIRE_THROWS_WITH(plan_rows(torus({7, 5}), {}), Catch::Contains("nearest feasible: 5x5") ||
                                                        Catch::Contains("nearest feasible: 15x5"));
}

}  // namespace
}  // namespace gossamer
