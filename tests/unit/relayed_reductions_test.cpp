// SPDX-License-Identifier: Apache-2.0
/// Reductions by cut-through relays: the figures of docs/spec/reductions.md, section 7.
#include <array>
#include <catch2/catch.hpp>
#include <sstream>

#include "gossamer/collectives/reduce/relays.hpp"
#include "gossamer/machines/relay/program.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {
namespace {

using Sides = std::vector<std::uint32_t>;

Plan planned(const std::string& collective, const std::string& algorithm, const Topology& topology,
             std::int64_t flits = 1, std::int64_t hop_cycles = 1, std::int64_t relay_cycles = 1) {
  PlanRequest request{topology, collective, algorithm, {}, {}};
  if (collective != "barrier") request.parameters["flits"] = flits;
  request.parameters["hop-cycles"] = hop_cycles;
  request.parameters["relay-cycles"] = relay_cycles;
  return make_plan(request);
}

/// Formula, proof and run agree; the run's cycles.
std::uint64_t check(const Plan& plan) {
  INFO(plan.collective << " " << plan.algorithm << " " << plan.topology.kind() << " "
                       << plan.topology.dims_text());
  const Verdict verdict = verify(plan);
  INFO((verdict.problems.empty() ? "" : verdict.problems.front()));
  CHECK(verdict.ok());
  CHECK(verdict.complete);
  const Report run = run_plan(plan, *make_fast_engine(plan), {});
  INFO((run.problems.empty() ? "" : run.problems.front()));
  CHECK(run.problems.empty());
  CHECK(run.complete == true);
  CHECK(run.missing == 0);
  CHECK(run.steps == plan.expected.analytic_steps);
  CHECK(verdict.steps == run.steps);
  CHECK(verdict.cycles == run.cycles);
  CHECK(verdict.link_transfers == run.link_transfers);
  CHECK(verdict.link_conflicts == run.link_conflicts);
  CHECK(*plan.expected.lower_bound_steps <= *run.steps);
  std::ostringstream out;
  write_plan(plan, out, PlanEncoding::kJson);
  std::istringstream in(out.str());
  CHECK(read_plan(in, "plan") == plan);
  return run.cycles.value_or(0);
}

TEST_CASE("relayed reductions take the cycles of the page's table", "[reduction][relay]") {
  struct Row {
    Sides sides;
    std::int64_t flits;
    /// Reduce, eye, eye-exchange, partners on the torus and on the mesh, leaders.
    std::array<std::uint64_t, 6> cycles;
  };
  for (const Row& row :
       {Row{{8, 8}, 1, {15, 31, 23, 15, 19, 32}}, Row{{8, 8}, 4, {33, 67, 53, 43, 79, 59}},
        Row{{16, 16}, 1, {27, 55, 43, 27, 37, 61}}, Row{{4, 4, 4}, 1, {11, 23, 17, 11, 14, 23}},
        Row{{4, 4, 4}, 4, {29, 59, 44, 29, 59, 47}}}) {
    const Topology torus = Topology::torus(row.sides);
    const Topology mesh = Topology::mesh(row.sides);
    CAPTURE(row.sides, row.flits);
    CHECK(check(planned("reduce", "eye", torus, row.flits)) == row.cycles[0]);
    CHECK(check(planned("all-reduce", "eye", torus, row.flits)) == row.cycles[1]);
    CHECK(check(planned("all-reduce", "eye", mesh, row.flits)) == row.cycles[1]);
    CHECK(check(planned("all-reduce", "eye-exchange", mesh, row.flits)) == row.cycles[2]);
    CHECK(check(planned("all-reduce", "partners", torus, row.flits)) == row.cycles[3]);
    CHECK(check(planned("all-reduce", "partners", mesh, row.flits)) == row.cycles[4]);
    CHECK(check(planned("all-reduce", "leaders", torus, row.flits)) == row.cycles[5]);
  }
}

TEST_CASE("relayed reductions on every shape that they support, at several clocks",
          "[reduction][relay]") {
  for (const Sides& sides :
       {Sides{2}, {4},     {8},    {16},      {2, 2},    {2, 4},    {8, 2},
        {4, 4},   {16, 4}, {1, 8}, {2, 2, 2}, {4, 2, 8}, {4, 4, 4}, {2, 2, 2, 2},
        {8, 8},   {3},     {7},    {3, 5},    {6, 4},    {5, 5},    {3, 4, 2}}) {
    for (const Topology& topology : {Topology::torus(sides), Topology::mesh(sides)}) {
      for (const Algorithm& algorithm : algorithms()) {
        if (algorithm.machines != "relay" || algorithm.collective == "broadcast" ||
            !serves(algorithm.shapes, topology)) {
          continue;
        }
        for (const auto& [flits, hop_cycles, relay_cycles] :
             {std::array<std::int64_t, 3>{1, 1, 0}, {5, 1, 2}, {2, 3, 0}}) {
          std::optional<Plan> plan;
          try {
            plan = planned(std::string(algorithm.collective), std::string(algorithm.name), topology,
                           flits, hop_cycles, relay_cycles);
          } catch (const InfeasibleError&) {
            continue;
          }
          check(*plan);
        }
      }
    }
  }
}

TEST_CASE("no link carries two messages of a step but those of partners", "[reduction][relay]") {
  // Messages so long that two on one link would meet.
  const Topology torus = Topology::torus(Sides{8, 8});
  const Topology mesh = Topology::mesh(Sides{8, 8});
  check(planned("all-reduce", "leaders", torus, 1000));
  check(planned("all-reduce", "eye", torus, 1000));
  check(planned("all-reduce", "eye-exchange", mesh, 1000));
  // Partners are held back: twice as far apart as half of the message, on a mesh as all of it.
  CHECK(
      planned("all-reduce", "partners", torus, 1000).program.as<RelayProgram>().clock.hop_cycles ==
      500);
  CHECK(planned("all-reduce", "partners", mesh, 1000).program.as<RelayProgram>().clock.hop_cycles ==
        1000);
  for (const auto& [topology, flits] : {std::pair{torus, 3}, {mesh, 2}}) {
    Plan hasty = planned("all-reduce", "partners", topology, flits);
    hasty.program.edit<RelayProgram>().clock.hop_cycles = 1;
    const Verdict verdict = verify(hasty);
    const Report run = run_plan(hasty, *make_fast_engine(hasty), {});
    CHECK_FALSE(verdict.ok());
    CHECK(verdict.link_conflicts.value_or(0) > 0);
    CHECK(run.link_conflicts == verdict.link_conflicts);
  }
}

TEST_CASE("reduce supports any root", "[reduction][relay]") {
  const Topology torus = Topology::torus(Sides{4, 8});
  const Topology mesh = Topology::mesh(Sides{4, 4});
  const Topology odd = Topology::mesh(Sides{3, 5});
  const auto reduce = [](const Topology& topology, const std::string& algorithm, NodeId root) {
    PlanRequest request{topology, "reduce", algorithm, {}, {}};
    const Coordinates at = topology.coordinates(root);
    request.parameters["source"] = std::to_string(at[0]) + "," + std::to_string(at[1]);
    return make_plan(request);
  };
  for (NodeId root = 0; root < torus.nodes(); ++root) check(reduce(torus, "eye", root));
  for (NodeId root = 0; root < mesh.nodes(); ++root) check(reduce(mesh, "eye", root));
  for (NodeId root = 0; root < odd.nodes(); ++root) check(reduce(odd, "min-tcd", root));
}

TEST_CASE("adders of several cycles cost relays what the specification says",
          "[reduction][relay]") {
  const Topology torus = Topology::torus(Sides{4, 4});
  const Topology odd = Topology::mesh(Sides{3, 5});
  for (const std::int64_t flits : {1, 2, 5}) {
    for (const std::int64_t relay_cycles : {0, 2}) {
      for (const Plan& plan : {planned("all-reduce", "eye", torus, flits, 1, relay_cycles),
                               planned("all-reduce", "partners", torus, flits, 1, relay_cycles),
                               planned("all-reduce", "leaders", torus, flits, 2, relay_cycles),
                               planned("reduce", "min-tcd", odd, flits, 3, relay_cycles)}) {
        const std::uint64_t at_once = check(plan);
        const std::uint64_t steps = *plan.expected.analytic_steps;
        const std::uint64_t adding = plan.program.as<RelayProgram>().adding_steps;
        for (const std::uint32_t adder : {1U, 3U, 15U}) {
          const std::int64_t late = adder + 1 - flits - relay_cycles;
          CHECK(check(with_adder_cycles(plan, adder)) ==
                at_once +
                    std::min(adding, steps - 1) *
                        static_cast<std::uint64_t>(std::max<std::int64_t>(0, late)) +
                    (adding == steps ? adder : 0));
        }
      }
    }
  }
}

TEST_CASE("a message that arrives while a sum is stored is reported", "[reduction][relay]") {
  // Node 1 has both words after the first step, and receives its own one back in the second.
  const auto of = [](std::uint32_t adder_cycles) {
    Plan plan = planned("all-reduce", "eye", Topology::mesh(Sides{2}), 4, 1, 0);
    RelayProgram program(0);
    program.clock = plan.program.as<RelayProgram>().clock;
    program.ports = RelayPorts::kDuplex;
    program.adding_steps = 1;
    program.adder_cycles = adder_cycles;
    const RelayPath up{{make_port(0, true), 1}};
    const RelayPath down{{make_port(0, false), 1}};
    for (int step = 0; step < 2; ++step) {
      program.add_send(0, up);
      program.add_send(1, down);
      program.end_step();
    }
    plan.program = program;
    plan.parameters.clear();
    plan.expected = {};
    return plan;
  };
  for (const std::uint32_t adder_cycles : {0U, 1U, 2U, 3U}) {
    // The next step begins when the last of 4 flits has arrived.
    const Plan plan = of(adder_cycles);
    const Verdict verdict = verify(plan);
    const Report run = run_plan(plan, *make_fast_engine(plan), {});
    const bool meets = adder_cycles > 0;
    CHECK(verdict.ok() == !meets);
    CHECK(run.problems.empty() == !meets);
    if (meets) {
      CHECK(verdict.problems.front() == "step 2: node 1 receives a message while it stores a sum");
    }
  }
}

TEST_CASE("damaged relayed reductions: proof and run agree", "[reduction][relay][verify]") {
  std::size_t tried = 0;
  std::size_t legal = 0;
  const auto judge = [&](const Plan& plan, const RelayProgram& program, bool may_be_legal) {
    Plan damaged = plan;
    damaged.program = program;
    if (damaged == plan) return;
    ++tried;
    const Verdict verdict = verify(damaged);
    const Report run = run_plan(damaged, *make_fast_engine(damaged), {});
    INFO(plan.algorithm << " " << plan.collective << " "
                        << (verdict.problems.empty() ? "" : verdict.problems.front()));
    if (verdict.complete) CHECK(run.complete == true);
    if (verdict.ok()) {
      CHECK(run.problems.empty());
      CHECK(may_be_legal);
      ++legal;
    }
    if (run.complete == false) CHECK_FALSE(verdict.ok());
  };
  const Topology torus = Topology::torus(Sides{4, 4});
  const Topology mesh = Topology::mesh(Sides{4, 4});
  for (const Plan& plan :
       {planned("reduce", "eye", torus), planned("all-reduce", "eye", mesh),
        planned("all-reduce", "partners", torus), planned("all-reduce", "leaders", torus),
        planned("all-reduce", "eye-exchange", mesh), planned("reduce", "min-tcd", mesh),
        with_adder_cycles(planned("all-reduce", "eye", torus, 6, 1, 0), 5)}) {
    const auto& good = plan.program.as<RelayProgram>();
    const auto rebuilt = [&](auto change) {
      RelayProgram program(good.source());
      program.clock = good.clock;
      program.ports = good.ports;
      program.adding_steps = good.adding_steps;
      program.adder_cycles = good.adder_cycles;
      std::size_t index = 0;
      for (std::uint32_t step = 1; step <= good.steps(); ++step) {
        for (const RelaySend& send : good.sends(step)) {
          change(program, index++, send.from, good.path(send));
        }
        program.end_step();
      }
      return program;
    };
    for (std::size_t i = 0; i < good.sends().size(); ++i) {
      // Dropped, by another port, a link further, from the neighbour.
      for (int kind = 0; kind < 4; ++kind) {
        const RelayProgram program =
            rebuilt([&](RelayProgram& to, std::size_t index, NodeId from, RelayPath path) {
              if (index == i) {
                if (kind == 0) return;
                if (kind == 1) path.front().port = opposite(path.front().port);
                if (kind == 2) ++path.front().hops;
                if (kind == 3) from = (from + 1) % plan.topology.nodes();
                if (path_end(plan.topology, from, path) == kNoNode) return;
              }
              to.add_send(from, path);
            });
        // Half-way around a ring both directions have the same length.
        judge(plan, program, kind == 1);
      }
    }
    for (const std::uint32_t adding : {good.adding_steps - 1, good.adding_steps + 1}) {
      RelayProgram program = rebuilt([](RelayProgram& to, std::size_t, NodeId from,
                                        const RelayPath& path) { to.add_send(from, path); });
      program.adding_steps = adding;
      // No node adds or replaces after the last step.
      if (adding != 0) judge(plan, program, adding >= good.steps());
    }
  }
  CHECK(tried > 500);
  CHECK(legal <= 8);
}

TEST_CASE("reductions that relays do not support are refused", "[reduction][relay]") {
  const auto refused = [](const std::string& algorithm, const Topology& topology,
                          const std::string& operation) {
    PlanRequest request{topology, "all-reduce", algorithm, {}, {}};
    request.parameters["operation"] = operation;
    CHECK_THROWS_AS(make_plan(request), InfeasibleError);
  };
  refused("partners", Topology::torus(Sides{8, 4}), "signed-saturating-sum");
  refused("partners", Topology::torus(Sides{6, 4}), "sum");
  refused("leaders", Topology::torus(Sides{8, 4}), "sum");
  refused("eye-exchange", Topology::mesh(Sides{8, 4}), "sum");
  refused("leaders", Topology::mesh(Sides{4, 4}), "sum");
  refused("eye", Topology::mesh(Sides{3, 4}), "sum");
}

}  // namespace
}  // namespace gossamer
