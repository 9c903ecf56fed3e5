// SPDX-License-Identifier: Apache-2.0
/// Timetables: correct and damaged ROMs, with the same verdict of proof and run; documents.
#include <array>
#include <catch2/catch.hpp>
#include <random>
#include <sstream>

#include "gossamer/collectives/all_gather/scheduled.hpp"
#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/verify/verify.hpp"
#include "simulate.hpp"
#include "timetable.hpp"

namespace gossamer {
namespace {

Topology torus(std::initializer_list<std::uint32_t> sides) {
  return Topology::torus(std::vector<std::uint32_t>(sides));
}
Topology mesh(std::initializer_list<std::uint32_t> sides) {
  return Topology::mesh(std::vector<std::uint32_t>(sides));
}

const TimetableProgram& timetable(const Plan& plan) { return plan.program.as<TimetableProgram>(); }

Plan planned(const Topology& topology, std::string collective, std::string algorithm = {},
             std::map<std::string, ParameterValue> parameters = {}) {
  return make_plan(
      {topology, std::move(collective), std::move(algorithm), std::move(parameters), {}});
}

/// Requires that the proof agrees with a run, correct or not; returns the proof.
Verdict require_agreement(const Plan& plan, const testing::Outcome& run) {
  const Verdict verdict = verify(plan);
  CAPTURE(plan.collective, plan.topology.dims_text(), verdict.problems);
  REQUIRE(verdict.complete == run.complete);
  if (verdict.complete) REQUIRE(verdict.steps == run.steps);
  REQUIRE(verdict.link_conflicts == run.conflicts);
  REQUIRE(verdict.link_transfers == run.transfers);
  // In wrong sums the proof does not count how often each contribution is there.
  const bool counts = !plan.demand.combines() || verdict.complete;
  REQUIRE(verdict.duplicates.has_value() == counts);
  if (counts) REQUIRE(verdict.duplicates == run.duplicates);
  REQUIRE(verdict.max_queue == run.max_queue);
  if (!run.complete) REQUIRE(!verdict.ok());
  return verdict;
}
Verdict require_agreement(const Plan& plan) {
  return require_agreement(plan, testing::simulate_fast(plan, step_limit(plan)));
}

/// 0 .. n-1.
template <typename N>
std::uint32_t below(std::mt19937& random, N n) {
  return static_cast<std::uint32_t>(random()) % static_cast<std::uint32_t>(n);
}

/// A source by its code in a document: nothing, the own words, the slots.
WordSource source_of(std::uint32_t code, std::uint32_t own) {
  if (code == 0) return {};
  return code <= own ? WordSource::own(code - 1) : WordSource::slot(code - 1 - own);
}
std::optional<std::uint32_t> slot_of(std::uint32_t code) {
  return code == 0 ? std::nullopt : std::optional(code - 1);
}

TEST_CASE("timetables: the verdict on damaged plans equals a run", "[verify][timetable]") {
  std::mt19937 random(13);
  std::array<int, 2> met{};
  for (const Plan& right :
       {planned(torus({4, 5}), "gossip", "scheduled"),
        planned(torus({3, 3, 3}), "gossip", "scheduled"),
        planned(torus({4, 3}), "gossip", "hierarchical"),
        planned(torus({3, 3}), "gossip", "scheduled", {{"packets", std::int64_t{2}}}),
        // Packets that are stored are not delivered.
        planned(torus({4, 2}), "all-to-all"), planned(torus({3, 3}), "all-to-all")}) {
    REQUIRE(require_agreement(right).ok());
    for (int round = 0; round < 300; ++round) {
      Plan plan = right;
      const TimetableProgram& program = timetable(plan);
      std::vector<TimetableRom> roms = program.roms();
      TimetableRom& rom = roms[below(random, roms.size())];
      const std::uint32_t step = 1 + below(random, program.steps());
      const auto port = static_cast<Port>(below(random, program.ports()));
      if (below(random, 2) == 0) {
        testing::set_source(
            rom, step, port,
            source_of(below(random, 1 + program.own() + program.slots()), program.own()));
      } else {
        testing::set_slot(rom, step, port, slot_of(below(random, 1 + program.slots())));
      }
      plan.program = testing::with_roms(program, std::move(roms));
      CAPTURE(round);
      ++met[require_agreement(plan).complete ? 1 : 0];
    }
  }
  REQUIRE(met[0] > 100);
  REQUIRE(met[1] > 100);
}

TEST_CASE("timetables that combine: a damaged plan is refused if its run fails",
          "[verify][timetable]") {
  std::mt19937 random(14);
  std::array<int, 2> met{};
  for (const Plan& right :
       {planned(torus({3, 4}), "reduce-scatter", "scheduled", {{"packets", std::int64_t{1}}}),
        planned(torus({3, 3}), "all-reduce", "scheduled", {{"packets", std::int64_t{2}}}),
        planned(mesh({3, 3}), "all-reduce", "scheduled", {{"packets", std::int64_t{1}}})}) {
    REQUIRE(require_agreement(right).ok());
    for (int round = 0; round < 300; ++round) {
      Plan plan = right;
      const TimetableProgram& program = timetable(plan);
      std::vector<TimetableRom> roms = program.roms();
      TimetableRom& rom = roms[below(random, roms.size())];
      const std::uint32_t codes = 1 + program.own() + program.slots();
      if (below(random, 2) == 0) {
        SendRow& row = rom.sends[below(random, rom.sends.size())];
        testing::set_source(rom, row.step, row.port,
                            source_of(below(random, codes), program.own()));
      } else {
        ArrivalRow& row = rom.arrivals[below(random, rom.arrivals.size())];
        switch (below(random, 3)) {
          case 0:
            row.with = source_of(below(random, codes), program.own());
            break;
          case 1:
            row.slot = slot_of(below(random, 1 + program.slots())).value_or(ArrivalRow::kNoSlot);
            break;
          default:
            row.delivers = !row.delivers;
        }
      }
      plan.program = testing::with_roms(program, std::move(roms));
      CAPTURE(round);
      ++met[require_agreement(plan).complete ? 1 : 0];
    }
  }
  REQUIRE(met[0] > 100);
  REQUIRE(met[1] > 10);
}

TEST_CASE("the verdict on every single damage to a ROM agrees with the engine",
          "[verify][timetable]") {
  const auto packets = GENERATE(1U, 2U);
  const Plan right = plan_scheduled(packets == 1 ? torus({3, 4}) : torus({3, 3}), packets);
  const TimetableProgram& program = timetable(right);
  int incomplete = 0;
  int conflicts = 0;
  const auto check = [&](std::vector<TimetableRom> roms) {
    Plan plan = right;
    plan.program = testing::with_roms(program, std::move(roms));
    const testing::Outcome outcome = testing::simulate_fast(plan, timetable(plan).steps());
    require_agreement(plan, outcome);
    incomplete += outcome.complete ? 0 : 1;
    conflicts += outcome.conflicts != 0 ? 1 : 0;
  };
  for (std::uint32_t step = 1; step <= program.steps(); ++step) {
    for (Port port = 0; port < program.ports(); ++port) {
      for (std::uint32_t code = 0; code <= packets + program.slots(); ++code) {
        std::vector<TimetableRom> roms = program.roms();
        testing::set_source(roms[0], step, port, source_of(code, packets));
        check(std::move(roms));
      }
      for (std::uint32_t code = 0; code <= program.slots(); ++code) {
        std::vector<TimetableRom> roms = program.roms();
        testing::set_slot(roms[0], step, port, slot_of(code));
        check(std::move(roms));
      }
    }
  }
  REQUIRE(incomplete > 20);
  REQUIRE(conflicts > 0);
}

TEST_CASE("the proof names the row of the ROM that reads an empty slot", "[verify][timetable]") {
  Plan plan = plan_scheduled(torus({3, 3}));
  std::vector<TimetableRom> roms = timetable(plan).roms();
  testing::set_source(roms[0], 1, 0, WordSource::slot(0));
  plan.program = testing::with_roms(timetable(plan), std::move(roms));
  const Verdict verdict = verify(plan);
  REQUIRE(!verdict.complete);
  REQUIRE_THAT(verdict.problems.front(), Catch::Contains("step 1, out-port x-: slot 0 is read"));
}

TEST_CASE("a timetable survives writing and reading in both encodings", "[plan][timetable]") {
  for (const Plan& plan :
       {plan_scheduled(torus({5, 4, 3})),
        planned(mesh({3, 3}), "all-reduce", "tree", {{"words", std::int64_t{5}}}),
        planned(mesh({4, 3}), "all-reduce", "scheduled", {{"packets", std::int64_t{1}}}),
        planned(torus({4}), "all-to-all", "parity"),
        planned(mesh({4, 4}), "partial-gather", "reversed",
                {{"active", std::string("random:5:4")}, {"flits", std::int64_t{2}}})}) {
    for (const PlanEncoding encoding : {PlanEncoding::kJson, PlanEncoding::kCbor}) {
      std::stringstream file;
      write_plan(plan, file, encoding);
      REQUIRE(read_plan(file, "plan") == plan);
    }
  }
}

TEST_CASE("damaged timetable documents are refused with place and cause", "[plan][timetable]") {
  std::ostringstream written;
  write_plan(plan_scheduled(torus({3, 3})), written, PlanEncoding::kJson);
  const auto refused = [&](const std::string& from, const std::string& to, const char* cause) {
    std::string text = written.str();
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    std::istringstream in(text.replace(at, from.size(), to));
    REQUIRE_THROWS_WITH(read_plan(in, "p.json"), Catch::Contains(cause));
  };
  refused("[1,1,1,1,1", "[1,9,1,1,1", "table: row 0: source 9 is outside 0..5");
  refused("[1,1,1,1,1", "[1,1,1,1,1,1", "entries");
  refused("[2,4,5", "[1,4,5", "table: row 1: is not in ascending order of ROM, step and times");
  refused("\"slots\"", "\"slotz\"", "slots");
  refused("\"kind\": \"torus\"", "\"kind\": \"mesh\"", "torus only");
}

}  // namespace
}  // namespace gossamer
