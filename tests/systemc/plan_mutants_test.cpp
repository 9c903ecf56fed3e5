// SPDX-License-Identifier: Apache-2.0
/// Plans with any one field changed, on all engines that run them, the Verilated RTL included: what
/// the proof accepts they run to its end as it says, and of what it refuses it gives no figure that
/// a run contradicts. tests/machines/queued/queued_mutants_test.cpp asks an independent simulator.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "gossamer/plan/plan_io.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"
#include "gossamer/verify/proof.hpp"
#include "plan_mutants.hpp"
#include "plans.hpp"

namespace {

using namespace gossamer;

/// What became of the changed plans.
struct Tally {
  int accepted = 0;
  int refused = 0;
  /// Runs of accepted plans, by engine; those that the RTL has no room for.
  int fast = 0;
  int systemc = 0;
  int rtl = 0;
  int tlm = 0;
  int too_small = 0;
};

/// A figure that the proof gives and a run has is one figure.
template <typename Figure>
bool agree(const std::optional<Figure>& proved, const std::optional<Figure>& ran) {
  return !proved || !ran || *proved == *ran;
}

void require_agreement(const Report& proof, const Report& run) {
  CAPTURE(run.engine, proof.problems, run.problems);
  if (proof.problems.empty()) {
    REQUIRE(run.problems.empty());
    REQUIRE(proof.steps == run.steps);
  }
  REQUIRE(agree(proof.complete, run.complete));
  REQUIRE(agree(proof.steps, run.steps));
  if (proof.complete.value_or(false)) REQUIRE(agree(proof.cycles, run.cycles));
  REQUIRE(agree(proof.link_transfers, run.link_transfers));
  REQUIRE(agree(proof.duplicates, run.duplicates));
  REQUIRE(agree(proof.link_conflicts, run.link_conflicts));
  REQUIRE(agree(proof.max_queue, run.max_queue));
  REQUIRE(agree(proof.tcd, run.tcd));
}

void run_on_all_engines(const Plan& plan, const Report& proof, Tally& tally) {
  const bool accepted = proof.problems.empty();
  ++(accepted ? tally.accepted : tally.refused);
  for (const EngineInfo& engine : engines()) {
    if (!test::runs_on(plan, engine.name)) continue;
    // Accepted plans run on all engines. The RTL takes ten times as long as the others; it runs
    // only one in four of the rejected plans, which are most of the mutants.
    if (!accepted && engine.name == "rtl" && tally.refused % 4 != 0) continue;
    std::optional<Report> run;
    try {
      run = run_on_engine(engine.name, plan, {}, {});
    } catch (const InputError&) {
      // Routers may be impossible to build for an inconsistent plan.
    } catch (const InfeasibleError&) {
    }
    if (!run) {
      // For correct plans only the RTL may lack room, or support for unused parts.
      if (accepted) REQUIRE(engine.name == "rtl");
      if (accepted) ++tally.too_small;
      continue;
    }
    require_agreement(proof, *run);
    if (!accepted) continue;
    ++(engine.name == "fast"  ? tally.fast
       : engine.name == "rtl" ? tally.rtl
       : engine.name == "tlm" ? tally.tlm
                              : tally.systemc);
  }
}

void run_document(const nlohmann::json& document, Tally& tally) {
  std::istringstream in(document.dump());
  std::optional<Plan> plan;
  try {
    plan = read_plan(in, "plan");
  } catch (const InputError&) {
    return;
  }
  CAPTURE(document.dump());
  run_on_all_engines(*plan, prove(*plan, {}), tally);
}

/// Runs one in `every` mutants of each plan, selected at random, as it is and without its promised
/// figures, which alone reveal many wrong plans.
Tally run_mutants(const std::vector<testing::PlanCase>& cases, std::uint64_t every) {
  Tally tally;
  SplitMix64 random(12);
  for (const testing::PlanCase& wanted : cases) {
    testing::for_each_mutant(testing::document(wanted), [&](const nlohmann::json& mutant) {
      if (random.below(every) != 0) return;
      run_document(mutant, tally);
      nlohmann::json silent = mutant;
      for (auto& [name, figure] : silent["expected"].items()) {
        if (name != "queue_depth") figure = nullptr;
      }
      run_document(silent, tally);
    });
  }
  return tally;
}

TEST_CASE("queued plans with any one field changed agree with their proof", "[mutation]") {
  std::vector<testing::PlanCase> counts;
  std::vector<testing::PlanCase> packets;
  for (const testing::PlanCase& wanted : testing::queued_cases()) {
    const bool all = wanted.collective == "prefix" || wanted.collective == "line-broadcast";
    (all ? counts : packets).push_back(wanted);
  }
  const Tally all = run_mutants(counts, 1);
  CAPTURE(all.accepted, all.refused, all.rtl, all.too_small);
  REQUIRE(all.rtl + all.too_small == all.accepted);
  REQUIRE(all.rtl > 50);
  REQUIRE(all.refused > 500);
  const Tally some = run_mutants(packets, 4);
  CAPTURE(some.accepted, some.refused, some.rtl, some.too_small);
  REQUIRE(some.systemc == some.accepted);
  REQUIRE(some.rtl + some.too_small == some.accepted);
  REQUIRE(some.rtl > 100);
  REQUIRE(some.refused > 700);
}

TEST_CASE("streams, schedules, relays and reductions with a changed field agree with their proof",
          "[mutation]") {
  const Tally tally = run_mutants(testing::other_cases(), 8);
  CAPTURE(tally.accepted, tally.refused, tally.fast, tally.rtl, tally.tlm, tally.too_small);
  REQUIRE(tally.fast == tally.accepted);
  REQUIRE(tally.systemc == tally.accepted);
  REQUIRE(tally.rtl > 100);
  REQUIRE(tally.tlm > 2);
  REQUIRE(tally.refused > 1500);
}

}  // namespace
