// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/partial/dynamic_broadcast.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "gossamer/collectives/partial/delay_csv.hpp"
#include "gossamer/collectives/partial/experiment_run.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/verify.hpp"
#include "queued.hpp"

namespace gossamer {
namespace {

using testing::equal_sided;

double load_limit(const Topology& topology, bool split, double t_p) {
  const bounds::EqualSides sides = bounds::EqualSides::of(topology);
  const bounds::DynamicConstants constants = bounds::dynamic_constants(sides, split, t_p);
  return bounds::dynamic_utilization(sides, constants,
                                     bounds::dynamic_rate_limit(sides, constants));
}

TEST_CASE("dynamic broadcast on an 8x8 torus has the specification's delays",
          "[partial][dynamic]") {
  const Topology topology = equal_sided(true, 2, 8);
  const bounds::EqualSides sides = bounds::EqualSides::of(topology);
  const bounds::DynamicConstants constants = bounds::dynamic_constants(sides, true, 0.125);
  REQUIRE(constants.reservation == Approx(14));
  REQUIRE(constants.per_packet == Approx(63.0 / 256));
  const double limit = bounds::dynamic_rate_limit(sides, constants);
  REQUIRE(limit == Approx(0.033613).epsilon(1e-4));
  REQUIRE(bounds::dynamic_utilization(sides, constants, limit) == Approx(0.529).epsilon(1e-3));

  DynamicOptions options;
  options.clock = PacketClock{8, 1};
  options.loads = {load_limit(topology, true, 0.125) / 2};
  options.broadcasts = 400000;
  const Experiment experiment = plan_dynamic_broadcast(topology, options);
  REQUIRE(dynamic_load_limit(experiment) == Approx(0.5294).epsilon(1e-4));
  const DynamicPoint bound = run_dynamic(experiment, {}).front();
  REQUIRE(bound.stable);
  REQUIRE(*bound.delay_bound == Approx(40.43).epsilon(1e-3));
  REQUIRE(*bound.mean_delay == Approx(33.3).margin(0.2));
  REQUIRE(*bound.delay_ci95 < 0.2);
  options.interval = IntervalRule::kExact;
  const DynamicPoint exact = run_dynamic(plan_dynamic_broadcast(topology, options), {}).front();
  REQUIRE(*exact.mean_delay == Approx(29.3).margin(0.2));
}

TEST_CASE("the delay never exceeds the bound of Eq. (11)", "[partial][dynamic]") {
  for (const bool torus : {false, true}) {
    for (const bool split : {false, true}) {
      for (const std::uint32_t p : {4U, 7U}) {
        for (const IntervalRule rule : {IntervalRule::kBound, IntervalRule::kExact}) {
          const Topology topology = equal_sided(torus, 2, p);
          DynamicOptions options;
          options.rules.split = split;
          options.interval = rule;
          options.clock = PacketClock{8, 1};
          options.broadcasts = 20000;
          const double limit = load_limit(topology, split, 0.125);
          options.loads = {0.02 * limit, 0.3 * limit, 0.6 * limit, 0.9 * limit};
          for (const DynamicPoint& point :
               run_dynamic(plan_dynamic_broadcast(topology, options), {})) {
            CAPTURE(torus, split, p, point.load);
            REQUIRE(point.stable);
            REQUIRE(*point.mean_delay - *point.delay_ci95 <= *point.delay_bound);
            REQUIRE(point.mismatches == 0);
          }
        }
      }
    }
  }
}

TEST_CASE("at light load the bound is 1.5 V + X and the simulation meets it",
          "[partial][dynamic]") {
  const Topology topology = equal_sided(false, 2, 6);
  const bounds::DynamicConstants constants =
      bounds::dynamic_constants(bounds::EqualSides::of(topology), true, 0.5);
  DynamicOptions options;
  options.clock = PacketClock{2, 1};
  options.loads = {0.001};
  const DynamicPoint point = run_dynamic(plan_dynamic_broadcast(topology, options), {}).front();
  const double light = 1.5 * constants.reservation + constants.per_packet;
  REQUIRE(*point.delay_bound == Approx(light).epsilon(0.01));
  REQUIRE(*point.mean_delay == Approx(light).epsilon(0.01));
}

TEST_CASE("the proof finds every interval long enough, and reports stability as a figure",
          "[partial][dynamic]") {
  for (const bool torus : {false, true}) {
    for (const bool split : {false, true}) {
      for (int d = 1; d <= 3; ++d) {
        for (const std::uint32_t p : {2U, 3U, 4U, 5U}) {
          for (const IntervalRule rule : {IntervalRule::kBound, IntervalRule::kExact}) {
            DynamicOptions options;
            options.interval = rule;
            options.rules.split = split;
            options.loads = {0.1, 1.9};
            const Topology topology = equal_sided(torus, d, p);
            const Experiment experiment = plan_dynamic_broadcast(topology, options);
            CAPTURE(torus, split, d, p);
            const Verdict verdict = verify_experiment(experiment);
            for (const std::string& problem : verdict.problems) INFO(problem);
            REQUIRE(verdict.ok());
            REQUIRE(verdict.complete);
            REQUIRE(verdict.method == "intervals");
            REQUIRE(verdict.max_queue <= experiment.queue_depth);
            REQUIRE_FALSE(dynamic_outlook(experiment)[1].stable);
            for (std::uint64_t active = 0; active <= topology.nodes(); ++active) {
              const DynamicInterval interval = dynamic_interval(experiment, active);
              const auto& clock = experiment.program.clock;
              REQUIRE(interval.units * clock.flits >=
                      static_cast<double>(interval.broadcast_cycles) - 1e-6);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("intervals executed link by link change nothing", "[partial][dynamic]") {
  for (const bool split : {false, true}) {
    DynamicOptions options;
    options.rules.split = split;
    options.interval = IntervalRule::kExact;
    options.loads = {0.1, 0.3};
    options.broadcasts = 1500;
    options.seed = 77;
    const Experiment experiment = plan_dynamic_broadcast(equal_sided(true, 2, 4), options);
    DynamicRunOptions literal;
    int engines = 0;
    literal.execute = intervals_on([&engines](const Plan& interval) -> std::unique_ptr<Engine> {
      ++engines;
      return make_fast_engine(interval);
    });
    const auto executed = run_dynamic(experiment, literal);
    REQUIRE(engines > 100);
    REQUIRE(executed == run_dynamic(experiment, {}));
    REQUIRE(executed.front().mismatches == 0);
  }
}

TEST_CASE("the intervals shown one by one are those of the run", "[partial][dynamic]") {
  for (const IntervalRule rule : {IntervalRule::kBound, IntervalRule::kExact}) {
    const Topology topology = equal_sided(true, 2, 5);
    DynamicOptions options;
    options.interval = rule;
    options.clock = PacketClock{8, 1};
    options.broadcasts = 100;
    options.loads = {0.4};
    const Experiment experiment = plan_dynamic_broadcast(topology, options);
    const DynamicPoint point = run_dynamic(experiment, {}).front();
    std::vector<double> delays;
    double end = 0;
    std::size_t left = 0;
    visit_dynamic_intervals(experiment, 400000, [&](const DynamicIntervalRun& interval) {
      REQUIRE(interval.start >= end - 1e-9);
      REQUIRE(interval.end - interval.start ==
              Approx(dynamic_interval(experiment, interval.active.size()).units));
      end = interval.end;
      // Nothing that waited and was not broadcast is lost.
      REQUIRE(interval.waiting.size() >= std::max(left, interval.active.size()));
      left = interval.waiting.size() - interval.active.size();
      std::vector<NodeId> first;
      for (const DynamicArrival& packet : interval.waiting) {
        REQUIRE(packet.time <= interval.start);
        if (!first.empty() && first.back() == packet.node) continue;
        first.push_back(packet.node);
        delays.push_back(interval.end - packet.time);
      }
      REQUIRE(first == interval.active);
      return true;
    });
    REQUIRE(delays.size() == point.broadcasts);
    // The first tenth is not measured, and 30 batches of 3 are.
    const double sum = std::accumulate(delays.begin() + 10, delays.begin() + 100, 0.0);
    REQUIRE(*point.mean_delay == Approx(sum / 90));
    int calls = 0;
    visit_dynamic_intervals(experiment, 400000,
                            [&](const DynamicIntervalRun&) { return ++calls < 3; });
    REQUIRE(calls == 3);
  }
}

TEST_CASE("a sweep does not depend on the number of threads, only on the seed",
          "[partial][dynamic]") {
  DynamicOptions options;
  options.loads = parse_loads("0.05,0.1,0.2,0.3,0.4");
  options.broadcasts = 5000;
  const Topology topology = equal_sided(true, 2, 8);
  const Experiment experiment = plan_dynamic_broadcast(topology, options);
  std::uint64_t done = 0;
  bool rising = true;
  DynamicRunOptions four;
  four.threads = 4;
  four.progress = [&](std::string_view, std::uint64_t now, std::uint64_t total) {
    rising = rising && now >= done && now <= total;
    done = now;
  };
  const auto points = run_dynamic(experiment, four);
  REQUIRE(points == run_dynamic(experiment, {}));
  REQUIRE(rising);
  REQUIRE(done == 25000);
  options.seed = 2;
  REQUIRE(points != run_dynamic(plan_dynamic_broadcast(topology, options), {}));
}

TEST_CASE("beyond the stability limit a load is called unstable and has no mean delay",
          "[partial][dynamic]") {
  const Topology topology = equal_sided(true, 2, 4);
  DynamicOptions options;
  const double limit = dynamic_load_limit(plan_dynamic_broadcast(
      topology, {options.interval, {}, {}, {0.1}, options.broadcasts, options.seed}));
  options.loads = {limit * 0.99, limit * 1.01};
  options.broadcasts = 10000;
  const auto points = run_dynamic(plan_dynamic_broadcast(topology, options), {});
  REQUIRE(points[0].stable);
  REQUIRE(points[0].mean_delay);
  REQUIRE_FALSE(points[1].stable);
  REQUIRE_FALSE(points[1].mean_delay);
  REQUIRE_FALSE(points[1].delay_bound);
}

TEST_CASE("loads are read strictly", "[partial][dynamic]") {
  REQUIRE(parse_loads("0.1,0.25,1") == std::vector<double>{0.1, 0.25, 1});
  for (const char* bad : {"", "0", "0.1,", ",0.1", "x", "0.1x", "-0.1", "3", "1e-1", "0.1 ",
                          "0.0000001", "1.2.3", "."}) {
    CAPTURE(bad);
    REQUIRE_THROWS_AS(parse_loads(bad), InputError);
  }
  REQUIRE_THROWS_AS(plan_dynamic_broadcast(equal_sided(true, 2, 4), {}), InputError);
}

TEST_CASE("the table of delays has a row per load", "[partial][dynamic]") {
  DynamicPoint point;
  point.load = 0.25;
  point.rate = 0.01;
  point.stable = true;
  point.mean_delay = 33.25;
  point.delay_ci95 = 0.5;
  point.delay_bound = 40.5;
  point.broadcasts = 1000;
  point.intervals = 70;
  DynamicPoint unstable;
  unstable.load = 0.75;
  REQUIRE(delay_csv(std::vector{point, unstable}) ==
          "load,rate,stable,mean_delay,delay_ci95,delay_bound,broadcasts,intervals\n"
          "0.25,0.01,true,33.25,0.5,40.5,1000,70\n"
          "0.75,0,false,,,,0,0\n");
}

}  // namespace
}  // namespace gossamer
