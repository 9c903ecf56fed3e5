// SPDX-License-Identifier: Apache-2.0
/// The Verilated routers in the SystemC network, against the fast engine and the SystemC model.

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gossamer/sim/engines.hpp"
#include "gossamer/tb/lock_step.hpp"
#include "gossamer/util/error.hpp"
#include "plans.hpp"

using namespace gossamer;
using gossamer::tb::Difference;
using gossamer::tb::LockStep;
using gossamer::tb::Side;

namespace {

/// Lock step of SystemC and RTL through `steps` steps, and the counts of fast engine and RTL.
EngineStatistics require_agreement(const Plan& plan, std::uint64_t steps) {
  const auto model = make_engine("systemc", plan);
  const auto rtl = make_engine("rtl", plan);
  LockStep lock_step(plan.topology, *model, *rtl);
  std::string text;
  for (const Difference& difference : lock_step.run(steps)) text += difference.text() + "\n";
  REQUIRE(text.empty());
  REQUIRE(lock_step.cycles() == steps);

  const auto fast = make_fast_engine(plan);
  fast->clock(steps);
  const EngineStatistics expected = fast->statistics();
  REQUIRE(rtl->statistics().steps == expected.steps);
  REQUIRE(rtl->statistics().cycles == expected.cycles);
  REQUIRE(rtl->statistics().max_queue == expected.max_queue);
  REQUIRE(rtl->statistics().link_conflicts == expected.link_conflicts);
  return expected;
}

}  // namespace

TEST_CASE("the RTL runs the all-gather on even tori like the model", "[lock-step][rtl]") {
  for (const auto& [columns, rows] : {std::pair{4U, 4U}, {6U, 4U}, {8U, 8U}, {4U, 2U}}) {
    CAPTURE(columns, rows);
    require_agreement(test::even_torus_gossip(columns, rows), columns * rows / 2);
  }
}

TEST_CASE("the RTL runs every program with fan-in, switches and lost packets like the model",
          "[lock-step][rtl]") {
  const test::RandomTraits traits{
      .max_feed = 3, .max_preload = 1, .max_switch_step = 12, .dead_end_one_in = 4};
  std::uint64_t conflicts = 0;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    for (std::uint32_t depth = 1; depth <= 4; ++depth) {
      CAPTURE(seed, depth);
      const Topology shape = seed % 2 == 0 ? Topology::torus(std::array{4U, 3U})
                                           : Topology::mesh(std::array{3U, 2U, 2U});
      conflicts +=
          require_agreement(test::random_plan(shape, depth, seed, traits), 40).link_conflicts;
    }
  }
  REQUIRE(conflicts > 500);
}

TEST_CASE("the RTL sends preload lists ahead of waiting packets like the model",
          "[lock-step][rtl]") {
  const test::RandomTraits traits{
      .max_feed = 2, .max_preload = 5, .max_switch_step = 8, .dead_end_one_in = 2};
  std::uint64_t longest = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    const Plan plan = test::random_plan(Topology::torus(std::array{4U, 3U}), 64, seed, traits);
    const EngineStatistics statistics = require_agreement(plan, 12);
    REQUIRE(statistics.link_conflicts == 0);
    longest = std::max(longest, statistics.max_queue);
  }
  REQUIRE(longest > 5);
}

TEST_CASE("a fault in the RTL or in the model is named", "[lock-step][rtl]") {
  const Plan plan = test::even_torus_gossip(4, 4);
  for (const Side side : {Side::kReference, Side::kDevice}) {
    const auto model = make_engine("systemc", plan);
    const auto rtl = make_engine("rtl", plan);
    LockStep lock_step(plan.topology, *model, *rtl);
    lock_step.inject({.side = side, .cycle = 4, .node = 6, .port = 3, .upset = {.flip = 8}});
    const auto differences = lock_step.run(8);
    REQUIRE(differences.size() == 1);
    REQUIRE(differences[0].cycle == 4);
    REQUIRE(differences[0].node == 6);
    REQUIRE(differences[0].port == Port{3});
    REQUIRE(differences[0].expected != differences[0].got);
  }
}

TEST_CASE("an RTL router with a wrong table is caught", "[lock-step][rtl]") {
  const Plan plan = test::even_torus_gossip(4, 4);
  Plan wrong = plan;
  auto& program = wrong.program.edit<StreamProgram>();
  StreamPort at = program.at(5, 0);
  at.feed = PortSet::of(1);
  program.set(5, 0, at);
  const auto model = make_engine("systemc", plan);
  const auto rtl = make_engine("rtl", wrong);
  LockStep lock_step(plan.topology, *model, *rtl);
  const auto differences = lock_step.run(8);
  REQUIRE(differences.size() == 1);
  REQUIRE(differences[0].cycle == 2);
  REQUIRE(differences[0].node == 5);
  REQUIRE(differences[0].port == Port{0});
}

TEST_CASE("a queue deeper than that of any Verilated router is refused", "[lock-step][rtl]") {
  Plan plan = test::even_torus_gossip(4, 4);
  plan.expected.queue_depth = 70000;
  REQUIRE_THROWS_AS(make_engine("rtl", plan), InfeasibleError);
}
