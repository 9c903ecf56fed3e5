// SPDX-License-Identifier: Apache-2.0
/// Elastic streams: tiles that decide cycle by cycle, models and Verilated routers, write the trace
/// of the fast engine, which has no clock, under every stall script, and stop for the same reasons.
#include <catch2/catch.hpp>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/systemc/elastic_tile.hpp"
#include "gossamer/tb/lock_step.hpp"
#include "gossamer/tb/rtl_elastic_engine.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/verify.hpp"

using namespace gossamer;
using gossamer::systemc::make_systemc_elastic_engine;
using gossamer::tb::make_rtl_elastic_engine;

namespace {

struct Asked {
  std::string kind;
  std::vector<std::uint32_t> sides;
  std::string algorithm;
  std::map<std::string, ParameterValue> options;
  std::string collective = "gossip";
  std::string faults{};
};

std::vector<Asked> asked() {
  using Text = std::string;
  const auto flits = [](std::int64_t count) { return ParameterValue(count); };
  return {
      {"torus", {4, 4}, "hamiltonian", {{"flits", flits(4)}}},
      {"torus", {4, 4}, "hamiltonian", {{"flits", flits(4)}, {"link-latency", Text("2")}}},
      {"torus",
       {4, 4},
       "hamiltonian",
       {{"flits", flits(4)}, {"chunk", Text("2")}, {"slots", Text("4")}}},
      // Deadlocks.
      {"torus",
       {4, 4},
       "hamiltonian",
       {{"flits", flits(4)}, {"chunk", Text("2")}, {"slots", Text("2")}}},
      // Queues of one slot, which take a flit every other cycle only.
      {"torus",
       {4, 4},
       "hamiltonian",
       {{"flits", flits(4)}, {"slots", Text("1")}, {"link-latency", Text("2")}}},
      {"torus",
       {5, 5},
       "tables",
       {{"packets", flits(1)},
        {"flits", flits(4)},
        {"slots", Text("1")},
        {"link-latency", Text("3")}}},
      // Lives on queues that are too short for the full rate.
      {"torus",
       {3, 4},
       "hamiltonian",
       {{"flits", flits(6)},
        {"chunk", Text("3")},
        {"slots", Text("2")},
        {"link-latency", Text("2")}}},
      {"torus",
       {4, 5},
       "hamiltonian",
       {{"flits", flits(6)}, {"link-latency", Text("x=1,y=3,wrap-x=5")}}},
      {"torus", {4, 4}, "hamiltonian", {{"packets", flits(4)}, {"flits", flits(2)}}},
      {"torus", {3, 3, 3}, "hamiltonian", {{"flits", flits(2)}}},
      {"torus", {2, 2}, "hamiltonian", {{"flits", flits(2)}}},
      {"mesh", {4, 4}, "array", {{"flits", flits(3)}}},
      {"torus", {8, 6}, "zigzag", {{"packets", flits(1)}, {"flits", flits(2)}}},
      {"torus",
       {5, 5},
       "tables",
       {{"packets", flits(1)},
        {"flits", flits(4)},
        {"chunk", Text("2")},
        {"link-latency", Text("2")}}},
      {"torus", {3, 9}, "rows", {{"packets", flits(1)}, {"link-latency", Text("wrap-y=4")}}},
      // Reductions: routers add, and a second leg waits for the sums of the first.
      {"torus", {4, 4}, "hamiltonian", {{"flits", flits(3)}}, "reduce-scatter"},
      {"torus", {4, 4}, "hamiltonian", {{"flits", flits(3)}}, "all-reduce"},
      {"torus", {4, 4}, "hamiltonian", {{"flits", flits(1)}, {"packets", flits(1)}}, "all-reduce"},
      {"torus", {2, 2}, "hamiltonian", {{"flits", flits(2)}}, "all-reduce"},
      {"torus", {5}, "hamiltonian", {{"flits", flits(2)}}, "all-reduce"},
      {"torus",
       {3, 5},
       "hamiltonian",
       {{"flits", flits(6)}, {"chunk", Text("3")}, {"link-latency", Text("x=1,y=3,wrap-x=5")}},
       "all-reduce"},
      // One slot, a deadlock, and queues that are too short for the full rate.
      {"torus",
       {3, 3, 3},
       "hamiltonian",
       {{"flits", flits(2)}, {"slots", Text("1")}, {"link-latency", Text("2")}},
       "all-reduce"},
      {"torus",
       {4, 4},
       "hamiltonian",
       {{"flits", flits(4)}, {"chunk", Text("2")}, {"slots", Text("2")}},
       "reduce-scatter"},
      {"mesh",
       {4, 3},
       "array",
       {{"packets", flits(1)}, {"flits", flits(4)}, {"chunk", Text("2")}, {"slots", Text("3")}},
       "all-reduce"},
      // Rings that faults leave, one and two, and one that is found.
      {"torus",
       {5, 4},
       "whole-cycles",
       {{"flits", flits(4)}, {"link-latency", Text("x=1,y=2")}},
       "gossip",
       "link:3,3:x+"},
      {"torus", {3, 4, 3}, "whole-cycles", {{"flits", flits(2)}}, "gossip", "link:1,3,2:z+"},
      {"torus",
       {5, 4},
       "whole-cycles",
       {{"flits", flits(3)}, {"slots", Text("1")}},
       "gossip",
       "node:4,3 link:2,2:y+"},
      {"torus",
       {3, 4, 3},
       "degraded",
       {{"packets", flits(2)}, {"flits", flits(2)}},
       "reduce-scatter",
       "link:1,3,2:z+"},
      {"mesh",
       {6, 3},
       "degraded",
       {{"packets", flits(1)}, {"flits", flits(2)}, {"link-latency", Text("2")}},
       "all-reduce",
       "link:2,1:x+"},
  };
}

Plan plan_of(const Asked& asked) {
  PlanRequest request{with_named_faults(Topology::make(asked.kind, asked.sides), asked.faults),
                      asked.collective,
                      asked.algorithm,
                      asked.options,
                      {}};
  request.parameters["elastic"] = true;
  return make_plan(request);
}

struct Run {
  std::string trace;
  Report report;
};

Run run(const Plan& plan, Engine& engine, const StallScript* stalls) {
  std::ostringstream trace;
  RunOptions options;
  options.trace = &trace;
  options.stalls = stalls;
  Report report = run_plan(plan, engine, options);
  return {trace.str(), std::move(report)};
}

StallScript stalls_of(const Plan& plan, const std::string& script) {
  std::istringstream lines(script);
  return script.starts_with("random:") ? StallScript::parse(script, plan.topology)
                                       : StallScript::read(lines, "script", plan.topology);
}

enum class Tiles { kModels, kPins, kVerilated };

void require_equal_engines(const Plan& plan, const std::string& script, Tiles tiles) {
  CAPTURE(plan.algorithm, plan.topology.dims_text(), script, static_cast<int>(tiles));
  const StallScript stalls = stalls_of(plan, script);
  const StallScript* told = script.empty() ? nullptr : &stalls;
  const Run fast = run(plan, *make_fast_engine(plan, stalls), told);
  if (script.empty() && fast.report.complete == true) {
    const Verdict verdict = verify(plan);
    REQUIRE(verdict.ok());
    REQUIRE(verdict.cycles == fast.report.cycles);
  }
  const auto engine =
      tiles == Tiles::kVerilated
          ? make_rtl_elastic_engine(plan, stalls)
          : make_systemc_elastic_engine(plan, stalls, {.pin_level = tiles == Tiles::kPins});
  const Run model = run(plan, *engine, told);
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) REQUIRE_FALSE(engine->error(node));
  REQUIRE(model.trace == fast.trace);
  REQUIRE(model.report.problems == fast.report.problems);
  REQUIRE(model.report.complete == fast.report.complete);
  REQUIRE(model.report.cycles == fast.report.cycles);
  REQUIRE(model.report.elastic->standstill == fast.report.elastic->standstill);
}

constexpr const char* kScripts[] = {"",
                                    "random:1:192,192,192",
                                    "random:2:128,160,200:20",
                                    "random:7:30,256,90:50",
                                    "random:9:256,60,256",
                                    "random:4:256,256,0",
                                    "s,0,-,0,-\nm,0,-,0,-\n",
                                    "s,1,-,0,100\nm,2,x+,5,20\nv,3,-,4,9\nv,0,-,30,3\nm,-,-,40,2\n",
                                    "v,3,x-,6,-\n"};

TEST_CASE("elastic tiles write the fast engine's trace under every stall script", "[elastic]") {
  for (const Asked& one : asked()) {
    const Plan plan = plan_of(one);
    for (const char* script : kScripts) require_equal_engines(plan, script, Tiles::kModels);
  }
}

TEST_CASE("Verilated elastic routers do the same", "[elastic][rtl]") {
  for (const Asked& one : asked()) {
    const Plan plan = plan_of(one);
    for (const char* script : kScripts) require_equal_engines(plan, script, Tiles::kVerilated);
  }
}

TEST_CASE("elastic models and Verilated routers agree in every cycle", "[elastic][rtl]") {
  for (const Asked& one : asked()) {
    const Plan plan = plan_of(one);
    CAPTURE(plan.algorithm, plan.topology.dims_text());
    const StallScript stalls = stalls_of(plan, "random:3:170,200,220:12");
    const auto model = make_systemc_elastic_engine(plan, stalls);
    const auto rtl = make_rtl_elastic_engine(plan, stalls);
    tb::LockStep lock_step(plan.topology, *model, *rtl);
    REQUIRE(lock_step.run(100000).empty());
    REQUIRE(lock_step.done());
    REQUIRE(lock_step.cycles() > 1);
  }
}

TEST_CASE("lock step sees a fault in an elastic stream, and a script that one side has not",
          "[elastic][rtl]") {
  const Plan plan = plan_of(asked()[0]);
  const auto model = make_systemc_elastic_engine(plan, {});
  const auto rtl = make_rtl_elastic_engine(plan, {});
  const Take taken = [&] {
    const auto probe = make_fast_engine(plan);
    probe->clock(5);
    return probe->links().takes.front();
  }();
  const NodeId node = plan.topology.link_from(taken.link);
  const Port port = plan.topology.link_port(taken.link);
  tb::LockStep lock_step(plan.topology, *model, *rtl);
  lock_step.inject({.cycle = 5, .node = node, .port = port, .upset = {.flip = 1}});
  const std::vector<tb::Difference> found = lock_step.run(1000);
  REQUIRE(found.size() == 1);
  REQUIRE(found[0].cycle == 5);
  REQUIRE(found[0].node == node);
  REQUIRE(found[0].port == port);
  REQUIRE(found[0].expected.starts_with("packet " + std::to_string(taken.packet) + " flit "));
  REQUIRE(found[0].got.starts_with("packet " + std::to_string(taken.packet ^ 1U) + " flit "));

  const auto other = make_rtl_elastic_engine(plan, stalls_of(plan, "m,3,x+,4,1\n"));
  const auto fresh = make_systemc_elastic_engine(plan, {});
  tb::LockStep apart(plan.topology, *fresh, *other);
  REQUIRE_FALSE(apart.run(1000).empty());
  REQUIRE(apart.differences()[0].cycle == 4);
}

TEST_CASE("what no Verilated elastic router has room for is refused", "[elastic][rtl]") {
  Asked deep = asked()[0];
  deep.options["slots"] = std::string("65");
  const Plan plan = plan_of(deep);
  REQUIRE_THROWS_AS(make_rtl_elastic_engine(plan, {}), InfeasibleError);
  deep.options["slots"] = std::string("64");
  require_equal_engines(plan_of(deep), "random:5:200,90,220", Tiles::kVerilated);
}

TEST_CASE("elastic tiles behind pins do the same", "[elastic]") {
  for (const Asked& one : asked()) {
    const Plan plan = plan_of(one);
    for (const char* script : {"", "random:5:150,190,220:9"}) {
      require_equal_engines(plan, script, Tiles::kPins);
    }
  }
}

TEST_CASE("elastic tiles under many scripts", "[elastic]") {
  const Plan plan = plan_of(asked()[2]);
  for (int seed = 1; seed <= 200; ++seed) {
    require_equal_engines(plan,
                          "random:" + std::to_string(seed) + ":" + std::to_string(20 + seed) + "," +
                              std::to_string(256 - seed) + "," + std::to_string(56 + seed) + ":" +
                              std::to_string(seed % 30),
                          Tiles::kModels);
  }
}

TEST_CASE("a damaged flit travels on in time, and nothing is dropped", "[elastic]") {
  const Plan plan = plan_of(asked()[0]);
  const auto sound = make_systemc_elastic_engine(plan, {});
  const auto damaged = make_systemc_elastic_engine(plan, {});
  sound->clock(3);
  damaged->clock(3);
  const LinkId link = damaged->links().takes.front().link;
  const PacketId packet = damaged->links().takes.front().packet;
  REQUIRE(damaged->upset(link, {.flip = 1}));
  std::size_t wrong = 0;
  while (!sound->done()) {
    sound->clock(1);
    damaged->clock(1);
    const auto expected = sound->links().takes;
    const auto seen = damaged->links().takes;
    REQUIRE(seen.size() == expected.size());
    for (std::size_t i = 0; i < seen.size(); ++i) {
      REQUIRE(seen[i].link == expected[i].link);
      REQUIRE(seen[i].flit == expected[i].flit);
      if (seen[i].packet == expected[i].packet) continue;
      REQUIRE(seen[i].packet == (packet ^ 1U));
      ++wrong;
    }
  }
  REQUIRE(damaged->done());
  REQUIRE(wrong > 0);
}

}  // namespace
