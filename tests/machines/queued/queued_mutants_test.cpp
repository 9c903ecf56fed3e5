// SPDX-License-Identifier: Apache-2.0
/// Queued plans with any one field changed: what the proof accepts, an independent simulator must
/// be content with, and all of its figures must be true.
#include <catch2/catch.hpp>
#include <sstream>

#include "gossamer/plan/plan_io.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/verify.hpp"
#include "plan_mutants.hpp"
#include "queued_witness.hpp"

namespace gossamer {
namespace {

/// Requires that what the verdict says is what the witness sees.
void require_truth(const nlohmann::json& plan, const Verdict& verdict) {
  const testing::QueuedWitness witness(plan);
  CAPTURE(plan.dump(), witness.reason);
  REQUIRE(witness.content);
  REQUIRE(verdict.complete);
  REQUIRE(verdict.steps == static_cast<std::uint64_t>(witness.steps));
  REQUIRE(verdict.link_transfers == static_cast<std::uint64_t>(witness.transfers));
  REQUIRE(verdict.max_queue == static_cast<std::uint64_t>(witness.max_queue));
  REQUIRE(verdict.duplicates == 0);
  REQUIRE(verdict.link_conflicts == 0);
  const nlohmann::json& expected = plan["expected"];
  if (!expected["analytic_steps"].is_null()) REQUIRE(expected["analytic_steps"] == witness.steps);
  if (!expected["bound_steps"].is_null()) REQUIRE(witness.steps <= expected["bound_steps"]);
  REQUIRE(witness.max_queue <= expected["queue_depth"]);
}

TEST_CASE("queued plans: the proof agrees with an independent simulator", "[partial][verify]") {
  for (const testing::PlanCase& wanted : testing::queued_cases()) {
    const nlohmann::json plan = testing::document(wanted);
    std::istringstream in(plan.dump());
    const Verdict verdict = verify(read_plan(in, "plan"));
    CAPTURE(wanted.collective, wanted.algorithm, verdict.problems);
    REQUIRE(verdict.ok());
    require_truth(plan, verdict);
  }
}

TEST_CASE("queued plans with any one field changed are accepted only if they are right",
          "[partial][verify][mutation]") {
  int refused_by_reader = 0;
  int refused_by_proof = 0;
  int accepted = 0;
  for (const testing::PlanCase& wanted : testing::queued_cases()) {
    const nlohmann::json plan = testing::document(wanted);
    CAPTURE(wanted.collective, wanted.algorithm, wanted.topology);
    testing::for_each_mutant(plan, [&](const nlohmann::json& mutant) {
      std::istringstream in(mutant.dump());
      std::optional<Plan> read;
      try {
        read = read_plan(in, "plan");
      } catch (const InputError&) {
        ++refused_by_reader;
        return;
      }
      const Verdict verdict = verify(*read);
      if (!verdict.ok()) {
        ++refused_by_proof;
        return;
      }
      ++accepted;
      require_truth(mutant, verdict);
      // Lower bounds have one true value, and it was right before.
      REQUIRE((mutant["expected"]["lower_bound_steps"].is_null() ||
               mutant["demand"] != plan["demand"] ||
               mutant["expected"]["lower_bound_steps"] == plan["expected"]["lower_bound_steps"]));
    });
  }
  CAPTURE(refused_by_reader, refused_by_proof, accepted);
  REQUIRE(refused_by_proof > 2000);
  REQUIRE(accepted > 50);
}

TEST_CASE("a prefix without its forward phases yields no ranks", "[partial][verify]") {
  nlohmann::json plan = testing::document(testing::queued_cases().front());
  for (auto& phase : plan["program"]["phases"]) {
    if (phase["kind"] == "prefix-forward") phase["kind"] = "prefix-reverse";
  }
  std::istringstream in(plan.dump());
  const Verdict verdict = verify(read_plan(in, "plan"));
  REQUIRE_FALSE(verdict.ok());
  REQUIRE_FALSE(verdict.complete);
  REQUIRE_FALSE(testing::QueuedWitness(plan).content);
}

}  // namespace
}  // namespace gossamer
