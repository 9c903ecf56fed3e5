// SPDX-License-Identifier: Apache-2.0
/// The SystemC fabric of queued routers against the fast engine, step for step.
#include "gossamer/collectives/partial/experiment_run.hpp"
#include "gossamer/sim/engines.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>
#include <string>

#include "gossamer/collectives/partial/active_nodes.hpp"
#include "gossamer/collectives/partial/building_blocks.hpp"
#include "gossamer/collectives/partial/dynamic_broadcast.hpp"
#include "gossamer/collectives/partial/partial_broadcast.hpp"
#include "gossamer/collectives/partial/partial_exchange.hpp"
#include "gossamer/planner/gather_reversed.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/systemc/queued/router.hpp"
#include "gossamer/systemc/simulation_context.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"
#include "queued.hpp"
#include "simulate.hpp"

using namespace gossamer;
using gossamer::testing::equal_sided;

namespace {

/// Everything that a run shows, the trace byte by byte.
struct QueuedRun {
  std::string trace;
  Report report;
};

QueuedRun run_on(Engine& engine, const Plan& plan) {
  QueuedRun run;
  std::ostringstream trace;
  RunOptions options;
  options.judged = true;
  options.trace = &trace;
  run.report = run_plan(plan, engine, options);
  run.trace = trace.str();
  return run;
}

/// Runs `plan` on both engines, requires that they are equal in all that they show, and returns the
/// report.
Report require_equal_runs(const Plan& plan, const EngineOptions& options = {}) {
  CAPTURE(plan.collective, plan.algorithm, plan.topology.kind(), plan.topology.dims_text(),
          plan.demand.sources.size());
  const auto fast = make_fast_engine(plan);
  const auto systemc = make_engine("systemc", plan, options);
  const QueuedRun expected = run_on(*fast, plan);
  const QueuedRun got = run_on(*systemc, plan);
  REQUIRE(got.report.engine == "systemc");
  REQUIRE(got.report.steps == expected.report.steps);
  REQUIRE(got.report.cycles == expected.report.cycles);
  REQUIRE(got.report.max_queue == expected.report.max_queue);
  REQUIRE(got.report.link_conflicts == expected.report.link_conflicts);
  REQUIRE(got.report.link_transfers == expected.report.link_transfers);
  REQUIRE(got.report.complete == expected.report.complete);
  REQUIRE(got.report.duplicates == expected.report.duplicates);
  REQUIRE(got.report.problems == expected.report.problems);
  REQUIRE((got.trace == expected.trace));
  const bool counts = plan.program.is<QueuedProgram>();
  for (int c = 0; counts && c < plan.program.as<QueuedProgram>().classes; ++c) {
    for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
      REQUIRE(systemc->prefix(c, node) == fast->prefix(c, node));
    }
  }
  return got.report;
}

void require_right_runs(const Plan& plan, const EngineOptions& options = {}) {
  const Report report = require_equal_runs(plan, options);
  REQUIRE(report.problems.empty());
  REQUIRE(report.complete == true);
}

std::vector<NodeId> drawn(const Topology& topology, SplitMix64& random) {
  const auto count = static_cast<std::uint32_t>(random.below(topology.nodes() + 1));
  return random_nodes(topology.nodes(), count, random.next());
}

/// A seeded shape of at most `most_dimensions`, mesh or torus.
Topology shape(SplitMix64& random, int most_dimensions) {
  constexpr std::array<std::uint64_t, 3> kMostSides = {11, 6, 3};
  const std::size_t d = 1 + random.below(static_cast<std::uint64_t>(most_dimensions));
  return equal_sided(random.below(2) != 0, static_cast<int>(d),
                     static_cast<std::uint32_t>(2 + random.below(kMostSides[d - 1])));
}

std::optional<PacketClock> sometimes(SplitMix64& random, PacketClock clock) {
  return random.below(2) != 0 ? std::optional(clock) : std::nullopt;
}

}  // namespace

TEST_CASE("SystemC prefixes equal the fast engine message by message", "[queued]") {
  SplitMix64 random(1);
  for (int i = 0; i < 500; ++i) {
    const Topology topology = shape(random, 3);
    PrefixOptions options;
    options.two_way = i % 2 != 0;
    options.active = drawn(topology, random);
    options.clock = sometimes(random, {6, 3});
    require_right_runs(plan_prefix(topology, options));
  }
}

TEST_CASE("SystemC packing and routing equal the fast engine", "[queued]") {
  SplitMix64 random(2);
  for (int i = 0; i < 500; ++i) {
    const Topology topology = shape(random, 3);
    PackingOptions packing;
    packing.wrap = topology.is_torus() && random.below(2) != 0;
    packing.prefix.two_way = random.below(2) != 0;
    packing.prefix.active = drawn(topology, random);
    packing.prefix.clock = sometimes(random, {3, 2});
    require_right_runs(plan_packing(topology, packing));
    if (topology.is_torus()) continue;
    MonotoneOptions routing;
    routing.merged = random.below(2) != 0;
    routing.prefix = packing.prefix;
    routing.targets = random_nodes(
        topology.nodes(), static_cast<std::uint32_t>(packing.prefix.active.size()), random.next());
    require_right_runs(plan_monotone_routing(topology, routing));
  }
}

TEST_CASE("SystemC broadcasts on lines and rings equal the fast engine", "[queued]") {
  SplitMix64 random(3);
  for (int i = 0; i < 1000; ++i) {
    const auto p = static_cast<std::uint32_t>(2 + random.below(10));
    LineBroadcastOptions options;
    for (std::uint32_t x = 0; x < p; ++x) {
      options.counts.push_back(random.below(3) == 0 ? 0
                                                    : static_cast<std::uint32_t>(random.below(5)));
    }
    const bool ring = random.below(3) != 0;
    if (ring) options.mode = static_cast<bounds::RingMode>(random.below(3));
    options.clock = sometimes(random, {4, 1});
    require_right_runs(plan_line_broadcast(equal_sided(ring, 1, p), options));
  }
}

TEST_CASE("SystemC partial broadcasts equal the fast engine in all variants", "[queued]") {
  SplitMix64 random(4);
  std::map<bool, int> tori;
  for (int i = 0; i < 800; ++i) {
    const Topology topology = shape(random, 3);
    PartialBroadcastOptions options;
    options.rules.split = random.below(2) != 0;
    options.rules.skip_last = random.below(2) != 0;
    options.rules.two_way = random.below(2) != 0;
    options.rules.wrap = topology.is_torus() && random.below(2) != 0;
    options.rules.alternate = !options.rules.split && topology.is_torus() &&
                              topology.side(0) % 2 == 0 && random.below(2) != 0;
    options.clock = sometimes(random, {12, 5});
    options.active = drawn(topology, random);
    require_right_runs(plan_partial_broadcast(topology, options));
    ++tori[topology.is_torus()];
  }
  REQUIRE(tori[false] > 200);
  REQUIRE(tori[true] > 200);
}

TEST_CASE("SystemC multinode broadcasts, which are given ranks, equal the fast engine",
          "[queued]") {
  for (const bool torus : {false, true}) {
    for (const auto& [d, p] : {std::array{1, 7}, std::array{2, 2}, std::array{2, 5},
                               std::array{2, 6}, std::array{3, 3}, std::array{3, 4}}) {
      const Topology topology = equal_sided(torus, d, static_cast<std::uint32_t>(p));
      PartialBroadcastOptions options;
      require_right_runs(plan_multinode(topology, options));
      options.rules.split = false;
      require_right_runs(plan_multinode(topology, options));
      options.rules.alternate = torus && p % 2 == 0;
      require_right_runs(plan_multinode(topology, options));
    }
  }
}

TEST_CASE("SystemC exchanges and gathers equal the fast engine for every rule", "[queued]") {
  SplitMix64 random(5);
  for (int i = 0; i < 200; ++i) {
    const Topology topology =
        equal_sided(random.below(2) != 0, 2, static_cast<std::uint32_t>(2 + random.below(6)));
    PartialExchangeOptions options;
    options.two_way = random.below(2) != 0;
    options.rule = random.below(2) != 0 ? ExchangeRule::kPaper : ExchangeRule::kBalanced;
    options.clock = sometimes(random, {2, 1});
    options.active = drawn(topology, random);
    if (options.active.empty()) options.active.push_back(0);
    require_right_runs(plan_partial_exchange(topology, options));
    if (options.rule == ExchangeRule::kPaper)
      require_right_runs(plan_gather_online(topology, options));
    require_right_runs(plan_gather_reversed(topology, options));
  }
}

TEST_CASE("SystemC exchanges on 8x8 take the specification's steps", "[queued]") {
  const Topology topology = equal_sided(false, 2, 8);
  PartialExchangeOptions options;
  for (NodeId node = 0; node < 64; ++node) options.active.push_back(node);
  REQUIRE(require_equal_runs(plan_partial_exchange(topology, options)).steps == 144U);
  REQUIRE(require_equal_runs(plan_gather_online(topology, options)).steps == 147U);
  options.active = {0};
  REQUIRE(require_equal_runs(plan_partial_exchange(topology, options)).steps == 69U);
}

TEST_CASE("on SystemC too packing without barriers clashes, and the packets are lost",
          "[queued][errata]") {
  const Topology topology = equal_sided(false, 2, 4);
  PackingOptions options;
  options.prefix.active = {0, 8, 9, 10, 11, 13};
  Plan plan = plan_packing(topology, options);
  for (QueuedPhase& phase : plan.program.edit<QueuedProgram>().phases) {
    if (phase.is_prefix()) continue;
    phase.start = 1;
    phase.length = *plan.expected.analytic_steps;
  }
  const Report report = require_equal_runs(plan);
  REQUIRE(*report.link_conflicts > 0);
  REQUIRE(report.complete == false);
}

TEST_CASE("on SystemC too packing the most significant digit first clashes", "[queued][errata]") {
  int clashes = 0;
  for (std::uint64_t placement = 0; placement < 512; ++placement) {
    PackingOptions options;
    options.prefix.active = testing::nodes_of(placement);
    Plan plan = plan_packing(equal_sided(false, 2, 3), options);
    auto& phases = plan.program.edit<QueuedProgram>().phases;
    std::swap(phases.end()[-1].start, phases.end()[-2].start);
    const Report report = require_equal_runs(plan);
    if (*report.link_conflicts == 0) continue;
    ++clashes;
    REQUIRE(report.complete == false);
  }
  REQUIRE(clashes > 0);
}

TEST_CASE("an interrupted SystemC run continues where it stopped", "[queued]") {
  const Topology topology = equal_sided(true, 2, 4);
  PartialBroadcastOptions options;
  options.active = {1, 2, 7, 11, 12};
  options.clock = PacketClock{8, 3};
  const Plan plan = plan_partial_broadcast(topology, options);
  const auto fast = make_fast_engine(plan);
  const auto systemc = make_engine("systemc", plan);
  // Nothing but the prefix; then three steps at a time, beyond the end.
  for (std::uint64_t steps = 0; steps < *plan.expected.analytic_steps + 6; steps += 3) {
    for (const auto& engine : {fast.get(), systemc.get()}) {
      testing::run_out(*engine, steps == 0 ? 0 : 3);
    }
    const EngineStatistics a = fast->statistics();
    const EngineStatistics b = systemc->statistics();
    REQUIRE(a.steps == b.steps);
    REQUIRE(a.cycles == b.cycles);
    REQUIRE(a.max_queue == b.max_queue);
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      REQUIRE(systemc->prefix(1, node) == fast->prefix(1, node));
    }
  }
  REQUIRE(systemc->statistics().steps == plan.expected.analytic_steps);
  REQUIRE(systemc->statistics().cycles == plan.expected.analytic_cycles);
}

TEST_CASE("dynamic broadcast on SystemC has the fast engine's delays for equal seeds",
          "[queued][dynamic]") {
  for (const bool split : {true, false}) {
    for (const IntervalRule rule : {IntervalRule::kBound, IntervalRule::kExact}) {
      DynamicOptions options;
      options.rules.split = split;
      options.interval = rule;
      options.loads = {0.02, 0.05, 0.2};
      options.broadcasts = 1000;
      options.seed = 7;
      const Experiment experiment =
          plan_dynamic_broadcast(equal_sided(split, 2, split ? 4 : 3), options);
      std::uint64_t engines = 0;
      DynamicRunOptions run;
      run.execute = intervals_on([&engines](const Plan& interval) -> std::unique_ptr<Engine> {
        ++engines;
        return make_engine("systemc", interval);
      });
      const std::vector<DynamicPoint> got = run_dynamic(experiment, run);
      run.execute = intervals_on([](const Plan& plan) { return make_fast_engine(plan); });
      REQUIRE(got == run_dynamic(experiment, run));
      run.execute = {};
      REQUIRE(got == run_dynamic(experiment, run));
      REQUIRE(engines > 100);
      for (const DynamicPoint& point : got) {
        REQUIRE(point.mismatches == 0);
      }
      REQUIRE(got.front().mean_delay);
    }
  }
}

TEST_CASE("queued routers with pins behave the same", "[queued]") {
  SplitMix64 random(6);
  const EngineOptions pins = {.pin_level = true};
  for (int i = 0; i < 30; ++i) {
    const Topology topology =
        equal_sided(random.below(2) != 0, 2, static_cast<std::uint32_t>(2 + random.below(4)));
    PartialBroadcastOptions broadcast;
    broadcast.rules.two_way = i % 2 != 0;
    broadcast.clock = PacketClock{12, 5};
    broadcast.active = drawn(topology, random);
    require_right_runs(plan_partial_broadcast(topology, broadcast), pins);
    PrefixOptions prefix;
    prefix.active = broadcast.active;
    require_right_runs(plan_prefix(topology, prefix), pins);
    PartialExchangeOptions exchange;
    exchange.active = broadcast.active;
    if (exchange.active.empty()) exchange.active.push_back(0);
    require_right_runs(plan_partial_exchange(topology, exchange), pins);
    require_right_runs(plan_gather_online(topology, exchange), pins);
    require_right_runs(plan_gather_reversed(topology, exchange), pins);
  }
}

TEST_CASE("routers without work cost nothing, and a fabric that is done sleeps", "[queued]") {
  const Topology topology = equal_sided(true, 2, 8);
  PackingOptions options;
  options.prefix.active = {63};
  const Plan plan = plan_packing(topology, options);
  systemc::SimulationContext context;
  const systemc::SimulationContext::Scope scope(context);
  {
    const sc_core::sc_time period(1, sc_core::SC_NS);
    sc_core::sc_clock clk("clk", period, 0.5, period / 2, true);
    sc_core::sc_signal<bool> rst_n("rst_n");
    sc_core::sc_signal<bool> clear("clear");
    sc_core::sc_signal<bool> start("start");
    const auto tiles = std::make_shared<systemc::QueuedTiles>(plan);
    systemc::QueuedFabric fabric("fabric", topology,
                                 [&tiles](const char* name, NodeId node) {
                                   return std::make_unique<systemc::QueuedRouter>(name, tiles,
                                                                                  node);
                                 },
                                 {.barriers = tiles->barriers});
    fabric.clk_i(clk);
    fabric.rst_ni(rst_n);
    fabric.clear_i(clear);
    fabric.start_i(start);
    const auto round = [&] {
      start.write(true);
      sc_core::sc_start(period);
      start.write(false);
      sc_core::sc_start(100 * period);
    };
    sc_core::sc_start(period);
    rst_n.write(true);
    sc_core::sc_start(100 * period);
    // Barriers are a round's.
    REQUIRE(fabric.router_edges() == 0);
    round();
    REQUIRE(fabric.idle());
    // Barriers: four phases of the prefix, its end, and two of packing, of which the first is at
    // the edge that loads the queues. The tree's 8 + 1 lines each way: an edge to send and one to
    // receive for every message. The packet's 14 hops, an edge each end.
    const std::uint64_t edges = fabric.router_edges();
    REQUIRE(tiles->barriers.size() == 7);
    REQUIRE(edges >= 7 * 64 + 63 + 14);
    REQUIRE(edges <= 7 * 64 + 4 * 63 + 2 * 14 + 2);
    const std::uint64_t activations = fabric.activations();
    sc_core::sc_start(1000 * period);
    REQUIRE(fabric.activations() == activations);
    REQUIRE(fabric.router_edges() == edges);
    // Asleep, it wakes for the next round, which is like the first.
    round();
    REQUIRE(fabric.idle());
    REQUIRE(fabric.router_edges() == 2 * edges);
    REQUIRE(tiles->nodes[0]->prefix(0) == PrefixResult{0, 1});
    // A clear wakes it too and leaves nothing behind.
    clear.write(true);
    sc_core::sc_start(2 * period);
    clear.write(false);
    REQUIRE(tiles->nodes[0]->prefix(0) == PrefixResult{});
  }
}

TEST_CASE("a damaged packet of a queued router travels on damaged", "[queued]") {
  LineBroadcastOptions options;
  options.counts = {1, 0, 0, 0};
  options.clock = PacketClock{2, 1};
  const Plan plan = plan_line_broadcast(equal_sided(false, 1, 4), options);
  const auto engine = make_engine("systemc", plan);
  const LinkId first = plan.topology.link(0, make_port(0, true));
  const LinkId second = plan.topology.link(1, make_port(0, true));
  REQUIRE(engine->links().packets[first] == 0);
  REQUIRE_FALSE(engine->upset(second, {.flip = 1}));
  REQUIRE(engine->upset(first, {.flip = 5}));
  REQUIRE(engine->links().packets[first] == 5);
  // A step takes two cycles, in which the link keeps what it has.
  engine->clock(1);
  REQUIRE(engine->links().packets[first] == 5);
  engine->clock(1);
  REQUIRE(engine->links().packets[second] == 5);
  REQUIRE(engine->upset(second, {.drop = true}));
  engine->clock(2);
  for (const PacketId packet : engine->links().packets) REQUIRE(packet == kNoPacket);
}

TEST_CASE("waves of queued routers are written, and a bad name refused", "[queued]") {
  PartialBroadcastOptions options;
  options.active = {1, 2, 7};
  const Plan plan = plan_partial_broadcast(equal_sided(true, 2, 3), options);
  const std::string name = "queued_wave_test.vcd";
  testing::run_out(*make_engine("systemc", plan, {.wave = name}));
  std::ifstream file(name);
  std::stringstream text;
  text << file.rdbuf();
  REQUIRE(text.str().find("node_5") != std::string::npos);
  REQUIRE(text.str().find(" packet ") != std::string::npos);
  std::remove(name.c_str());
  REQUIRE_THROWS_AS(make_engine("systemc", plan, {.wave = "wave.fst"}), InputError);
}
