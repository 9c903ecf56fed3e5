// SPDX-License-Identifier: Apache-2.0
/// Changed queued plans that the proof accepts: the SystemC routers have to be content with them,
/// and to take the same steps. tests/unit/queued_mutants_test.cpp looks at all of them.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "gossamer/plan/plan_io.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/verify.hpp"
#include "gossamer_program.hpp"
#include "queued_mutants.hpp"

namespace gossamer::testing {
namespace {

/// Every so many accepted ones are run: a process each.
constexpr int kEvery = 24;

nlohmann::json document(const QueuedCase& wanted) {
  PlanRequest request{
      Topology::make(wanted.topology, wanted.sides), wanted.collective, wanted.algorithm, {}, {}};
  for (const auto& [name, value] : wanted.options) request.parameters[name] = value;
  for (const std::string& name : wanted.flags) request.parameters[name] = true;
  std::ostringstream out;
  write_plan(make_plan(request), out, PlanEncoding::kJson);
  return nlohmann::json::parse(out.str());
}

TEST_CASE("what the proof accepts of changed queued plans, SystemC routers run as it says",
          "[cli][partial][mutation]") {
  const ScratchDirectory directory;
  int accepted = 0;
  int run = 0;
  for (const QueuedCase& wanted : queued_cases()) {
    CAPTURE(wanted.collective, wanted.algorithm, wanted.topology);
    for_each_mutant(document(wanted), [&](const nlohmann::json& mutant) {
      std::istringstream in(mutant.dump());
      std::optional<Plan> plan;
      try {
        plan = read_plan(in, "plan");
      } catch (const InputError&) {
        return;
      }
      const Verdict verdict = verify(*plan);
      if (!verdict.ok() || ++accepted % kEvery != 0) return;
      ++run;
      CAPTURE(mutant.dump());
      write_text(directory.file("m.json"), mutant.dump());
      const ProgramResult result =
          gossamer(directory, "simulate m.json --engine systemc --report -");
      CAPTURE(result.out, result.err);
      REQUIRE(result.status == 0);
      REQUIRE(nlohmann::json::parse(result.out)["steps"] == *verdict.steps);
    });
  }
  REQUIRE(run > 15);
}

}  // namespace
}  // namespace gossamer::testing
