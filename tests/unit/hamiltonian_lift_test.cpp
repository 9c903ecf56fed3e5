// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/hamiltonian_lift.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <numeric>
#include <random>

#include "gossamer/machines/stream/program.hpp"
#include "gossamer/util/error.hpp"
#include "simulate.hpp"

namespace gossamer {
namespace {

using Sides = std::vector<std::uint32_t>;

/// Why `cycles` is no decomposition of the torus into d Hamiltonian cycles; empty when it is one.
/// Knows nothing of how it was made: every cycle is walked, link by link.
std::string flaw(const Topology& torus, const HamiltonianDecomposition& cycles) {
  const auto ports = static_cast<std::size_t>(torus.ports());
  if (cycles.size() != torus.link_slots()) return "wrong size";
  for (NodeWalk walk(torus); !walk.done(); walk.next()) {
    std::array<int, kMaxDimensions> count{};
    for (std::size_t p = 0; p < ports; ++p) {
      const std::uint8_t cycle = cycles[walk.node() * ports + p];
      if (cycle >= torus.dimensions()) return "no such cycle";
      ++count[cycle];
      const auto port = static_cast<Port>(p);
      if (cycles[walk.neighbor(port) * ports + opposite(port)] != cycle) return "ends disagree";
    }
    for (int c = 0; c < torus.dimensions(); ++c) {
      if (count[static_cast<std::size_t>(c)] != 2) return "not two ports a cycle";
    }
  }
  for (int cycle = 0; cycle < torus.dimensions(); ++cycle) {
    NodeId node = 0;
    int came_by = -1;
    std::uint64_t length = 0;
    do {
      std::size_t port = 0;
      while (cycles[node * ports + port] != cycle || static_cast<int>(port) == came_by) ++port;
      node = torus.neighbor(node, static_cast<Port>(port));
      came_by = opposite(static_cast<Port>(port));
      ++length;
    } while (node != 0);
    if (length != torus.nodes()) return "more than one cycle of a colour";
  }
  return "";
}

std::string flaw(const Sides& sides) {
  const Topology torus = Topology::torus(sides);
  return flaw(torus, hamiltonian_decomposition(torus));
}

/// All lists of `count` sides from..to in ascending order.
void for_sorted(std::size_t count, std::uint32_t from, std::uint32_t to,
                const std::function<void(const Sides&)>& visit) {
  Sides sides(count, from);
  while (true) {
    visit(sides);
    std::size_t k = count;
    while (k > 0 && sides[k - 1] == to) --k;
    if (k == 0) return;
    const std::uint32_t next = sides[k - 1] + 1;
    std::fill(sides.begin() + static_cast<std::ptrdiff_t>(k) - 1, sides.end(), next);
  }
}

TEST_CASE("every 3-D torus with sides 3..12 falls into three Hamiltonian cycles",
          "[gossip][hamiltonian][lift]") {
  for_sorted(3, 3, 12, [](const Sides& sides) {
    CAPTURE(sides);
    REQUIRE(flaw(sides) == "");
  });
}

TEST_CASE("the order of the sides does not matter to the decomposition",
          "[gossip][hamiltonian][lift]") {
  for (Sides sides : {Sides{3, 4, 5}, Sides{4, 6, 8}, Sides{3, 3, 20}, Sides{4, 4, 30},
                      Sides{5, 7, 12}, Sides{4, 5, 41}, Sides{3, 4, 5, 6}}) {
    do {
      CAPTURE(sides);
      REQUIRE(flaw(sides) == "");
    } while (std::next_permutation(sides.begin(), sides.end()));
  }
}

TEST_CASE("tori of 4 to 8 dimensions fall into d Hamiltonian cycles",
          "[gossip][hamiltonian][lift]") {
  const auto check = [](const Sides& sides) {
    CAPTURE(sides);
    REQUIRE(flaw(sides) == "");
  };
  for_sorted(4, 3, 6, check);
  for_sorted(5, 3, 4, check);
  check(Sides{5, 4, 3, 6, 7});
  check(Sides(6, 3));
  check(Sides{4, 4, 4, 4, 4, 4});
  check(Sides{3, 4, 3, 4, 3, 5});
  check(Sides(7, 3));
  check(Sides{4, 3, 4, 3, 4, 3, 4});
  check(Sides(8, 3));
}

TEST_CASE("long thin and large even tori are decomposed, where a random end game gets stuck",
          "[gossip][hamiltonian][lift]") {
  for (const Sides& sides : {Sides{65534, 4, 4}, Sides{4, 65535, 3}, Sides{100, 100, 100},
                             Sides{3, 500, 500}, Sides{20, 20, 20, 20}}) {
    CAPTURE(sides);
    REQUIRE(flaw(sides) == "");
  }
}

TEST_CASE("of the 3-D tori with a side of 2, exactly 2 x odd x odd and 2 x 2 x n are refused",
          "[gossip][hamiltonian][lift]") {
  for (std::uint32_t a = 2; a <= 24; ++a) {
    for (std::uint32_t n = a; n <= 24; ++n) {
      const Sides sides{a, 2, n};
      CAPTURE(sides);
      if (a > 2 && a * n % 2 == 0) {
        REQUIRE(flaw(sides) == "");
      } else {
        REQUIRE_THROWS_AS(hamiltonian_decomposition(Topology::torus(sides)), InfeasibleError);
      }
    }
  }
}

TEST_CASE("sides of 2 in four and more dimensions are supported if a split exists",
          "[gossip][hamiltonian][lift]") {
  for (const Sides& sides :
       {Sides{2, 2, 2, 2}, Sides{2, 4, 4, 2}, Sides{2, 3, 3, 4}, Sides{4, 2, 2, 6, 3},
        Sides{2, 2, 2, 2, 2, 2, 2, 2}, Sides{2, 4, 4, 2, 4, 4}, Sides{2, 6, 3, 3, 4, 2, 3}}) {
    CAPTURE(sides);
    REQUIRE(flaw(sides) == "");
  }
  for (const Sides& sides : {Sides{2, 3, 3, 3}, Sides{2, 2, 2, 3}, Sides{2, 2, 2, 2, 2}}) {
    CAPTURE(sides);
    REQUIRE_THROWS_WITH(hamiltonian_decomposition(Topology::torus(sides)),
                        Catch::Contains("nearest feasible: 3x3"));
  }
}

/// The lengths of the three colours' cycles through node 0 of layer 0 when `second` and the cycle
/// 0 .. N-1 are lifted over a ring of n layers. Throws when a node has not two links of a colour.
std::array<std::uint64_t, 3> lifted_lengths(const Sides& second, std::uint32_t n) {
  const auto nodes = static_cast<std::uint32_t>(second.size());
  const CycleLift lift(second, n);
  Sides place(nodes);
  for (std::uint32_t j = 0; j < nodes; ++j) place[second[j]] = j;
  std::array<std::uint64_t, 3> lengths{};
  for (std::uint8_t colour = 0; colour < 3; ++colour) {
    std::uint32_t v = 0;
    std::uint32_t z = 0;
    int came_by = -1;
    do {
      const std::uint32_t j = place[v];
      const std::uint32_t v_back = (v + nodes - 1) % nodes;
      const std::uint32_t j_back = (j + nodes - 1) % nodes;
      const std::uint32_t below = (z + n - 1) % n;
      // Links back and on along the first cycle, the second cycle, the ring.
      const std::array<std::uint8_t, 6> colours{
          lift.first_link(v_back, z), lift.first_link(v, z),        lift.second_link(j_back, z),
          lift.second_link(j, z),     lift.layer_link(v, j, below), lift.layer_link(v, j, z)};
      if (std::count(colours.begin(), colours.end(), colour) != 2) {
        throw std::logic_error("not two links of a colour");
      }
      int out = 0;
      while (colours[static_cast<std::size_t>(out)] != colour || out == came_by) ++out;
      if (out < 2) v = out == 0 ? v_back : (v + 1) % nodes;
      if (out == 2 || out == 3) v = second[out == 2 ? j_back : (j + 1) % nodes];
      if (out > 3) z = out == 4 ? below : (z + 1) % n;
      came_by = out ^ 1;
      ++lengths[colour];
    } while (v != 0 || z != 0);
  }
  return lengths;
}

TEST_CASE("any two Hamiltonian cycles of the same nodes are lifted, for every second one",
          "[gossip][hamiltonian][lift]") {
  std::mt19937 random(20240611);
  std::uint64_t lifted = 0;
  for (std::uint32_t nodes = 5; nodes <= 60; ++nodes) {
    Sides second(nodes);
    std::iota(second.begin(), second.end(), 0U);
    for (int round = 0; round < 12; ++round) {
      // Own shuffle: the standard one may differ between libraries.
      for (std::uint32_t i = nodes - 1; i > 0; --i)
        std::swap(second[i], second[random() % (i + 1)]);
      for (std::uint32_t n = 3; CycleLift::serves(nodes, n, false); ++n) {
        CAPTURE(second, n);
        const std::uint64_t all = std::uint64_t{nodes} * n;
        REQUIRE(lifted_lengths(second, n) == std::array{all, all, all});
        ++lifted;
      }
    }
  }
  REQUIRE(lifted > 9000);
}

TEST_CASE("the one lift that the proof leaves to enumeration, N = 8 over 4 layers, always exists",
          "[gossip][hamiltonian][lift]") {
  Sides second(8);
  std::iota(second.begin(), second.end(), 0U);
  int lifted = 0;
  do {
    const bool same_cycle = std::is_sorted(second.begin() + 1, second.end()) ||
                            std::is_sorted(second.begin() + 1, second.end(), std::greater<>());
    if (same_cycle) {
      REQUIRE_THROWS_AS(lifted_lengths(second, 4), std::logic_error);
      continue;
    }
    CAPTURE(second);
    REQUIRE(lifted_lengths(second, 4) == std::array<std::uint64_t, 3>{32, 32, 32});
    ++lifted;
  } while (std::next_permutation(second.begin() + 1, second.end()));
  REQUIRE(lifted == 5040 - 2);
}

TEST_CASE(
    "the hamiltonian all-gather ends in exactly floor(P/2) steps in three and more dimensions",
    "[gossip][hamiltonian][lift]") {
  for (const Sides& sides :
       {Sides{3, 3, 3}, Sides{3, 4, 5}, Sides{4, 4, 4}, Sides{6, 4, 8}, Sides{5, 5, 5},
        Sides{7, 3, 11}, Sides{2, 4, 4}, Sides{8, 5, 2}, Sides{3, 3, 3, 3}, Sides{4, 4, 4, 4},
        Sides{3, 4, 5, 6}, Sides{2, 4, 2, 4}, Sides{3, 3, 3, 3, 3}, Sides{4, 3, 3, 3, 4},
        Sides{3, 3, 3, 3, 3, 3}}) {
    const Topology torus = Topology::torus(sides);
    const Plan plan = plan_hamiltonian(torus, {});
    const std::uint64_t nodes = torus.nodes();
    const auto d = static_cast<std::uint64_t>(torus.dimensions());
    const testing::Outcome outcome = testing::simulate_fast(plan, nodes);
    CAPTURE(sides);
    REQUIRE(outcome.complete);
    REQUIRE(outcome.steps == nodes / 2);
    REQUIRE(plan.expected.analytic_steps == outcome.steps);
    REQUIRE(plan.expected.lower_bound_steps == outcome.steps);
    REQUIRE(outcome.duplicates == (nodes % 2 == 0 ? d * nodes : 0));
    REQUIRE(outcome.transfers == outcome.steps * torus.links());
    REQUIRE(outcome.conflicts == 0);
    REQUIRE(outcome.max_queue == 1);
  }
}

TEST_CASE("the hamiltonian all-gather in 3-D meets its exact count for every number of packets",
          "[gossip][hamiltonian][lift]") {
  for (const Sides& sides : {Sides{3, 4, 5}, Sides{4, 4, 4}, Sides{3, 3, 3}, Sides{2, 4, 3}}) {
    for (std::uint32_t k = 1; k <= 10; ++k) {
      const Topology torus = Topology::torus(sides);
      HamiltonianOptions options;
      options.packets_per_node = k;
      const Plan plan = plan_hamiltonian(torus, options);
      const testing::Outcome outcome =
          testing::simulate_fast(plan, std::uint64_t{k} * torus.nodes());
      CAPTURE(sides, k);
      REQUIRE(outcome.complete);
      REQUIRE(outcome.steps == plan.expected.analytic_steps);
      REQUIRE(outcome.conflicts == 0);
      REQUIRE(outcome.max_queue == plan.expected.queue_depth);
    }
  }
}

TEST_CASE("a hamiltonian plan takes at most 2d + 8 bytes per node in 3 to 8 dimensions",
          "[gossip][hamiltonian][lift][plan]") {
  for (const Sides& sides : {Sides{30, 30, 30}, Sides(4, 10), Sides(8, 3)}) {
    const Plan plan = plan_hamiltonian(Topology::torus(sides), {});
    const auto& program = plan.program.as<StreamProgram>();
    CAPTURE(sides);
    REQUIRE(program.memory_bytes() <= (2 * sides.size() + 8) * plan.topology.nodes());
  }
}

}  // namespace
}  // namespace gossamer
