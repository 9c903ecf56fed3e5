// SPDX-License-Identifier: Apache-2.0
/// Steps of a job in time: the rules of the two streams, and clocks whose cycles are no whole
/// number of picoseconds.
#include <catch2/catch.hpp>

#include "gossamer/compare/workload.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/units.hpp"

namespace gossamer {
namespace {

constexpr std::uint64_t kMost = ~std::uint64_t{0};

WorkloadStep computation(const std::string& name, std::vector<std::size_t> after,
                         std::uint64_t repeat = 1) {
  return {name, "file: " + name, {}, 1, repeat, std::move(after)};
}

WorkloadStep collective(const std::string& name, std::vector<std::size_t> after) {
  WorkloadStep step = computation(name, std::move(after));
  step.collective = WorkloadCollective{"gossip"};
  return step;
}

TEST_CASE("the streams overlap, and each runs one step at a time", "[workload]") {
  const Workload workload{"w",
                          {computation("a", {}), collective("send", {0}), computation("b", {0}),
                           computation("c", {1, 2})}};
  CHECK(lay_out(workload, {10, 30, 7, 5}) ==
        std::vector<TimedRun>{{0, 0, 0, 10}, {1, 0, 10, 40}, {2, 0, 10, 17}, {3, 0, 40, 45}});
}

TEST_CASE("of ready steps a stream takes the one that has been ready for longest, then the first",
          "[workload]") {
  // "late" comes first in the list but is ready when "long" is half done; "tie" and "early" are
  // ready at once.
  const Workload workload{"w",
                          {collective("late", {4}), collective("long", {}), collective("early", {}),
                           collective("tie", {}), computation("half", {})}};
  const auto runs = lay_out(workload, {1, 10, 2, 3, 5});
  CHECK(runs == std::vector<TimedRun>{
                    {1, 0, 0, 10}, {4, 0, 0, 5}, {2, 0, 10, 12}, {3, 0, 12, 15}, {0, 0, 15, 16}});
}

TEST_CASE("a repeated step gives way between its runs to a step that was ready before",
          "[workload]") {
  const Workload workload{
      "w", {computation("twice", {}, 2), computation("other", {}), computation("after", {0})}};
  CHECK(lay_out(workload, {4, 3, 2}) ==
        std::vector<TimedRun>{{0, 0, 0, 4}, {1, 0, 4, 7}, {0, 1, 7, 11}, {2, 0, 11, 13}});
}

TEST_CASE("steps in a circle and times beyond 64 bits are refused with their place", "[workload]") {
  const Workload circle{"w",
                        {computation("a", {}), computation("b", {2}), computation("c", {0, 3}),
                         computation("d", {1})}};
  CHECK_THROWS_WITH(lay_out(circle, {1, 1, 1, 1}),
                    "file: b: the step waits for itself: b after c after d after b");
  CHECK_THROWS_AS(lay_out({"w", {computation("a", {}, 2)}}, {kMost / 2 + 2}), InputError);
  CHECK_THROWS_AS(lay_out({"w", {computation("a", {}, kMostWorkloadRuns + 1)}}, {1}), InputError);
  CHECK(lay_out({"w", {computation("a", {}, 2)}}, {kMost / 2}).back().end == kMost - 1);
}

TEST_CASE("times are whole cycles, rounded up exactly", "[workload]") {
  CHECK(parse_picoseconds("t", "1.5ns") == 1500);
  CHECK(parse_picoseconds("t", "12.5 us") == 12'500'000);
  CHECK(parse_picoseconds("t", "3s") == 3'000'000'000'000);
  CHECK_THROWS_AS(parse_picoseconds("t", "0.5ps"), InputError);
  CHECK_THROWS_AS(parse_picoseconds("t", "5"), InputError);
  CHECK(cycles_of_time(1500, 1'000'000'000) == 2);
  CHECK(cycles_of_time(2000, 1'000'000'000) == 2);
  // 3 GHz: a third of a nanosecond.
  CHECK(cycles_of_time(1'000'000'000, 3'000'000'000) == 3'000'000);
  CHECK(cycles_of_time(333, 3'000'000'000) == 1);
  CHECK(cycles_of_time(334, 3'000'000'000) == 2);
  // The product of both has 75 bits.
  CHECK(cycles_of_time(10'000'000'000'000, 1'234'567'891) == 12'345'678'910);
  CHECK(cycles_of_time(10'000'000'000'001, 1'234'567'891) == 12'345'678'911);
  CHECK_THROWS_AS(cycles_of_time(kMost, kMost), InputError);
}

}  // namespace
}  // namespace gossamer
