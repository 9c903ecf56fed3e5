// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/hamiltonian.hpp"

#include <array>
#include <catch2/catch.hpp>

#include "gossamer/machines/stream/program.hpp"
#include "gossamer/util/error.hpp"
#include "simulate.hpp"

namespace gossamer {
namespace {

Topology torus(std::initializer_list<std::uint32_t> sides) {
  return Topology::torus(std::vector<std::uint32_t>(sides));
}

TEST_CASE(
    "the hamiltonian all-gather ends in exactly floor(P/2) steps on every 2-D torus 3..20 x 3..20",
    "[gossip][hamiltonian]") {
  for (std::uint32_t nx = 3; nx <= 20; ++nx) {
    for (std::uint32_t ny = 3; ny <= 20; ++ny) {
      const Plan plan = plan_hamiltonian(torus({nx, ny}), {});
      const testing::Outcome outcome = testing::simulate_fast(plan, std::uint64_t{nx} * ny);
      CAPTURE(nx, ny);
      REQUIRE(outcome.complete);
      REQUIRE(outcome.steps == nx * ny / 2);
      REQUIRE(plan.expected.analytic_steps == outcome.steps);
      REQUIRE(plan.expected.lower_bound_steps == outcome.steps);
      REQUIRE(outcome.duplicates == (nx * ny % 2 == 0 ? 2 * nx * ny : 0));
      REQUIRE(outcome.transfers == outcome.steps * 4 * nx * ny);
      REQUIRE(outcome.conflicts == 0);
      REQUIRE(outcome.max_queue == 1);
    }
  }
}

TEST_CASE("the hamiltonian all-gather supports a side of 2 with an even side, and refuses 2 x odd",
          "[gossip][hamiltonian]") {
  for (std::uint32_t n = 2; n <= 20; ++n) {
    for (const Topology& topology : {torus({2, n}), torus({n, 2})}) {
      CAPTURE(topology.dims_text());
      if (n % 2 != 0) {
        REQUIRE_THROWS_AS(plan_hamiltonian(topology, {}), InfeasibleError);
        continue;
      }
      const testing::Outcome outcome =
          testing::simulate_fast(plan_hamiltonian(topology, {}), 4 * std::uint64_t{n});
      REQUIRE(outcome.complete);
      REQUIRE(outcome.steps == n);
    }
  }
}

TEST_CASE("the hamiltonian all-gather meets its exact count for every number of packets",
          "[gossip][hamiltonian]") {
  for (const auto& [nx, ny] :
       {std::array{3U, 3U}, std::array{3U, 4U}, std::array{4U, 3U}, std::array{4U, 4U},
        std::array{5U, 7U}, std::array{6U, 8U}, std::array{2U, 6U}, std::array{9U, 4U}}) {
    for (std::uint32_t k = 1; k <= 13; ++k) {
      HamiltonianOptions options;
      options.packets_per_node = k;
      const Plan plan = plan_hamiltonian(torus({nx, ny}), options);
      const testing::Outcome outcome = testing::simulate_fast(plan, std::uint64_t{2} * k * nx * ny);
      CAPTURE(nx, ny, k);
      REQUIRE(outcome.complete);
      REQUIRE(outcome.steps == plan.expected.analytic_steps);
      REQUIRE(outcome.conflicts == 0);
      REQUIRE(outcome.max_queue == plan.expected.queue_depth);
      if (k == 4) {
        REQUIRE(outcome.steps == nx * ny - 1);
        REQUIRE(outcome.max_queue == 1);
      }
    }
  }
}

TEST_CASE("a ring is its own Hamiltonian cycle", "[gossip][hamiltonian]") {
  for (std::uint32_t n = 2; n <= 40; ++n) {
    const testing::Outcome outcome = testing::simulate_fast(plan_hamiltonian(torus({n}), {}), n);
    CAPTURE(n);
    REQUIRE(outcome.complete);
    REQUIRE(outcome.steps == n / 2);
  }
}

TEST_CASE("the hamiltonian all-gather refuses meshes and names an alternative",
          "[gossip][hamiltonian]") {
  REQUIRE_THROWS_WITH(plan_hamiltonian(Topology::mesh(std::array{4U, 4U}), {}),
                      Catch::Contains("--topology torus"));
}

TEST_CASE("a 2-D hamiltonian plan takes 2d bytes per node", "[gossip][hamiltonian][plan]") {
  const Plan plan = plan_hamiltonian(torus({100, 101}), {});
  const auto& program = plan.program.as<StreamProgram>();
  REQUIRE(program.memory_bytes() <= (4 + 8) * std::uint64_t{plan.topology.nodes()});
  REQUIRE(program.memory_bytes() >= 4 * std::uint64_t{plan.topology.nodes()});
}

}  // namespace
}  // namespace gossamer
