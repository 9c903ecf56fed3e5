// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "gossamer/collectives/partial/active_nodes.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/verify.hpp"
#include "queued.hpp"
#include "simulate.hpp"

namespace gossamer {
namespace {

using Parameters = std::map<std::string, ParameterValue>;

Plan planned(const Topology& topology, std::string collective, std::string algorithm,
             Parameters parameters) {
  return make_plan(
      {topology, std::move(collective), std::move(algorithm), std::move(parameters), {}});
}

std::vector<Plan> one_of_each() {
  const Topology torus = testing::equal_sided(true, 2, 4);
  const Topology mesh = testing::equal_sided(false, 2, 4);
  const std::string some = "random:6:3";
  return {
      planned(torus, "partial-broadcast", "", {{"active", some}}),
      planned(torus, "partial-broadcast", "packed",
              {{"active", some},
               {"splitting", std::string("whole")},
               {"sides", std::string("alternate")},
               {"skip-last", true},
               {"pack-wrap", true},
               {"prefix", std::string("two-way")},
               {"flits", std::int64_t{5}},
               {"prefix-flits", std::int64_t{2}}}),
      planned(mesh, "partial-broadcast", "", {{"active", std::string("random:0:1")}}),
      planned(mesh, "gossip", "multinode-split", {}),
      planned(torus, "gossip", "multinode-whole", {{"sides", std::string("alternate")}}),
      planned(mesh, "prefix", "", {{"active", some}}),
      planned(mesh, "prefix", "two-way", {{"active", some}}),
      planned(torus, "packing", "", {{"active", some}, {"pack-wrap", true}}),
      planned(mesh, "monotone-routing", "",
              {{"active", some}, {"targets", std::string("random:6:9")}}),
      planned(testing::equal_sided(true, 1, 5), "line-broadcast", "",
              {{"counts", std::string("3,0,1,2,0")}}),
      planned(mesh, "partial-exchange", "", {{"active", some}, {"rule", std::string("balanced")}}),
      planned(mesh, "partial-gather", "online", {{"active", some}}),
      planned(mesh, "partial-gather", "reversed", {{"active", some}}),
  };
}

std::string text_of(const Plan& plan, PlanEncoding encoding) {
  std::ostringstream out;
  write_plan(plan, out, encoding);
  return out.str();
}

TEST_CASE("queued plans survive JSON and CBOR, and run the same", "[partial][plan]") {
  for (const Plan& plan : one_of_each()) {
    CAPTURE(plan.collective, plan.algorithm);
    for (const PlanEncoding encoding : {PlanEncoding::kJson, PlanEncoding::kCbor}) {
      std::istringstream in(text_of(plan, encoding));
      const Plan back = read_plan(in, "plan");
      REQUIRE(back == plan);
      std::ostringstream first;
      std::ostringstream second;
      testing::run_queued(plan, &first);
      testing::run_queued(back, &second);
      REQUIRE(first.str() == second.str());
    }
    const Verdict verdict = verify(plan);
    REQUIRE(verdict.ok());
    REQUIRE(verdict.complete);
  }
}

TEST_CASE("experiments survive writing and reading, and are not plans",
          "[partial][plan][dynamic]") {
  const PlanRequest request{testing::equal_sided(true, 2, 4),
                            "dynamic-broadcast",
                            "",
                            {{"load", std::string("0.1,0.25")},
                             {"interval", std::string("exact")},
                             {"splitting", std::string("whole")},
                             {"broadcasts", std::int64_t{1000}},
                             {"seed", std::int64_t{9}}},
                            {}};
  const PlanOrExperiment made = make_plan_or_experiment(request);
  const auto& experiment = std::get<Experiment>(made);
  for (const PlanEncoding encoding : {PlanEncoding::kJson, PlanEncoding::kCbor}) {
    std::ostringstream out;
    write_experiment(experiment, out, encoding);
    std::istringstream in(out.str());
    REQUIRE(read_plan_or_experiment(in, "experiment") == made);
    std::istringstream again(out.str());
    REQUIRE_THROWS_WITH(read_plan(again, "experiment"),
                        "experiment: is an experiment (dynamic-broadcast), not a plan; gossamer "
                        "simulate runs it");
  }
  REQUIRE_THROWS_AS(make_plan(request), InputError);
}

TEST_CASE("damaged queued plans are refused or run harmlessly", "[partial][plan]") {
  // Every number of demand and program, replaced by hostile ones: either an InputError or a plan
  // that an engine survives.
  int refused = 0;
  for (const Plan& plan : one_of_each()) {
    const nlohmann::json right = nlohmann::json::parse(text_of(plan, PlanEncoding::kJson));
    for (const std::string part : {"demand", "program"}) {
      const nlohmann::json flat = right[part].flatten();
      int visited = 0;
      for (const auto& [path, value] : flat.items()) {
        if (!value.is_number() || ++visited > 60) continue;
        for (const std::int64_t bad : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{3},
                                       std::int64_t{255}, std::int64_t{1} << 33}) {
          nlohmann::json wrong = right;
          wrong[part][nlohmann::json::json_pointer(path)] = bad;
          std::istringstream in(wrong.dump());
          try {
            const Plan read = read_plan(in, "plan");
            testing::run_out(*make_fast_engine(read), 300);
          } catch (const InputError&) {
            ++refused;
          }
        }
      }
    }
  }
  REQUIRE(refused > 700);
}

TEST_CASE("unknown kinds, keys and phases out of place are refused by name", "[partial][plan]") {
  const Plan plan = planned(testing::equal_sided(false, 2, 4), "packing", "",
                            {{"active", std::string("random:6:3")}});
  const nlohmann::json right = nlohmann::json::parse(text_of(plan, PlanEncoding::kJson));
  const auto refuses = [&](const nlohmann::json& wrong, const std::string& what) {
    std::istringstream in(wrong.dump());
    REQUIRE_THROWS_WITH(read_plan(in, "plan"), Catch::Contains(what));
  };
  nlohmann::json wrong = right;
  wrong["program"]["phases"][0]["kind"] = "teleport";
  refuses(wrong, "phases[0]: kind: \"teleport\" is unknown");
  wrong = right;
  wrong["program"]["phases"].back()["kind"] = "exchange";
  refuses(wrong, "has no place where the demand is to ranked-node");
  wrong = right;
  wrong["program"]["phases"][0]["colour"] = 1;
  refuses(wrong, "colour");
  wrong = right;
  wrong["topology"]["dims"] = {4, 8};
  refuses(wrong, "sides of 4x8 differ");
}

TEST_CASE("algorithms of the partial collectives name the missing option", "[partial][planner]") {
  const Topology mesh = testing::equal_sided(false, 2, 4);
  REQUIRE_THROWS_WITH(planned(mesh, "partial-broadcast", "", {}), Catch::Contains("--active"));
  REQUIRE_THROWS_WITH(planned(mesh, "monotone-routing", "", {{"active", std::string("0,0")}}),
                      Catch::Contains("--targets"));
  REQUIRE_THROWS_WITH(planned(mesh, "partial-broadcast", "",
                              {{"active", std::string("0,0")}, {"splitting", std::string("both")}}),
                      Catch::Contains("neither split nor whole"));
}

}  // namespace
}  // namespace gossamer
