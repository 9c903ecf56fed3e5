// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/partial/building_blocks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>

#include "gossamer/collectives/partial/active_nodes.hpp"
#include "gossamer/machines/queued/program.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/topology/rotated.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"
#include "queued.hpp"
#include "simulate.hpp"

namespace gossamer {
namespace {

using testing::equal_sided;
using testing::require_exact;
using testing::run_queued;

TEST_CASE("both prefixes give every node M and every active node its rank, in every order",
          "[partial][prefix]") {
  SplitMix64 random(11);
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const auto d = static_cast<int>(1 + random.below(4));
    const auto p = static_cast<std::uint32_t>(2 + random.below(d < 3 ? 7 : 3));
    const Topology topology = equal_sided(random.below(2) != 0, d, p);
    PrefixOptions options;
    options.two_way = random.below(2) != 0;
    options.active = random_nodes(
        topology.nodes(), static_cast<std::uint32_t>(random.below(topology.nodes() + 1)), i);
    const Plan plan = plan_prefix(topology, options);
    CAPTURE(d, p, options.two_way);
    REQUIRE(plan.expected.analytic_steps ==
            (options.two_way ? 1U : 2U) * static_cast<unsigned>(d) * (p - 1));
    const auto engine = make_fast_engine(plan);
    testing::run_out(*engine);
    REQUIRE(engine->statistics().steps == plan.expected.analytic_steps);
    REQUIRE(engine->statistics().link_conflicts == 0);
    for (int c = 0; c < d; ++c) {
      std::uint32_t rank = 0;
      for (NodeId id = 0; id < topology.nodes(); ++id) {
        const NodeId node = rotated_node(topology, id, c);
        REQUIRE(rotated_id(topology, node, c) == id);
        const PrefixResult known = engine->prefix(c, node);
        REQUIRE(known.before == rank);
        REQUIRE(known.total == options.active.size());
        if (std::binary_search(options.active.begin(), options.active.end(), node)) ++rank;
      }
    }
  }
}

TEST_CASE("the order of class c rotates the digits by c", "[partial][prefix]") {
  const Topology topology = equal_sided(false, 3, 4);
  // Node (x, y, z) = (1, 2, 3); class 1 sees y least significant.
  const NodeId node = 1 + 4 * 2 + 16 * 3;
  REQUIRE(rotated_id(topology, node, 0) == node);
  REQUIRE(rotated_id(topology, node, 1) == 2 + 4 * 3 + 16 * 1);
  REQUIRE(rotated_id(topology, node, 2) == 3 + 4 * 1 + 16 * 2);
}

/// Watches how many packets nodes hold while they are packed.
class Crowding final : public Observer {
 public:
  Crowding(const Plan& plan, const std::vector<NodeId>& active, std::uint64_t barrier)
      : judge_(plan), active_(active), barrier_(barrier), held_(plan.topology.nodes(), 0) {}
  bool on_links(const LinkView& view) override {
    judge_.on_links(view);
    std::fill(held_.begin(), held_.end(), 0);
    for (const NodeId packet : active_) {
      const int now = ++held_[judge_.location(packet)];
      most_ = std::max(most_, now);
      if (view.step % barrier_ == 0) most_at_barriers_ = std::max(most_at_barriers_, now);
    }
    return true;
  }
  [[nodiscard]] int most() const { return most_; }
  [[nodiscard]] int most_at_barriers() const { return most_at_barriers_; }
  [[nodiscard]] bool complete() const { return judge_.complete(); }

 private:
  Judge judge_;
  const std::vector<NodeId>& active_;
  std::uint64_t barrier_;
  std::vector<int> held_;
  int most_ = 0;
  int most_at_barriers_ = 0;
};

TEST_CASE("packing never clashes and never crowds: placements of up to 16 nodes",
          "[partial][packing]") {
  int crowded = 0;
  for (const auto& [d, p] : {std::array{1, 4}, std::array{1, 7}, std::array{2, 2}, std::array{2, 3},
                             std::array{3, 2}, std::array{2, 4}, std::array{4, 2}}) {
    for (const bool wrap : {false, true}) {
      const Topology topology = equal_sided(wrap, d, static_cast<std::uint32_t>(p));
      // All placements, every 13th of the 65536 on 16 nodes.
      const std::uint64_t stride = topology.nodes() == 16 ? 13 : 1;
      for (std::uint64_t placement = 0; placement >> topology.nodes() == 0; placement += stride) {
        PackingOptions options;
        options.wrap = wrap;
        options.prefix.active = testing::nodes_of(placement);
        const Plan plan = plan_packing(topology, options);
        const std::uint64_t hops = bounds::packing_hops(bounds::EqualSides::of(topology), wrap);
        REQUIRE(plan.expected.analytic_steps == static_cast<std::uint64_t>(d) * hops);
        Crowding crowding(plan, options.prefix.active, hops);
        const auto engine = make_fast_engine(plan);
        watch(*engine, kNoStepLimit, crowding);
        CAPTURE(d, p, wrap, placement);
        REQUIRE(engine->statistics().link_conflicts == 0);
        REQUIRE(engine->statistics().steps == plan.expected.analytic_steps);
        REQUIRE(crowding.complete());
        REQUIRE(crowding.most() <= 2);
        REQUIRE(crowding.most_at_barriers() <= 1);
        if (crowding.most() == 2) ++crowded;
      }
    }
  }
  REQUIRE(crowded > 0);
}

/// Clashes of a packing whose subphases all begin at once.
std::uint64_t clashes_without_barriers(const Topology& topology, std::vector<NodeId> active) {
  PackingOptions options;
  options.prefix.active = std::move(active);
  Plan plan = plan_packing(topology, options);
  auto& program = plan.program.edit<QueuedProgram>();
  for (QueuedPhase& phase : program.phases) {
    if (phase.is_prefix()) continue;
    phase.start = 1;
    phase.length = *plan.expected.analytic_steps;
  }
  const Report report = run_queued(plan);
  if (*report.link_conflicts != 0) {
    REQUIRE(report.complete == false);
    REQUIRE_FALSE(report.problems.empty());
  }
  return *report.link_conflicts;
}

TEST_CASE("packing without barriers clashes, first with 6 packets on 4x4",
          "[partial][packing][errata]") {
  const Topology topology = equal_sided(false, 2, 4);
  REQUIRE(clashes_without_barriers(topology, {0, 8, 9, 10, 11, 13}) > 0);
  for (std::uint64_t placement = 0; placement >> 16U == 0; ++placement) {
    if (std::popcount(placement) > 5) continue;
    REQUIRE(clashes_without_barriers(topology, testing::nodes_of(placement)) == 0);
  }
  // Sides of 2 and 3 are too short for it.
  for (const auto& [d, p] : {std::array{2, 2}, std::array{2, 3}, std::array{3, 2}}) {
    const Topology small = equal_sided(false, d, static_cast<std::uint32_t>(p));
    for (std::uint64_t placement = 0; placement >> small.nodes() == 0; ++placement) {
      REQUIRE(clashes_without_barriers(small, testing::nodes_of(placement)) == 0);
    }
  }
}

TEST_CASE("packing the most significant digit first clashes", "[partial][packing][errata]") {
  const Topology topology = equal_sided(false, 2, 3);
  int clashes = 0;
  for (std::uint64_t placement = 0; placement < 512; ++placement) {
    PackingOptions options;
    options.prefix.active = testing::nodes_of(placement);
    Plan plan = plan_packing(topology, options);
    auto& program = plan.program.edit<QueuedProgram>();
    std::swap(program.phases.end()[-1].start, program.phases.end()[-2].start);
    const Report report = run_queued(plan);
    if (*report.link_conflicts == 0) continue;
    ++clashes;
    REQUIRE(report.complete == false);
  }
  REQUIRE(clashes > 0);
}

TEST_CASE("monotone routing, merged or not, never clashes", "[partial][monotone]") {
  SplitMix64 random(3);
  for (int i = 0; i < 2000; ++i) {
    const auto d = static_cast<int>(1 + random.below(4));
    const auto p = static_cast<std::uint32_t>(2 + random.below(d < 3 ? 5 : 2));
    const Topology topology = equal_sided(false, d, p);
    MonotoneOptions options;
    options.merged = random.below(2) != 0;
    const auto count = static_cast<std::uint32_t>(random.below(topology.nodes() + 1));
    options.prefix.active = random_nodes(topology.nodes(), count, random.next());
    options.targets = random_nodes(topology.nodes(), count, random.next());
    const Plan plan = plan_monotone_routing(topology, options);
    CAPTURE(i, d, p, count, options.merged);
    REQUIRE(plan.expected.analytic_steps ==
            (2 * static_cast<unsigned>(d) - (options.merged ? 1 : 0)) * (p - 1));
    require_exact(plan);
  }
  MonotoneOptions options;
  options.prefix.active = {0, 1};
  options.targets = {3};
  REQUIRE_THROWS_AS(plan_monotone_routing(equal_sided(false, 2, 2), options), InputError);
}

TEST_CASE("line and ring broadcasts take exactly their formula's steps", "[partial][line]") {
  SplitMix64 random(9);
  for (int i = 0; i < 4000; ++i) {
    const auto p = static_cast<std::uint32_t>(2 + random.below(11));
    LineBroadcastOptions options;
    const std::uint64_t most = 1 + random.below(5);
    for (std::uint32_t x = 0; x < p; ++x) {
      options.counts.push_back(
          random.below(3) == 0 ? 0 : static_cast<std::uint32_t>(random.below(most + 1)));
    }
    const bool ring = random.below(3) != 0;
    if (ring) options.mode = static_cast<bounds::RingMode>(random.below(3));
    CAPTURE(i, p, ring, static_cast<int>(options.mode));
    require_exact(plan_line_broadcast(equal_sided(ring, 1, p), options));
  }
}

TEST_CASE("the worst placements of packets on a line or ring take Theorem 2's time less one",
          "[partial][line][errata]") {
  for (std::uint32_t p = 2; p <= 9; ++p) {
    for (std::uint32_t packets = 1; packets <= 6; ++packets) {
      std::vector<std::uint32_t> counts(p, 0);
      counts[0] = packets;
      REQUIRE(bounds::line_steps(counts) == bounds::line_worst_case(packets, p));
      REQUIRE(bounds::line_worst_case(packets, p) < packets + p - 1);
      for (const auto mode : {bounds::RingMode::kSplit, bounds::RingMode::kWhole}) {
        REQUIRE(bounds::ring_steps(counts, mode) == bounds::ring_worst_case(packets, p, mode));
      }
    }
  }
}

TEST_CASE("a ring with at most c packets per node may need more than c(p-1) half steps",
          "[partial][line][errata]") {
  // Lemma 1 needs more than "at most c a node": p = 3, c = 2 has a placement with 5.
  std::uint64_t worst = 0;
  for (std::uint32_t code = 1; code < 27; ++code) {
    LineBroadcastOptions options;
    options.counts = {code % 3, code / 3 % 3, code / 9};
    const Report report = require_exact(plan_line_broadcast(equal_sided(true, 1, 3), options));
    worst = std::max(worst, *report.steps);
  }
  REQUIRE(worst == 5);
  // The counts of Phase 3, c on the digits below a and c-1 on the rest, never do.
  for (std::uint32_t p = 2; p <= 9; ++p) {
    for (std::uint32_t c = 1; c <= 4; ++c) {
      for (std::uint32_t a = 1; a <= p; ++a) {
        std::vector<std::uint32_t> counts(p, c - 1);
        std::fill(counts.begin(), counts.begin() + a, c);
        REQUIRE(bounds::ring_steps(counts, bounds::RingMode::kSplit) == c * (p - 1));
        REQUIRE(bounds::ring_steps(counts, bounds::RingMode::kWhole) == c * (p / 2));
        if (p % 2 == 0) {
          REQUIRE(bounds::ring_steps(counts, bounds::RingMode::kAlternate) ==
                  (c * (p - 1) + 1) / 2);
        }
      }
    }
  }
}

TEST_CASE("active nodes are read from lists, files and seeds", "[partial][active]") {
  const Topology topology = testing::make_topology(false, {4, 3});
  REQUIRE(parse_active(topology, "3,2;0,0; 1,1", "--active") == std::vector<NodeId>{0, 5, 11});
  const auto drawn = parse_active(topology, "random:5:42", "--active");
  REQUIRE(drawn.size() == 5);
  REQUIRE(std::is_sorted(drawn.begin(), drawn.end()));
  REQUIRE(drawn == random_nodes(12, 5, 42));
  REQUIRE(drawn != random_nodes(12, 5, 43));
  REQUIRE(random_nodes(12, 12, 1).size() == 12);
  REQUIRE(random_nodes(12, 0, 1).empty());

  const std::string name = "active_nodes_test.txt";
  std::ofstream(name) << "# two nodes\n 3,2 \n\n0,1\n";
  REQUIRE(parse_active(topology, name, "--active") == std::vector<NodeId>{4, 11});
  std::ofstream(name) << "0,1\n4,0\n";
  REQUIRE_THROWS_WITH(parse_active(topology, name, "--active"),
                      Catch::Contains("--active: " + name + ":2: \"4,0\""));
  std::remove(name.c_str());

  for (const char* bad : {"", "0,0;0,0", "4,0", "0,3", "0", "0,0,0", "0,0;", "random:13:1",
                          "random:5", "random:x:1", "random:5:1x", "no such file"}) {
    CAPTURE(bad);
    REQUIRE_THROWS_AS(parse_active(topology, bad, "--active"), InputError);
  }
  const Topology line = equal_sided(false, 1, 4);
  REQUIRE(parse_counts(line, "3,0,1,2") == std::vector<std::uint32_t>{3, 0, 1, 2});
  for (const char* bad : {"", "1,2,3", "1,2,3,4,5", "1,2,3,x", "random:9"}) {
    REQUIRE_THROWS_AS(plan_line_broadcast(line, {parse_counts(line, bad), {}, {}}), InputError);
  }
}

TEST_CASE("every set of nodes is equally likely to be drawn", "[partial][active]") {
  // 2 of 5 nodes: 10 sets; 10000 draws.
  std::array<int, 25> seen{};
  for (std::uint64_t seed = 0; seed < 10000; ++seed) {
    const auto nodes = random_nodes(5, 2, seed);
    ++seen[nodes[0] * 5 + nodes[1]];
  }
  for (NodeId a = 0; a < 5; ++a) {
    for (NodeId b = a + 1; b < 5; ++b) REQUIRE(std::abs(seen[a * 5 + b] - 1000) < 150);
  }
}

}  // namespace
}  // namespace gossamer
