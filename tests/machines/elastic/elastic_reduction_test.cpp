// SPDX-License-Identifier: Apache-2.0
/// Elastic reductions: proofs compared with runs, the same sums in the same order for every timing,
/// and wrong plans.
#include <catch2/catch.hpp>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "elastic_case.hpp"
#include "gossamer/machines/elastic/engine.hpp"
#include "gossamer/machines/elastic/program.hpp"
#include "gossamer/plan/combination.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {
namespace {

Case summing(std::string collective, std::string kind, Sides sides, std::uint32_t chunk,
             std::uint32_t rounds, std::uint32_t slots = 0, std::string latency = "1") {
  // A mesh has one cycle.
  const bool mesh = kind == "mesh";
  return {.kind = std::move(kind),
          .sides = std::move(sides),
          .algorithm = mesh ? "array" : "hamiltonian",
          .chunk = chunk,
          .rounds = rounds,
          .slots = slots,
          .latency = std::move(latency),
          .packets = mesh ? std::optional<std::int64_t>(1) : std::nullopt,
          .collective = std::move(collective)};
}

std::vector<Case> sums() {
  std::vector<Case> all;
  for (const char* collective : {"reduce-scatter", "all-reduce"}) {
    all.push_back(summing(collective, "torus", {4, 4}, 1, 1));
    all.push_back(summing(collective, "torus", {4, 4}, 1, 4));
    all.push_back(summing(collective, "torus", {4, 4}, 4, 2, 0, "4"));
    all.push_back(summing(collective, "torus", {4, 4}, 2, 3, 0, "wrap-x=7"));
    all.push_back(summing(collective, "torus", {3, 3}, 1, 3));
    all.push_back(summing(collective, "torus", {2, 2}, 1, 3));
    all.push_back(summing(collective, "torus", {3}, 2, 2));
    all.push_back(summing(collective, "torus", {4}, 1, 2));
    all.push_back(summing(collective, "torus", {3, 3, 3}, 2, 2, 3));
    all.push_back(summing(collective, "torus", {5, 4}, 1, 6, 2, "x=1,y=3"));
    all.push_back(summing(collective, "mesh", {4, 4}, 1, 4));
    all.push_back(summing(collective, "mesh", {3, 2}, 3, 2));
  }
  return all;
}

TEST_CASE("elastic reductions: formula, proof and run agree", "[elastic]") {
  std::size_t by_formula = 0;
  for (const Case& one : sums()) {
    CAPTURE(one.collective, one.kind, one.sides, one.chunk, one.rounds, one.latency);
    const Plan plan = plan_of(one);
    const Verdict verdict = verify(plan);
    CAPTURE(verdict.problems);
    REQUIRE(verdict.ok());
    REQUIRE(verdict.method == "elastic rings");
    const Outcome outcome = run(plan);
    CAPTURE(outcome.report.problems);
    REQUIRE(outcome.report.problems.empty());
    REQUIRE(outcome.report.complete == true);
    REQUIRE(outcome.report.missing == 0U);
    REQUIRE(outcome.cycles() == verdict.cycles);
    REQUIRE(outcome.rows.size() == verdict.link_transfers);
    const std::uint64_t nodes = plan.topology.nodes();
    const std::uint64_t legs = one.collective == "all-reduce" ? 2 : 1;
    // Every word moves over P - 1 links a leg, which is the least.
    REQUIRE(outcome.rows.size() ==
            legs * (nodes - 1) * plan.demand.pieces * one.chunk * one.rounds);
    if (!plan.expected.analytic_cycles) continue;
    ++by_formula;
    REQUIRE(outcome.cycles() == plan.expected.analytic_cycles);
  }
  REQUIRE(by_formula >= 16);
}

TEST_CASE("elastic reduce-scatters take as long as the all-gather, all-reduces twice as long",
          "[elastic]") {
  for (const Sides& sides : {Sides{4, 4}, Sides{3, 5}, Sides{8, 8}}) {
    for (const std::uint32_t chunk : {1U, 2U, 4U}) {
      const Case asked = summing("reduce-scatter", "torus", sides, chunk, 4);
      Case gathered = asked;
      gathered.collective = "gossip";
      Case reduced = asked;
      reduced.collective = "all-reduce";
      CAPTURE(sides, chunk);
      const std::uint64_t cycles = run(plan_of(gathered)).cycles();
      REQUIRE(run(plan_of(asked)).cycles() == cycles);
      // F L + G - 1 once, 2 F L + G - 1 for both legs.
      REQUIRE(run(plan_of(reduced)).cycles() == 2 * (cycles - (chunk - 1)) + chunk - 1);
    }
  }
}

/// Words that remember in which order they were combined, as floating point does.
class Ordered final : public WordMaker {
 public:
  std::uint64_t word(NodeId node, PacketId piece) override {
    return contribution(node, piece, 1000);
  }
  std::uint64_t combine(std::uint64_t a, std::uint64_t b) override {
    return contribution(static_cast<NodeId>(a), b, a | 1U);
  }
};

std::map<std::pair<NodeId, PacketId>, std::uint64_t> words_of(const Plan& plan,
                                                              const std::string& script) {
  Ordered maker;
  const Arithmetic arithmetic{.operation = Operation::kCopy, .bits = 64, .maker = &maker};
  const StallScript stalls =
      script.empty() ? StallScript() : StallScript::parse(script, plan.topology);
  const auto engine = make_fast_elastic_engine(plan, stalls, arithmetic);
  std::map<std::pair<NodeId, PacketId>, std::uint64_t> words;
  for (;;) {
    for (const Result& result : engine->links().results) {
      REQUIRE(result.terms == plan.topology.nodes());
      REQUIRE(words.emplace(std::pair{result.node, result.packet}, result.value).second);
    }
    if (engine->done()) return words;
    engine->clock(1 + engine->quiet());
  }
}

TEST_CASE("elastic reductions: bit for bit the same under any timing", "[elastic]") {
  for (const Case& one : sums()) {
    const Plan plan = plan_of(one);
    CAPTURE(one.collective, one.sides);
    const auto words = words_of(plan, "");
    const std::uint64_t holders = one.collective == "all-reduce" ? plan.topology.nodes() : 1;
    REQUIRE(words.size() == holders * plan.demand.pieces * one.chunk * one.rounds);
    for (int seed = 1; seed <= 20; ++seed) {
      REQUIRE(words_of(plan, "random:" + std::to_string(seed) + ":90,200,160:30") == words);
    }
    // Everybody has the same bits of a word.
    std::map<PacketId, std::uint64_t> value;
    for (const auto& [at, word] : words) {
      REQUIRE(value.try_emplace(at.second, word).first->second == word);
    }
  }
}

TEST_CASE("elastic reductions: the order of a trace does not depend on time", "[elastic]") {
  const Plan plan = plan_of(summing("all-reduce", "torus", {3, 4}, 2, 2));
  const Outcome calm = run(plan);
  for (int seed = 1; seed <= 200; ++seed) {
    const Outcome stalled = run(plan, "random:" + std::to_string(seed) + ":128,160,200:20");
    REQUIRE(stalled.report.complete == true);
    REQUIRE(stalled.order() == calm.order());
    REQUIRE(stalled.cycles() >= calm.cycles());
  }
}

TEST_CASE("elastic reductions: an element that never offers or never accepts is named",
          "[elastic]") {
  const Plan plan = plan_of(summing("all-reduce", "torus", {4, 4}, 1, 2));
  const Outcome silent = run(plan, "s,5,x+,6,-\n");
  REQUIRE(silent.report.complete == false);
  REQUIRE(has_problem(silent.report.problems, "for node 5 to offer to x+"));
  const Outcome deaf = run(plan, "m,5,x+,0,-\n");
  REQUIRE(deaf.report.complete == false);
  REQUIRE(has_problem(deaf.report.problems, "for node 5 to accept from x+"));
}

TEST_CASE("elastic reductions are read as they were written, and wrong ones are refused",
          "[elastic]") {
  const Plan plan = plan_of(summing("all-reduce", "torus", {3, 4}, 2, 2, 0, "wrap-y=3"));
  std::ostringstream text;
  write_plan(plan, text, PlanEncoding::kJson);
  const auto read = [](const std::string& document) {
    std::istringstream in(document);
    return read_plan(in, "plan.json");
  };
  REQUIRE(read(text.str()).program == plan.program);

  const auto changed = [&](auto change) {
    Plan other = plan;
    change(other.program.edit<ElasticProgram>());
    return other;
  };
  const auto first_lane = [](ElasticProgram& program) -> CombineLane& {
    return *program.combine->legs.front().lanes.front();
  };
  const std::vector<Plan> wrong = {
      changed([&](ElasticProgram& program) { first_lane(program).offset += 1; }),
      changed([&](ElasticProgram& program) { first_lane(program).slope = 1; }),
      changed(
          [&](ElasticProgram& program) { program.combine->legs.back().lanes.back()->offset = 1; }),
      changed([](ElasticProgram& program) {
        std::swap(program.combine->ranks[0], program.combine->ranks[2]);
      }),
      // Two parts on one cycle.
      changed([](ElasticProgram& program) {
        for (CombineLeg& leg : program.combine->legs) leg.lanes[2]->part = leg.lanes[3]->part = 0;
      }),
      changed([](ElasticProgram& program) { program.combine->legs.pop_back(); }),
      changed([](ElasticProgram& program) { program.elastic.slots = 1; }),
  };
  for (std::size_t at = 0; at < wrong.size(); ++at) {
    CAPTURE(at);
    REQUIRE_FALSE(verify(wrong[at]).ok());
    // No run is complete, except with wrong slots: one run stalls, and ends.
    const Outcome outcome = run(wrong[at]);
    REQUIRE_FALSE((outcome.report.complete == true && outcome.report.problems.empty()));
  }

  const auto refused = [&](const std::string& from, const std::string& to,
                           const std::string& cause) {
    std::string document = text.str();
    const std::size_t place = document.find(from);
    REQUIRE(place != std::string::npos);
    document.replace(place, from.size(), to);
    try {
      (void)read(document);
      FAIL("accepted: " + cause);
    } catch (const InputError& error) {
      CAPTURE(error.what());
      REQUIRE(std::string(error.what()).find(cause) != std::string::npos);
    }
  };
  refused("\"join\"", "\"pass\"", "must end with join");
  refused("\"carries\": 6", "\"carries\": 5", "chunks per round");
}

TEST_CASE("elastic reductions that cannot be planned name feasible choices", "[elastic]") {
  Case many = summing("all-reduce", "torus", {4, 4}, 1, 2);
  many.packets = 4;
  REQUIRE_THROWS_WITH(plan_of(many), Catch::Contains("--packets 2"));
  REQUIRE_THROWS_AS(plan_of(many), InfeasibleError);
  Case full = summing("reduce-scatter", "torus", {4, 4}, 2, 2, 2);
  REQUIRE(has_problem(verify(plan_of(full)).problems, "32 flits in 32 slots cannot move"));
  REQUIRE(has_problem(run(plan_of(full)).report.problems, "deadlock"));
}

}  // namespace
}  // namespace gossamer
