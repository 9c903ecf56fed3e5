// SPDX-License-Identifier: Apache-2.0
/// The RTL of the line collectives against the model, every link in every step.
#include <array>
#include <catch2/catch.hpp>
#include <sstream>

#include "gossamer/partial/building_blocks.hpp"
#include "gossamer/sim/queued_engine.hpp"
#include "gossamer/tb/line_engine.hpp"
#include "gossamer/tb/lock_step.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"

using namespace gossamer;

namespace {

Topology line_or_ring(bool ring, std::uint32_t p) {
  return ring ? Topology::torus(std::array{p}) : Topology::mesh(std::array{p});
}

Plan broadcast_plan(SplitMix64& random) {
  const bool ring = random.below(2) == 0;
  const auto p = static_cast<std::uint32_t>(2 + random.below(11));
  LineBroadcastOptions options;
  options.counts.resize(p);
  for (std::uint32_t& count : options.counts) count = static_cast<std::uint32_t>(random.below(5));
  if (ring) {
    options.mode =
        std::array{bounds::RingMode::kSplit, bounds::RingMode::kWhole, bounds::RingMode::kAlternate}
            .at(random.below(3));
  }
  return plan_line_broadcast(line_or_ring(ring, p), options);
}

std::string trace_of(const Plan& plan, Engine& engine, Report& report) {
  std::ostringstream trace;
  RunOptions options;
  options.trace = &trace;
  report = run_queued_plan(plan, engine, options);
  return trace.str();
}

}  // namespace

TEST_CASE("the line stage's RTL carries every broadcast as the model does", "[rtl][lock-step]") {
  SplitMix64 random(41);
  int run = 0;
  for (int i = 0; i < 300; ++i) {
    const Plan plan = broadcast_plan(random);
    if (!tb::is_line_plan(plan)) continue;  // nobody has a packet
    ++run;
    const auto reference = tb::make_fast_reference(plan);
    const auto rtl = tb::make_rtl_line_engine(plan);
    tb::LockStep lock_step(plan.topology, *reference, *rtl);
    const auto differences = lock_step.run(*plan.expected.analytic_steps);
    INFO(plan.topology.kind() << plan.topology.dims_text());
    REQUIRE(differences.empty());
    Report expected;
    Report got;
    const std::string trace = trace_of(plan, *make_fast_engine(plan), expected);
    REQUIRE(trace_of(plan, *tb::make_rtl_line_engine(plan), got) == trace);
    REQUIRE(got.problems.empty());
    REQUIRE(got.steps == plan.expected.analytic_steps);
    REQUIRE(got.cycles == expected.cycles);
    REQUIRE(got.max_queue == expected.max_queue);
  }
  CHECK(run > 250);
}

TEST_CASE("the prefix unit's RTL finds what the model finds, step by step", "[rtl][lock-step]") {
  SplitMix64 random(43);
  for (int i = 0; i < 200; ++i) {
    const auto p = static_cast<std::uint32_t>(2 + random.below(12));
    PrefixOptions options;
    options.two_way = random.below(2) == 0;
    for (NodeId node = 0; node < p; ++node) {
      if (random.below(3) != 0) options.active.push_back(node);
    }
    const Plan plan = plan_prefix(line_or_ring(random.below(2) == 0, p), options);
    REQUIRE(tb::is_line_plan(plan));
    const auto reference = tb::make_fast_reference(plan);
    const auto rtl = tb::make_rtl_line_engine(plan);
    tb::LockStep lock_step(plan.topology, *reference, *rtl);
    REQUIRE(lock_step.run(*plan.expected.analytic_steps).empty());
    const auto before = rtl->before();
    const auto total = rtl->total();
    for (NodeId node = 0; node < p; ++node) {
      std::uint32_t rank = 0;
      for (const NodeId active : options.active) rank += active < node ? 1U : 0U;
      REQUIRE(before[node] == rank);
      REQUIRE(total[node] == options.active.size());
    }
  }
}

TEST_CASE("a packet damaged in the line stages is named, and its loss too", "[rtl][lock-step]") {
  LineBroadcastOptions options;
  options.counts = {1, 2, 0, 1, 3};
  options.mode = bounds::RingMode::kSplit;
  const Plan plan = plan_line_broadcast(line_or_ring(true, 5), options);
  for (const bool drop : {false, true}) {
    const auto reference = tb::make_fast_reference(plan);
    const auto rtl = tb::make_rtl_line_engine(plan);
    tb::LockStep lock_step(plan.topology, *reference, *rtl);
    lock_step.inject({tb::Side::kDevice, 3, 1, 1, {drop ? PacketId{0} : PacketId{1}, drop}});
    const auto differences = lock_step.run(*plan.expected.analytic_steps);
    REQUIRE(differences.size() == 1);
    CHECK(differences[0].cycle == 3);
    CHECK(differences[0].node == 1);
    CHECK(differences[0].port == Port{1});
    CHECK((differences[0].got == kNoPacket) == drop);
    CHECK(differences[0].expected != differences[0].got);
  }
  const Plan prefix = plan_prefix(line_or_ring(false, 6), {});
  const auto reference = tb::make_fast_reference(prefix);
  const auto rtl = tb::make_rtl_line_engine(prefix);
  tb::LockStep lock_step(prefix.topology, *reference, *rtl);
  lock_step.inject({tb::Side::kDevice, 2, 1, 1, {0, true}});
  const auto differences = lock_step.run(10);
  REQUIRE(differences.size() == 1);
  CHECK(differences[0].text() == "cycle 2, node 1, port x+: expected packet 1, got none");
}

TEST_CASE("other plans are none of the line stages", "[rtl]") {
  const Plan plan = plan_prefix(Topology::torus(std::array{4U, 4U}), {});
  CHECK_FALSE(tb::is_line_plan(plan));
  CHECK_THROWS_AS(tb::make_rtl_line_engine(plan), std::invalid_argument);
}
