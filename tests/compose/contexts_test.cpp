// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <functional>

#include "gossamer/collectives/all_gather/hamiltonian.hpp"
#include "gossamer/collectives/reduce/cycles.hpp"
#include "gossamer/compose/composition.hpp"
#include "gossamer/machines/ring/program.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/planner/suite.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/sim/value_judge.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {
namespace {

Plan suite_of(std::vector<std::uint32_t> sides) {
  return plan_suite({Topology::torus(std::move(sides)), std::string(kSuite), "", {}, {}});
}

Report report_of(const Plan& plan, bool first_mask) {
  const auto engine = make_context_engine(plan, {}, first_mask);
  return run_plan(plan, *engine);
}

TEST_CASE("without the first mask a round passes on packets of the round before it", "[contexts]") {
  const std::vector<std::uint32_t> sides =
      GENERATE(std::vector<std::uint32_t>{4, 4}, std::vector<std::uint32_t>{5, 4},
               std::vector<std::uint32_t>{3, 5}, std::vector<std::uint32_t>{6, 6});
  const Plan suite = suite_of(sides);
  // A broadcast after rounds whose last packets are everywhere: in the same wiring, and in the
  // other one.
  for (const std::string rounds : {"0,12@5", "1,12", "2,14@2", "0,14", "6,14", "0,2,12@1,3"}) {
    INFO(suite.topology.dims_text() << ": " << rounds);
    const Plan plan = plan_of_rounds(suite, parse_rounds(suite, rounds));
    const Report masked = report_of(plan, true);
    REQUIRE(masked.complete == true);
    REQUIRE(masked.problems.empty());
    REQUIRE(masked.steps == plan.expected.analytic_steps);
    const Report unmasked = report_of(plan, false);
    REQUIRE(unmasked.complete == false);
    REQUIRE_FALSE(unmasked.problems.empty());
  }
}

TEST_CASE("a suite needs two wirings", "[contexts]") {
  CHECK(wirings_of(suite_of({4, 4})) == 2);
  CHECK(wirings_of(suite_of({5, 4})) == 2);
  CHECK(wirings_of(suite_of({3, 4, 3})) == 2);
}

/// Words of two lanes whose adder has a carry between them, or none.
class CarryingWords final : public WordMaker {
 public:
  CarryingWords(WordMaker& right, bool carries) : right_(right), carries_(carries) {}
  [[nodiscard]] std::uint64_t word(NodeId node, PacketId piece) override {
    return right_.word(node, piece);
  }
  [[nodiscard]] std::uint64_t combine(std::uint64_t a, std::uint64_t b) override {
    return carries_ ? a + b : right_.combine(a, b);
  }

 private:
  WordMaker& right_;
  bool carries_;
};

TEST_CASE("a carry between the lanes of contexts is found", "[contexts]") {
  const Plan suite = plan_suite({Topology::torus(std::vector<std::uint32_t>{4, 3}),
                                 std::string(kSuite),
                                 "",
                                 {{"link-bits", std::int64_t{64}}, {"word-bits", std::int64_t{32}}},
                                 {}});
  const Plan plan = plan_of_rounds(suite, parse_rounds(suite, "3,0,16@2,9,7"));
  REQUIRE(values_show_words(plan));
  for (const bool carries : {false, true}) {
    const auto found = compare_values(plan, nullptr, {}, RunWords::kOfModels,
                                      [&](const EngineOptions& options, std::uint64_t limit,
                                          Observer& observer) -> std::optional<std::string> {
                                        CarryingWords words(*options.arithmetic.maker, carries);
                                        EngineOptions again = options;
                                        again.arithmetic.maker = &words;
                                        watch(*make_context_engine(plan, again), limit, observer);
                                        return std::nullopt;
                                      });
    CHECK(found.has_value() == carries);
  }
}

TEST_CASE("a round of another root takes as many steps", "[contexts]") {
  const Plan suite = suite_of({4, 3});
  for (NodeId root = 0; root < 12; ++root) {
    const Plan plan = plan_of_rounds(
        suite,
        parse_rounds(suite, "12@" + std::to_string(root) + ",15@" + std::to_string(root) + ",0"));
    const auto rounds = members_of(plan);
    REQUIRE(rounds[0].plan.demand.root == root);
    REQUIRE(rounds[1].plan.demand.root == root);
    REQUIRE(rounds[1].first_step == rounds[0].last_step() + 1);
    const Report report = report_of(plan, true);
    REQUIRE(report.problems.empty());
    REQUIRE(report.complete == true);
  }
}

TEST_CASE("a barrier on a cycle takes half as many steps as there are nodes",
          "[contexts][reduction]") {
  for (const std::vector<std::uint32_t>& sides : std::vector<std::vector<std::uint32_t>>{
           {2}, {3}, {4}, {7}, {12}, {3, 3}, {4, 3}, {5, 4}, {8, 8}, {3, 3, 3}}) {
    const Plan plan = plan_cycle_barrier(plan_hamiltonian(Topology::torus(sides), {}));
    INFO(plan.topology.dims_text());
    const Report run = run_on_engine("fast", plan, {});
    REQUIRE(run.problems.empty());
    REQUIRE(run.complete == true);
    REQUIRE(run.steps == plan.topology.nodes() / 2);
    const Verdict verdict = verify(plan);
    REQUIRE(verdict.ok());
    REQUIRE(verdict.steps == run.steps);
    REQUIRE(verdict.link_transfers == run.link_transfers);
  }
}

TEST_CASE("a damaged barrier on a cycle is rejected", "[contexts][reduction]") {
  const std::vector<std::uint32_t> sides{5, 4};
  const Plan right = plan_cycle_barrier(plan_hamiltonian(Topology::torus(sides), {}));
  const auto damaged = [&right](const std::function<void(Combination&)>& damage) {
    Plan plan = right;
    damage(plan.program.edit<RingProgram>().combine);
    return verify(plan).ok();
  };
  CHECK(damaged([](Combination&) {}));
  // An addition fewer, a result too early, one direction alone, and twice the same direction.
  CHECK_FALSE(damaged([](Combination& combine) {
    --combine.legs[0].steps;
    --combine.legs[0].operations[1].count;
  }));
  CHECK_FALSE(damaged([](Combination& combine) { --combine.legs[0].turn; }));
  CHECK_FALSE(damaged([](Combination& combine) { combine.legs[0].lanes[1].reset(); }));
  CHECK_FALSE(damaged(
      [](Combination& combine) { combine.legs[0].operations.back().step = CombineStep::kAdd; }));
}

}  // namespace
}  // namespace gossamer
