// SPDX-License-Identifier: Apache-2.0
/// Elastic streams: clocked tiles, both models and Verilated routers, write the trace of the fast
/// engine, which has no clock. This holds for every stall script, and they stop for the same
/// reasons.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/systemc/elastic/tile.hpp"
#include "gossamer/systemc/elastic/tlm.hpp"
#include "gossamer/tb/lock_step.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/verify.hpp"

using namespace gossamer;

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
      // Duplicates: the packets of a node meet on its opposite.
      {"torus", {4, 4}, "two-packet", {{"flits", flits(2)}}},
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
      // Broadcasts: only the root has own packets, and flits go down trees.
      {"mesh", {4, 3}, "disjoint-trees", {{"flits", flits(5)}}, "broadcast"},
      {"torus",
       {3, 4},
       "disjoint-trees",
       {{"flits", flits(4)},
        {"slots", Text("1")},
        {"source", Text("1,2")},
        {"link-latency", Text("x=1,y=3")}},
       "broadcast"},
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

enum class Tiles { kModels, kPins, kVerilated, kTransactions };

void require_equal_engines(const Plan& plan, const std::string& script, Tiles tiles) {
  CAPTURE(plan.algorithm, plan.topology.dims_text(), script, static_cast<int>(tiles));
  const StallScript stalls = stalls_of(plan, script);
  const StallScript* told = script.empty() ? nullptr : &stalls;
  const Run fast = run(plan, *make_fast_engine(plan, {.stalls = stalls}), told);
  if (script.empty() && fast.report.complete == true) {
    const Verdict verdict = verify(plan);
    REQUIRE(verdict.ok());
    REQUIRE(verdict.cycles == fast.report.cycles);
  }
  const auto engine =
      tiles == Tiles::kTransactions ? make_engine("tlm", plan, {.stalls = stalls})
      : tiles == Tiles::kVerilated
          ? make_engine("rtl", plan, {.stalls = stalls})
          : make_engine("systemc", plan, {.pin_level = tiles == Tiles::kPins, .stalls = stalls});
  const Run model = run(plan, *engine, told);
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) REQUIRE_FALSE(engine->error(node));
  REQUIRE(model.trace == fast.trace);
  REQUIRE(model.report.problems == fast.report.problems);
  REQUIRE(model.report.complete == fast.report.complete);
  REQUIRE(model.report.cycles == fast.report.cycles);
  REQUIRE(model.report.standstill == fast.report.standstill);
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

TEST_CASE("elastic nodes that speak by transactions do the same, without a clock",
          "[elastic][tlm]") {
  for (const Asked& one : asked()) {
    const Plan plan = plan_of(one);
    for (const char* script : kScripts) require_equal_engines(plan, script, Tiles::kTransactions);
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
    const auto model = make_engine("systemc", plan, {.stalls = stalls});
    const auto rtl = make_engine("rtl", plan, {.stalls = stalls});
    tb::LockStep lock_step(plan.topology, *model, *rtl);
    REQUIRE(lock_step.run(100000).empty());
    REQUIRE(lock_step.done());
    REQUIRE(lock_step.cycles() > 1);
  }
}

TEST_CASE("lock step detects a fault in an elastic stream, and a stall script on one side only",
          "[elastic][rtl]") {
  const Plan plan = plan_of(asked()[0]);
  const auto model = make_engine("systemc", plan);
  const auto rtl = make_engine("rtl", plan);
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

  const auto other = make_engine("rtl", plan, {.stalls = stalls_of(plan, "m,3,x+,4,1\n")});
  const auto fresh = make_engine("systemc", plan);
  tb::LockStep apart(plan.topology, *fresh, *other);
  REQUIRE_FALSE(apart.run(1000).empty());
  REQUIRE(apart.differences()[0].cycle == 4);
}

TEST_CASE("plans too large for every Verilated elastic router are refused", "[elastic][rtl]") {
  Asked deep = asked()[0];
  deep.options["slots"] = std::string("65");
  const Plan plan = plan_of(deep);
  REQUIRE_THROWS_AS(make_engine("rtl", plan), InfeasibleError);
  deep.options["slots"] = std::string("64");
  require_equal_engines(plan_of(deep), "random:5:200,90,220", Tiles::kVerilated);
}

TEST_CASE("elastic tiles with pins behave the same", "[elastic]") {
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
  const auto sound = make_engine("systemc", plan);
  const auto damaged = make_engine("systemc", plan);
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

// --- a clock for each tile ----------------------------------------------------------------------

/// The rows of a trace without their cycles, link by link.
std::map<std::string, std::vector<std::string>> by_link(const std::string& trace) {
  std::map<std::string, std::vector<std::string>> rows;
  std::istringstream lines(trace);
  for (std::string line; std::getline(lines, line);) {
    const std::string row = line.substr(line.find(',') + 1);
    const std::size_t link = row.find(',', row.find(',') + 1);
    rows[row.substr(0, link)].push_back(row.substr(link));
  }
  return rows;
}

/// Chunks and queues that cause no stalls on links of four cycles.
Plan clocked_plan(Asked one, const std::string& chunk, const std::string& latency) {
  one.options["chunk"] = chunk;
  one.options["slots"] = std::string("5");
  one.options["link-latency"] = latency;
  return plan_of(one);
}

std::vector<Asked> clocked() {
  const auto flits = [](std::int64_t count) { return ParameterValue(count); };
  return {{"torus", {4, 4}, "hamiltonian", {{"flits", flits(8)}}},
          {"torus", {3, 5}, "hamiltonian", {{"flits", flits(8)}}},
          {"mesh", {4, 3}, "array", {{"flits", flits(4)}}},
          {"torus", {8, 6}, "zigzag", {{"packets", flits(1)}, {"flits", flits(4)}}},
          {"torus", {3, 4}, "hamiltonian", {{"flits", flits(8)}}, "reduce-scatter"},
          {"torus", {4, 4}, "hamiltonian", {{"flits", flits(8)}}, "all-reduce"}};
}

TEST_CASE("a crossing between equal clocks is a link of four cycles", "[elastic][clocks]") {
  const StallScript nobody;
  for (const Asked& one : clocked()) {
    for (const char* chunk : {"2", "4"}) {
      const Plan slow = clocked_plan(one, chunk, "4");
      const Run right = run(slow, *make_fast_engine(slow), &nobody);
      const Plan plan = clocked_plan(one, chunk, "1");
      for (const std::uint32_t period : {1U, 3U}) {
        CAPTURE(plan.topology.dims_text(), plan.collective, chunk, period);
        const std::vector<std::uint32_t> periods(plan.topology.nodes(), period);
        const Run model = run(plan, *make_engine("systemc", plan, {.periods = periods}), &nobody);
        REQUIRE(model.report.complete == true);
        REQUIRE(model.report.problems.empty());
        REQUIRE(model.report.cycles == period * (*right.report.cycles + 1) - 1);
        if (period == 1) REQUIRE(model.trace == right.trace);
      }
    }
  }
}

TEST_CASE("tiles with separate clocks keep order and sums", "[elastic][clocks][rtl]") {
  for (const Asked& one : clocked()) {
    const Plan plan = clocked_plan(one, "4", "1");
    const Plan slow = clocked_plan(one, "4", "5");
    const StallScript nobody;
    const Run fast = run(plan, *make_fast_engine(plan), &nobody);
    // A crossing takes at most five of the slowest tile's periods.
    const std::uint64_t most = *run(slow, *make_fast_engine(slow), &nobody).report.cycles + 1;
    for (std::uint32_t seed = 0; seed < 6; ++seed) {
      std::vector<std::uint32_t> periods;
      for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
        periods.push_back(7 + (node * node * (seed + 3) + seed) % (2 + seed));
      }
      const std::uint64_t slowest = *std::max_element(periods.begin(), periods.end());
      CAPTURE(plan.topology.dims_text(), plan.collective, seed);
      const auto engine = make_engine("systemc", plan, {.periods = periods});
      const Run model = run(plan, *engine, &nobody);
      for (NodeId node = 0; node < plan.topology.nodes(); ++node)
        REQUIRE_FALSE(engine->error(node));
      REQUIRE(model.report.complete == true);
      REQUIRE(model.report.problems.empty());
      REQUIRE(by_link(model.trace) == by_link(fast.trace));
      // The links with the most traffic also belong to the slowest tile.
      REQUIRE(*model.report.cycles + 1 >= 7 * (*fast.report.cycles + 1));
      REQUIRE(*model.report.cycles + 1 <= slowest * most);
      const auto verilated = make_engine("rtl", plan, {.periods = periods});
      REQUIRE(run(plan, *verilated, &nobody).trace == model.trace);

      const StallScript stalls = stalls_of(plan, "random:5:150,190,220:9");
      const Run stalled =
          run(plan, *make_engine("systemc", plan, {.stalls = stalls, .periods = periods}), &stalls);
      REQUIRE(stalled.report.complete == true);
      REQUIRE(by_link(stalled.trace) == by_link(fast.trace));
    }
  }
}

TEST_CASE("waves of tiles with separate clocks show every clock", "[elastic][clocks]") {
  const Plan plan = clocked_plan(clocked()[0], "4", "1");
  std::vector<std::uint32_t> periods;
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) periods.push_back(2 + node % 3);
  const StallScript nobody;
  const std::string name = "elastic_clocks.vcd";
  const Run traced =
      run(plan, *make_engine("systemc", plan, {.wave = name, .periods = periods}), &nobody);
  REQUIRE(traced.trace ==
          run(plan, *make_engine("systemc", plan, {.periods = periods}), &nobody).trace);
  // By node the sign of its clock, and by sign how often it changes.
  std::string scope;
  std::map<std::string, std::string> signs;
  std::map<std::string, std::uint64_t> changes;
  std::ifstream waves(name);
  for (std::string line; std::getline(waves, line);) {
    std::istringstream words(line);
    std::string kind;
    std::string type;
    std::string bits;
    std::string sign;
    std::string wire;
    words >> kind >> type >> bits >> sign >> wire;
    // The names' parts before dots are scopes.
    if (kind == "$scope") scope = bits;
    if (kind == "$var" && wire == "clk") {
      signs[scope] = sign;
    } else if (!line.empty() && (line[0] == '0' || line[0] == '1')) {
      ++changes[line.substr(1)];
    }
  }
  REQUIRE(signs.size() == plan.topology.nodes());
  const std::uint64_t cycles = *traced.report.cycles;
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
    const std::uint64_t seen = changes[signs["node_" + std::to_string(node)]];
    CAPTURE(node, periods[node], seen, cycles);
    // Twice a period, and at the beginning; the run sees some cycles later that nothing moves.
    REQUIRE(seen + 4 >= 2 * cycles / periods[node]);
    REQUIRE(seen <= 2 * (cycles + 40) / periods[node] + 4);
  }
  std::remove(name.c_str());
}

TEST_CASE("a tile that stops is named, with a different clock per tile", "[elastic][clocks]") {
  const Plan plan = clocked_plan(clocked()[0], "4", "1");
  const StallScript stalls = stalls_of(plan, "m,5,x+,20,-\n");
  std::vector<std::uint32_t> periods;
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) periods.push_back(2 + node % 3);
  const auto engine = make_engine("systemc", plan, {.stalls = stalls, .periods = periods});
  const Run stopped = run(plan, *engine, &stalls);
  REQUIRE(stopped.report.complete == false);
  REQUIRE(stopped.report.standstill == "waiting");
  REQUIRE(std::any_of(stopped.report.problems.begin(), stopped.report.problems.end(),
                      [](const std::string& problem) {
                        return problem.find(": for node 5 to accept from x+") != std::string::npos;
                      }));
  REQUIRE_THROWS_AS(make_engine("systemc", plan, {.periods = {1, 2}}), std::invalid_argument);
}

}  // namespace
