// SPDX-License-Identifier: Apache-2.0
/// Operations that are not associative: nodes must combine in one order.
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "gossamer/collectives/reduce/cores.hpp"
#include "gossamer/collectives/reduce/lines.hpp"
#include "gossamer/machines/ring/program.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/order_judge.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {
namespace {

Topology network(bool torus, std::vector<std::uint32_t> sides) {
  return torus ? Topology::torus(std::move(sides)) : Topology::mesh(std::move(sides));
}

Plan planned(const std::string& algorithm, const Topology& topology, std::string operation = "sum",
             std::int64_t words = 0) {
  PlanRequest request{topology, "all-reduce", algorithm, {}, {}};
  request.parameters["operation"] = std::move(operation);
  if (words != 0) request.parameters["words"] = words;
  return make_plan(request);
}

/// The same program for an operation that is not associative, as in a document written by hand.
Plan with_signed_sums(Plan plan) {
  plan.demand.operation = Operation::kSignedSaturatingSum;
  return plan;
}

/// Random words of eight bits.
class RandomWords final : public WordMaker {
 public:
  explicit RandomWords(std::uint32_t seed) : random_(seed) {}
  [[nodiscard]] std::uint64_t word(NodeId node, PacketId piece) override {
    auto& known = words_[{node, piece}];
    if (!known) known = random_() & 0xffU;
    return *known;
  }
  [[nodiscard]] std::uint64_t combine(std::uint64_t a, std::uint64_t b) override {
    return Arithmetic{Operation::kSignedSaturatingSum, 8}.combine(a, b);
  }

 private:
  std::mt19937 random_;
  std::map<std::pair<NodeId, PacketId>, std::optional<std::uint64_t>> words_;
};

/// Nodes end with different values for this vector.
bool values_differ(const Plan& plan, std::uint32_t seed) {
  RandomWords words(seed);
  EngineOptions options;
  options.arithmetic = {.operation = Operation::kCopy, .bits = 64, .maker = &words};
  OrderJudge judge(plan.topology, plan.demand);
  watch(*make_fast_engine(plan, options), step_limit(plan), judge);
  return judge.difference().has_value();
}

TEST_CASE("plans whose nodes combine in different orders are refused, or found by all judges",
          "[reduction][order]") {
  struct Row {
    std::string algorithm;
    Topology topology;
  };
  for (const Row& row :
       {Row{"leaders", network(true, {4, 4})}, Row{"leaders", network(true, {8, 8})},
        Row{"leaders", network(true, {4, 4, 4})}, Row{"partners", network(true, {8, 8})},
        Row{"partners", network(true, {8, 4})}, Row{"line-sum", network(true, {4, 4})},
        Row{"line-sum", network(true, {3, 5})}, Row{"line-sum", network(false, {3, 4})},
        Row{"cores", network(true, {4, 4})}, Row{"cores", network(true, {5, 5})}}) {
    CAPTURE(row.algorithm, row.topology.dims_text());
    CHECK_THROWS_AS(planned(row.algorithm, row.topology, "signed-saturating-sum"), InfeasibleError);
    const Plan good = planned(row.algorithm, row.topology);
    CHECK(verify(good).ok());
    CHECK(run_plan(good, *make_fast_engine(good), {}).problems.empty());
    const Plan bad = with_signed_sums(good);
    const Verdict verdict = verify(bad);
    CHECK(!verdict.ok());
    REQUIRE(!verdict.problems.empty());
    const std::string& problem = verdict.problems.front();
    CHECK((problem.find("has another tree than node") != std::string::npos ||
           problem.find("combine in different orders") != std::string::npos));
    const Report run = run_plan(bad, *make_fast_engine(bad), {});
    REQUIRE(run.problems.size() == 1);
    CHECK(run.problems.front().find("has another tree than node") != std::string::npos);
  }
}

TEST_CASE("plans with one order for all nodes may run every operation", "[reduction][order]") {
  struct Row {
    std::string algorithm;
    Topology topology;
    std::int64_t words = 0;
  };
  for (const Row& row :
       {Row{"eye", network(true, {4, 4})}, Row{"eye-exchange", network(true, {4, 4})},
        Row{"min-tcd", network(true, {3, 5})}, Row{"partners", network(true, {4, 4})},
        Row{"partners", network(false, {8, 8})}, Row{"leaders", network(true, {2, 2})},
        Row{"leaders", network(true, {8})}, Row{"hamiltonian", network(true, {4, 4}), 32},
        Row{"hamiltonian", network(true, {3, 3}), 18}, Row{"rings", network(true, {5, 5}), 10},
        Row{"lines", network(false, {4, 5}), 6}, Row{"tree", network(true, {4, 5}), 3},
        Row{"three-trees", network(false, {4, 5}), 7}, Row{"packing", network(false, {4, 4}), 5},
        Row{"scheduled", network(true, {4, 4}), 16}, Row{"scheduled", network(false, {3, 3}), 9},
        Row{"array", network(false, {4, 4}), 16}, Row{"folded", network(false, {3, 3}), 18}}) {
    CAPTURE(row.algorithm, row.topology.dims_text());
    const Plan plan = planned(row.algorithm, row.topology, "signed-saturating-sum", row.words);
    const Verdict verdict = verify(plan);
    CAPTURE(verdict.problems);
    CHECK(verdict.ok());
    const Report run = run_plan(plan, *make_fast_engine(plan), {});
    CAPTURE(run.problems);
    CHECK(run.problems.empty());
    CHECK(run.complete == true);
    for (std::uint32_t seed = 0; seed < 10; ++seed) CHECK(!values_differ(plan, seed));
  }
}

TEST_CASE("signed saturating sums of leaders differ for half of all vectors",
          "[reduction][order]") {
  const Plan plan = with_signed_sums(planned("leaders", network(true, {4, 4})));
  int differ = 0;
  for (std::uint32_t seed = 0; seed < 1000; ++seed) differ += values_differ(plan, seed) ? 1 : 0;
  CAPTURE(differ);
  CHECK(differ > 400);
  CHECK(differ < 600);
}

TEST_CASE("a reduction to one root may take any order", "[reduction][order]") {
  PlanRequest request{network(true, {4, 4}), "reduce", "line-sum", {}, {}};
  request.parameters["operation"] = std::string("signed-saturating-sum");
  const Plan plan = make_plan(request);
  CHECK(verify(plan).ok());
  CHECK(run_plan(plan, *make_fast_engine(plan), {}).problems.empty());
}

}  // namespace
}  // namespace gossamer
