// SPDX-License-Identifier: Apache-2.0
#include "gossamer/compare/gossip.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/collectives/all_gather/all_gather.hpp"
#include "gossamer/collectives/all_gather/hamiltonian.hpp"
#include "gossamer/collectives/all_gather/ring.hpp"
#include "gossamer/collectives/all_gather/scheduled.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/plan/machine.hpp"
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

/// Tori of 1 to 4 dimensions, sides of 2 included.
void for_many_tori(const std::function<void(const Topology&)>& body) {
  for_each_torus(1, 2, 20, body);
  for_each_torus(2, 2, 12, body);
  for_each_torus(3, 2, 5, body);
  for_each_torus(4, 2, 3, body);
}

/// Simulated and proved steps are `steps`, without conflicts and within the promised buffer.
testing::Outcome require_steps(const Plan& plan, std::uint64_t steps) {
  const testing::Outcome outcome = testing::simulate_fast(plan, 2 * steps);
  const Verdict verdict = verify(plan);
  CAPTURE(plan.algorithm, plan.topology.dims_text());
  REQUIRE(outcome.complete);
  REQUIRE(outcome.steps == steps);
  REQUIRE(plan.expected.analytic_steps == steps);
  REQUIRE(verdict.ok());
  REQUIRE(verdict.steps == steps);
  REQUIRE(outcome.conflicts == 0);
  REQUIRE(outcome.max_queue <= plan.expected.queue_depth);
  REQUIRE(outcome.steps >= *plan.expected.lower_bound_steps);
  return outcome;
}

TEST_CASE("every torus has the Hamiltonian cycle that the ring runs on", "[gossip][ring]") {
  const auto check = [](const Topology& topology) {
    const std::vector<Port> successor = torus_hamiltonian_cycle(topology);
    std::set<NodeId> visited;
    NodeId node = 0;
    do {
      visited.insert(node);
      node = topology.neighbor(node, successor[node]);
    } while (node != 0 && visited.size() <= topology.nodes());
    CAPTURE(topology.dims_text());
    REQUIRE(visited.size() == topology.nodes());
  };
  for_many_tori(check);
  for_each_torus(2, 2, 31, check);
  for_each_torus(3, 2, 9, check);
  for_each_torus(5, 2, 3, check);
  check(torus({301, 499}));
  check(torus({500, 2, 7, 9}));
}

TEST_CASE("the one-way ring takes P - 1 steps, the two-way ring floor(P/2)", "[gossip][ring]") {
  for_many_tori([](const Topology& topology) {
    const std::uint64_t nodes = topology.nodes();
    const testing::Outcome one_way = require_steps(plan_ring(topology, {}), nodes - 1);
    REQUIRE(one_way.duplicates == 0);
    REQUIRE(one_way.transfers == nodes * (nodes - 1));
    const testing::Outcome two_way = require_steps(plan_ring(topology, {true}), nodes / 2);
    REQUIRE(two_way.duplicates == (nodes % 2 == 0 ? nodes : 0));
  });
}

TEST_CASE("hierarchical all-gather takes P - 1 steps one way, the sum of its phases both ways",
          "[gossip][all-gather]") {
  for_many_tori([](const Topology& topology) {
    const std::uint64_t nodes = topology.nodes();
    REQUIRE(require_steps(plan_hierarchical(topology, {}), nodes - 1).duplicates == 0);
    std::uint64_t block = 1;
    std::uint64_t steps = 0;
    for (const std::uint32_t side : topology.sides()) {
      steps += (block * (side - 1) + 1) / 2;
      block *= side;
    }
    REQUIRE(require_steps(plan_hierarchical(topology, {true}), steps).duplicates == 0);
  });
}

TEST_CASE("rings and all-gathers refuse meshes and name an alternative", "[gossip]") {
  const Topology mesh = Topology::mesh(std::array{4U, 4U});
  REQUIRE_THROWS_WITH(plan_ring(mesh, {}), Catch::Contains("--topology torus"));
  REQUIRE_THROWS_WITH(plan_hierarchical(mesh, {}), Catch::Contains("--topology torus"));
  REQUIRE_THROWS_AS(plan_shared_cycles(mesh), InfeasibleError);
}

TEST_CASE("one packet on two Hamiltonian cycles never beats Theorem 1", "[gossip][bounds]") {
  for_each_torus(2, 3, 14, [](const Topology& topology) {
    const Plan plan = plan_shared_cycles(topology);
    CAPTURE(topology.dims_text());
    REQUIRE(runs_on_two_hamiltonian_cycles(plan));
    const testing::Outcome outcome = testing::simulate_fast(plan, topology.nodes());
    REQUIRE(outcome.complete);
    REQUIRE(outcome.steps >= bounds::theorem1_bound(topology.nodes()));
    REQUIRE(outcome.steps <= bounds::two_way_ring_steps(topology.nodes()));
  });
  // ceil(11 P / 40 - 1)
  REQUIRE(bounds::theorem1_bound(64) == 17);
  REQUIRE(bounds::theorem1_bound(144) == 39);
  REQUIRE(bounds::theorem1_bound(40) == 10);
  REQUIRE(bounds::theorem1_bound(41) == 11);
}

TEST_CASE("Theorem 1 is applied only to the plans that it covers", "[bounds]") {
  const Topology topology = torus({6, 8});
  REQUIRE(runs_on_two_hamiltonian_cycles(plan_shared_cycles(topology)));
  // Two packets, one cycle, a schedule, three dimensions.
  REQUIRE_FALSE(runs_on_two_hamiltonian_cycles(plan_hamiltonian(topology, {})));
  REQUIRE_FALSE(runs_on_two_hamiltonian_cycles(plan_ring(topology, {true})));
  REQUIRE_FALSE(runs_on_two_hamiltonian_cycles(plan_scheduled(topology)));
  REQUIRE_FALSE(runs_on_two_hamiltonian_cycles(plan_ring(torus({3, 3, 3}), {true})));
  // Straight rows and columns pair all ports, but are many short cycles.
  StreamProgram straight(topology.nodes(), 4, 1);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (Port port = 0; port < 4; ++port) {
      straight.set(node, port, {PortSet::of(opposite(port)), {}, 0, {0}});
    }
  }
  Plan rows = plan_shared_cycles(topology);
  rows.program = straight;
  REQUIRE_FALSE(runs_on_two_hamiltonian_cycles(rows));
}

/// The figures of Table 2, read off the paper: for each r and side T_stv, T_opt, T_one, d = 2
/// and 3.
struct PrintedCell {
  std::uint32_t side;
  double startup;
  int dimensions;
  std::array<std::int64_t, 3> printed;
};
constexpr std::array<PrintedCell, 18> kTable2{{
    {4, .01, 2, {4, 4, 6}},
    {4, .01, 3, {11, 11, 19}},
    {4, .1, 2, {4, 5, 7}},
    {4, .1, 3, {12, 14, 21}},
    {4, 1, 2, {8, 12, 12}},
    {4, 1, 3, {21, 43, 37}},
    {16, .01, 2, {65, 65, 73}},
    {16, .01, 3, {689, 702, 818}},
    {16, .1, 2, {70, 77, 79}},
    {16, .1, 3, {751, 887, 891}},
    {16, 1, 2, {128, 192, 144}},
    {16, 1, 3, {1365, 2730, 1620}},
    {64, .01, 2, {1034, 1044, 1067}},
    {64, .01, 3, {44110, 44958, 46152}},
    {64, .1, 2, {1126, 1229, 1162}},
    {64, .1, 3, {48041, 56754, 50264}},
    {64, 1, 2, {2048, 3072, 2112}},
    {64, 1, 3, {87346, 174719, 91390}},
}};

std::array<std::int64_t, 3> rounded(const Table2Cell& cell) {
  return {std::llround(cell.scheduled), std::llround(cell.optimal), std::llround(cell.one_packet)};
}

TEST_CASE("all 54 entries of Table 2 are reproduced with thirds typed as .333 and sixths as .1666",
          "[compare]") {
  const std::vector<Table2Cell> cells = paper_table2(bounds::Fractions::kAsPrinted);
  REQUIRE(cells.size() == kTable2.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    CAPTURE(cells[i].side, cells[i].startup, cells[i].dimensions);
    REQUIRE(cells[i].side == kTable2[i].side);
    REQUIRE(cells[i].startup == kTable2[i].startup);
    REQUIRE(cells[i].dimensions == kTable2[i].dimensions);
    REQUIRE(rounded(cells[i]) == kTable2[i].printed);
  }
}

TEST_CASE("with exact thirds 40 of the 54 entries of Table 2 are reproduced, and 14 are not",
          "[compare]") {
  const std::vector<Table2Cell> cells = paper_table2(bounds::Fractions::kExact);
  int equal = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto exact = rounded(cells[i]);
    for (std::size_t f = 0; f < 3; ++f) equal += exact[f] == kTable2[i].printed[f] ? 1 : 0;
    if (cells[i].dimensions == 2 || cells[i].side == 4) REQUIRE(exact == kTable2[i].printed);
  }
  REQUIRE(equal == 40);
  const auto exact = [&](std::uint32_t side, double startup) {
    for (const Table2Cell& cell : cells) {
      if (cell.side == side && cell.startup == startup && cell.dimensions == 3) {
        return rounded(cell);
      }
    }
    throw std::logic_error("no such cell");
  };
  using Row = std::array<std::int64_t, 3>;
  REQUIRE(exact(16, .01) == Row{689, 703, 819});
  REQUIRE(exact(16, .1) == Row{751, 887, 892});
  REQUIRE(exact(16, 1) == Row{1365, 2731, 1621});
  REQUIRE(exact(64, .01) == Row{44128, 45001, 46196});
  REQUIRE(exact(64, .1) == Row{48060, 56798, 50313});
  REQUIRE(exact(64, 1) == Row{87381, 174763, 91477});
}

const GossipComparisonRow& row(const GossipComparison& comparison, std::string_view algorithm) {
  for (const GossipComparisonRow& candidate : comparison.rows) {
    if (candidate.algorithm == algorithm) return candidate;
  }
  throw std::logic_error("no such row");
}

TEST_CASE("the comparison lists measured steps, bounds, hardware and time", "[compare]") {
  GossipComparisonOptions options;
  options.startups = {0.1, 1};
  options.algorithms = {"hamiltonian",         "scheduled",     "ring",
                        "ring-two-way",        "shared-cycles", "hierarchical",
                        "hierarchical-two-way"};
  const GossipComparison comparison = compare_gossip(torus({16, 16}), options);
  REQUIRE(comparison.rows.size() == 7);
  REQUIRE(comparison.theorem1 == 70);
  for (const GossipComparisonRow& r : comparison.rows) {
    CAPTURE(r.algorithm);
    REQUIRE(r.refusal.empty());
    REQUIRE(r.measured_by == MeasuredBy::kSimulation);
    REQUIRE(r.steps >= r.lower_bound);
    if (r.formula) REQUIRE(r.steps == r.formula);
    REQUIRE(r.theorem1.has_value() == (r.algorithm == "shared-cycles"));
  }
  const GossipComparisonRow& optimal = row(comparison, "hamiltonian");
  REQUIRE(optimal.steps == 128);
  REQUIRE(optimal.times[0].measured == Approx(128 * 0.6));
  REQUIRE(optimal.paper_formula == "T_opt");
  REQUIRE(optimal.times[0].paper == Approx(76.8));
  REQUIRE(optimal.table_bits == 2);
  REQUIRE(optimal.buffer_packets == 4);
  const GossipComparisonRow& scheduled = row(comparison, "scheduled");
  REQUIRE(scheduled.steps == 64);
  REQUIRE(scheduled.times[0].measured == Approx(70.4));
  REQUIRE(scheduled.paper_formula == "T_stv");
  REQUIRE(scheduled.times[0].paper == Approx(70.4));
  REQUIRE(row(comparison, "ring").times[0].measured == Approx(255 * 1.1));
  REQUIRE(row(comparison, "ring").paper_formula.empty());
  REQUIRE(optimal.times[1].measured == Approx(128 * 1.5));
  REQUIRE(optimal.times[1].paper == Approx(128 * 1.5));
}

TEST_CASE("networks too large to simulate are proved, with the same steps", "[compare]") {
  GossipComparisonOptions options;
  options.algorithms = {"hamiltonian", "scheduled", "ring-two-way", "hierarchical"};
  const Topology topology = torus({9, 10});
  const GossipComparison simulated = compare_gossip(topology, options);
  options.simulation_limit = 0;
  const GossipComparison proved = compare_gossip(topology, options);
  for (std::size_t i = 0; i < options.algorithms.size(); ++i) {
    CAPTURE(options.algorithms[i]);
    REQUIRE(proved.rows[i].measured_by == MeasuredBy::kProof);
    REQUIRE(proved.rows[i].steps == simulated.rows[i].steps);
  }
}

TEST_CASE("a caller's own measurement replaces the engine", "[compare]") {
  GossipComparisonOptions options;
  options.algorithms = {"hamiltonian", "ring"};
  options.measure = [](const Plan& plan) -> std::optional<std::uint64_t> {
    if (plan.algorithm == "ring") return std::nullopt;
    return 1234;
  };
  const GossipComparison comparison = compare_gossip(torus({4, 4}), options);
  REQUIRE(comparison.rows[0].steps == 1234);
  REQUIRE(comparison.rows[0].measured_by == MeasuredBy::kCaller);
  REQUIRE(!comparison.rows[1].steps);
  REQUIRE(comparison.rows[1].measured_by == MeasuredBy::kNothing);
  REQUIRE(!comparison.rows[1].times[0].measured);
}

TEST_CASE("the comparison of a mesh lists the refusals, and the table shows them", "[compare]") {
  GossipComparisonOptions options;
  options.algorithms = {"strands", "ring"};
  const GossipComparison comparison = compare_gossip(Topology::mesh(std::array{4U, 4U}), options);
  REQUIRE(!comparison.theorem1);
  for (const GossipComparisonRow& r : comparison.rows) REQUIRE(!r.refusal.empty());
  REQUIRE_THAT(comparison_table(comparison, {80, true}), Catch::Contains("ring refused: "));
  REQUIRE_THAT(comparison_table(comparison),
               Catch::Contains("do not apply (--all shows the reasons): strands, ring"));
  REQUIRE_THAT(comparison_json(comparison), Catch::Contains("\"steps\": null"));
}

TEST_CASE("the comparison's table is aligned and its JSON carries the same figures", "[compare]") {
  GossipComparisonOptions options;
  options.algorithms = {"hamiltonian", "scheduled"};
  const GossipComparison comparison = compare_gossip(torus({8, 8}), options);
  std::istringstream text(comparison_table(comparison, {200, false}));
  std::string line;
  std::set<std::size_t> lengths;
  while (std::getline(text, line)) {
    if (line.rfind("  ", 0) == 0) lengths.insert(line.size());
  }
  REQUIRE(lengths.size() == 1);
  const std::string json = comparison_json(comparison);
  REQUIRE_THAT(json, Catch::Contains("\"theorem1\": 17"));
  REQUIRE_THAT(json, Catch::Contains("\"paper_formula\": \"T_stv\""));
  REQUIRE_THAT(json, Catch::Contains("\"table_bits\": 384"));
}

TEST_CASE("the comparison refuses start-up times and algorithms that make no sense", "[compare]") {
  GossipComparisonOptions options;
  options.startups = {0.1, -1};
  REQUIRE_THROWS_AS(compare_gossip(torus({4, 4}), options), InputError);
  options.startups = {std::numeric_limits<double>::infinity()};
  REQUIRE_THROWS_AS(compare_gossip(torus({4, 4}), options), InputError);
  options.startups = {};
  REQUIRE_THROWS_AS(compare_gossip(torus({4, 4}), options), InputError);
  options.startups = {0};
  options.algorithms = {"no-such"};
  REQUIRE_THROWS_AS(compare_gossip(torus({4, 4}), options), InputError);
}

TEST_CASE("T_one is the formula of the plan's last axis, and is met within one step", "[compare]") {
  GossipComparisonOptions options;
  options.algorithms = {"one-packet"};
  options.startups = {0.25};
  // 5x8 has to take the shorter side last; its longer one would give 14 (1 + r).
  for (const auto& sides : {std::pair{5U, 8U}, {6U, 9U}, {9U, 6U}, {8U, 8U}, {4U, 12U}}) {
    const GossipComparison comparison = compare_gossip(torus({sides.first, sides.second}), options);
    const GossipComparisonRow& r = comparison.rows.front();
    CAPTURE(sides.first, sides.second);
    REQUIRE(r.planned_by == "one-packet");
    REQUIRE(r.paper_formula == "T_one");
    REQUIRE(*r.times[0].measured <= *r.times[0].paper);
    REQUIRE(*r.times[0].measured > *r.times[0].paper - 1.25);
  }
}

TEST_CASE("the rows of the paper's formulas have names from the registry", "[compare]") {
  GossipComparisonOptions options;
  std::set<std::string> formulas;
  for (const GossipComparisonRow& r : compare_gossip(torus({8, 8}), options).rows) {
    if (!r.paper_formula.empty()) formulas.insert(r.algorithm + " " + r.paper_formula);
  }
  REQUIRE(formulas ==
          std::set<std::string>{"hamiltonian T_opt", "one-packet T_one", "scheduled T_stv"});
}

TEST_CASE("Table 2 from measured steps equals the exact formulas without the rounded-up step",
          "[compare]") {
  const auto measured = measured_table2({});
  const auto exact = paper_table2(bounds::Fractions::kExact);
  REQUIRE(measured.size() == 18);
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const Table2Measured& cell = measured[i];
    CAPTURE(cell.side, cell.dimensions, cell.startup);
    REQUIRE(cell.side == exact[i].side);
    // All P are even: floor(P/2) steps.
    REQUIRE(*cell.optimal == Approx(exact[i].optimal));
    // ceil((P-1)/(2d)) is P/(2d) rounded up, save P = 1 mod 2d, where it is rounded down.
    REQUIRE(std::abs(*cell.scheduled - exact[i].scheduled) < 1 + cell.startup);
    REQUIRE(cell.one_packet.has_value() == (cell.dimensions == 2));
    if (cell.one_packet) REQUIRE(*cell.one_packet == Approx(exact[i].one_packet));
  }
  REQUIRE_THAT(table2_text(measured), Catch::Contains("44110") && Catch::Contains("46152"));
  REQUIRE_THAT(table2_json(measured), Catch::Contains("\"printed\": 174719"));
}

std::uint64_t table_bits(const Plan& plan) { return plan.machine().cost(plan).table_bits; }

TEST_CASE("table bits follow from a router's configuration", "[compare]") {
  REQUIRE(table_bits(plan_hamiltonian(torus({4, 4}), {})) == 2);
  REQUIRE(table_bits(plan_hamiltonian(torus({5}), {})) == 0);
  // One in-port of four, or none, for each of four out-ports.
  REQUIRE(table_bits(plan_ring(torus({4, 4}), {})) == 4 * 3);
  Plan plan = plan_ring(torus({4, 4}), {});
  auto& program = plan.program.edit<StreamProgram>();
  // Fan-in: masks; a switch in step 5: two of them and a step of 0..5.
  program.set(0, 0, {PortSet(6), {}, 0, {0}});
  REQUIRE(table_bits(plan) == 4 * 4);
  program.set(0, 0, {PortSet(2), PortSet(6), 5, {0}});
  REQUIRE(table_bits(plan) == 2 * 16 + 4 * 3);
}

TEST_CASE("the paper's formula for schedules is shown on tori, of which it speaks, only",
          "[gossip][compare]") {
  GossipComparisonOptions options;
  options.algorithms = {"scheduled"};
  const std::vector<std::uint32_t> sides{8, 4};
  REQUIRE(compare_gossip(torus({8, 4}), options).rows[0].paper_formula == "T_stv");
  const GossipComparison cylinder = compare_gossip(Topology::grid(sides, 1), options);
  REQUIRE(cylinder.rows[0].steps == 11);
  REQUIRE(cylinder.rows[0].paper_formula.empty());
  REQUIRE(compare_gossip(Topology::mesh(sides), options).rows[0].paper_formula.empty());
}

}  // namespace
}  // namespace gossamer
