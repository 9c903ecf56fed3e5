// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/broadcast/eye.hpp"

#include <catch2/catch.hpp>

#include "gossamer/bounds/broadcast.hpp"
#include "gossamer/machines/relay/broadcast_proof.hpp"
#include "gossamer/util/error.hpp"
#include "relay.hpp"

namespace gossamer {
namespace {

using testing::mesh;
using testing::torus;

/// Plans from `source`, proves it, executes it, and holds all of it against the closed forms.
void check(const Topology& topology, NodeId source, std::uint64_t tcd, const MessageClock& clock) {
  const Plan plan = plan_eye(topology, {source, clock});
  CAPTURE(topology.kind(), topology.dims_text(), source);
  REQUIRE(plan.expected.analytic_tcd == tcd);
  const RelayVerdict verdict = verify_broadcast(plan);
  if (!verdict.ok()) FAIL(verdict.problems.front().text);
  REQUIRE(verdict.complete);
  REQUIRE(verdict.regions_disjoint);
  REQUIRE(verdict.most_sends == 1);
  REQUIRE(verdict.steps == static_cast<std::uint64_t>(bounds::broadcast_steps(topology)));
  REQUIRE(verdict.tcd == tcd);
  REQUIRE(verdict.cycles == plan.expected.analytic_cycles);
  const testing::RelayOutcome outcome = testing::run_relay_fast(plan);
  REQUIRE(outcome.complete);
  REQUIRE(outcome.steps == verdict.steps);
  REQUIRE(outcome.tcd == tcd);
  REQUIRE(outcome.cycles == plan.expected.analytic_cycles);
  REQUIRE(outcome.engine_cycles == outcome.cycles);
  REQUIRE(outcome.conflicts == 0);
  REQUIRE(outcome.duplicates == 0);
  REQUIRE(outcome.longest_hops == verdict.longest_hops);
}

/// Every source; the clock changes from source to source.
void check_every_source(const Topology& topology) {
  const int d = topology.dimensions();
  const int k = *bounds::exact_log2(topology.side(0));
  for (NodeId source = 0; source < topology.nodes(); ++source) {
    const MessageClock clock{source % 2 == 0 ? MessageTiming::kSelf : MessageTiming::kStep,
                             1 + source % 5, 1 + source % 3, source % 4};
    const Coordinates at = topology.coordinates(source);
    check(topology, source,
          topology.is_torus() ? bounds::optimal_tcd(d, k) : bounds::eye_source_tcd(d, k, at),
          clock);
  }
}

TEST_CASE("eye broadcast meets its formulas from every source of 2x2 .. 32x32",
          "[broadcast][eye]") {
  for (const std::uint32_t side : {2U, 4U, 8U, 16U, 32U}) check_every_source(mesh({side, side}));
}
TEST_CASE("eye broadcast meets its formulas from every source of 64x64", "[broadcast][eye][slow]") {
  check_every_source(mesh({64, 64}));
}
TEST_CASE("eye broadcast meets its formulas from every source of 2^3 .. 8^3", "[broadcast][eye]") {
  for (const std::uint32_t side : {2U, 4U, 8U}) check_every_source(mesh({side, side, side}));
}
TEST_CASE("eye broadcast meets its formulas from every source of 16^3", "[broadcast][eye][slow]") {
  check_every_source(mesh({16, 16, 16}));
}
TEST_CASE("eye broadcast meets its formulas from every source in 1, 4 and 5 dimensions",
          "[broadcast][eye]") {
  check_every_source(mesh({64}));
  check_every_source(mesh({4, 4, 4, 4}));
  check_every_source(mesh({2, 2, 2, 2, 2}));
}
TEST_CASE("eye broadcast has the optimal distance from every source of a torus",
          "[broadcast][eye][torus]") {
  check_every_source(torus({8}));
  for (const std::uint32_t side : {2U, 4U, 8U, 16U}) check_every_source(torus({side, side}));
  check_every_source(torus({4, 4, 4}));
}

TEST_CASE("eye broadcast serves unequal power-of-two sides from eyes, and from anywhere on a torus",
          "[broadcast][eye]") {
  for (const auto& sides : std::vector<std::vector<std::uint32_t>>{{2, 8},
                                                                   {8, 2},
                                                                   {4, 8},
                                                                   {2, 16},
                                                                   {4, 16},
                                                                   {8, 16},
                                                                   {16, 32},
                                                                   {4, 4, 8},
                                                                   {8, 4, 2},
                                                                   {4, 8, 8},
                                                                   {2, 4, 2, 8}}) {
    const Topology open = Topology::mesh(sides);
    const Topology wrapped = Topology::torus(sides);
    const std::vector<int> levels = *bounds::levels_of(open);
    const std::uint64_t tcd = bounds::eye_tcd(levels);
    for (NodeId source = 0; source < open.nodes(); ++source) {
      const MessageClock clock{source % 2 == 0 ? MessageTiming::kSelf : MessageTiming::kStep, 3, 2,
                               1};
      check(wrapped, source, tcd, clock);
      if (nearest_eye(open, source) == source) {
        check(open, source, tcd, clock);
      } else {
        REQUIRE_THROWS_AS(plan_eye(open, {source, clock}), InfeasibleError);
      }
    }
  }
}

TEST_CASE("the eye's refusals name an alternative", "[broadcast][eye]") {
  REQUIRE_THROWS_WITH(plan_eye(mesh({4, 8}), {0, {}}), Catch::Contains("--source 1,2"));
  REQUIRE_THROWS_WITH(plan_eye(mesh({12, 8}), {0, {}}), Catch::Contains("8 and 16"));
  REQUIRE_THROWS_AS(plan_eye(torus({6, 8}), {0, {}}), InfeasibleError);
}

TEST_CASE("an eye plan for 1024x1024 is planned and proved within 8 bytes per send",
          "[broadcast][eye]") {
  const Topology topology = mesh({1024, 1024});
  const Plan plan = plan_eye(topology, {nearest_eye(topology, 0), {}});
  const RelayVerdict verdict = verify_broadcast(plan);
  REQUIRE(verdict.ok());
  REQUIRE(verdict.regions_disjoint);
  REQUIRE(verdict.tcd == bounds::optimal_tcd(2, 10));
  REQUIRE(plan.program.as<RelayProgram>().memory_bytes() < 9 * std::uint64_t{1024 * 1024});
}

TEST_CASE("the 8x8 example: 33 cycles from an eye, 37 and 43 from a corner",
          "[broadcast][eye][timing]") {
  const Topology topology = mesh({8, 8});
  MessageClock clock{MessageTiming::kSelf, 4, 1, 1};
  const NodeId eye = nearest_eye(topology, 0);
  CHECK(testing::run_relay_fast(plan_eye(topology, {eye, clock})).cycles == 33);
  CHECK(testing::run_relay_fast(plan_eye(topology, {0, clock})).cycles == 37);
  clock.timing = MessageTiming::kStep;
  CHECK(testing::run_relay_fast(plan_eye(topology, {eye, clock})).cycles == 33);
  CHECK(testing::run_relay_fast(plan_eye(topology, {0, clock})).cycles == 43);
}

}  // namespace
}  // namespace gossamer
