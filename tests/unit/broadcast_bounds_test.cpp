// SPDX-License-Identifier: Apache-2.0
#include "gossamer/bounds/broadcast.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <set>

#include "relay.hpp"

namespace gossamer {
namespace {

using testing::mesh;
using testing::torus;

TEST_CASE("the eyes have the positions of the recursive definition", "[broadcast][bounds]") {
  // 2-D, Definition 2: of the eyes of the two halves, those nearest to the middle.
  std::uint32_t low = 0;
  std::uint32_t high = 1;
  for (int k = 1; k <= 16; ++k) {
    CAPTURE(k);
    REQUIRE(bounds::low_eye(k) == low);
    REQUIRE(bounds::high_eye(k) == high);
    REQUIRE(bounds::eye_distance(k) == high - low);
    REQUIRE(bounds::eye_distance(k) % 2 == 1);
    for (int j = 1; j <= k; ++j) {
      // At level j an eye with coordinate x lies on the low side exactly when x + j is odd.
      for (const std::uint32_t x : {low, high}) {
        const std::uint32_t in_block = x & ((1U << j) - 1);
        REQUIRE(bounds::is_eye(j, in_block));
        REQUIRE((in_block == bounds::low_eye(j)) == ((x + static_cast<std::uint32_t>(j)) % 2 == 1));
      }
    }
    const std::uint32_t half = 1U << k;
    const std::uint32_t next_low = high;
    high = half + low;
    low = next_low;
  }
  std::uint32_t sum = 0;
  for (int k = 1; k <= 16; ++k) {
    sum += bounds::eye_distance(k);
    REQUIRE(sum == (2U << k) / 3);
    if (k > 1) {
      REQUIRE(bounds::eye_distance(k) == (1U << (k - 1)) - bounds::eye_distance(k - 1));
    }
  }
}

TEST_CASE("the optimal distance has the papers' values, recursion and closed form",
          "[broadcast][bounds]") {
  const auto values = [](int d, std::initializer_list<std::uint64_t> expected) {
    int k = 1;
    for (const std::uint64_t value : expected) {
      CAPTURE(d, k);
      REQUIRE(bounds::optimal_tcd(d, k++) == value);
    }
  };
  values(1, {1, 3, 9, 23});
  values(2, {3, 15, 69, 291, 1197});
  values(3, {7, 63, 525, 4235});
  values(4, {15, 255, 4125});
  for (int d = 1; d <= 8; ++d) {
    for (int k = 1; d * k <= 27; ++k) {
      CAPTURE(d, k);
      const std::vector<int> levels(static_cast<std::size_t>(d), k);
      REQUIRE(bounds::optimal_tcd(d, k) == bounds::eye_tcd(levels));
    }
  }
}

TEST_CASE("unequal sides have the costs that the spec lists for an eye", "[broadcast][bounds]") {
  const auto tcd = [](std::vector<int> levels) { return bounds::eye_tcd(levels); };
  CHECK(tcd({1, 3}) == 17);
  CHECK(tcd({2, 3}) == 33);
  CHECK(tcd({1, 4}) == 39);
  CHECK(tcd({2, 4}) == 71);
  CHECK(tcd({3, 4}) == 143);
  CHECK(tcd({4, 5}) == 593);
  CHECK(tcd({2, 2, 3}) == 129);
  CHECK(tcd({2, 3, 3}) == 261);
}

/// The 2-D paper's regions (i) .. (vi), as 1 .. 6, of a source at (u, v) from the near eye of level
/// k (2-D, below Eq. 5).
int region_2d(int k, std::int32_t u, std::int32_t v) {
  const auto a = static_cast<std::int32_t>(bounds::eye_distance(k - 1));
  if (u <= 0) return v <= 0 ? 1 : 2;
  if (2 * u <= a) return v <= 0 ? 3 : 4;
  return v <= 0 ? 5 : 6;
}

/// f_k(u, v) region by region as printed (2-D, Eq. 5).
std::int64_t excess_2d(int k, std::int32_t u, std::int32_t v) {
  const auto a = static_cast<std::int64_t>(bounds::eye_distance(k - 1));
  const std::int64_t far = u + std::abs(u - a);
  switch (region_2d(k, u, v)) {
    case 1:
      return 0;
    case 2:
      return 2 * std::int64_t{v};
    case 3:
      return 2 * std::int64_t{u};
    case 4:
      return 2 * std::int64_t{u} + 2 * std::int64_t{v};
    case 5:
      return far;
    default:
      return far + 2 * std::int64_t{v};
  }
}

/// The 3-D paper's regions (i) .. (ix), as 1 .. 9 (3-D, above Theorem 1); w does not matter.
int region_3d(int k, std::int32_t u, std::int32_t v) {
  const auto a = static_cast<std::int32_t>(bounds::eye_distance(k - 1));
  const auto third = [a](std::int32_t c) { return c <= 0 ? 0 : (2 * c <= a ? 1 : 2); };
  return 3 * third(u) + third(v) + 1;
}

/// f_k(u, v, w) as printed (3-D, Eq. 7).
std::int64_t excess_3d(int k, std::int32_t u, std::int32_t v, std::int32_t w) {
  const auto a = static_cast<std::int64_t>(bounds::eye_distance(k - 1));
  const std::int64_t along_u =
      2 * u <= a ? 2 * std::abs(std::int64_t{u}) + u : std::abs(u) + 2 * std::abs(u - a);
  const std::int64_t along_v = 2 * std::abs(std::int64_t{v}) + (2 * v <= a ? v : std::abs(v - a));
  return along_u + along_v + 2 * std::abs(std::int64_t{w}) + w;
}

/// D_k(S) - [7 a_k + D_(k-1)(S) + 7 D_(k-1)(E)] by the nine cases of 3-D, Theorem 1.
std::int64_t theorem_1_excess_3d(int k, std::int32_t u, std::int32_t v, std::int32_t w) {
  const auto a = static_cast<std::int64_t>(bounds::eye_distance(k - 1));
  const std::int64_t along_w = 2 * std::abs(std::int64_t{w}) + w;
  switch (region_3d(k, u, v)) {
    case 1:
      return -(std::int64_t{u} + v) + along_w;
    case 2:
      return -u + 3 * std::int64_t{v} + along_w;
    case 3:
      return -u + 2 * std::int64_t{v} + std::abs(v - a) + along_w;
    case 4:
      return 3 * std::int64_t{u} - v + along_w;
    case 5:
      return 3 * std::int64_t{u} + 3 * std::int64_t{v} + along_w;
    case 6:
      return 3 * std::int64_t{u} + 2 * std::int64_t{v} + std::abs(v - a) + along_w;
    case 7:
      return u + 2 * std::abs(u - a) - v + along_w;
    case 8:
      return u + 2 * std::abs(u - a) + 3 * std::int64_t{v} + along_w;
    default:
      return u + 2 * std::abs(u - a) + 2 * std::int64_t{v} + std::abs(v - a) + along_w;
  }
}

/// 2-D, Eq. 9 as printed: 6/5 4^k + 4/3 2^k - 2k - (-1)^k / 30 - 5/2.
std::uint64_t corner_tcd_2d(int k) {
  // Over the common denominator 30.
  const std::int64_t thirty = 36 * (std::int64_t{1} << 2 * k) + 40 * (std::int64_t{1} << k) -
                              60 * std::int64_t{k} - (k % 2 == 0 ? 1 : -1) - 75;
  return static_cast<std::uint64_t>(thirty / 30);
}

TEST_CASE("the excess of a source is the papers' Eq. 5 and Eq. 7 at every source",
          "[broadcast][bounds]") {
  for (int k = 2; k <= 6; ++k) {
    const std::uint32_t side = 1U << k;
    std::array<bool, 7> seen{};
    for (std::uint32_t x = 0; x < side; ++x) {
      for (std::uint32_t y = 0; y < side; ++y) {
        const Coordinates at{x, y};
        const bounds::EyeBlock block = bounds::eye_block(2, k, at);
        const std::int32_t u = block.c[block.order[0]];
        const std::int32_t v = block.c[block.order[1]];
        CAPTURE(k, x, y);
        REQUIRE(static_cast<std::int64_t>(bounds::eye_excess(2, k, at)) == excess_2d(k, u, v));
        seen[static_cast<std::size_t>(region_2d(k, u, v))] = true;
      }
    }
    if (k >= 4) REQUIRE(std::count(seen.begin(), seen.end(), true) == 6);
  }
  for (int k = 2; k <= 4; ++k) {
    std::array<bool, 10> seen{};
    const Topology cube = Topology::mesh(std::vector(3, 1U << k));
    for (NodeWalk walk(cube); !walk.done(); walk.next()) {
      const bounds::EyeBlock block = bounds::eye_block(3, k, walk.coordinates());
      const std::int32_t u = block.c[block.order[0]];
      const std::int32_t v = block.c[block.order[1]];
      const std::int32_t w = block.c[block.order[2]];
      const auto excess = static_cast<std::int64_t>(bounds::eye_excess(3, k, walk.coordinates()));
      CAPTURE(k, u, v, w);
      REQUIRE(excess == excess_3d(k, u, v, w));
      REQUIRE(excess == theorem_1_excess_3d(k, u, v, w));
      seen[static_cast<std::size_t>(region_3d(k, u, v))] = true;
    }
    if (k == 4) REQUIRE(std::count(seen.begin(), seen.end(), true) == 9);
  }
}

TEST_CASE("corners and sums over all sources have the spec's values", "[broadcast][bounds]") {
  const std::array<std::uint64_t, 5> corners_2d{3, 18, 79, 318, 1259};
  const std::array<std::uint64_t, 4> corners_3d{7, 69, 546, 4292};
  for (int k = 1; k <= 5; ++k) {
    CHECK(bounds::corner_tcd(2, k) == corners_2d[static_cast<std::size_t>(k - 1)]);
    CHECK(corner_tcd_2d(k) == corners_2d[static_cast<std::size_t>(k - 1)]);
  }
  for (int k = 1; k <= 4; ++k) {
    CHECK(bounds::corner_tcd(3, k) == corners_3d[static_cast<std::size_t>(k - 1)]);
  }
  for (int k = 1; k <= 12; ++k) CHECK(bounds::corner_tcd(2, k) == corner_tcd_2d(k));
  CHECK(bounds::eye_tcd_sum(2, 2) == 264);
  CHECK(bounds::eye_tcd_sum(2, 3) == 4672);
  CHECK(bounds::eye_tcd_sum(2, 4) == 77120);
  CHECK(bounds::eye_tcd_sum(2, 5) == 1248128);
  CHECK(bounds::eye_tcd_sum(3, 2) == 4224);
  CHECK(bounds::eye_tcd_sum(3, 3) == 273408);
  for (const auto& [d, k] :
       {std::pair{1, 6}, std::pair{2, 6}, std::pair{3, 4}, std::pair{4, 3}, std::pair{5, 2}}) {
    CAPTURE(d, k);
    const Topology topology = Topology::mesh(std::vector(static_cast<std::size_t>(d), 1U << k));
    std::uint64_t sum = 0;
    for (NodeWalk walk(topology); !walk.done(); walk.next()) {
      const std::uint64_t tcd = bounds::eye_source_tcd(d, k, walk.coordinates());
      sum += tcd;
      REQUIRE(tcd >= bounds::optimal_tcd(d, k));
    }
    REQUIRE(bounds::eye_source_tcd(d, k, Coordinates{}) == bounds::corner_tcd(d, k));
    REQUIRE(sum == bounds::eye_tcd_sum(d, k));
  }
}

TEST_CASE("the cycles of an eye and of a corner equal the spec's closed forms",
          "[broadcast][bounds][timing]") {
  for (const std::uint32_t r : {1U, 2U, 5U}) {
    for (const std::uint32_t flits : {1U, 4U, 9U}) {
      for (const std::uint32_t o : {0U, 1U, 7U}) {
        for (const auto& [d, k] :
             {std::pair{1, 5}, std::pair{2, 3}, std::pair{2, 6}, std::pair{3, 4}}) {
          CAPTURE(r, flits, o, d, k);
          const std::vector<int> levels(static_cast<std::size_t>(d), k);
          MessageClock clock{MessageTiming::kSelf, flits, r, o};
          const auto dim = static_cast<std::uint64_t>(d);
          const std::uint64_t eye =
              dim * (r * ((2ULL << k) / 3) + static_cast<std::uint64_t>(k) * (flits - 1 + o)) - o;
          REQUIRE(bounds::eye_cycles(levels, clock) == eye);
          REQUIRE(bounds::eye_source_cycles(d, k, {}, clock) == eye + dim * r * bounds::low_eye(k));
          clock.timing = MessageTiming::kStep;
          REQUIRE(bounds::eye_cycles(levels, clock) == eye);
          REQUIRE(bounds::eye_source_cycles(d, k, {}, clock) ==
                  eye + r * (bounds::corner_tcd(d, k) - bounds::optimal_tcd(d, k)));
        }
      }
    }
  }
}

TEST_CASE("in three dimensions a level has one of three orders, more than a bit can encode",
          "[broadcast][bounds]") {
  // 8x8x8, level 2: sources that are no eyes of the mesh, but some are eyes of their 4x4x4 block.
  const Topology topology = Topology::mesh(std::array{8U, 8U, 8U});
  std::set<DimensionOrder> orders;
  for (NodeId source = 0; source < topology.nodes(); ++source) {
    const Coordinates at = topology.coordinates(source);
    const bool eye =
        bounds::is_eye(3, at[0]) && bounds::is_eye(3, at[1]) && bounds::is_eye(3, at[2]);
    if (!eye) orders.insert(bounds::eye_block(3, 2, at).order);
  }
  CHECK(orders.size() == 3);
}

TEST_CASE("headers and tables have the spec's sizes", "[broadcast][bounds][hardware]") {
  const auto header = [](std::vector<int> levels, bool wraps) {
    return bounds::eye_header(levels, wraps);
  };
  CHECK(header({3, 3}, false).step == 3);
  CHECK(header({3, 3}, false).hops == 2);
  CHECK(header({3, 3}, false).total() == 5);
  CHECK(header({4, 4}, false).step == 3);
  CHECK(header({4, 4}, false).hops == 3);
  CHECK(header({3, 3, 3}, false).step == 4);
  CHECK(header({3, 3, 3}, false).hops == 2);
  CHECK(header({3, 3, 3}, true).side == 3);
  CHECK(bounds::eye_table_bits(std::vector{3, 3, 3}) == 9);
  CHECK(bounds::eye_source_header(2, 3, {}).order == 1);
  CHECK(bounds::eye_source_header(3, 3, {}).order == 2);
  CHECK(bounds::eye_source_header(4, 3, {}).order == 0);
}

TEST_CASE("unicast distance and eccentricity are those of the nodes", "[broadcast][bounds]") {
  for (const Topology& topology :
       {mesh({5, 4}), torus({5, 4}), mesh({3, 2, 6}), torus({3, 2, 6}), torus({7})}) {
    for (NodeId source = 0; source < topology.nodes(); ++source) {
      std::uint64_t sum = 0;
      std::uint32_t furthest = 0;
      for (NodeId node = 0; node < topology.nodes(); ++node) {
        sum += topology.distance(source, node);
        furthest = std::max(furthest, topology.distance(source, node));
      }
      REQUIRE(bounds::unicast_tcd(topology, source) == sum);
      REQUIRE(bounds::eccentricity(topology, source) == furthest);
    }
  }
}

}  // namespace
}  // namespace gossamer
