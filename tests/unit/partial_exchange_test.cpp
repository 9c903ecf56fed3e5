// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/partial/partial_exchange.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <numeric>

#include "damage_witness.hpp"
#include "gossamer/bounds/partial.hpp"
#include "gossamer/collectives/partial/active_nodes.hpp"
#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/planner/gather_reversed.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"
#include "gossamer/verify/verify.hpp"
#include "queued.hpp"
#include "simulate.hpp"
#include "timetable.hpp"

namespace gossamer {
namespace {

using testing::equal_sided;
using testing::run_queued;

std::vector<NodeId> first_nodes(std::uint32_t count) {
  std::vector<NodeId> nodes(count);
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

/// Runs and requires everything but a figure.
std::uint64_t checked_steps(const Plan& plan) {
  const Report report = run_queued(plan);
  CAPTURE(plan.collective, plan.algorithm, plan.topology.dims_text());
  REQUIRE(report.problems.empty());
  REQUIRE(report.complete == true);
  REQUIRE(report.duplicates == 0);
  REQUIRE(*report.max_queue <= plan.expected.queue_depth);
  return *report.steps;
}

std::uint64_t exchange_steps(const Topology& topology, const std::vector<NodeId>& active,
                             ExchangeRule rule = ExchangeRule::kPaper) {
  PartialExchangeOptions options;
  options.active = active;
  options.rule = rule;
  return checked_steps(plan_partial_exchange(topology, options));
}

std::vector<std::vector<NodeId>> figure_placements() {
  std::vector<NodeId> diagonal;
  std::vector<NodeId> corner;
  for (NodeId i = 0; i < 8; ++i) diagonal.push_back(9 * i);
  for (NodeId y = 0; y < 3; ++y) {
    for (NodeId x = 0; x < 3; ++x) corner.push_back(8 * y + x);
  }
  return {{0}, first_nodes(8), diagonal, corner, first_nodes(64)};
}

TEST_CASE("exchanges and gathers take the specification's steps on 8x8 and 12x12",
          "[partial][exchange]") {
  const Topology topology = equal_sided(false, 2, 8);
  const std::array<std::uint64_t, 5> paper = {69, 78, 69, 131, 144};
  const std::array<std::uint64_t, 5> balanced = {35, 56, 35, 89, 141};
  const std::array<std::uint64_t, 5> online = {56, 56, 56, 120, 147};
  std::size_t i = 0;
  for (const std::vector<NodeId>& active : figure_placements()) {
    CAPTURE(i);
    REQUIRE(exchange_steps(topology, active) == paper[i]);
    REQUIRE(exchange_steps(topology, active, ExchangeRule::kBalanced) == balanced[i]);
    PartialExchangeOptions options;
    options.active = active;
    REQUIRE(checked_steps(plan_gather_online(topology, options)) == online[i]);
    const Plan reversed = plan_gather_reversed(topology, options);
    REQUIRE(checked_steps(reversed) == paper[i]);
    REQUIRE(reversed.expected.analytic_steps == paper[i]);
    ++i;
  }
  const Topology larger = equal_sided(false, 2, 12);
  REQUIRE(exchange_steps(larger, first_nodes(144)) == 471);
  REQUIRE(exchange_steps(larger, first_nodes(144), ExchangeRule::kBalanced) == 463);
}

TEST_CASE("exchanges and gathers stay within all bounds: placements of up to 16 nodes",
          "[partial][exchange]") {
  for (const std::uint32_t p : {2U, 3U, 4U}) {
    const Topology topology = equal_sided(false, 2, p);
    const std::uint64_t stride = p == 4 ? 41 : 1;
    for (std::uint64_t placement = 1; placement >> topology.nodes() == 0; placement += stride) {
      PartialExchangeOptions options;
      options.active = testing::nodes_of(placement);
      const std::uint64_t active = options.active.size();
      const std::uint64_t lower = bounds::exchange_lower_bound(topology, options.active);
      const std::uint64_t upper = std::min(bounds::exchange_proved_bound(p, active),
                                           bounds::exchange_paper_bound(p, active));
      CAPTURE(p, placement);
      const std::uint64_t exchange = checked_steps(plan_partial_exchange(topology, options));
      REQUIRE(exchange >= lower);
      REQUIRE(exchange <= upper);
      const std::uint64_t gather = checked_steps(plan_gather_online(topology, options));
      REQUIRE(gather >= lower);
      REQUIRE(gather <= bounds::exchange_paper_bound(p, active));
      REQUIRE(checked_steps(plan_gather_reversed(topology, options)) == exchange);
      options.rule = ExchangeRule::kBalanced;
      options.two_way = true;
      REQUIRE(checked_steps(plan_partial_exchange(topology, options)) >= lower);
      REQUIRE(checked_steps(plan_gather_reversed(topology, options)) >= lower);
    }
  }
}

TEST_CASE("random and adversarial placements on larger arrays and tori keep the bounds",
          "[partial][exchange]") {
  SplitMix64 random(17);
  for (int i = 0; i < 1000; ++i) {
    const auto p = static_cast<std::uint32_t>(5 + random.below(6));
    const Topology topology = equal_sided(random.below(2) != 0, 2, p);
    const auto count = static_cast<std::uint32_t>(1 + random.below(p * p));
    std::vector<NodeId> active;
    switch (random.below(3)) {
      case 0:
        active = random_nodes(p * p, count, random.next());
        break;
      case 1:
        // Full rows from the border.
        active = first_nodes(count);
        break;
      default: {
        // A square in the corner: the paper's first lower bound.
        const auto m = static_cast<std::uint32_t>(1 + random.below(p));
        for (NodeId y = 0; y < m; ++y) {
          for (NodeId x = 0; x < m; ++x) active.push_back(p * y + x);
        }
      }
    }
    CAPTURE(i, p, active.size());
    const std::uint64_t steps = exchange_steps(topology, active);
    REQUIRE(steps >= bounds::exchange_lower_bound(topology, active));
    REQUIRE(steps <= bounds::exchange_proved_bound(p, active.size()));
    REQUIRE(steps <= bounds::exchange_paper_bound(p, active.size()));
    exchange_steps(topology, active, ExchangeRule::kBalanced);
    PartialExchangeOptions options;
    options.active = active;
    checked_steps(plan_gather_online(topology, options));
  }
}

TEST_CASE("row and column sums cost p prefix steps, or p-1 two-way", "[partial][exchange]") {
  SplitMix64 random(23);
  for (std::uint32_t p = 2; p <= 9; ++p) {
    const Topology topology = equal_sided(false, 2, p);
    for (const bool two_way : {false, true}) {
      PartialExchangeOptions options;
      options.two_way = two_way;
      options.active = random_nodes(p * p, p, random.next());
      options.clock = PacketClock{10, 3};
      const Plan plan = plan_partial_exchange(topology, options);
      const auto engine = make_fast_engine(plan);
      testing::run_out(*engine, 0);
      for (NodeId node = 0; node < p * p; ++node) {
        std::uint32_t row = 0;
        std::uint32_t column = 0;
        for (const NodeId active : options.active) {
          if (active / p == node / p) ++row;
          if (active % p == node % p) ++column;
        }
        REQUIRE(engine->prefix(0, node).total == row);
        REQUIRE(engine->prefix(1, node).total == column);
      }
      const Report report = run_queued(plan);
      REQUIRE(report.cycles == (two_way ? p - 1 : p) * 3 + *report.steps * 10);
    }
  }
}

TEST_CASE("m N/4 is no lower bound for every placement", "[partial][exchange][errata]") {
  // A full row of 16x16: 240 steps, and m N/4 = 256, with m = 4 of 16 active nodes.
  const Topology topology = equal_sided(false, 2, 16);
  REQUIRE(exchange_steps(topology, first_nodes(16), ExchangeRule::kBalanced) == 240);
  REQUIRE(bounds::exchange_lower_bound(topology, first_nodes(16)) == 240);
}

TEST_CASE("the lower bound over rectangles has the known values", "[partial][exchange][bounds]") {
  for (std::uint32_t p = 2; p <= 10; ++p) {
    const std::uint64_t n = std::uint64_t{p} * p;
    const std::uint64_t all =
        bounds::exchange_lower_bound(equal_sided(false, 2, p), first_nodes(p * p));
    REQUIRE(all == (p % 2 == 0 ? p * n / 4 : p * (n - 1) / 4));
    // On a torus, twice as many links leave a half: half the bound.
    const std::uint64_t torus =
        bounds::exchange_lower_bound(equal_sided(true, 2, p), first_nodes(p * p));
    REQUIRE(torus >= all / 2);
    REQUIRE(torus <= all);
  }
  REQUIRE(bounds::exchange_lower_bound(equal_sided(false, 2, 8), {}) == 0);
}

TEST_CASE("exchanges refuse networks other than p x p and name the open problem",
          "[partial][exchange]") {
  PartialExchangeOptions options;
  REQUIRE_THROWS_WITH(plan_partial_exchange(equal_sided(false, 3, 4), options),
                      Catch::Contains("a rule of optimal order is known for 2 only") &&
                          Catch::Contains("--dims 4x4"));
  REQUIRE_THROWS_AS(plan_partial_exchange(testing::make_topology(false, {4, 5}), options),
                    InfeasibleError);
  options.rule = ExchangeRule::kBalanced;
  REQUIRE_THROWS_WITH(plan_gather_online(equal_sided(false, 2, 4), options),
                      Catch::Contains("--rule paper"));
  options.rule = ExchangeRule::kPaper;
  REQUIRE(exchange_steps(equal_sided(false, 2, 4), {}) == 0);
  REQUIRE(run_queued(plan_gather_reversed(equal_sided(false, 2, 4), options)).complete == true);
}

TEST_CASE("a reversed gather agrees with an independent witness", "[partial][exchange]") {
  for (const auto& [torus, side] : {std::pair{false, 3U}, {false, 5U}, {true, 4U}, {true, 5U}}) {
    for (const std::uint32_t count : {1U, 3U, 6U}) {
      PartialExchangeOptions options;
      const Topology topology = equal_sided(torus, 2, side);
      options.active = random_nodes(topology.nodes(), count, side);
      const Plan plan = plan_gather_reversed(topology, options);
      CAPTURE(torus, side, count);
      const testing::Sighting seen = testing::witness_rows(
          testing::grid_of({side, side}, torus), plan.program.as<TimetableProgram>(),
          testing::RowsFor::kGather, options.active);
      REQUIRE(seen.wrong.empty());
      REQUIRE(seen.steps == verify(plan).steps);
    }
  }
}

TEST_CASE("a reversed gather with a send too early is caught", "[partial][exchange]") {
  PartialExchangeOptions options;
  options.active = {0, 5, 10};
  const Plan right = plan_gather_reversed(equal_sided(false, 2, 4), options);
  const auto& program = right.program.as<TimetableProgram>();
  std::size_t tried = 0;
  for (std::size_t rom = 0; rom < program.roms().size(); ++rom) {
    for (std::size_t i = 0; i < program.roms()[rom].sends.size(); ++i) {
      // Without any one send some packet is not delivered.
      std::vector<TimetableRom> roms = program.roms();
      auto& sends = roms[rom].sends;
      sends.erase(sends.begin() + static_cast<std::ptrdiff_t>(i));
      Plan wrong = right;
      wrong.program = testing::with_roms(program, std::move(roms));
      REQUIRE(run_queued(wrong).complete == false);
      ++tried;
    }
  }
  REQUIRE(tried == verify(right).link_transfers);
}

}  // namespace
}  // namespace gossamer
