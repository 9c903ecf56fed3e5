// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/partial/partial_broadcast.hpp"

#include <array>
#include <catch2/catch.hpp>

#include "gossamer/collectives/partial/active_nodes.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"
#include "queued.hpp"

namespace gossamer {
namespace {

using testing::equal_sided;
using testing::require_exact;
using testing::run_queued;

struct Case {
  Topology topology;
  PartialBroadcastOptions options;
};

Case random_case(SplitMix64& random) {
  constexpr std::array<std::uint32_t, 4> kLargestSide = {13, 9, 5, 3};
  const auto d = static_cast<int>(1 + random.below(4));
  const auto p = static_cast<std::uint32_t>(
      2 + random.below(kLargestSide[static_cast<std::size_t>(d) - 1] - 1));
  const bool torus = random.below(2) != 0;
  Case made{equal_sided(torus, d, p), {}};
  bounds::BroadcastRules& rules = made.options.rules;
  rules.split = random.below(2) != 0;
  rules.two_way = random.below(2) != 0;
  rules.skip_last = random.below(2) != 0;
  rules.wrap = torus && random.below(2) != 0;
  rules.alternate = torus && !rules.split && random.below(2) != 0;
  const std::uint32_t n = made.topology.nodes();
  made.options.active =
      random_nodes(n, static_cast<std::uint32_t>(random.below(n + 1)), random.next());
  return made;
}

TEST_CASE("a partial broadcast takes exactly the formula's time in thousands of random cases",
          "[partial][broadcast]") {
  SplitMix64 random(20240101);
  for (int i = 0; i < 4000; ++i) {
    const Case made = random_case(random);
    const bounds::BroadcastRules& rules = made.options.rules;
    CAPTURE(i, rules.split, rules.two_way, rules.skip_last, rules.wrap, rules.alternate);
    const Plan plan = plan_partial_broadcast(made.topology, made.options);
    const Report report = require_exact(plan);
    // Every node but the holder receives every part once in the broadcasts.
    REQUIRE(*report.link_transfers >=
            plan.demand.pieces_in_all(made.topology.nodes()) * (made.topology.nodes() - 1));
  }
}

TEST_CASE("the time does not depend on the placement: all 512 on 3x3, all 256 on 2x2x2",
          "[partial][broadcast]") {
  for (const auto& [d, p] : {std::array{2, 3}, std::array{3, 2}}) {
    for (const bool torus : {false, true}) {
      const Topology topology = equal_sided(torus, d, static_cast<std::uint32_t>(p));
      for (const bool split : {false, true}) {
        std::vector<std::optional<std::uint64_t>> by_count(topology.nodes() + 1);
        for (std::uint64_t placement = 0; placement >> topology.nodes() == 0; ++placement) {
          PartialBroadcastOptions options;
          options.rules.split = split;
          options.active = testing::nodes_of(placement);
          const Report report = require_exact(plan_partial_broadcast(topology, options));
          auto& steps = by_count[options.active.size()];
          if (!steps) steps = report.steps;
          REQUIRE(report.steps == steps);
        }
      }
    }
  }
}

/// Placements that a schedule for random ones might not survive.
std::vector<std::vector<NodeId>> adversarial_placements(const Topology& topology) {
  const std::uint32_t p = topology.side(0);
  std::vector<std::vector<NodeId>> placements(7);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    std::uint32_t sum = 0;
    std::uint32_t most = 0;
    for (const std::uint32_t digit : topology.coordinates(node)) {
      sum += digit;
      most = std::max(most, digit);
    }
    // The last rows, the first column, one colour of a checkerboard, a corner block, a diagonal
    // hyperplane, all but one node, and one class of whole packets' digit sums.
    if (node >= topology.nodes() / 2) placements[0].push_back(node);
    if (node % p == 0) placements[1].push_back(node);
    if (sum % 2 == 0) placements[2].push_back(node);
    if (most <= p / 2) placements[3].push_back(node);
    if (sum == p - 1) placements[4].push_back(node);
    if (node != topology.nodes() / 2) placements[5].push_back(node);
    if (sum % static_cast<std::uint32_t>(topology.dimensions()) == 0) placements[6].push_back(node);
  }
  return placements;
}

TEST_CASE("adversarial placements take the formula's time under every rule",
          "[partial][broadcast]") {
  for (const bool torus : {false, true}) {
    for (const auto& [d, p] :
         {std::array{1, 8}, std::array{1, 9}, std::array{2, 4}, std::array{2, 5}, std::array{2, 8},
          std::array{3, 3}, std::array{3, 4}, std::array{4, 2}, std::array{4, 3}}) {
      const Topology topology = equal_sided(torus, d, static_cast<std::uint32_t>(p));
      for (const std::vector<NodeId>& active : adversarial_placements(topology)) {
        for (unsigned bits = 0; bits < 32; ++bits) {
          PartialBroadcastOptions options;
          options.active = active;
          options.rules = {(bits & 1U) != 0, (bits & 2U) != 0, (bits & 4U) != 0, (bits & 8U) != 0,
                           (bits & 16U) != 0};
          const bool rings_only = options.rules.alternate || options.rules.wrap;
          if ((rings_only && !torus) || (options.rules.alternate && options.rules.split)) continue;
          CAPTURE(torus, d, p, bits, active.size());
          require_exact(plan_partial_broadcast(topology, options));
        }
      }
    }
  }
}

TEST_CASE(
    "alternate sides never take longer, and less if all nodes are active on rings of even length",
    "[partial][broadcast]") {
  for (const std::uint32_t p : {2U, 3U, 4U, 5U, 6U, 8U}) {
    const bounds::EqualSides sides{2, p, true};
    for (std::uint64_t active = 1; active <= sides.nodes(); ++active) {
      bounds::BroadcastRules rules;
      rules.split = false;
      const auto fixed = bounds::partial_broadcast_times(sides, rules, active).substeps();
      rules.alternate = true;
      const auto alternate = bounds::partial_broadcast_times(sides, rules, active).substeps();
      CAPTURE(p, active);
      REQUIRE(alternate <= fixed);
      if (p % 2 != 0) REQUIRE(alternate == fixed);
      // A ring of two has one hop and no longer way.
      if (p % 2 == 0 && p > 2 && active == sides.nodes()) REQUIRE(alternate < fixed);
    }
  }
}

TEST_CASE("partial broadcasts meet the figures of the specification", "[partial][broadcast]") {
  struct Figure {
    bool torus;
    int d;
    std::uint32_t p;
    bool split;
    std::uint32_t active;
    double units;
  };
  // Units without the prefix.
  for (const Figure& figure :
       {Figure{true, 2, 8, true, 32, 15.75}, Figure{true, 2, 8, true, 64, 22.75},
        Figure{false, 2, 8, true, 40, 28}, Figure{true, 2, 8, false, 40, 30},
        Figure{true, 2, 16, true, 128, 48.75}, Figure{false, 3, 4, true, 32, 14}}) {
    const Topology topology = equal_sided(figure.torus, figure.d, figure.p);
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      PartialBroadcastOptions options;
      options.rules.split = figure.split;
      options.active = random_nodes(topology.nodes(), figure.active, seed);
      const Plan plan = plan_partial_broadcast(topology, options);
      const auto& program = plan.program.as<QueuedProgram>();
      const Report report = require_exact(plan);
      const double prefix = static_cast<double>(program.prefix_steps()) / program.clock.flits;
      REQUIRE(*report.time_units - prefix == Approx(figure.units));
    }
  }
}

TEST_CASE("times in cycles follow the lengths of packets and prefix messages",
          "[partial][broadcast]") {
  PartialBroadcastOptions options;
  options.active = random_nodes(64, 32, 1);
  options.clock = PacketClock{16, 2};
  const Plan plan = plan_partial_broadcast(equal_sided(true, 2, 8), options);
  const Report report = require_exact(plan);
  // 28 prefix steps of 2 flits, 63 sub-steps of 16 / 4.
  REQUIRE(report.cycles == 28 * 2 + 63 * 4);
  REQUIRE(*report.time_units == Approx(28 * 2.0 / 16 + 15.75));
}

TEST_CASE("without active nodes only the first prefix runs", "[partial][broadcast]") {
  for (const bool split : {false, true}) {
    PartialBroadcastOptions options;
    options.rules.split = split;
    const Plan plan = plan_partial_broadcast(equal_sided(false, 3, 3), options);
    const Report report = require_exact(plan);
    REQUIRE(report.steps == 0);
    REQUIRE(report.cycles == 12);
    REQUIRE(report.link_transfers == 0);
  }
}

TEST_CASE("the engine's steps change with its schedule, not with the formula",
          "[partial][broadcast]") {
  // Stretching a phase delays the measured end: the engine does not know the formulas.
  PartialBroadcastOptions options;
  options.active = random_nodes(25, 11, 3);
  Plan plan = plan_partial_broadcast(equal_sided(false, 2, 5), options);
  auto& program = plan.program.edit<QueuedProgram>();
  for (QueuedPhase& phase : program.phases) {
    if (phase.kind == QueuedPhaseKind::kBroadcast) phase.start += 3;
  }
  REQUIRE(run_queued(plan).steps == *plan.expected.analytic_steps + 3);
}

TEST_CASE("a barrier one step too early loses packets and is caught", "[partial][broadcast]") {
  SplitMix64 random(5);
  for (int i = 0; i < 200; ++i) {
    Case made = random_case(random);
    if (made.options.active.empty()) continue;
    Plan plan = plan_partial_broadcast(made.topology, made.options);
    auto& program = plan.program.edit<QueuedProgram>();
    const std::uint64_t last = program.last_step(plan.demand);
    if (last != *plan.expected.analytic_steps) continue;
    for (QueuedPhase& phase : program.phases) {
      if (!phase.is_prefix() && phase.last() == last) --phase.length;
    }
    std::erase_if(program.phases,
                  [](const QueuedPhase& phase) { return phase.length == 0 && !phase.is_prefix(); });
    REQUIRE(run_queued(plan).complete == false);
  }
}

TEST_CASE("classes on their own clocks collide first at M = 49 on 4x4x4", "[partial][errata]") {
  const Topology topology = equal_sided(false, 3, 4);
  const bounds::EqualSides sides = bounds::EqualSides::of(topology);
  for (std::uint32_t active = 1; active <= 64; ++active) {
    PartialBroadcastOptions options;
    options.rules.split = false;
    options.active = random_nodes(64, active, active);
    Plan plan = plan_partial_broadcast(topology, options);
    auto& program = plan.program.edit<QueuedProgram>();
    // Every class with the lengths that its own number of packets asks for.
    std::array<std::uint64_t, 3> next{};
    std::array<int, 3> subphase{};
    for (QueuedPhase& phase : program.phases) {
      if (phase.kind != QueuedPhaseKind::kBroadcast) continue;
      const std::size_t c = phase.class_index;
      const std::uint64_t own = (active + 2 - c) / 3;
      if (subphase[c]++ == 0) next[c] = phase.start;
      phase.start = next[c];
      phase.length = own == 0 ? 1 : bounds::subphase_steps(sides, options.rules, subphase[c], own);
      next[c] += phase.length;
    }
    const Report report = run_queued(plan);
    CAPTURE(active);
    if (active < 49) REQUIRE(report.link_conflicts == 0);
    if (active == 49) {
      REQUIRE(*report.link_conflicts > 0);
      REQUIRE_FALSE(report.problems.empty());
    }
  }
}

TEST_CASE("multinode broadcasts take exactly their formula's steps on many shapes",
          "[gossip][multinode]") {
  for (const bool torus : {false, true}) {
    for (int d = 1; d <= 4; ++d) {
      const std::array<std::uint32_t, 4> largest = {20, 12, 6, 4};
      for (std::uint32_t p = 2; p <= largest[static_cast<std::size_t>(d) - 1]; ++p) {
        const Topology topology = equal_sided(torus, d, p);
        PartialBroadcastOptions options;
        const Plan split = plan_multinode(topology, options);
        require_exact(split);
        // The lower bound: (N-1)/(g d) units.
        REQUIRE(split.expected.analytic_steps == topology.nodes() - 1);
        REQUIRE(split.expected.lower_bound_steps == topology.nodes() - 1);
        options.rules.split = false;
        require_exact(plan_multinode(topology, options));
        options.rules.alternate = torus;
        require_exact(plan_multinode(topology, options));
      }
    }
  }
}

TEST_CASE("whole multinode broadcasts meet the specification's figures on 8x8",
          "[gossip][multinode]") {
  PartialBroadcastOptions options;
  options.rules.split = false;
  REQUIRE(plan_multinode(equal_sided(false, 2, 8), options).expected.analytic_steps == 35);
  REQUIRE(plan_multinode(equal_sided(false, 2, 8), options).expected.lower_bound_steps == 32);
  REQUIRE(plan_multinode(equal_sided(true, 2, 8), options).expected.analytic_steps == 20);
  options.rules.alternate = true;
  const Plan plan = plan_multinode(equal_sided(true, 2, 8), options);
  REQUIRE(plan.expected.analytic_steps == 18);
  REQUIRE(plan.expected.lower_bound_steps == 16);
}

TEST_CASE("traces number the packets as in docs/spec/contract.md", "[partial][broadcast][trace]") {
  PartialBroadcastOptions options;
  options.active = {0};
  options.rules.split = false;
  std::ostringstream trace;
  run_queued(plan_partial_broadcast(equal_sided(false, 1, 3), options), &trace);
  // Two packing steps in which nothing moves, then along the line.
  REQUIRE(trace.str() == "step,hop,from,port,packet\n3,0,0,1,0\n4,0,1,1,0\n");
}

TEST_CASE("partial broadcasts refuse unsupported requests and name the nearest choice",
          "[partial][broadcast]") {
  PartialBroadcastOptions options;
  options.active = {0};
  REQUIRE_THROWS_WITH(plan_partial_broadcast(testing::make_topology(true, {4, 5}), options),
                      Catch::Contains("--dims 4x4"));
  options.clock = PacketClock{6, 1};
  REQUIRE_THROWS_WITH(plan_partial_broadcast(equal_sided(true, 2, 4), options),
                      Catch::Contains("nearest feasible: 8"));
  options.clock = PacketClock{4, 5};
  REQUIRE_THROWS_AS(plan_partial_broadcast(equal_sided(true, 2, 4), options), InfeasibleError);
  options.clock.reset();
  options.rules.alternate = true;
  REQUIRE_THROWS_WITH(plan_partial_broadcast(equal_sided(true, 2, 4), options),
                      Catch::Contains("--splitting whole"));
  options.rules.split = false;
  REQUIRE_THROWS_WITH(plan_partial_broadcast(equal_sided(false, 2, 4), options),
                      Catch::Contains("--topology torus"));
}

TEST_CASE("memory of a program is in the order of its sources", "[partial][broadcast]") {
  PartialBroadcastOptions options;
  options.active = random_nodes(65536, 1000, 1);
  const Plan plan = plan_partial_broadcast(equal_sided(true, 2, 256), options);
  REQUIRE(plan.program.as<QueuedProgram>().memory_bytes() < 64 * 1024);
}

}  // namespace
}  // namespace gossamer
