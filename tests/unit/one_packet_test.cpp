// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <catch2/catch.hpp>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/bounds/one_packet.hpp"
#include "gossamer/collectives/all_gather/strands.hpp"
#include "gossamer/collectives/all_gather/zigzag.hpp"
#include "gossamer/machines/stream/program.hpp"
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

TEST_CASE("the zigzag all-gather takes exactly P/4 + 2 steps, P/4 + 1 with a side of 4",
          "[gossip][zigzag]") {
  int tori = 0;
  for (std::uint32_t columns = 4; columns <= 24; columns += 4) {
    for (std::uint32_t rows = 4; rows <= 24; rows += 2) {
      const std::uint64_t nodes = std::uint64_t{columns} * rows;
      const std::uint64_t above = columns == 4 || rows == 4 ? 1 : 2;
      for (const Topology& topology : {torus({columns, rows}), torus({rows, columns})}) {
        const Plan plan = plan_zigzag(topology, {});
        require_exact(plan, 1, nodes / 4 + above);
        REQUIRE(plan.program.as<StreamProgram>().is_plain());
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

TEST_CASE("zigzag refuses other sides and names the nearest feasible ones", "[gossip][zigzag]") {
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

TEST_CASE("zigzag plans a large torus in 2d bytes per node", "[gossip][zigzag]") {
  const Plan plan = plan_zigzag(torus({1000, 1000}), {});
  REQUIRE(plan.expected.analytic_steps == 250002);
  REQUIRE(plan.program.as<StreamProgram>().memory_bytes() < 4004096);
}

TEST_CASE("the rows all-gather takes exactly ceil(k (P + L + 2) / 4) steps", "[gossip][rows]") {
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

TEST_CASE("the strands all-gather in the regular case takes exactly P/4 + 2 steps, by formula",
          "[gossip][strands][slow]") {
  int tori = 0;
  int not_zigzag = 0;
  for (std::uint32_t nx = 2; nx <= 40; ++nx) {
    for (std::uint32_t ny = 2; ny <= 40; ++ny) {
      const Topology topology = torus({nx, ny});
      if (!bounds::regular_strands(topology)) continue;
      if (topology.nodes() <= 1000) {
        require_exact(plan_strands(topology, {}), 1, topology.nodes() / 4 + 2);
      }
      ++tori;
      not_zigzag += bounds::zigzag_steps(topology, 1) ? 0 : 1;
    }
  }
  REQUIRE(tori == 81);
  // Sizes with an odd side: a multiple of 4 beside an odd multiple of 5, 9, ...
  REQUIRE(not_zigzag >= 8);
  REQUIRE(bounds::regular_strands_steps(torus({20, 25}), 1) == 127);
  REQUIRE(bounds::regular_strands_steps(torus({5, 40}), 1) == 52);
  for (std::uint32_t k = 2; k <= 4; ++k) {
    require_exact(plan_strands(torus({20, 5}), {.packets_per_node = k}), k, k * 27);
  }
}

struct StrandsCase {
  std::vector<std::uint32_t> sides;
  /// Steps above the lower bound, at most.
  std::uint64_t above;
};

TEST_CASE("strands found by search end within five steps of the bound, exactly as computed",
          "[gossip][strands][slow]") {
  for (const StrandsCase& c : std::vector<StrandsCase>{{{10, 14}, 5},
                                                       {{14, 14}, 5},
                                                       {{18, 18}, 5},
                                                       {{22, 22}, 5},
                                                       {{30, 30}, 5},
                                                       {{20, 13}, 4},
                                                       {{13, 20}, 4},
                                                       {{15, 24}, 4},
                                                       {{11, 16}, 4},
                                                       {{26, 16}, 4},
                                                       {{12, 4, 6}, 2},
                                                       {{6, 12, 4}, 2},
                                                       {{12, 6, 6}, 3},
                                                       {{6, 7, 14}, 4},
                                                       {{4, 4, 4, 16}, 3}}) {
    const Topology topology = Topology::torus(c.sides);
    const Plan plan = plan_strands(topology, {});
    require_exact(plan, 1, *plan.expected.analytic_steps);
    CAPTURE(topology.dims_text(), *plan.expected.analytic_steps);
    REQUIRE(*plan.expected.analytic_steps <= *plan.expected.lower_bound_steps + c.above);
    REQUIRE(plan.program.as<StreamProgram>().is_plain());
  }
}

TEST_CASE("strands support two odd sides, a constant number of steps above the bound",
          "[gossip][strands][slow]") {
  // Four disjoint cycles cannot be: their lengths have one parity, and there are P nodes. Two of
  // them touch in a node instead.
  for (const StrandsCase& c : std::vector<StrandsCase>{{{13, 13}, 4},
                                                       {{17, 19}, 5},
                                                       {{19, 17}, 5},
                                                       {{21, 21}, 4},
                                                       {{11, 25}, 5},
                                                       {{23, 29}, 5},
                                                       {{31, 31}, 4},
                                                       {{37, 35}, 5},
                                                       {{45, 45}, 5},
                                                       {{61, 61}, 5}}) {
    const Topology topology = Topology::torus(c.sides);
    const Plan plan = plan_strands(topology, {});
    require_exact(plan, 1, *plan.expected.analytic_steps);
    CAPTURE(topology.dims_text(), *plan.expected.analytic_steps);
    REQUIRE(*plan.expected.analytic_steps <= *plan.expected.lower_bound_steps + c.above);
    REQUIRE(std::get<std::int64_t>(plan.parameters.at("touching-nodes")) > 0);
  }
  require_exact(plan_strands(torus({13, 13}), {.packets_per_node = 3}), 3, 3 * 46);
}

TEST_CASE("strands keep their computed count on every small torus that they support",
          "[gossip][strands][slow]") {
  int served = 0;
  for (std::uint32_t nx = 8; nx <= 11; ++nx) {
    for (std::uint32_t ny = 3; ny <= nx; ++ny) {
      const Topology topology = torus({nx, ny});
      if (bounds::zigzag_steps(topology, 1)) continue;
      try {
        const Plan plan = plan_strands(topology, {});
        require_exact(plan, 1, *plan.expected.analytic_steps);
        ++served;
      } catch (const InfeasibleError&) {
        // Which sides work is no promise; that the figures are exact is.
      }
    }
  }
  REQUIRE(served >= 20);
}

TEST_CASE("in cubes without room for strands, knitted cycles end within four steps of the bound",
          "[gossip][strands][slow]") {
  for (const StrandsCase& c : std::vector<StrandsCase>{{{4, 4, 4}, 4},
                                                       {{5, 5, 5}, 4},
                                                       {{6, 6, 6}, 4},
                                                       {{7, 7, 7}, 4},
                                                       {{8, 8, 8}, 4},
                                                       {{9, 9, 9}, 4},
                                                       {{10, 10, 10}, 4},
                                                       {{11, 11, 11}, 4},
                                                       {{4, 4, 8}, 4},
                                                       {{8, 8, 16}, 4},
                                                       {{3, 4, 5}, 4},
                                                       {{5, 4, 3, 4}, 4},
                                                       {{10, 10}, 5},
                                                       {{11, 9}, 6},
                                                       {{15, 15}, 12}}) {
    const Topology topology = Topology::torus(c.sides);
    const Plan plan = plan_strands(topology, {});
    require_exact(plan, 1, *plan.expected.analytic_steps);
    CAPTURE(topology.dims_text(), *plan.expected.analytic_steps);
    REQUIRE(*plan.expected.analytic_steps <= *plan.expected.lower_bound_steps + c.above);
    REQUIRE(plan.program.as<StreamProgram>().is_plain());
    REQUIRE_FALSE(plan.parameters.contains("holes"));
  }
  require_exact(plan_strands(torus({5, 5, 5}), {.packets_per_node = 3, .seed = 2}), 3,
                3 * *plan_strands(torus({5, 5, 5}), {.seed = 2}).expected.analytic_steps);
}

TEST_CASE("strands give the same plan for the same seed, and carry k packets in k times the steps",
          "[gossip][strands]") {
  const Topology topology = torus({14, 10});
  const Plan one = plan_strands(topology, {.seed = 7});
  REQUIRE(one == plan_strands(topology, {.seed = 7}));
  REQUIRE_FALSE(one.program == plan_strands(topology, {.seed = 8}).program);
  for (std::uint32_t k = 2; k <= 4; ++k) {
    require_exact(plan_strands(topology, {.packets_per_node = k, .seed = 7}), k,
                  k * *one.expected.analytic_steps);
  }
}

TEST_CASE("strands report progress", "[gossip][strands]") {
  std::uint64_t calls = 0;
  const StrandsOptions options{
      .progress = [&](std::string_view, std::uint64_t done, std::uint64_t total) {
        REQUIRE(done <= total);
        ++calls;
      }};
  REQUIRE_NOTHROW(plan_strands(torus({14, 14}), options));
  REQUIRE(calls > 0);
}

TEST_CASE("strands refuse unsupported sides, with the reason and feasible sides",
          "[gossip][strands]") {
  const auto refuses = [](const Topology& topology, const std::string& reason) {
    CAPTURE(topology.dims_text());
    REQUIRE_THROWS_AS(plan_strands(topology, {}), InfeasibleError);
    REQUIRE_THROWS_WITH(plan_strands(topology, {}),
                        Catch::Contains(reason) && Catch::Contains("nearest feasible: "));
  };
  refuses(torus({3, 3}), "4 cycles of nearly equal length");
  refuses(torus({3, 8002}), "8 rows or more");
  refuses(torus({2, 21}), "no side may be 2");
  refuses(torus({9}), "--algorithm hamiltonian");
  refuses(Topology::mesh(std::array{16U, 16U}), "--topology torus");
}

}  // namespace
}  // namespace gossamer
