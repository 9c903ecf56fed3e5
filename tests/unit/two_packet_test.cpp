// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/two_packet.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <set>

#include "gossamer/bounds/comparison.hpp"
#include "gossamer/bounds/gossip.hpp"
#include "gossamer/collectives/all_gather/hamiltonian.hpp"
#include "gossamer/collectives/all_gather/ring.hpp"
#include "gossamer/compare/gossip.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/util/error.hpp"
#include "simulate.hpp"

namespace gossamer {
namespace {

Topology torus(std::uint32_t nx, std::uint32_t ny) { return Topology::torus(std::array{nx, ny}); }

testing::Outcome run(const Plan& plan) {
  return testing::simulate_fast(plan, 4 * std::uint64_t{plan.topology.nodes()});
}

/// Checks a plan with one odd side in both orientations against the count.
void check_one_odd(std::uint32_t rows, std::uint32_t columns, bool time_independent,
                   std::uint64_t steps, std::uint32_t queue) {
  for (const Topology& topology : {torus(columns, rows), torus(rows, columns)}) {
    const Plan plan = plan_two_packet(topology, {time_independent});
    const testing::Outcome outcome = run(plan);
    CAPTURE(topology.dims_text(), time_independent);
    REQUIRE(outcome.complete);
    REQUIRE(outcome.steps == steps);
    REQUIRE(plan.expected.analytic_steps == steps);
    REQUIRE(outcome.conflicts == 0);
    REQUIRE(outcome.max_queue == queue);
    REQUIRE(plan.expected.queue_depth == queue);
    if (plan.expected.bound_steps) REQUIRE(steps <= *plan.expected.bound_steps);
  }
}

TEST_CASE("the two-packet all-gather ends in exactly P/2 steps if both sides are even, 2..12",
          "[gossip][two-packet]") {
  for (std::uint32_t nx = 2; nx <= 12; nx += 2) {
    for (std::uint32_t ny = 2; ny <= 12; ny += 2) {
      const Plan plan = plan_two_packet(torus(nx, ny), {});
      const testing::Outcome outcome = run(plan);
      CAPTURE(nx, ny);
      REQUIRE(outcome.complete);
      REQUIRE(outcome.steps == nx * ny / 2);
      REQUIRE(plan.expected.analytic_steps == outcome.steps);
      REQUIRE(plan.expected.bound_steps == outcome.steps);
      REQUIRE(plan.expected.lower_bound_steps == outcome.steps);
      REQUIRE(outcome.max_queue == 1);
      REQUIRE(outcome.conflicts == 0);
      REQUIRE(outcome.duplicates == 2 * nx * ny);
    }
  }
}

TEST_CASE(
    "the two-packet all-gather with one odd side ends in exactly P/2 steps by one FIFO switch",
    "[gossip][two-packet]") {
  for (std::uint32_t rows = 4; rows <= 16; rows += 2) {
    for (std::uint32_t columns = 3; columns <= 15; columns += 2) {
      check_one_odd(rows, columns, false, rows * columns / 2, columns + 1);
    }
  }
  for (const auto& [rows, columns] :
       {std::array{40U, 3U}, std::array{4U, 41U}, std::array{24U, 23U}, std::array{34U, 21U}}) {
    check_one_odd(rows, columns, false, rows * columns / 2, columns + 1);
  }
}

TEST_CASE(
    "the two-packet all-gather with one odd side and no switch ends in exactly P/2 + C + 1 steps",
    "[gossip][two-packet]") {
  for (std::uint32_t rows = 4; rows <= 16; rows += 2) {
    for (std::uint32_t columns = 3; columns <= 15; columns += 2) {
      check_one_odd(rows, columns, true, rows * columns / 2 + columns + 1, 2);
    }
  }
  for (const auto& [rows, columns] :
       {std::array{40U, 3U}, std::array{4U, 41U}, std::array{24U, 23U}, std::array{34U, 21U}}) {
    check_one_odd(rows, columns, true, rows * columns / 2 + columns + 1, 2);
  }
}

TEST_CASE("the two-packet all-gather on 2 x odd ends one step after P/2", "[gossip][two-packet]") {
  for (std::uint32_t columns = 3; columns <= 41; columns += 2) {
    for (const bool time_independent : {false, true}) {
      check_one_odd(2, columns, time_independent, columns + 1, 2);
      REQUIRE(!plan_two_packet(torus(2, columns), {time_independent}).expected.bound_steps);
    }
  }
}

TEST_CASE("the two-packet all-gather with both sides odd is the hamiltonian one and reports it",
          "[gossip][two-packet]") {
  for (std::uint32_t nx = 3; nx <= 11; nx += 2) {
    for (std::uint32_t ny = 3; ny <= 11; ny += 2) {
      const Plan plan = plan_two_packet(torus(nx, ny), {});
      REQUIRE(plan.algorithm == "two-packet");
      REQUIRE(plan.parameters.at("construction") == ParameterValue{std::string("hamiltonian")});
      REQUIRE(plan.program == plan_hamiltonian(torus(nx, ny), {}).program);
      REQUIRE(run(plan).steps == (nx * ny - 1) / 2);
      REQUIRE(plan.expected.analytic_steps == (nx * ny - 1) / 2);
      REQUIRE(bounds::two_packet_steps(torus(nx, ny), false) == (nx * ny - 1) / 2);
    }
  }
}

TEST_CASE("the two-packet all-gather refuses meshes and other dimensions", "[gossip][two-packet]") {
  REQUIRE_THROWS_AS(plan_two_packet(Topology::mesh(std::array{4U, 4U}), {}), InfeasibleError);
  REQUIRE_THROWS_AS(plan_two_packet(Topology::torus(std::array{4U, 4U, 4U}), {}), InfeasibleError);
  REQUIRE_THROWS_AS(plan_two_packet(Topology::torus(std::array{4U}), {}), InfeasibleError);
}

// The printed formulas of the paper and their results.

/// Changes the two support ports of the special column of a C x R torus (x runs along the odd
/// side): `change(port program, inner in-port)`, with the in-port whose stream brings what lies
/// between the two supporters.
Plan with_supports(std::uint32_t rows, std::uint32_t columns,
                   const std::function<void(StreamPort&, Port)>& change) {
  Plan plan = plan_two_packet(torus(columns, rows), {true});
  auto& program = plan.program.edit<StreamProgram>();
  constexpr Port kLeft = 0;
  constexpr Port kRight = 1;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const NodeId node = row * columns + columns - 2;
    for (const Port out : {Port{2}, Port{3}}) {
      StreamPort support = program.at(node, out);
      change(support, out == 3 ? kRight : kLeft);
      program.set(node, out, support);
    }
  }
  plan.expected.queue_depth = 8;
  return plan;
}

TEST_CASE("the other orientation of the supporters costs P - C + 1 steps",
          "[gossip][two-packet][erratum]") {
  for (std::uint32_t rows = 4; rows <= 12; rows += 2) {
    for (std::uint32_t columns = 3; columns <= 11; columns += 2) {
      const Plan plan = with_supports(rows, columns, [](StreamPort& support, Port inner) {
        support.feed = PortSet::of(opposite(inner));
      });
      CAPTURE(rows, columns);
      REQUIRE(run(plan).steps == rows * columns - columns + 1);
    }
  }
}

TEST_CASE("a step is lost unless the packets of a node off a cycle go backward in reversed order",
          "[gossip][two-packet]") {
  int later = 0;
  for (std::uint32_t rows = 4; rows <= 24; rows += 2) {
    for (std::uint32_t columns = 3; columns <= 23; columns += 2) {
      Plan plan = plan_two_packet(torus(columns, rows), {});
      auto& program = plan.program.edit<StreamProgram>();
      for (std::uint32_t row = 0; row < rows; ++row) {
        const NodeId node = row * columns + columns - 2;
        StreamPort left = program.at(node, 0);
        left.preload = program.at(node, 1).preload;
        program.set(node, 0, left);
      }
      const std::uint64_t steps = run(plan).steps;
      REQUIRE(steps >= rows * columns / 2);
      REQUIRE(steps <= rows * columns / 2 + 1);
      later += steps > rows * columns / 2 ? 1 : 0;
    }
  }
  REQUIRE(later == 55);
}

TEST_CASE(
    "the switching strategy as printed misses the bound of Theorem 3 in either role, from 4x3 on",
    "[gossip][two-packet][erratum]") {
  for (std::uint32_t rows = 4; rows <= 12; rows += 2) {
    for (std::uint32_t columns = 3; columns <= 11; columns += 2) {
      for (const bool inner_first : {false, true}) {
        // One stream during the first l = 2C - 1 steps, then the other.
        const Plan plan = with_supports(rows, columns, [&](StreamPort& support, Port inner) {
          support.early_feed = PortSet::of(inner_first ? inner : opposite(inner));
          support.feed = PortSet::of(inner_first ? opposite(inner) : inner);
          support.switch_step = 2 * columns;
        });
        const testing::Outcome outcome = run(plan);
        CAPTURE(rows, columns, inner_first);
        REQUIRE((!outcome.complete || outcome.steps >= rows * columns / 2 + 3));
        REQUIRE(outcome.conflicts == 0);
      }
    }
  }
}

/// The paper's rule for two odd sides: which ports (L R T B = 0 1 2 3) node (row, column) joins.
using Pairing = std::array<Port, 4>;
Pairing both_odd_rule(std::uint32_t rows, std::uint32_t columns, std::uint32_t row,
                      std::uint32_t column) {
  constexpr Pairing kStraight{1, 0, 3, 2};  // L-R, T-B
  constexpr Pairing kTopRight{3, 2, 1, 0};  // T-R, B-L
  constexpr Pairing kTopLeft{2, 3, 0, 1};   // T-L, B-R
  // L-R only. In row R - 2 the paper joins T and B as well, which leads to nowhere.
  if (column == columns - 2) return {1, 0, 4, 4};
  if (row == rows - 2) return column == columns - 1 ? kTopRight : kStraight;
  if (column == columns - 1) return kTopRight;
  return column % 2 == 0 ? kTopRight : kTopLeft;
}

/// Trails of a pairing: the nodes of each, in order, found by walking every joined pair of ports
/// once.
std::vector<std::vector<NodeId>> trails(const Topology& topology,
                                        const std::function<Pairing(NodeId)>& rule) {
  std::vector<std::vector<NodeId>> found;
  std::set<std::pair<NodeId, Port>> seen;
  for (NodeId start = 0; start < topology.nodes(); ++start) {
    for (Port out = 0; out < 4; ++out) {
      if (rule(start)[out] > 3 || seen.contains({start, out})) continue;
      std::vector<NodeId> trail;
      NodeId node = start;
      Port port = out;
      do {
        seen.insert({node, port});
        seen.insert({node, rule(node)[port]});
        trail.push_back(node);
        const Port in = opposite(port);
        node = topology.neighbor(node, port);
        port = rule(node)[in];
        // A port that leads into an unjoined one: no closed trail at all.
        if (port > 3) return {};
      } while (node != start || port != out);
      found.push_back(trail);
    }
  }
  return found;
}

TEST_CASE(
    "the paper's rule for two odd sides, read as (column, row), passes one node twice on one "
    "cycle and never on the other, from 3x3 on",
    "[gossip][two-packet][erratum]") {
  for (std::uint32_t rows = 3; rows <= 23; rows += 2) {
    for (std::uint32_t columns = 3; columns <= 23; columns += 2) {
      const Topology topology = torus(columns, rows);
      const auto found = trails(topology, [&](NodeId node) {
        return both_odd_rule(rows, columns, node / columns, node % columns);
      });
      CAPTURE(rows, columns);
      REQUIRE(found.size() == 2);
      const NodeId twice = (rows - 2) * columns + columns - 1;
      const auto visits = [&](const std::vector<NodeId>& trail) {
        return std::count(trail.begin(), trail.end(), twice);
      };
      REQUIRE(visits(found[0]) + visits(found[1]) == 2);
      REQUIRE(visits(found[0]) * visits(found[1]) == 0);
      if (rows == 7 && columns == 7) {
        REQUIRE(std::set{found[0].size(), found[1].size()} == std::set<std::size_t>{44, 47});
      }
    }
  }
}

TEST_CASE("the paper's rule for two odd sides, read as (row, column), is one closed trail",
          "[gossip][two-packet][erratum]") {
  // Row and column change their roles: section 3.1's parity rule by column, and section 3.3's
  // special lines as rows and columns of the indices as section 3.1 has them.
  for (std::uint32_t n = 3; n <= 23; n += 2) {
    for (std::uint32_t columns = 3; columns <= 23; columns += 2) {
      const Topology topology = torus(columns, n);
      const auto found = trails(topology, [&](NodeId node) -> Pairing {
        const std::uint32_t row = node / columns;
        const std::uint32_t column = node % columns;
        if (column == columns - 2) {
          return row == n - 1 ? Pairing{3, 2, 1, 0} : Pairing{1, 0, 3, 2};
        }
        if (column == columns - 1 || column % 2 == 0) return {3, 2, 1, 0};
        return {2, 3, 0, 1};
      });
      CAPTURE(n, columns);
      REQUIRE(found.size() == 1);
      REQUIRE(found[0].size() == 2 * std::size_t{n} * columns);
    }
  }
}

TEST_CASE("Theorem 1 holds on Hamiltonian cycles with one packet and applies to no other plans",
          "[gossip][bounds]") {
  REQUIRE(bounds::theorem1_bound(40) == 10);
  REQUIRE(bounds::theorem1_bound(64) == 17);
  REQUIRE(bounds::theorem1_bound(144) == 39);
  for (std::uint32_t nx = 3; nx <= 14; ++nx) {
    for (std::uint32_t ny = 3; ny <= 14; ++ny) {
      HamiltonianOptions one;
      one.packets_per_node = 1;
      // One packet on the first cycle only is within the theorem; so it is on both.
      Plan plan = plan_hamiltonian(torus(nx, ny), one);
      REQUIRE(runs_on_two_hamiltonian_cycles(plan));
      auto& program = plan.program.edit<StreamProgram>();
      for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
        for (Port port = 0; port < 4; ++port) {
          StreamPort both = program.at(node, port);
          both.preload = {0};
          program.set(node, port, both);
        }
      }
      REQUIRE(runs_on_two_hamiltonian_cycles(plan));
      const testing::Outcome outcome = run(plan);
      CAPTURE(nx, ny);
      REQUIRE(outcome.complete);
      REQUIRE(outcome.steps >= bounds::theorem1_bound(std::uint64_t{nx} * ny));
    }
  }
  REQUIRE_FALSE(runs_on_two_hamiltonian_cycles(plan_hamiltonian(torus(4, 4), {})));
  REQUIRE_FALSE(runs_on_two_hamiltonian_cycles(plan_two_packet(torus(3, 4), {})));
}

}  // namespace
}  // namespace gossamer
