// SPDX-License-Identifier: Apache-2.0
/// Plans whose header contradicts demand or program are refused, for every changed field.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "../program.hpp"
#include "gossamer/plan/collective.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/planner/load.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/words.hpp"
#include "gossamer/verify/verify.hpp"
#include "queued.hpp"

namespace gossamer {
namespace {

using nlohmann::json;

struct Made {
  Plan plan;
  json document;
};

Made made(bool torus, std::string collective, std::string algorithm,
          std::map<std::string, ParameterValue> parameters) {
  Plan plan = make_plan({testing::equal_sided(torus, 2, 4),
                         std::move(collective),
                         std::move(algorithm),
                         std::move(parameters),
                         {}});
  std::ostringstream out;
  write_plan(plan, out, PlanEncoding::kJson);
  return {std::move(plan), json::parse(out.str())};
}

/// A plan of every collective on 16 nodes and of every machine.
std::vector<Made> one_of_each() {
  const std::string some = "random:6:3";
  std::vector<Made> all;
  all.push_back(made(true, "gossip", "hamiltonian", {}));
  all.push_back(made(true, "gossip", "ring", {}));
  all.push_back(made(false, "gossip", "folded", {}));
  all.push_back(made(true, "gossip", "scheduled", {}));
  all.push_back(made(true, "gossip", "multinode-split", {}));
  all.push_back(made(true, "broadcast", "eye", {{"source", std::string("1,2")}}));
  all.push_back(made(false, "broadcast", "tree", {{"flits", std::int64_t{3}}}));
  all.push_back(made(true, "partial-broadcast", "", {{"active", some}}));
  all.push_back(made(false, "partial-exchange", "", {{"active", some}}));
  all.push_back(made(false, "partial-gather", "online", {{"active", some}}));
  all.push_back(made(false, "prefix", "", {{"active", some}}));
  all.push_back(made(false, "packing", "", {{"active", some}}));
  all.push_back(made(false, "monotone-routing", "",
                     {{"active", some}, {"targets", std::string("random:6:9")}}));
  return all;
}

PlanOrExperiment load(const json& document) {
  const testing::ScratchDirectory directory;
  testing::write_text(directory.file("p.json"), document.dump());
  return load_plan_or_experiment(directory.file("p.json"));
}

/// The one line that refuses it; empty when it is taken.
std::string refusal(const json& document) {
  try {
    (void)load(document);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// True when the plan's collective has an algorithm of that name for its machine.
bool makes_such_plans(const std::string& name, const Plan& plan) {
  return std::any_of(algorithms().begin(), algorithms().end(), [&](const Algorithm& algorithm) {
    return algorithm.collective == plan.collective && algorithm.name == name &&
           has_word(algorithm.machines, plan.machine().name());
  });
}

TEST_CASE("a header field of another plan is refused", "[plan][header]") {
  const std::vector<Made> all = one_of_each();
  int refused = 0;
  for (const Made& one : all) {
    REQUIRE(std::get<Plan>(load(one.document)) == one.plan);
    for (const Made& other : all) {
      for (const std::string field : {"collective", "algorithm", "demand", "parameters"}) {
        if (one.document[field] == other.document[field]) continue;
        // Another algorithm of the same machine is for the proof to judge.
        if (field == "algorithm" && makes_such_plans(other.plan.algorithm, one.plan)) continue;
        json changed = one.document;
        changed[field] = other.document[field];
        const std::string cause = refusal(changed);
        CAPTURE(one.plan.collective, one.plan.algorithm, other.plan.collective,
                other.plan.algorithm, field, cause);
        if (field == "parameters" && cause.empty()) continue;
        REQUIRE(cause.find("p.json: ") != std::string::npos);
        REQUIRE(cause.find('\n') == std::string::npos);
        ++refused;
      }
    }
  }
  REQUIRE(refused > 400);
}

TEST_CASE("every invalid name is rejected in one printable line", "[plan][header]") {
  for (const Made& one : one_of_each()) {
    for (const std::string field : {"collective", "algorithm"}) {
      for (const std::string& name :
           {std::string("x"), std::string(), std::string("goss\nip"), std::string("\x1b[31mgossip"),
            std::string("gossip\x7f"), std::string("go ssip"), std::string(65, 'a'),
            std::string("goss\xc3\xafp"), std::string("all-gather"), std::string("user:")}) {
        json changed = one.document;
        changed[field] = name;
        const std::string cause = refusal(changed);
        CAPTURE(one.plan.collective, field, name);
        REQUIRE_FALSE(cause.empty());
        REQUIRE(
            std::all_of(cause.begin(), cause.end(), [](char c) { return c >= ' ' && c <= '~'; }));
      }
    }
    // Planners outside are named as they like.
    for (const std::string name : {"imported", "user:mine"}) {
      json changed = one.document;
      changed["algorithm"] = name;
      REQUIRE(std::get<Plan>(load(changed)).algorithm == name);
    }
    json changed = one.document;
    changed["parameters"]["note"] = "one\ntwo";
    REQUIRE_THAT(refusal(changed), Catch::Contains("control characters"));
    changed = one.document;
    changed["parameters"]["a\x1b"] = 1;
    REQUIRE_THAT(refusal(changed), Catch::Contains("printable"));
    changed = one.document;
    changed["program"]["machine"] = "goss\nip";
    REQUIRE_THAT(refusal(changed), Catch::Contains("\"goss\\nip\" is unknown"));
  }
}

TEST_CASE("a demand that contradicts the program is refused with the place", "[plan][header]") {
  const auto says = [](json changed, const std::string& part) {
    CHECK_THAT(refusal(changed), Catch::Contains(part));
  };
  json gossip = made(true, "gossip", "hamiltonian", {}).document;
  gossip["demand"]["pieces"] = 3;
  says(gossip, "packets_per_node: 2, but the demand has 3 pieces per node");
  json renamed = made(true, "gossip", "hamiltonian", {}).document;
  renamed["collective"] = "broadcast";
  says(renamed, "collective: broadcast goes from root to every");
  json broadcast = made(true, "broadcast", "eye", {}).document;
  broadcast["demand"]["root"] = 3;
  says(broadcast, "the demand's root is 3");
  broadcast["demand"]["root"] = 16;
  says(broadcast, "16 is outside 0..15");
  json partial =
      made(true, "partial-broadcast", "", {{"active", std::string("random:6:3")}}).document;
  partial["demand"]["sources"][2][1] = 3;
  says(partial, "packets have 4 parts");
  partial["demand"]["sources"][2][0] = 0;
  says(partial, "sources: row 2");
  json gather =
      made(false, "partial-gather", "reversed", {{"active", std::string("0,0;3,3")}}).document;
  gather["demand"]["sources"][0][0] = 1;
  const Verdict verdict = verify(std::get<Plan>(load(gather)));
  CHECK_FALSE(verdict.complete);
  CHECK_FALSE(verdict.ok());
  json combined = made(true, "gossip", "hamiltonian", {}).document;
  combined["demand"]["operation"] = "sum";
  says(combined, "collective: gossip goes");
  json flits = made(true, "broadcast", "eye", {{"flits", std::int64_t{4}}}).document;
  flits["parameters"]["flits"] = 5;
  says(flits, "parameters: flits");
}

TEST_CASE("every algorithm belongs to a collective and names the machines of its plans",
          "[plan][header]") {
  for (const Algorithm& algorithm : algorithms()) {
    CAPTURE(algorithm.collective, algorithm.name);
    if (algorithm.experiment != nullptr) continue;
    const auto same = [&](const Collective& one) { return one.name == algorithm.collective; };
    REQUIRE(std::any_of(collectives().begin(), collectives().end(), same));
    REQUIRE_FALSE(algorithm.machines.empty());
    for (const std::string_view machine : words_of(algorithm.machines)) {
      REQUIRE(find_machine(machine) != nullptr);
    }
  }
}

TEST_CASE("all-gather is an alias of gossip on the command line, but not in documents",
          "[plan][header]") {
  const Topology torus = testing::equal_sided(true, 2, 4);
  const Plan plan = make_plan({torus, "all-gather", "", {}, {}});
  REQUIRE(plan == make_plan({torus, "gossip", "", {}, {}}));
  REQUIRE(plan.collective == "gossip");
}

}  // namespace
}  // namespace gossamer
