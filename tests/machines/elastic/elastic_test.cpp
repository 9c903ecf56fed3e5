// SPDX-License-Identifier: Apache-2.0
/// Elastic plans: the figures of docs/algorithms/elastic.md; formulas, proofs and runs agree; the
/// theorems as comparisons of two runs; and wrong plans.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "elastic_case.hpp"
#include "gossamer/bounds/elastic.hpp"
#include "gossamer/collectives/all_gather/elastic.hpp"
#include "gossamer/machines/elastic/program.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/topology/faults.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"
#include "gossamer/util/words.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {
namespace {

const Case k4x4{.sides = {4, 4}, .algorithm = "hamiltonian"};
Case with(Case asked, std::uint32_t chunk, std::uint32_t rounds, std::uint32_t slots,
          std::string latency = "1") {
  asked.chunk = chunk;
  asked.rounds = rounds;
  asked.slots = slots;
  asked.latency = std::move(latency);
  return asked;
}
const Case k3x3{.sides = {3, 3}, .algorithm = "hamiltonian"};
const Case k8x8{.sides = {8, 8}, .algorithm = "hamiltonian"};
const Case kCube{.sides = {3, 3, 3}, .algorithm = "hamiltonian"};
const Case k4x5{.sides = {4, 5}, .algorithm = "hamiltonian"};
const Case kMesh{.kind = "mesh", .sides = {4, 4}, .algorithm = "array"};
const Case kZigzag{.sides = {8, 6}, .algorithm = "zigzag", .packets = 1};

TEST_CASE("elastic runs take the cycles of the documentation", "[elastic]") {
  struct Expected {
    Case asked;
    std::string script;
    std::uint64_t cycles;
    std::uint64_t sum;
  };
  const std::string wraps3 = "wrap-x=3,wrap-y=3";
  for (const auto& [asked, script, cycles, sum] : std::vector<Expected>{
           {with(k4x4, 1, 1, 2), "", 8, 2048},
           {with(k4x4, 1, 4, 2), "", 32, 29888},
           {with(k4x4, 2, 2, 3), "", 33, 31808},
           {with(k4x4, 4, 1, 5), "", 35, 35648},
           {with(k4x4, 1, 4, 2, "2"), "", 61, 56896},
           {with(k4x4, 2, 2, 2, "2"), "", 33, 31808},
           {with(k4x4, 1, 1, 2, wraps3), "", 12, 3072},
           {with(k4x4, 1, 4, 2, wraps3), "", 48, 43392},
           {with(k4x4, 2, 2, 3, wraps3), "", 34, 32288},
           {with(k8x8, 1, 4, 2, "wrap-x=7,wrap-y=7"), "", 224, 0},
           {with(k8x8, 2, 2, 0, "wrap-x=7,wrap-y=7"), "", 138, 0},
           {with(k3x3, 1, 4, 2), "", 16, 4896},
           {with(kCube, 1, 2, 2), "", 26, 56862},
           {with(kMesh, 1, 4, 2), "", 32, 14944},
           {with(kZigzag, 1, 1, 2), "", 14, 20160},
           {with(k4x4, 1, 4, 2), "random:1:192,192,192", 89, 76965},
           {with(k4x4, 1, 4, 2), "random:2:192,192,192", 86, 75757},
           {with(k4x4, 1, 4, 2), "random:3:192,192,192", 94, 77459},
           {with(k4x4, 2, 2, 4), "random:1:128,160,200:20", 106, 103844},
           {with(k4x4, 2, 2, 4), "random:2:128,160,200:20", 103, 102446},
           {with(k3x3, 1, 4, 2), "random:1:192,192,192", 46, 12167},
           {with(kCube, 1, 2, 2), "random:1:192,192,192", 78, 145527},
           {with(kMesh, 1, 4, 2), "random:1:192,192,192", 79, 35798},
           {with(k4x5, 2, 2, 2, "2"), "random:1:192,192,192", 92, 130758},
           {with(k4x4, 1, 1, 2), "s,0,-,0,1000", 1008, 254048},
           {with(k4x4, 1, 4, 2), "s,0,-,0,1000", 1032, 1717888},
       }) {
    CAPTURE(asked.kind, asked.sides, asked.chunk, asked.rounds, asked.slots, asked.latency, script);
    const Plan plan = plan_of(asked);
    const Outcome outcome = run(plan, script);
    CHECK(outcome.report.problems == std::vector<std::string>{});
    CHECK(outcome.report.complete == true);
    CHECK(outcome.cycles() == cycles);
    if (sum != 0) CHECK(outcome.sum() == sum);
    CHECK(outcome.report.link_transfers == outcome.rows.size());
    // The proof knows no scripts.
    const Verdict verdict = verify(plan);
    CHECK(verdict.problems == std::vector<std::string>{});
    CHECK(verdict.complete);
    if (script.empty()) CHECK(verdict.cycles == cycles);
    CHECK(verdict.link_transfers == outcome.report.link_transfers);
    CHECK(verdict.duplicates == outcome.report.duplicates);
  }
}

TEST_CASE("elastic: short queues and stalling elements", "[elastic]") {
  // 96 flits: the mean of five seeds, in fifths.
  const auto fifths = [](std::uint32_t chunk, std::uint32_t slots) {
    const Plan plan = plan_of(with(k4x4, chunk, 96 / chunk, slots));
    CHECK(run(plan).cycles() == 768 + chunk - 1);
    std::uint64_t sum = 0;
    for (int seed = 1; seed <= 5; ++seed) {
      sum += run(plan, "random:" + std::to_string(seed) + ":256,192,256").cycles();
    }
    return sum;
  };
  CHECK(fifths(1, 2) == 8253);
  CHECK(fifths(2, 4) == 6282);
  CHECK(fifths(4, 8) == 5636);
}

TEST_CASE("elastic: a ring with as many flits as slots is refused and named", "[elastic]") {
  const Plan plan = plan_of(with(k4x4, 2, 2, 2));
  const Outcome outcome = run(plan);
  CHECK(outcome.rows.empty());
  CHECK(outcome.report.complete == false);
  CHECK(outcome.report.standstill == "deadlock");
  CHECK(has_problem(outcome.report.problems, "32 flits in 32 slots"));
  const Verdict verdict = verify(plan);
  CHECK_FALSE(verdict.complete);
  CHECK(has_problem(verdict.problems, "32 flits in 32 slots"));
  CHECK(has_problem(verify(plan_of(with(k8x8, 1, 1, 1))).problems, "64 flits in 64 slots"));
}

TEST_CASE("elastic: an element that never starts is named", "[elastic]") {
  const Outcome outcome = run(plan_of(with(k4x4, 1, 1, 2)), "s,0,-,0,-\nm,0,-,0,-\n");
  CHECK(outcome.rows.size() == 228);
  CHECK(outcome.cycles() == 8);
  CHECK(outcome.report.standstill == "waiting");
  CHECK(has_problem(outcome.report.problems, "node 0 to offer to x-"));
  CHECK(has_problem(outcome.report.problems, "node 0 to accept from x-"));
  CHECK_FALSE(has_problem(outcome.report.problems, "node 1"));
}

/// Ranks along a ring by the lowest port of node 0, for formulas that need them.
std::vector<LinkId> ring_of(const Plan& plan, Port port) {
  const auto& program = plan.program.as<ElasticProgram>();
  std::vector<LinkId> against;
  LinkId link = plan.topology.link(0, port);
  do {
    against.push_back(link);
    const NodeId node = plan.topology.link_from(link);
    link =
        plan.topology.link_into(node, program.at(node, plan.topology.link_port(link)).feed.front());
  } while (link != against.front());
  return against;
}

TEST_CASE("elastic: the formula gives the last take of the run on every link", "[elastic]") {
  Random random(7);
  for (int trial = 0; trial < 60; ++trial) {
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random.below(n)); };
    Case asked = trial % 3 == 0 ? k3x3 : trial % 3 == 1 ? k4x4 : k4x5;
    asked.chunk = 1 + below(4);
    asked.rounds = 1 + below(5);
    asked.latency = "x=" + std::to_string(1 + below(4)) +
                    ",wrap-x=" + std::to_string(1 + below(9)) +
                    ",y=" + std::to_string(1 + below(3));
    if (trial % 2 == 0) asked.slots = 4096;
    const Plan plan = plan_of(asked);
    // Apart by as many cycles as the queues allow, or by none.
    std::string script;
    std::vector<std::uint64_t> starts(plan.topology.nodes(), 0);
    if (asked.slots != 0) {
      for (NodeId node = 0; node < starts.size(); ++node) {
        starts[node] = below(60);
        script += "s," + std::to_string(node) + ",-,0," + std::to_string(starts[node]) + "\n";
      }
    }
    CAPTURE(asked.sides, asked.chunk, asked.rounds, asked.latency, script);
    const Outcome outcome = run(plan, script);
    std::map<std::uint64_t, std::uint64_t> last;
    for (const Row& row : outcome.rows) last[row.link] = row.cycle;
    const auto latencies = plan.program.as<ElasticProgram>().elastic.latency.by_link(plan.topology);
    std::uint64_t cycles = 0;
    for (Port port = 0; port < plan.topology.ports(); ++port) {
      std::vector<LinkId> along = ring_of(plan, port);
      std::reverse(along.begin(), along.end());
      std::vector<std::uint32_t> latency;
      std::vector<std::uint64_t> start;
      for (const LinkId link : along) {
        latency.push_back(latencies[link]);
        start.push_back(starts[plan.topology.link_from(link)]);
      }
      const auto& entry = plan.program.as<ElasticProgram>().at(0, port);
      const bounds::ElasticRing ring{entry.carries, asked.rounds, asked.chunk};
      for (std::size_t rank = 0; rank < along.size(); ++rank) {
        const std::size_t into = (rank + along.size() - 1) % along.size();
        CHECK(bounds::elastic_last_flit(latency, start, rank, ring) == last[along[into]]);
        cycles = std::max(cycles, last[along[into]]);
      }
      if (script.empty()) CHECK(bounds::elastic_cycles(latency, ring) <= cycles);
    }
    CHECK(outcome.cycles() == cycles);
    CHECK(outcome.report.problems.empty());
    if (script.empty()) CHECK(plan.expected.analytic_cycles == cycles);
  }
}

TEST_CASE("elastic: equal latencies in closed form, best at chunk = latency", "[elastic]") {
  for (const std::uint64_t carries : {1U, 2U, 7U, 8U}) {
    for (const std::uint64_t latency : {1U, 2U, 3U, 6U}) {
      for (const std::uint64_t chunk : {1U, 2U, 3U, 6U, 12U}) {
        const bounds::ElasticRing ring{carries, 12 / chunk, chunk};
        const std::vector<std::uint32_t> links(16, static_cast<std::uint32_t>(latency));
        const std::uint64_t cycles = bounds::elastic_cycles(latency, ring);
        CHECK(bounds::elastic_cycles(links, ring) == cycles);
        CHECK(cycles >= 12 * carries + latency - 1);
        if (chunk == latency) CHECK(cycles == 12 * carries + latency - 1);
      }
    }
  }
  CHECK(bounds::elastic_chunk(32, 16, 12) == 2);
  CHECK(bounds::elastic_chunk(33, 16, 12) == 3);
  CHECK(bounds::elastic_chunk(72, 16, 12) == 6);
  CHECK(bounds::elastic_chunk(1, 16, 12) == 1);
  CHECK(bounds::elastic_chunk(160, 8, 12) == 12);
  // One link of 17 cycles on a ring of 16: the mean is 2, and a chunk of 2 loses nothing.
  std::vector<std::uint32_t> one_long(16, 1);
  one_long[3] = 17;
  CHECK(bounds::elastic_period(one_long, {8, 1000, 2}) == 16);
  CHECK(bounds::elastic_period(one_long, {8, 1000, 1}) == 15);
}

TEST_CASE("elastic: the period is the mean over rounds of a long run", "[elastic]") {
  for (const std::uint32_t chunk : {1U, 2U, 4U}) {
    std::string table;
    // 4x4: one pair of links of 17 cycles.
    for (int node = 0; node < 16; ++node) {
      table += node == 5 ? "1 17 1 1\n" : node == 6 ? "17 1 1 1\n" : "1 1 1 1\n";
    }
    const std::string name = "elastic_latency_" + std::to_string(chunk) + ".txt";
    {
      std::ofstream file(name);
      file << table;
    }
    const auto cycles = [&](std::uint32_t rounds) {
      return run(plan_of(with(k4x4, chunk, rounds, chunk + 1, name))).cycles();
    };
    const Plan plan = plan_of(with(k4x4, chunk, 1, 0, name));
    double period = 0;
    for (Port port = 0; port < 4; ++port) {
      std::vector<std::uint32_t> latencies;
      const auto by_link = plan.program.as<ElasticProgram>().elastic.latency.by_link(plan.topology);
      for (const LinkId link : ring_of(plan, port)) latencies.push_back(by_link[link]);
      const auto& entry = plan.program.as<ElasticProgram>().at(0, port);
      period = std::max(period, bounds::elastic_period(latencies, {entry.carries, 1, chunk}));
    }
    CHECK(static_cast<double>(cycles(48) - cycles(32)) == 16 * period);
    std::remove(name.c_str());
  }
}

TEST_CASE("elastic: offering a round as soon as the last one has come", "[elastic]") {
  // R (L + 1) G - 1: the element's wait costs a chunk a round.
  const auto waiting = [](const Case& asked) {
    const Plan plan = plan_of(asked);
    const std::uint64_t rounds = asked.rounds;
    // A round's own flits wait for the node's last arrival of the round before: found by running
    // the rounds one after the other, each with the gates that the one before it gives.
    std::string script;
    std::vector<std::uint64_t> offered(plan.topology.nodes(), 0);
    Outcome outcome = run(plan);
    for (std::uint64_t round = 1; round < rounds; ++round) {
      const auto ports = static_cast<std::uint64_t>(plan.topology.ports());
      std::map<NodeId, std::uint64_t> last_arrival;
      for (const Row& row : outcome.rows) {
        if (row.flit / asked.chunk != round - 1) continue;
        last_arrival[plan.topology.neighbor(static_cast<NodeId>(row.link / ports),
                                            static_cast<Port>(row.link % ports))] = row.cycle;
      }
      for (const auto& [node, cycle] : last_arrival) {
        const std::uint64_t from = offered[node] + asked.chunk;
        offered[node] = cycle + 1;
        script += "s," + std::to_string(node) + ",-," + std::to_string(from) + "," +
                  std::to_string(cycle + 1 - from) + "\n";
      }
      outcome = run(plan, script);
    }
    CHECK(outcome.report.problems.empty());
    return outcome;
  };
  const Outcome four = waiting(with(k4x4, 1, 4, 2));
  CHECK(four.cycles() == 35);
  CHECK(four.sum() == 34112);
  CHECK(waiting(with(k4x4, 2, 4, 3)).cycles() == 71);
  CHECK(waiting(with(k3x3, 1, 4, 2)).cycles() == 19);
}

TEST_CASE("elastic: with one flit, one round and one cycle per link, the run equals the rigid one",
          "[elastic]") {
  for (const Sides& sides : std::vector<Sides>{{3, 3}, {4, 4}, {4, 5}, {5, 3}, {3, 3, 3}}) {
    Case asked = k4x4;
    asked.sides = sides;
    const Plan plan = plan_of(asked);
    const Plan rigid = make_plan({Topology::torus(sides), "gossip", "hamiltonian", {}, {}});
    std::stringstream trace;
    RunOptions options;
    options.trace = &trace;
    CHECK(run_plan(rigid, *make_fast_engine(rigid), options).problems.empty());
    const auto& program = plan.program.as<ElasticProgram>();
    const std::uint64_t steps = *rigid.expected.analytic_steps;
    std::string expected;
    std::string line;
    std::getline(trace, line);
    while (std::getline(trace, line)) {
      std::string numbers = line;
      std::replace(numbers.begin(), numbers.end(), ',', ' ');
      std::istringstream columns(numbers);
      std::uint64_t step = 0;
      std::uint64_t hop = 0;
      std::uint64_t from = 0;
      std::uint64_t port = 0;
      std::uint64_t packet = 0;
      columns >> step >> hop >> from >> port >> packet;
      const auto& entry = program.at(static_cast<NodeId>(from), static_cast<Port>(port));
      // Backward rings leave out the last step when the nodes are an even number.
      if (step == steps && entry.carries < steps) continue;
      expected += std::to_string(step) + "," + std::to_string(from) + "," + std::to_string(port) +
                  "," + std::to_string(packet) + ",0\n";
    }
    std::string rows;
    for (const Row& row : run(plan).rows) {
      const std::uint64_t ports = 2 * sides.size();
      rows += std::to_string(row.cycle) + "," + std::to_string(row.link / ports) + "," +
              std::to_string(row.link % ports) + "," + std::to_string(row.packet) + ",0\n";
    }
    CHECK(rows == expected);
  }
}

TEST_CASE("elastic: the contents of links do not depend on time", "[elastic]") {
  for (const Case& asked : {with(k4x4, 2, 2, 4), with(k3x3, 1, 4, 2, "x=2"), with(kMesh, 1, 4, 2),
                            kZigzag, with(k4x5, 3, 2, 4, "wrap-y=5")}) {
    const Plan plan = plan_of(asked);
    const auto order = run(plan).order();
    for (int seed = 1; seed <= 200; ++seed) {
      const std::string script = "random:" + std::to_string(seed) + ":" +
                                 std::to_string(30 + seed % 220) + "," +
                                 std::to_string(256 - seed % 200) + "," +
                                 std::to_string(100 + seed % 150) + ":" + std::to_string(seed % 40);
      const Outcome outcome = run(plan, script);
      CAPTURE(script, outcome.report.problems);
      CHECK(outcome.report.problems.empty());
      CHECK(outcome.order() == order);
    }
  }
}

TEST_CASE("elastic: more open gates, more slots and shorter links never cost a cycle",
          "[elastic]") {
  for (int seed = 1; seed <= 20; ++seed) {
    const std::string name = "random:" + std::to_string(seed) + ":";
    std::uint64_t before = kNever;
    for (const int rate : {60, 100, 150, 200, 256}) {
      const std::string rates = std::to_string(rate) + "," + std::to_string(rate) + ",200";
      const std::uint64_t cycles = run(plan_of(with(k4x4, 2, 2, 4)), name + rates).cycles();
      CHECK(cycles <= before);
      before = cycles;
    }
    before = kNever;
    for (const std::uint32_t slots : {2U, 3U, 4U, 6U, 9U}) {
      const std::uint64_t cycles =
          run(plan_of(with(k4x4, 1, 4, slots)), name + "200,180,220").cycles();
      CHECK(cycles <= before);
      before = cycles;
    }
    before = kNever;
    for (const char* latency : {"5", "4", "3", "x=3,y=2", "2", "1"}) {
      const std::uint64_t cycles =
          run(plan_of(with(k4x4, 2, 2, 9, latency)), name + "200,180,256").cycles();
      CHECK(cycles <= before);
      before = cycles;
    }
  }
}

TEST_CASE("elastic: a stall of s cycles delays nothing by more than s", "[elastic]") {
  const Plan plan = plan_of(with(k4x4, 1, 3, 2));
  const Outcome free = run(plan);
  for (const std::uint64_t stall : {1U, 5U, 10U}) {
    for (NodeId node = 0; node < 16; ++node) {
      for (const char* gate : {"m", "v"}) {
        for (const std::uint64_t at : {1U, 7U, 13U}) {
          const Outcome late = run(plan, std::string(gate) + "," + std::to_string(node) + ",-," +
                                             std::to_string(at) + "," + std::to_string(stall));
          REQUIRE(late.rows.size() == free.rows.size());
          CHECK(late.cycles() == free.cycles() + stall);
          const auto by_link = [](const Outcome& outcome) {
            std::map<std::uint64_t, std::vector<std::uint64_t>> cycles;
            for (const Row& row : outcome.rows) cycles[row.link].push_back(row.cycle);
            return cycles;
          };
          const auto early_cycles = by_link(free);
          for (const auto& [link, cycles] : by_link(late)) {
            const std::vector<std::uint64_t>& before = early_cycles.at(link);
            for (std::size_t i = 0; i < cycles.size(); ++i) {
              REQUIRE(cycles[i] >= before[i]);
              REQUIRE(cycles[i] <= before[i] + stall);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("elastic: other wirings than rings run in the planned steps", "[elastic]") {
  struct Wiring {
    Sides sides;
    const char* algorithm;
    std::uint64_t steps;
  };
  for (const auto& [sides, algorithm, steps] :
       {Wiring{{14, 10}, "strands", 39}, Wiring{{3, 9}, "rows", 8}, Wiring{{5, 5}, "tables", 7},
        Wiring{{8, 6}, "zigzag", 14}}) {
    Case asked{.sides = sides, .algorithm = algorithm, .slots = 2, .packets = 1};
    CAPTURE(sides, algorithm);
    const Plan plan = plan_of(asked);
    CHECK(plan.expected.analytic_cycles == steps);
    CHECK(run(plan).cycles() == steps);
    // Proof (a sweep) and run, where no formula is at hand.
    for (const Case& other : {with(asked, 1, 3, 2), with(asked, 2, 2, 3, "x=2,y=1,wrap-y=4"),
                              with(asked, 3, 1, 0, "2")}) {
      const Plan planned = plan_of(other);
      const Verdict verdict = verify(planned);
      const Outcome outcome = run(planned);
      CHECK(verdict.problems.empty());
      CHECK(outcome.report.problems.empty());
      CHECK(verdict.cycles == outcome.cycles());
      CHECK(verdict.duplicates == outcome.report.duplicates);
    }
  }
}

TEST_CASE("elastic: with short queues the proof's sweep gives the cycles of the run", "[elastic]") {
  for (const Case& asked :
       {with(k4x4, 2, 3, 3, "x=2,wrap-y=9"), with(k4x4, 4, 2, 4, "2"), with(k4x5, 3, 3, 2, "2"),
        with(k3x3, 5, 2, 4, "2"), with(k4x4, 1, 4, 1, "2"), with(k4x5, 2, 3, 1, "3"),
        with(kCube, 3, 2, 2, "x=3,y=2,z=2")}) {
    const Plan plan = plan_of(asked);
    CAPTURE(asked.sides, asked.chunk, asked.latency);
    const Verdict verdict = verify(plan);
    CHECK(verdict.problems.empty());
    CHECK(verdict.cycles == run(plan).cycles());
  }
}

TEST_CASE("elastic plans are of the machines that their algorithms name", "[elastic]") {
  std::size_t planned = 0;
  for (const Algorithm& algorithm : algorithms()) {
    const bool elastic = algorithm.collective == "gossip" && has_word(algorithm.options, "elastic");
    // Searches.
    if (!elastic || algorithm.name == "tables" || algorithm.name == "auto") continue;
    for (const Sides& sides : {Sides{2, 2}, Sides{2, 4}, Sides{4, 2}, Sides{2, 5}, Sides{3, 3},
                               Sides{3, 4}, Sides{4, 4}, Sides{4, 6}, Sides{5, 5}, Sides{5}}) {
      for (const char* kind : {"torus", "mesh"}) {
        CAPTURE(algorithm.name, sides, kind);
        try {
          const Plan plan =
              plan_of({.kind = kind, .sides = sides, .algorithm = std::string(algorithm.name)});
          if (plan.algorithm != algorithm.name) continue;
          CHECK(plan.machine().name() == "elastic");
          CHECK(has_word(algorithm.machines, "elastic"));
          ++planned;
        } catch (const InputError&) {
        } catch (const InfeasibleError&) {
        }
      }
    }
  }
  CHECK(planned > 30);
  // The plan of `auto` has the name of the chosen algorithm.
  const Topology line = with_named_faults(Topology::torus(Sides{6}), "link:1:x+");
  const Plan plan = make_plan({line, "gossip", "auto", {{"elastic", true}}, {}});
  CHECK(plan.algorithm == "degraded");
  CHECK(plan.machine().name() == "elastic");
}

TEST_CASE("elastic: one direction each and two nodes a side", "[elastic]") {
  // k = 2d packets, each in one direction: P - 1 chunks per link.
  Case one_way = k4x4;
  one_way.packets = 4;
  CHECK(run(plan_of(one_way)).cycles() == 15);
  for (const Sides& sides : std::vector<Sides>{{2, 2}, {2, 4}, {5}, {2}}) {
    for (const std::uint32_t chunk : {1U, 3U}) {
      Case asked{.sides = sides, .algorithm = "hamiltonian", .chunk = chunk, .rounds = 2};
      CAPTURE(sides, chunk);
      const Plan plan = plan_of(asked);
      const Outcome outcome = run(plan);
      CHECK(outcome.report.problems.empty());
      CHECK(outcome.report.duplicates == 0);
      const Verdict verdict = verify(plan);
      CHECK(verdict.problems.empty());
      CHECK(verdict.cycles == outcome.cycles());
    }
  }
}

std::string text_of(const Plan& plan) {
  std::ostringstream out;
  write_plan(plan, out, PlanEncoding::kJson);
  return out.str();
}

Plan read_text(const std::string& text) {
  std::istringstream in(text);
  return read_plan(in, "plan");
}

TEST_CASE("elastic plans are read as they were written", "[elastic]") {
  const std::string name = "elastic_latency.txt";
  {
    std::ofstream file(name);
    file << "1,2,3,1\n2 1 1 1\n\n";
    for (int node = 2; node < 16; ++node) file << "1,1,2,2\n";
  }
  for (const std::string& latency :
       {std::string("3"), std::string("x=2,wrap-y=4"), std::string("folded-layout"), name}) {
    const Plan plan = plan_of(with(k4x4, 2, 3, 0, latency));
    const std::string text = text_of(plan);
    CHECK(read_text(text) == plan);
    CHECK(text_of(read_text(text)) == text);
    std::ostringstream cbor;
    write_plan(plan, cbor, PlanEncoding::kCbor);
    CHECK(read_text(cbor.str()) == plan);
  }
  std::remove(name.c_str());
  const Plan mesh = plan_of(with(kMesh, 1, 2, 0, "2"));
  CHECK(read_text(text_of(mesh)) == mesh);
}

/// The plan's text with one piece of it replaced.
std::string mutant(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.substr(0, at) + to + text.substr(at + from.size());
}

TEST_CASE("elastic plans that are wrong are refused", "[elastic]") {
  const std::string text = text_of(plan_of(with(k4x4, 2, 2, 3, "x=2,y=1")));
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"\"chunk\": 2", "\"chunk\": 0"},
           {"\"chunk\": 2", "\"chunk\": 2, \"colour\": 1"},
           {"\"rounds\": 2", "\"rounds\": 0"},
           {"\"rounds\": 2", "\"rounds\": 3"},
           {"\"slots\": 3", "\"slots\": 0"},
           {"\"link_latency\"", "\"latency\""},
           {"\"dimension\"", "\"uniform\""},
           {"\"wrap\"", "\"wraps\""},
           {"\"carries\": 8", "\"carries\": 0"},
       }) {
    CAPTURE(from, to);
    CHECK_THROWS_AS(read_text(mutant(text, from, to)), InputError);
  }
  // A rigid plan has nothing to carry, an elastic one neither frames nor several feeds.
  const std::string rigid =
      text_of(make_plan({Topology::torus(Sides{4, 4}), "gossip", "hamiltonian", {}, {}}));
  CHECK_THROWS_AS(read_text(mutant(rigid, "\"preload\": []", "\"preload\": [], \"carries\": 3")),
                  InputError);
  CHECK_THROWS_WITH(read_text(mutant(text, R"("y+")", R"("y+", "x-")")),
                    Catch::Contains("at most one feed"));
  // Keys of version 0.2: the order in which streams merge, and an elastic schedule.
  CHECK_THROWS_WITH(read_text(mutant(text, "\"preload\": [0]", "\"preload\": [0], \"order\": [1]")),
                    "plan: program: ports[1]: unknown key \"order\"");
  const std::string schedule =
      text_of(make_plan({Topology::torus(Sides{4, 4}), "gossip", "scheduled", {}, {}}));
  const std::string elastic =
      R"("elastic": {"chunk": 1, "rounds": 1, "slots": 2, "link_latency": {"uniform": 1}}, "slots")";
  CHECK_THROWS_WITH(read_text(mutant(schedule, "\"slots\"", elastic)),
                    "plan: program: unknown key \"elastic\"");
}

TEST_CASE("elastic links need their opposite link, which carries ready", "[elastic]") {
  const auto is_refused = [](const Plan& plan) {
    CHECK_THROWS_WITH(read_text(text_of(plan)), Catch::Contains("with the ready wire"));
  };
  // In one direction: every link is needed, and its opposite link carries no flits.
  const Topology torus = Topology::torus(Sides{3, 2});
  Plan ring = make_plan({torus, "gossip", "ring", {{"elastic", true}}, {}});
  const auto& program = ring.program.as<ElasticProgram>();
  int links = 0;
  for (LinkId link = 0; link < torus.link_slots(); ++link) {
    if (program.at(torus.link_from(link), torus.link_port(link)).carries == 0) continue;
    ring.topology = torus.with_faults({{}, {}, {reverse_arc(torus, link)}});
    is_refused(ring);
    ++links;
  }
  CHECK(links == 6);
  // Plans avoid both directions of a link that is dead in one.
  const Topology damaged = Topology::torus(Sides{4, 4}).with_faults({{}, {}, {0}});
  const Plan round = make_plan({damaged, "gossip", "auto", {{"elastic", true}}, {}});
  CHECK(read_text(text_of(round)) == round);
}

TEST_CASE("elastic: every wrong table entry is refused or harmless", "[elastic]") {
  // The proof and the run agree on whether a plan with one changed entry still works.
  for (const Case& asked : {with(k3x3, 1, 2, 2), with(kMesh, 1, 1, 2)}) {
    const Plan plan = plan_of(asked);
    const auto& program = plan.program.as<ElasticProgram>();
    int refused = 0;
    for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
      for (Port port = 0; port < plan.topology.ports(); ++port) {
        if (plan.topology.neighbor(node, port) == kNoNode) continue;
        const ElasticPort entry = program.at(node, port);
        std::vector<ElasticPort> changed;
        if (entry.carries == 0) continue;
        for (const std::uint32_t carries : {1U, entry.carries - 1, entry.carries + 1}) {
          ElasticPort other = entry;
          other.carries = carries;
          if (carries != 0) changed.push_back(other);
        }
        for (Port feed = 0; feed < plan.topology.ports(); ++feed) {
          ElasticPort other = entry;
          other.feed = PortSet::of(feed);
          changed.push_back(other);
        }
        changed.emplace_back();
        for (const ElasticPort& other : changed) {
          if (other == entry || other.carries < other.preload.size()) continue;
          Plan wrong = plan;
          auto& table = wrong.program.edit<ElasticProgram>();
          table.set(node, port, other);
          CAPTURE(node, int{port}, other.carries, other.feed.bits());
          const Outcome outcome = run(wrong);
          const Verdict verdict = verify(wrong);
          const bool works = outcome.report.problems.empty();
          // The proof must refuse superfluous arrivals; a run only has more of them.
          if (!works) CHECK_FALSE(verdict.ok());
          if (verdict.ok()) CHECK(works);
          refused += verdict.ok() ? 0 : 1;
        }
      }
    }
    CHECK(refused > 0);
  }
}

TEST_CASE("elastic requests that cannot be served", "[elastic]") {
  const auto ask = [](std::map<std::string, ParameterValue> parameters,
                      const std::string& algorithm = "hamiltonian", const Sides& sides = {4, 4},
                      const std::string& kind = "torus") {
    return make_plan({Topology::make(kind, sides), "gossip", algorithm, std::move(parameters), {}});
  };
  using Text = std::string;
  CHECK_THROWS_AS(ask({{"flits", std::int64_t{4}}}), InputError);
  CHECK_THROWS_AS(ask({{"elastic", true}, {"chunk", Text("none")}}), InputError);
  CHECK_THROWS_AS(ask({{"elastic", true}, {"slots", Text("0")}}), InputError);
  for (const char* latency :
       {"0", "x=0", "q=1", "x", "x=1,x=2", "wrap-=1", "no-such-file", "70000"}) {
    CHECK_THROWS_AS(ask({{"elastic", true}, {"link-latency", Text(latency)}}), InputError);
  }
  CHECK_THROWS_AS(
      ask({{"elastic", true}, {"link-latency", Text("wrap-x=2")}}, "array", {4, 4}, "mesh"),
      InputError);
  CHECK_THROWS_AS(ask({{"elastic", true}, {"flits", std::int64_t{4}}, {"chunk", Text("3")}}),
                  InfeasibleError);
  CHECK_THROWS_AS(ask({{"elastic", true}, {"packets", std::int64_t{8}}}), InfeasibleError);
  // Routers that merge streams, switch them or count steps.
  struct Refused {
    const char* algorithm;
    const char* kind;
    Sides sides;
    const char* instead;
  };
  for (const auto& [algorithm, kind, sides, instead] :
       {Refused{"scheduled", "torus", {4, 4}, "--algorithm hamiltonian"},
        Refused{"scheduled", "mesh", {4, 3}, "--algorithm array"},
        Refused{"scheduled", "mesh", {5, 3}, "a mesh with an even number of nodes"},
        Refused{"folded", "mesh", {4, 4}, "--algorithm array"},
        Refused{"two-packet", "torus", {4, 5}, "--algorithm hamiltonian"},
        Refused{"one-packet", "torus", {4, 4}, "--algorithm hamiltonian"},
        Refused{"array", "mesh", {5, 3}, "a mesh with an even number of nodes"}}) {
    CAPTURE(algorithm, kind);
    try {
      (void)ask({{"elastic", true}, {"flits", std::int64_t{2}}}, algorithm, sides, kind);
      FAIL("planned");
    } catch (const InfeasibleError& error) {
      CHECK_THAT(error.what(), Catch::EndsWith(Text("nearest feasible: ") + instead));
    }
  }
  // All links are dead in one direction.
  const Topology ring = Topology::torus(Sides{3}).with_faults({{}, {}, {0, 2, 4}});
  CHECK_NOTHROW(make_plan({ring, "gossip", "scheduled", {}, {}}));
  CHECK_THROWS_WITH(make_plan({ring, "gossip", "auto", {{"elastic", true}}, {}}),
                    Catch::Contains("two-way links do not connect"));
}

TEST_CASE("stall scripts that are wrong are refused", "[elastic]") {
  const Topology torus = Topology::torus(Sides{4, 4});
  for (const char* text :
       {"random:", "random:1", "random:1:2,3", "random:1:2,3,257", "random:x:1,2,3",
        "random:1:1,2,3:", "random:1:1,2,3:4:5", "no-such-file"}) {
    CHECK_THROWS_AS(StallScript::parse(text, torus), InputError);
  }
  for (const char* line : {"s,0,-,0", "q,0,-,0,1", "s,16,-,0,1", "s,0,4,0,1", "s,0,z+,0,1",
                           "s,0,-,x,1", "s,0,-,0,-1", "s,0,-,-,1"}) {
    std::istringstream in(line);
    CHECK_THROWS_AS(StallScript::read(in, "script", torus), InputError);
  }
  std::istringstream in(
      "kind,node,port,cycle,length\n# a comment\n\nm, 3, x+, 5, 2\n2,-,-,100,-\n");
  const StallScript script = StallScript::read(in, "script", torus);
  CHECK(script.next_open(Gate::kAccept, 3, 1, 5) == 7);
  CHECK(script.next_open(Gate::kAccept, 3, 0, 5) == 5);
  CHECK(script.next_open(Gate::kShow, 9, 2, 99) == 99);
  CHECK(script.next_open(Gate::kShow, 9, 2, 100) == kNever);
  CHECK(script.is_open(Gate::kOffer, 9, 2, 1000));
}

}  // namespace
}  // namespace gossamer
