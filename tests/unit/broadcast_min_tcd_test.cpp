// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/broadcast/min_tcd.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "gossamer/bounds/broadcast.hpp"
#include "gossamer/collectives/broadcast/figure2.hpp"
#include "gossamer/compare/tcd_map.hpp"
#include "gossamer/machines/relay/broadcast_proof.hpp"
#include "gossamer/machines/relay/cost.hpp"
#include "gossamer/util/error.hpp"
#include "relay.hpp"

namespace gossamer {
namespace {

using testing::mesh;
using testing::torus;

/// Proves and executes a plan; its TCD has to be `tcd`, its steps ceil(log2 N).
void check(const Plan& plan, std::uint64_t tcd) {
  CAPTURE(plan.topology.kind(), plan.topology.dims_text(),
          plan.program.as<RelayProgram>().source());
  const RelayVerdict verdict = verify_broadcast(plan);
  if (!verdict.ok()) FAIL(verdict.problems.front().text);
  REQUIRE(verdict.regions_disjoint);
  REQUIRE(verdict.most_sends == 1);
  REQUIRE(verdict.tcd == tcd);
  REQUIRE(verdict.steps == static_cast<std::uint64_t>(bounds::broadcast_steps(plan.topology)));
  const testing::RelayOutcome outcome = testing::run_relay_fast(plan);
  REQUIRE(outcome.complete);
  REQUIRE(outcome.tcd == tcd);
  REQUIRE(outcome.steps == verdict.steps);
  REQUIRE(outcome.cycles == verdict.cycles);
  REQUIRE(outcome.conflicts == 0);
  REQUIRE(outcome.duplicates == 0);
}

MessageClock some_clock(std::mt19937& random) {
  return {random() % 2 == 0 ? MessageTiming::kSelf : MessageTiming::kStep,
          1 + static_cast<std::uint32_t>(random() % 8),
          1 + static_cast<std::uint32_t>(random() % 4), static_cast<std::uint32_t>(random() % 5)};
}

TEST_CASE("min-tcd meets the spec's checkpoints", "[broadcast][min-tcd]") {
  struct Checkpoint {
    std::vector<std::uint32_t> sides;
    std::uint64_t minimum, corner, sum;
  };
  for (const Checkpoint& point :
       std::vector<Checkpoint>{{{3, 5}, 15, 17, 243},       {{5, 3}, 15, 17, 247},
                               {{5, 6}, 33, 37, 1046},      {{6, 5}, 33, 37, 1038},
                               {{5, 7}, 35, 39, 1273},      {{6, 6}, 35, 40, 1336},
                               {{3, 3}, 8, 8, 72},          {{4, 6}, 23, 26, 588},
                               {{7, 9}, 71, 79, 4715},      {{10, 12}, 141, 156, 17570},
                               {{12, 10}, 141, 156, 17532}, {{12, 12}, 155, 166, 22816},
                               {{12}, 15, 18, 192},         {{3, 3, 3}, 27, 29, 776},
                               {{3, 4, 5}, 63, 69, 3958},   {{6, 6, 7}, 265, 281, 68928},
                               {{4, 4}, 15, 18, 260},       {{8, 8}, 69, 79, 4612},
                               {{16, 16}, 291, 318, 76520}, {{32, 32}, 1197, 1259, 1242896},
                               {{4, 4, 4}, 63, 69, 4176},   {{8, 8, 8}, 525, 546, 272048}}) {
    const TcdMap map = tcd_map(Topology::mesh(point.sides), "min-tcd");
    CAPTURE(map.topology.dims_text());
    CHECK(map.minimum() == point.minimum);
    CHECK(map.tcd.front() == point.corner);
    CHECK(map.sum() == point.sum);
  }
}

TEST_CASE("min-tcd is executed at its computed distance from every source of small boxes",
          "[broadcast][min-tcd]") {
  std::mt19937 random(7);
  for (const auto& sides : std::vector<std::vector<std::uint32_t>>{
           {13},     {2, 2},  {2, 7},    {3, 3},    {3, 5},    {5, 3},      {5, 6},
           {6, 5},   {5, 7},  {7, 5},    {7, 9},    {9, 7},    {8, 8},      {10, 12},
           {11, 11}, {13, 5}, {3, 3, 3}, {3, 4, 5}, {5, 5, 5}, {4, 3, 2, 3}}) {
    const Topology topology = Topology::mesh(sides);
    const std::vector<std::uint64_t> map = min_tcd_map(topology);
    for (NodeId source = 0; source < topology.nodes(); ++source) {
      check(plan_min_tcd(topology, {source, some_clock(random)}), map[source]);
    }
  }
}

TEST_CASE("min-tcd always ends in ceil(log2 N) steps: all 2-D sides to 24",
          "[broadcast][min-tcd]") {
  std::mt19937 random(11);
  for (std::uint32_t nx = 2; nx <= 24; ++nx) {
    for (std::uint32_t ny = 2; ny <= 24; ++ny) {
      const Topology topology = mesh({nx, ny});
      const std::vector<std::uint64_t> map = min_tcd_map(topology);
      const auto source = static_cast<NodeId>(random() % topology.nodes());
      for (const NodeId from : {NodeId{0}, source}) {
        check(plan_min_tcd(topology, {from, some_clock(random)}), map[from]);
      }
    }
  }
}

TEST_CASE("min-tcd always ends in ceil(log2 N) steps: all 3-D sides to 7", "[broadcast][min-tcd]") {
  std::mt19937 random(13);
  for (std::uint32_t nx = 2; nx <= 7; ++nx) {
    for (std::uint32_t ny = 2; ny <= 7; ++ny) {
      for (std::uint32_t nz = 2; nz <= 7; ++nz) {
        const Topology topology = mesh({nx, ny, nz});
        const std::vector<std::uint64_t> map = min_tcd_map(topology);
        const auto source = static_cast<NodeId>(random() % topology.nodes());
        check(plan_min_tcd(topology, {source, some_clock(random)}), map[source]);
      }
    }
  }
}

TEST_CASE("min-tcd has the eye's distance on power-of-two boxes and never more than eye's",
          "[broadcast][min-tcd][eye]") {
  for (const auto& sides : std::vector<std::vector<std::uint32_t>>{{2, 8},
                                                                   {4, 8},
                                                                   {2, 16},
                                                                   {4, 16},
                                                                   {8, 16},
                                                                   {16, 32},
                                                                   {4, 4, 8},
                                                                   {4, 8, 8},
                                                                   {64, 64},
                                                                   {16, 16, 16},
                                                                   {8, 8, 8, 8}}) {
    const Topology topology = Topology::mesh(sides);
    const TcdMap map = tcd_map(topology, "min-tcd");
    const TcdMap eye = tcd_map(topology, "eye");
    CAPTURE(topology.dims_text());
    REQUIRE(map.minimum() == bounds::eye_tcd(*bounds::levels_of(topology)));
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      if (eye.tcd[node] != 0) REQUIRE(map.tcd[node] <= eye.tcd[node]);
      if (eye.eye[node]) REQUIRE(map.tcd[node] == map.minimum());
    }
  }
}

TEST_CASE("8x8 has twelve sources of least distance, not the papers' four",
          "[broadcast][min-tcd][errata]") {
  const std::vector<std::uint64_t> map = min_tcd_map(mesh({8, 8}));
  REQUIRE(std::count(map.begin(), map.end(), 69) == 12);
}

TEST_CASE("min-tcd on a torus costs the same from every source", "[broadcast][min-tcd][torus]") {
  for (const Topology& topology : {torus({3, 5}), torus({6, 7}), torus({3, 4, 3}), torus({9})}) {
    const std::vector<std::uint64_t> map = min_tcd_map(topology);
    const std::vector<std::uint64_t> open = min_tcd_map(Topology::mesh(topology.sides()));
    REQUIRE(map.front() == *std::min_element(open.begin(), open.end()));
    for (NodeId source = 0; source < topology.nodes(); ++source) {
      check(plan_min_tcd(topology, {source, {}}), map[source]);
    }
  }
}

TEST_CASE("on 5x7x7 the cheapest mesh plan has a path that is not minimal on the torus",
          "[broadcast][min-tcd][torus][errata]") {
  const Topology open = mesh({5, 7, 7});
  const Topology wrapped = torus({5, 7, 7});
  const std::vector<std::uint64_t> map = min_tcd_map(open);
  const auto cheapest = static_cast<NodeId>(std::min_element(map.begin(), map.end()) - map.begin());
  const Plan plan = plan_min_tcd(open, {cheapest, {}});
  const auto& program = plan.program.as<RelayProgram>();
  const auto detours =
      std::count_if(program.sends().begin(), program.sends().end(), [&](const RelaySend& send) {
        const RelayPath& path = program.path(send);
        return path_hops(path) > wrapped.distance(send.from, path_end(open, send.from, path));
      });
  REQUIRE(detours == 1);
  REQUIRE(map[cheapest] == 268);
  // The next source whose paths all are minimal.
  check(plan_min_tcd(wrapped, {17, {}}), 269);
  REQUIRE(min_tcd_map(wrapped).front() == 269);
}

TEST_CASE("on 11x11 from (8,3) min-tcd needs a path that takes a dimension twice",
          "[broadcast][min-tcd][hardware]") {
  const Topology topology = mesh({11, 11});
  REQUIRE(relay_hardware(plan_min_tcd(topology, {41, {}})).detours == 1);
  REQUIRE(relay_hardware(plan_min_tcd(topology, {40, {}})).detours == 0);
}

TEST_CASE("figure2 is the 2-D paper's Figure 2, entry for entry", "[broadcast][figure2]") {
  const std::vector<std::uint64_t> a{18, 17, 16, 18, 16, 15, 15, 17,
                                     17, 15, 15, 16, 18, 16, 17, 18};
  const std::vector<std::uint64_t> b{
      79, 76, 74, 76, 74, 74, 75, 79, 75, 72, 71, 73, 70, 70, 72, 76, 74, 70, 69, 70, 70, 69,
      71, 74, 74, 70, 70, 71, 71, 70, 73, 76, 76, 73, 70, 71, 71, 70, 70, 74, 74, 71, 69, 70,
      70, 69, 70, 74, 76, 72, 70, 70, 73, 71, 72, 75, 79, 75, 74, 74, 76, 74, 76, 79};
  // The paper's rows run along x. Of 16x16 it prints the upper left quarter.
  const std::vector<std::uint64_t> c{
      318, 313, 309, 311, 307, 306, 307, 311, 312, 307, 304, 306, 301, 300, 302, 306,
      309, 303, 300, 301, 299, 297, 299, 302, 307, 301, 299, 300, 298, 296, 299, 302,
      307, 302, 297, 298, 296, 294, 294, 298, 303, 298, 294, 295, 293, 291, 292, 296,
      304, 298, 294, 294, 295, 292, 293, 296, 307, 301, 298, 298, 298, 295, 297, 300};
  const std::vector<std::uint64_t> map_a = figure2_map(mesh({4, 4}));
  const std::vector<std::uint64_t> map_b = figure2_map(mesh({8, 8}));
  const std::vector<std::uint64_t> map_c = figure2_map(mesh({16, 16}));
  CHECK(map_a == a);
  CHECK(map_b == b);
  for (std::size_t y = 0; y < 8; ++y) {
    for (std::size_t x = 0; x < 8; ++x) {
      CAPTURE(x, y);
      CHECK(map_c[16 * y + x] == c[8 * y + x]);
    }
  }
  // "symmetric with respect to the center"
  for (std::size_t node = 0; node < 256; ++node) CHECK(map_c[node] == map_c[255 - node]);
}

TEST_CASE("figure2 sums and executed plans", "[broadcast][figure2]") {
  const auto sum = [](const Topology& topology) { return tcd_map(topology, "figure2").sum(); };
  CHECK(sum(mesh({4, 4})) == 264);
  CHECK(sum(mesh({8, 8})) == 4656);
  CHECK(sum(mesh({16, 16})) == 76960);
  CHECK(sum(mesh({32, 32})) == 1246720);
  CHECK(sum(mesh({4, 4, 4})) == 4224);
  std::mt19937 random(17);
  for (const Topology& topology : {mesh({16}), mesh({4, 4}), mesh({8, 8}), mesh({4, 4, 4})}) {
    const std::vector<std::uint64_t> map = figure2_map(topology);
    for (NodeId source = 0; source < topology.nodes(); ++source) {
      check(plan_figure2(topology, {source, some_clock(random)}), map[source]);
    }
  }
  REQUIRE_THROWS_AS(plan_figure2(mesh({4, 8}), {}), InfeasibleError);
  REQUIRE_THROWS_AS(plan_figure2(torus({8, 8}), {}), InfeasibleError);
}

TEST_CASE("the papers' minimality theorems are false: 8x8 from (4,0) reaches 74, not 75",
          "[broadcast][figure2][errata]") {
  const TcdMap eye = tcd_map(mesh({8, 8}), "eye");
  const TcdMap best = tcd_map(mesh({8, 8}), "figure2");
  CHECK(eye.tcd[4] == 75);
  CHECK(best.tcd[4] == 74);
  check(plan_figure2(mesh({8, 8}), {4, {}}), 74);
  std::size_t beaten = 0;
  for (std::size_t node = 0; node < 64; ++node) {
    REQUIRE(best.tcd[node] <= eye.tcd[node]);
    if (best.tcd[node] < eye.tcd[node]) ++beaten;
  }
  REQUIRE(beaten == 16);
}

TEST_CASE("the 3-D theorem is false too: 8x8x8 from (4,0,0) reaches 539, not 541",
          "[broadcast][figure2][errata]") {
  const Topology topology = mesh({8, 8, 8});
  CHECK(tcd_map(topology, "eye").tcd[4] == 541);
  check(plan_figure2(topology, {4, {}}), 539);
  CHECK(tcd_map(topology, "figure2").sum() == 273280);
}

TEST_CASE("4x4 from (1,0) reaches 16, not the paper's 17, if y goes first",
          "[broadcast][min-tcd][errata]") {
  CHECK(tcd_map(mesh({4, 4}), "eye").tcd[1] == 17);
  check(plan_min_tcd(mesh({4, 4}), {1, {}}), 16);
}

}  // namespace
}  // namespace gossamer
