// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "gossamer/compose/composition.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/planner/suite.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/error.hpp"

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

}  // namespace
}  // namespace gossamer
