// SPDX-License-Identifier: Apache-2.0
/// Every gossip algorithm of streams and schedules in the registry on all three engines: same bytes
/// of trace, same counts, and the steps that the plan promises.
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "gossamer/machines/queued/program.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/judge.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/tb/lock_step.hpp"
#include "gossamer/util/error.hpp"
#include "plans.hpp"

using namespace gossamer;

namespace {

const std::vector<std::vector<std::uint32_t>> kTori = {
    {5},       {6},       {2, 4},    {3, 3},     {4, 4},    {5, 5},    {6, 4},       {5, 4},
    {4, 7},    {8, 8},    {9, 3},    {8, 5},     {4, 10},   {2, 3},    {3, 3, 3},    {4, 3, 3},
    {3, 3, 6}, {4, 4, 2}, {6, 6, 3}, {12, 3, 3}, {2, 2, 2}, {3, 5, 4}, {3, 3, 3, 3},
};
const std::vector<std::vector<std::uint32_t>> kMeshes = {
    {5},       {4},       {2, 2},    {2, 4},    {3, 3},       {4, 4},       {5, 3},
    {6, 5},    {3, 7},    {8, 8},    {2, 2, 2}, {3, 3, 3},    {4, 3, 2},    {5, 3, 3},
    {4, 4, 4}, {3, 5, 2}, {2, 3, 4}, {2, 3, 5}, {2, 2, 2, 2}, {3, 3, 3, 3}, {3, 2, 2, 3},
};

/// The options to try with an algorithm: none, and each that it takes.
std::vector<std::map<std::string, ParameterValue>> variants(const Algorithm& algorithm) {
  std::vector<std::map<std::string, ParameterValue>> all{{}};
  if (algorithm.options.find("time-independent") != std::string_view::npos) {
    all.push_back({{"time-independent", true}});
  }
  if (algorithm.options.find("packets") != std::string_view::npos) {
    all.push_back({{"packets", std::int64_t{3}}});
    all.push_back({{"packets", std::int64_t{8}}});
  }
  return all;
}

struct Run {
  std::string trace;
  bool complete = false;
  std::uint64_t steps = 0;
  EngineStatistics statistics;
};

Run run(const Plan& plan, Engine& engine) {
  std::ostringstream text;
  Run result;
  Judge judge(plan);
  TraceWriter trace(plan.topology, text);
  ObserverList observers;
  observers.add(&judge);
  observers.add(&trace);
  // Twice as long as the plan promises: what is wrong shows by then, and the rest is idle.
  watch(engine, step_limit(plan), observers);
  trace.finish();
  result.complete = judge.complete();
  if (result.complete) result.steps = judge.completion_step();
  result.trace = text.str();
  result.statistics = engine.statistics();
  return result;
}

/// All three engines write the fast one's trace and have its counts.
void require_equal_engines(const Plan& plan) {
  const Run expected = run(plan, *make_fast_engine(plan));
  REQUIRE(expected.complete);
  if (plan.expected.analytic_steps) REQUIRE(expected.steps == *plan.expected.analytic_steps);
  REQUIRE(expected.statistics.link_conflicts == 0);
  REQUIRE(expected.statistics.max_queue <= plan.expected.queue_depth);
  for (const bool rtl : {false, true}) {
    CAPTURE(rtl);
    const auto engine = rtl ? make_engine("rtl", plan) : make_engine("systemc", plan);
    const Run got = run(plan, *engine);
    // Not CHECKed as texts: a difference would print both.
    const bool equal_traces = got.trace == expected.trace;
    REQUIRE(equal_traces);
    REQUIRE(got.complete);
    REQUIRE(got.steps == expected.steps);
    REQUIRE(got.statistics.steps == expected.statistics.steps);
    REQUIRE(got.statistics.max_queue == expected.statistics.max_queue);
    REQUIRE(got.statistics.link_conflicts == 0);
    for (NodeId node = 0; node < plan.topology.nodes(); ++node) REQUIRE_FALSE(engine->error(node));
  }
}

/// Features of the plans in a run over the registry.
struct Census {
  int plans = 0;
  int switches = 0;
  int fan_in = 0;
  int lists = 0;
  int framed = 0;
  int schedules = 0;

  void count(const Plan& plan) {
    ++plans;
    if (plan.program.is<TimetableProgram>()) ++schedules;
    if (!plan.program.is<StreamProgram>()) return;
    const auto& program = plan.program.as<StreamProgram>();
    if (program.frame() != 1) ++framed;
    bool has_switch = false;
    bool has_fan_in = false;
    bool has_list = false;
    for (const StreamPort& entry : program.dictionary()) {
      has_switch = has_switch || entry.switch_step > 0;
      has_fan_in = has_fan_in || entry.has_fan_in();
      has_list = has_list || entry.preload.size() > 1;
    }
    switches += has_switch ? 1 : 0;
    fan_in += has_fan_in ? 1 : 0;
    lists += has_list ? 1 : 0;
  }
};

}  // namespace

TEST_CASE("every all-gather algorithm of the registry writes the same trace on all engines",
          "[systemc][lock-step][gossip]") {
  Census census;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != "gossip") continue;
    const std::string name(algorithm.name);
    int planned = 0;
    bool queued = false;
    for (const bool torus : {true, false}) {
      for (const auto& sides : torus ? kTori : kMeshes) {
        const Topology topology = torus ? Topology::torus(sides) : Topology::mesh(sides);
        // The search for walks takes long where it finds none, and shows engines nothing new.
        if (name == "walks" && topology.nodes() > 30) continue;
        const bool has_no_walks = topology.dims_text() == (torus ? "2x3" : "2x2x2");
        if ((name == "walks" || name == "degraded") && has_no_walks) continue;
        for (const auto& parameters : variants(algorithm)) {
          // More packets take the same paths, found by the same search; small networks show what
          // they change.
          if (const auto packets = parameters.find("packets"); packets != parameters.end()) {
            const auto own = static_cast<std::uint64_t>(std::get<std::int64_t>(packets->second));
            if (own * topology.nodes() > 130) continue;
          }
          std::optional<Plan> plan;
          try {
            plan = make_plan({topology, "gossip", name, parameters, {}});
          } catch (const InfeasibleError&) {
            continue;
          }
          // Queued routers are another machine, with tests of their own.
          queued = plan->program.is<QueuedProgram>();
          if (queued) continue;
          CAPTURE(name, topology.kind(), topology.dims_text(), parameters.size());
          require_equal_engines(*plan);
          census.count(*plan);
          ++planned;
        }
      }
    }
    CAPTURE(name);
    if (!queued) REQUIRE(planned >= 3);
  }
  // Everything that a plan may contain has been carried.
  UNSCOPED_INFO(census.plans << " plans, with switch " << census.switches << ", fan-in "
                             << census.fan_in << ", lists " << census.lists << ", framed "
                             << census.framed << ", schedules " << census.schedules);
  CHECK(census.plans > 300);
  CHECK(census.switches > 5);
  CHECK(census.fan_in > 5);
  CHECK(census.lists > 50);
  CHECK(census.framed > 20);
  CHECK(census.schedules > 20);
}

TEST_CASE("folded plans of every torus algorithm without fan-in run on all engines",
          "[systemc][lock-step][gossip]") {
  int framed = 0;
  for (const auto& [algorithm, sides] :
       std::vector<std::pair<std::string, std::vector<std::uint32_t>>>{
           {"zigzag", {8, 6}},
           {"zigzag", {4, 4}},
           {"rows", {9, 3}},
           {"strands", {8, 8}},
           {"tables", {5, 5}},
           {"ring", {5, 4}},
           {"ring-two-way", {3, 3, 3}},
       }) {
    CAPTURE(algorithm);
    const Plan plan = make_plan(
        {Topology::mesh(sides), "gossip", "folded", {{"torus-algorithm", algorithm}}, {}});
    REQUIRE(plan.program.as<StreamProgram>().frame() == 2);
    require_equal_engines(plan);
    ++framed;
  }
  REQUIRE(framed == 7);
}
