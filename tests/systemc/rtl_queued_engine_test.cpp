// SPDX-License-Identifier: Apache-2.0
/// Queued routers in RTL: Verilated prefix, class and exchange units and line stages beside the
/// SystemC routers.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <sstream>

#include "gossamer/collectives/partial/active_nodes.hpp"
#include "gossamer/collectives/partial/building_blocks.hpp"
#include "gossamer/collectives/partial/partial_broadcast.hpp"
#include "gossamer/collectives/partial/partial_exchange.hpp"
#include "gossamer/planner/gather_reversed.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/tb/lock_step.hpp"
#include "gossamer/tb/queued/verilated_units.hpp"
#include "gossamer/util/random.hpp"
#include "queued.hpp"
#include "simulate.hpp"

namespace {

using namespace gossamer;
using gossamer::tb::LockStep;
using gossamer::testing::equal_sided;

/// Runs a plan in lock step and requires that the sides agree, on links and on prefixes.
std::uint64_t require_agreement(const Plan& plan) {
  const auto model = make_engine("systemc", plan);
  const auto rtl = make_engine("rtl", plan);
  LockStep lock_step(plan.topology, *model, *rtl);
  LinkCounter counter;
  watch(lock_step, kNoStepLimit, counter);
  for (const tb::Difference& difference : lock_step.differences()) FAIL(difference.text());
  REQUIRE(model->done());
  REQUIRE(rtl->done());
  if (plan.demand.is_counts()) {
    for (int c = 0; c < plan.program.as<QueuedProgram>().classes; ++c) {
      for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
        REQUIRE(rtl->prefix(c, node) == model->prefix(c, node));
      }
    }
  }
  REQUIRE(rtl->statistics().cycles == model->statistics().cycles);
  REQUIRE(rtl->statistics().steps == model->statistics().steps);
  REQUIRE(rtl->statistics().max_queue == model->statistics().max_queue);
  REQUIRE(rtl->statistics().link_conflicts == model->statistics().link_conflicts);
  return counter.transfers();
}

/// A prefix of random nodes on a random network.
Plan random_prefix(SplitMix64& random, bool two_way) {
  constexpr std::array<std::uint64_t, 3> kSides = {9, 5, 3};
  const std::size_t d = 1 + random.below(3);
  const Topology topology =
      equal_sided(random.below(2) != 0, static_cast<int>(d),
                  static_cast<std::uint32_t>(2 + random.below(kSides[d - 1])));
  PrefixOptions options;
  options.two_way = two_way;
  options.clock = random.below(2) != 0 ? PacketClock{} : PacketClock{6, 3};
  options.active =
      random_nodes(topology.nodes(), static_cast<std::uint32_t>(random.below(topology.nodes() + 1)),
                   random.next());
  return plan_prefix(topology, options);
}

TEST_CASE("RTL prefixes equal the model cycle by cycle", "[lock-step]") {
  SplitMix64 random(1);
  std::uint64_t messages = 0;
  for (int i = 0; i < 60; ++i) {
    const Plan plan = random_prefix(random, i % 2 != 0);
    CAPTURE(plan.topology.dims_text(), plan.topology.kind(), plan.demand.sources.size());
    messages += require_agreement(plan);
  }
  REQUIRE(messages > 1000);
}

TEST_CASE("RTL sums of rows and columns equal the model", "[lock-step]") {
  SplitMix64 random(2);
  std::uint64_t messages = 0;
  for (std::uint32_t p = 2; p <= 7; ++p) {
    const Topology topology = equal_sided(false, 2, p);
    PartialExchangeOptions options;
    options.active =
        random_nodes(p * p, 1 + static_cast<std::uint32_t>(random.below(p * p)), random.next());
    const Plan exchange = plan_partial_exchange(topology, options);
    const auto engine = make_engine("systemc", exchange);
    testing::run_out(*engine);
    // The sums alone, with a demand for counts.
    PrefixOptions of_prefix;
    of_prefix.active = options.active;
    Plan sums = plan_prefix(topology, of_prefix);
    auto& phases = sums.program.edit<QueuedProgram>().phases;
    phases.clear();
    for (const QueuedPhase& phase : exchange.program.as<QueuedProgram>().phases) {
      if (phase.is_prefix()) phases.push_back(phase);
    }
    REQUIRE(phases.size() == 2);
    CAPTURE(p, options.active.size());
    messages += require_agreement(sums);
    const auto rtl = make_engine("rtl", sums);
    testing::run_out(*rtl);
    for (int c = 0; c < 2; ++c) {
      for (NodeId node = 0; node < topology.nodes(); ++node) {
        REQUIRE(rtl->prefix(c, node).total == engine->prefix(c, node).total);
      }
    }
  }
  REQUIRE(messages > 200);
}

TEST_CASE("RTL line broadcasts equal the model cycle by cycle", "[lock-step]") {
  SplitMix64 random(3);
  std::uint64_t packets = 0;
  for (int i = 0; i < 100; ++i) {
    const auto p = static_cast<std::uint32_t>(2 + random.below(9));
    LineBroadcastOptions options;
    for (std::uint32_t x = 0; x < p; ++x) {
      options.counts.push_back(random.below(3) == 0 ? 0
                                                    : static_cast<std::uint32_t>(random.below(6)));
    }
    if (random.below(2) != 0) options.clock = {4, 1};
    const bool ring = random.below(3) != 0;
    if (ring) options.mode = static_cast<bounds::RingMode>(random.below(3));
    const Plan plan = plan_line_broadcast(equal_sided(ring, 1, p), options);
    CAPTURE(i, p, ring);
    packets += require_agreement(plan);
  }
  REQUIRE(packets > 2500);
}

TEST_CASE("the traces of RTL, model and fast engine are the same bytes") {
  SplitMix64 random(4);
  LineBroadcastOptions line;
  line.counts = {3, 0, 1, 2, 0, 4};
  PartialBroadcastOptions broadcast;
  broadcast.active = {0, 3, 5, 10, 13};
  broadcast.clock = PacketClock{8, 3};
  PackingOptions packing;
  packing.prefix.active = broadcast.active;
  PartialExchangeOptions exchange;
  exchange.active = broadcast.active;
  exchange.clock = PacketClock{4, 2};
  for (const Plan& plan : {random_prefix(random, false), random_prefix(random, true),
                           plan_line_broadcast(equal_sided(true, 1, 6), line),
                           plan_partial_broadcast(equal_sided(true, 2, 4), broadcast),
                           plan_packing(equal_sided(false, 2, 4), packing),
                           plan_partial_exchange(equal_sided(false, 2, 4), exchange),
                           plan_gather_online(equal_sided(false, 2, 4), exchange),
                           plan_gather_reversed(equal_sided(true, 2, 4), exchange)}) {
    std::ostringstream fast;
    std::ostringstream rtl;
    const Report expected = testing::run_queued(plan, &fast);
    RunOptions options;
    options.judged = true;
    options.trace = &rtl;
    const Report report = run_plan(plan, *make_engine("rtl", plan), options);
    REQUIRE(expected.complete == true);
    REQUIRE(report.problems.empty());
    REQUIRE(report.complete == true);
    REQUIRE(report.steps == expected.steps);
    REQUIRE(report.cycles == expected.cycles);
    REQUIRE(report.link_transfers == expected.link_transfers);
    REQUIRE(rtl.str() == fast.str());
  }
}

TEST_CASE("lock step detects a count that differs, and a damaged link", "[lock-step]") {
  const Topology topology = equal_sided(false, 1, 4);
  PrefixOptions options;
  options.active = {0, 2};
  const Plan plan = plan_prefix(topology, options);
  options.active = {1, 2};
  const Plan other = plan_prefix(topology, options);
  const auto model = make_engine("systemc", plan);
  const auto rtl = make_engine("rtl", other);
  const std::vector<tb::Difference> differences =
      LockStep(topology, *model, *rtl).run(kNoStepLimit);
  REQUIRE(differences.size() == 1);
  CHECK(differences.front().text() ==
        "cycle 1, node 0, port x+: expected packet 0 value 1, got packet 0 value 0");

  LineBroadcastOptions line;
  line.counts = {2, 0, 0, 0};
  const Plan broadcast = plan_line_broadcast(topology, line);
  const auto one = make_engine("systemc", broadcast);
  const auto two = make_engine("rtl", broadcast);
  LockStep lock_step(topology, *one, *two);
  tb::Fault fault;
  fault.cycle = 2;
  fault.node = 1;
  fault.port = 1;
  fault.upset.flip = 4;
  lock_step.inject(fault);
  REQUIRE(lock_step.run(kNoStepLimit).size() == 1);
  CHECK(lock_step.differences().front().text() ==
        "cycle 2, node 1, port x+: expected packet 0 value 1, got packet 4 value 1");
}

TEST_CASE("an RTL line stage drops passing packets at a barrier, and reports a full queue") {
  const auto stage = tb::make_verilated_line_stage(64);
  tb::LineStagePins& pins = stage->pins();
  pins.active_i = true;
  pins.in_valid_i = true;
  pins.in_data_i = 5;
  pins.in_hops_i = 2;
  stage->clock();
  REQUIRE(pins.valid_o);
  REQUIRE(pins.data_o == 5);
  REQUIRE(pins.hops_o == 1);
  pins.begin_i = true;
  stage->clock();
  REQUIRE(!pins.valid_o);
  // 64 entries: the next own packet that cannot leave is lost.
  pins.begin_i = false;
  pins.active_i = false;
  pins.own_valid_i = true;
  pins.own_hops_i = 1;
  for (std::uint64_t packet = 0; packet < 64; ++packet) {
    pins.own_data_i = packet;
    stage->clock();
    REQUIRE(!pins.overflow_o);
  }
  stage->clock();
  REQUIRE(pins.overflow_o);
  pins.own_valid_i = false;
  pins.in_valid_i = false;
  pins.active_i = true;
  stage->clock();
  REQUIRE(pins.valid_o);
  REQUIRE(pins.data_o == 0);
}

TEST_CASE("a Verilated stage of an unsupported size is rejected") {
  CHECK_THROWS_AS(tb::make_verilated_line_stage(tb::kMaxVerilatedOwnPackets + 1),
                  std::invalid_argument);
}

/// Some nodes of a network, every now and then none or all.
std::vector<NodeId> some_nodes(SplitMix64& random, const Topology& topology) {
  const auto count = random.below(8) == 0 ? random.below(2) * topology.nodes()
                                          : random.below(topology.nodes() + 1);
  return random_nodes(topology.nodes(), static_cast<std::uint32_t>(count), random.next());
}

Topology some_network(SplitMix64& random) {
  constexpr std::array<std::uint64_t, 3> kSides = {8, 5, 2};
  const std::size_t d = 1 + random.below(3);
  return equal_sided(random.below(2) != 0, static_cast<int>(d),
                     static_cast<std::uint32_t>(2 + random.below(kSides[d - 1])));
}

TEST_CASE("RTL packing and monotone routing equal the model cycle by cycle", "[lock-step]") {
  SplitMix64 random(6);
  std::uint64_t packets = 0;
  for (int i = 0; i < 60; ++i) {
    const Topology topology = some_network(random);
    CAPTURE(i, topology.dims_text(), topology.kind());
    PackingOptions packing;
    packing.prefix.two_way = i % 2 != 0;
    packing.wrap = topology.is_torus() && random.below(2) != 0;
    packing.prefix.active = some_nodes(random, topology);
    packets += require_agreement(plan_packing(topology, packing));
    MonotoneOptions routing;
    routing.merged = random.below(2) != 0;
    routing.prefix.active = packing.prefix.active;
    routing.targets = random_nodes(
        topology.nodes(), static_cast<std::uint32_t>(routing.prefix.active.size()), random.next());
    packets += require_agreement(plan_monotone_routing(topology, routing));
  }
  REQUIRE(packets > 1500);
}

TEST_CASE("RTL partial broadcasts equal the model cycle by cycle", "[lock-step]") {
  SplitMix64 random(7);
  std::uint64_t packets = 0;
  for (int i = 0; i < 60; ++i) {
    const Topology topology = some_network(random);
    PartialBroadcastOptions options;
    options.rules.split = i % 2 != 0;
    options.rules.alternate = !options.rules.split && topology.is_torus() && random.below(2) != 0;
    options.rules.skip_last = random.below(3) == 0;
    options.rules.two_way = random.below(2) != 0;
    options.rules.wrap = topology.is_torus() && random.below(3) == 0;
    options.active = some_nodes(random, topology);
    CAPTURE(i, topology.dims_text(), topology.kind(), options.active.size());
    packets += require_agreement(plan_partial_broadcast(topology, options));
    if (i % 4 < 2) packets += require_agreement(plan_multinode(topology, options));
  }
  REQUIRE(packets > 20000);
}

TEST_CASE("RTL exchanges and gathers equal the model cycle by cycle", "[lock-step]") {
  SplitMix64 random(8);
  std::uint64_t packets = 0;
  for (int i = 0; i < 40; ++i) {
    const Topology topology =
        equal_sided(random.below(3) == 0, 2, static_cast<std::uint32_t>(2 + random.below(4)));
    PartialExchangeOptions options;
    options.rule = random.below(2) != 0 ? ExchangeRule::kPaper : ExchangeRule::kBalanced;
    options.two_way = random.below(2) != 0;
    options.active = some_nodes(random, topology);
    CAPTURE(i, topology.dims_text(), topology.kind(), options.active.size());
    packets += require_agreement(plan_partial_exchange(topology, options));
    options.rule = ExchangeRule::kPaper;
    packets += require_agreement(plan_gather_online(topology, options));
    packets += require_agreement(plan_gather_reversed(topology, options));
  }
  REQUIRE(packets > 15000);
}

TEST_CASE("the rtl engine reports plans that its units do not support") {
  PackingOptions options;
  options.prefix.active = {1, 5, 6};
  const Plan plan = plan_packing(equal_sided(false, 2, 4), options);
  Plan together = plan;
  for (QueuedPhase& phase : together.program.edit<QueuedProgram>().phases) {
    if (!phase.is_prefix()) phase.start = 1;
  }
  CHECK_THROWS_WITH(make_engine("rtl", together),
                    Catch::Contains("phases of class 0 overlap in step 1"));
  Plan two = plan;
  two.demand.pieces = 2;
  for (DemandSource& source : two.demand.sources) source.pieces = 2;
  CHECK_THROWS_WITH(make_engine("rtl", two), Catch::Contains("node 1 has more than one packet"));
  CHECK_THROWS_AS(tb::make_verilated_class_unit(tb::kMaxVerilatedKeys + 1), std::invalid_argument);
  CHECK_THROWS_AS(tb::make_verilated_exchange_unit(tb::kMaxVerilatedExchange + 1),
                  std::invalid_argument);
}

}  // namespace
