// SPDX-License-Identifier: Apache-2.0
/// Elastic streams that merge, and elastic schedules: order and completeness as in step, the
/// proof's cycles as the run's, under stalls, with chunks and latencies, and plans that are wrong.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "elastic_case.hpp"
#include "gossamer/plan/discipline.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/words.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {
namespace {

using Order = std::vector<std::vector<std::uint64_t>>;

/// The packets on each link of the plan in step, in their order, and the step of the last.
Order rigid_order(const Case& asked, std::uint64_t& steps) {
  PlanRequest request{
      Topology::make(asked.kind, asked.sides), asked.collective, asked.algorithm, {}, {}};
  if (asked.packets) request.parameters["packets"] = *asked.packets;
  const Plan plan = make_plan(request);
  steps = plan.expected.analytic_steps.value();
  const auto engine = make_fast_engine(plan);
  Order order;
  std::vector<std::vector<std::uint64_t>> links(plan.topology.link_slots());
  for (std::uint64_t step = 0; step < steps; ++step) {
    const auto packets = engine->links().packets;
    for (std::size_t link = 0; link < packets.size(); ++link) {
      if (packets[link] != kNoPacket) links[link].push_back(packets[link]);
    }
    engine->clock(1);
  }
  for (std::size_t link = 0; link < links.size(); ++link) {
    for (const std::uint64_t packet : links[link]) order.push_back({link, packet, 0});
  }
  return order;
}

const std::vector<Case> kMerging = {
    {.kind = "mesh", .sides = {3, 3}, .algorithm = "array"},
    {.kind = "mesh", .sides = {5, 5}, .algorithm = "array", .packets = 1},
    {.kind = "mesh", .sides = {5, 3}, .algorithm = "array", .packets = 2},
    {.sides = {4, 5}, .algorithm = "two-packet"},
    {.sides = {3, 6}, .algorithm = "two-packet"},
    {.sides = {4, 4}, .algorithm = "one-packet"},
    {.sides = {4, 6}, .algorithm = "one-packet"},
};
const std::vector<Case> kScheduled = {
    {.sides = {4, 4}, .algorithm = "scheduled"},
    {.sides = {5, 3}, .algorithm = "scheduled"},
    {.sides = {3, 3, 3}, .algorithm = "scheduled"},
    {.sides = {4, 4}, .algorithm = "scheduled", .packets = 2},
    {.kind = "mesh", .sides = {4, 3}, .algorithm = "scheduled"},
    {.kind = "mesh", .sides = {3, 3}, .algorithm = "scheduled", .packets = 2},
};

Case shaped(Case asked, std::uint32_t chunk, std::uint32_t rounds, std::uint32_t slots,
            std::string latency) {
  asked.chunk = chunk;
  asked.rounds = rounds;
  asked.slots = slots;
  asked.latency = std::move(latency);
  return asked;
}

void check_against_proof(const Plan& plan, const Outcome& outcome) {
  const Verdict verdict = verify(plan);
  CHECK(verdict.problems == std::vector<std::string>{});
  CHECK(verdict.complete);
  CHECK(outcome.report.problems == std::vector<std::string>{});
  CHECK(outcome.report.complete == true);
  CHECK(verdict.cycles == outcome.cycles());
  CHECK(verdict.link_transfers == outcome.rows.size());
  CHECK(verdict.duplicates == outcome.report.duplicates);
}

TEST_CASE("elastic: streams that merge and schedules keep the order of the run in step",
          "[elastic]") {
  std::vector<Case> all = kMerging;
  all.insert(all.end(), kScheduled.begin(), kScheduled.end());
  for (const Case& asked : all) {
    CAPTURE(asked.kind, asked.sides, asked.algorithm, asked.packets);
    std::uint64_t steps = 0;
    const Order rigid = rigid_order(asked, steps);
    const bool scheduled = asked.algorithm == "scheduled";
    const Plan plan = plan_of(asked);
    CHECK(discipline_of(plan).name == (scheduled ? "schedule/elastic" : "stream/elastic-merge"));
    const Outcome outcome = run(plan);
    CHECK(outcome.order() == rigid);
    check_against_proof(plan, outcome);
    // A cycle a step; where two arrivals of a step go on by one port the second waits a cycle.
    if (scheduled) CHECK(outcome.cycles() == steps);
    if (!scheduled) CHECK(outcome.cycles() >= steps);
    for (const char* script : {"random:1:192,192,192", "random:2:100,256,180:40"}) {
      CHECK(run(plan, script).order() == rigid);
    }
    for (const Case& other : {shaped(asked, 1, 3, 0, "1"), shaped(asked, 2, 2, 0, "x=2,y=1"),
                              shaped(asked, 3, 1, 0, "3"), shaped(asked, 4, 2, 0, "x=1,y=5")}) {
      CAPTURE(other.chunk, other.rounds, other.latency);
      const Plan planned = plan_of(other);
      const Outcome longer = run(planned);
      check_against_proof(planned, longer);
      CHECK(longer.rows.size() == rigid.size() * other.chunk * other.rounds);
      const Outcome stalled = run(planned, "random:3:150,200,220:10");
      CHECK(stalled.report.problems.empty());
      CHECK(stalled.order() == longer.order());
      CHECK(stalled.cycles() >= longer.cycles());
    }
  }
}

TEST_CASE("elastic: a schedule goes on with one slot a link, and costs its latency a step",
          "[elastic]") {
  for (Case asked : kScheduled) {
    CAPTURE(asked.kind, asked.sides, asked.packets);
    for (const std::uint32_t chunk : {1U, 2U, 5U}) {
      const Plan plan = plan_of(shaped(asked, chunk, 2, 1, "x=1,y=2"));
      const Outcome outcome = run(plan, "random:4:128,128,128:30");
      CHECK(outcome.report.problems.empty());
      CHECK(outcome.report.complete == true);
      check_against_proof(plan, run(plan));
    }
    for (const std::uint32_t latency : {1U, 2U, 4U}) {
      std::uint64_t steps = 0;
      static_cast<void>(rigid_order(asked, steps));
      const Plan plan = plan_of(shaped(asked, 3, 2, 0, std::to_string(latency)));
      const bool one_rom = std::get<ScheduleProgram>(plan.program).classes().empty();
      const std::uint64_t formula = steps * 2 * (latency + 3 - 1);
      if (one_rom) CHECK(plan.expected.analytic_cycles == formula);
      CHECK(run(plan).cycles() == (one_rom ? formula : verify(plan).cycles));
      CHECK(run(plan).cycles() <= formula);
    }
  }
}

TEST_CASE("elastic: merging streams need room, as much as the run in step and a chunk more",
          "[elastic]") {
  std::size_t stopped = 0;
  for (const Case& asked : kMerging) {
    for (const std::uint32_t chunk : {1U, 3U}) {
      for (std::uint32_t slots = 1; slots <= 3 * chunk; ++slots) {
        CAPTURE(asked.kind, asked.sides, asked.algorithm, chunk, slots);
        const Plan plan = plan_of(shaped(asked, chunk, 2, slots, "1"));
        const Verdict verdict = verify(plan);
        const Outcome outcome = run(plan);
        // A chunk more than a port has own packets is enough for every plan here; nobody has proved
        // it of all.
        std::size_t own = 0;
        for (const PortProgram& entry : std::get<StreamProgram>(plan.program).dictionary()) {
          own = std::max(own, entry.preload.size());
        }
        if (slots >= (own + 1) * chunk) CHECK(verdict.complete);
        if (verdict.complete) check_against_proof(plan, outcome);
        if (outcome.report.complete == true) continue;
        ++stopped;
        CHECK_FALSE(verdict.complete);
        CHECK(has_problem(verdict.problems, "stops at chunk"));
        CHECK(outcome.report.elastic->standstill.has_value());
      }
    }
  }
  CHECK(stopped > 0);
}

TEST_CASE("elastic plans are of the disciplines that their algorithms name, or none could be read",
          "[elastic]") {
  std::size_t planned = 0;
  for (const Algorithm& algorithm : algorithms()) {
    const bool elastic = algorithm.collective == "gossip" && has_word(algorithm.options, "elastic");
    // Searches.
    if (!elastic || algorithm.name == "tables" || algorithm.name == "auto") continue;
    for (const Sides& sides : {Sides{2, 2}, Sides{2, 4}, Sides{4, 2}, Sides{2, 5}, Sides{3, 3},
                               Sides{3, 4}, Sides{4, 4}, Sides{4, 6}, Sides{5, 5}, Sides{5}}) {
      for (const char* kind : {"torus", "mesh"}) {
        CAPTURE(algorithm.name, sides, kind);
        try {
          const Plan plan =
              plan_of({.kind = kind, .sides = sides, .algorithm = std::string(algorithm.name)});
          if (plan.algorithm != algorithm.name) continue;
          CHECK(has_word(algorithm.disciplines, discipline_of(plan).name));
          ++planned;
        } catch (const InputError&) {
        } catch (const InfeasibleError&) {
        }
      }
    }
  }
  CHECK(planned > 60);
  // What `auto` makes has another one's name.
  const Topology line = with_named_faults(Topology::torus(Sides{6}), "link:1:x+");
  const Plan plan = make_plan({line, "gossip", "auto", {{"elastic", true}}, {}});
  CHECK(plan.algorithm == "degraded");
  const auto named =
      std::find_if(algorithms().begin(), algorithms().end(), [&plan](const Algorithm& algorithm) {
        return algorithm.collective == "gossip" && algorithm.name == plan.algorithm;
      });
  CHECK(has_word(named->disciplines, discipline_of(plan).name));
}

TEST_CASE("elastic plans with orders are read as they were written, and wrong ones refused",
          "[elastic]") {
  const auto text_of = [](const Plan& plan) {
    std::stringstream document;
    write_plan(plan, document, PlanEncoding::kJson);
    return document.str();
  };
  for (const Case& asked : {kMerging[1], kMerging[5], kScheduled[0], kScheduled[4]}) {
    const Plan plan = plan_of(shaped(asked, 2, 3, 0, "x=2,y=1"));
    std::stringstream document(text_of(plan));
    CHECK(read_plan(document, "plan") == plan);
  }
  const Plan plan = plan_of(kMerging[0]);
  const auto refused = [&](const auto& change) {
    Plan wrong = plan;
    auto& program = std::get<StreamProgram>(wrong.program);
    for (NodeId node = 0; node < program.nodes(); ++node) {
      for (Port port = 0; port < program.ports(); ++port) {
        PortProgram entry = program.at(node, port);
        if (entry.order.size() < 3) continue;
        change(entry);
        program.set(node, port, entry);
        std::stringstream document(text_of(wrong));
        CHECK_THROWS_AS(read_plan(document, "plan"), InputError);
        return;
      }
    }
    FAIL("no order");
  };
  refused([](PortProgram& entry) { entry.order.pop_back(); });
  refused([](PortProgram& entry) { std::reverse(entry.order.begin(), entry.order.end()); });
  refused([](PortProgram& entry) { entry.feed = PortSet::of(entry.feed.front()); });
  refused([](PortProgram& entry) { entry.switch_step = 2; });
}

TEST_CASE("elastic: every other order of two arrivals is harmless or refused, as the run has it",
          "[elastic]") {
  const Plan plan = plan_of(kMerging[0]);
  const auto& program = std::get<StreamProgram>(plan.program);
  std::size_t wrong = 0;
  for (NodeId node = 0; node < program.nodes(); ++node) {
    for (Port port = 0; port < program.ports(); ++port) {
      const PortProgram entry = program.at(node, port);
      for (std::size_t i = 0; i + 1 < entry.order.size(); ++i) {
        Plan other = plan;
        PortProgram changed = entry;
        std::swap(changed.order[i], changed.order[i + 1]);
        std::get<StreamProgram>(other.program).set(node, port, changed);
        const Verdict verdict = verify(other);
        const Outcome outcome = run(other);
        CAPTURE(node, port, i);
        if (verdict.complete) {
          CHECK(outcome.report.complete == true);
          CHECK(outcome.report.problems.empty());
          CHECK(verdict.cycles == outcome.cycles());
        } else {
          // What is left over when a network stops may be what some nodes get twice.
          ++wrong;
          CHECK_FALSE(outcome.report.problems.empty());
        }
      }
    }
  }
  CHECK(wrong > 0);
}

}  // namespace
}  // namespace gossamer
