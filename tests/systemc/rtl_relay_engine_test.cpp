// SPDX-License-Identifier: Apache-2.0
/// The Verilated relay routers in the SystemC network, against the fast engine and the model.
#include "gossamer/sim/engines.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "gossamer/collectives/broadcast/broadcast.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/tb/lock_step.hpp"
#include "gossamer/util/error.hpp"
#include "relay_plans.hpp"
#include "simulate.hpp"

using namespace gossamer;
using gossamer::tb::Difference;
using gossamer::tb::LockStep;
using gossamer::tb::Side;

namespace {
constexpr std::uint64_t kForever = ~std::uint64_t{0};
}  // namespace

TEST_CASE("RTL relays write the fast engine's trace in the formulas' cycles",
          "[lock-step][rtl][relay]") {
  std::size_t plans = 0;
  test::for_each_relay_plan([&](const Plan& plan) {
    CAPTURE(test::describe(plan));
    const test::RelayRun expected = test::run_relay(plan, *make_fast_engine(plan));
    const test::RelayRun got = test::run_relay(plan, *make_engine("rtl", plan));
    REQUIRE(expected.complete);
    REQUIRE(got == expected);
    REQUIRE(got.cycles == plan.expected.analytic_cycles);
    ++plans;
  });
  REQUIRE(plans > 400);
}

TEST_CASE("model and RTL relays agree on every link in every cycle", "[lock-step][rtl][relay]") {
  test::for_each_relay_plan([&](const Plan& plan) {
    CAPTURE(test::describe(plan));
    const auto model = make_engine("systemc", plan);
    const auto rtl = make_engine("rtl", plan);
    LockStep lock_step(plan.topology, *model, *rtl);
    std::string text;
    for (const Difference& difference : lock_step.run(kForever)) text += difference.text() + "\n";
    REQUIRE(text.empty());
    REQUIRE(lock_step.cycles() >= plan.expected.analytic_cycles);
  });
}

TEST_CASE("a fault in a relay of the RTL or of the model is named", "[lock-step][rtl][relay]") {
  // Node 18 is an eye of 8x8; its first send leaves at port x+ and crosses 3 links.
  const Plan plan = test::relay_plan(Topology::mesh(std::array{8U, 8U}), "eye", 18,
                                     {MessageTiming::kSelf, 4, 1, 1});
  for (const Side side : {Side::kReference, Side::kDevice}) {
    const auto model = make_engine("systemc", plan);
    const auto rtl = make_engine("rtl", plan);
    LockStep lock_step(plan.topology, *model, *rtl);
    lock_step.inject({.side = side, .cycle = 2, .node = 19, .port = 1, .upset = {.flip = 1}});
    const auto differences = lock_step.run(kForever);
    REQUIRE(lock_step.cycles() == 1);
    REQUIRE(differences.size() == 1);
    REQUIRE(differences[0].cycle == 2);
    REQUIRE(differences[0].node == 19);
    REQUIRE(differences[0].port == Port{1});
    REQUIRE(differences[0].expected != differences[0].got);
    REQUIRE(differences[0].text().find("cycle 2, node 19, port x+: expected head ") == 0);
  }
}

TEST_CASE("a lost flit is reported, and a fault without a flit is refused",
          "[lock-step][rtl][relay]") {
  const Plan plan = test::relay_plan(Topology::mesh(std::array{5U, 7U}), "min-tcd", 0,
                                     {MessageTiming::kStep, 3, 2, 1});
  const auto model = make_engine("systemc", plan);
  const auto rtl = make_engine("rtl", plan);
  LockStep lock_step(plan.topology, *model, *rtl);
  SECTION("vanished") {
    const auto first =
        plan.program.as<RelayProgram>().path(plan.program.as<RelayProgram>().sends(1)[0])[0];
    lock_step.inject({.cycle = 2, .node = 0, .port = first.port, .upset = {.drop = true}});
    const auto differences = lock_step.run(kForever);
    REQUIRE(differences.size() == 1);
    REQUIRE(differences[0].got == "none");
    REQUIRE(differences[0].expected != "none");
    REQUIRE(differences[0].text().find(", got none") != std::string::npos);
  }
  SECTION("idle link") {
    lock_step.inject({.cycle = 1, .node = 34, .port = 0, .upset = {.flip = 1}});
    REQUIRE_THROWS_AS(lock_step.run(kForever), InputError);
  }
  SECTION("after the end") {
    lock_step.inject({.cycle = 100000, .node = 0, .port = 1, .upset = {.flip = 1}});
    REQUIRE(lock_step.run(kForever).empty());
    REQUIRE(lock_step.unreached_fault()->cycle == 100000);
  }
}

TEST_CASE("an RTL relay with a wrong list is caught", "[lock-step][rtl][relay]") {
  const Plan plan = test::relay_plan(Topology::mesh(std::array{6U, 5U}), "min-tcd", 7,
                                     {MessageTiming::kSelf, 2, 1, 0});
  Plan wrong = plan;
  RelayProgram program(7);
  program.clock = plan.program.as<RelayProgram>().clock;
  program.add_send(7, {{make_port(1, true), 1}});
  program.end_step();
  wrong.program = program;
  const auto model = make_engine("systemc", plan);
  const auto rtl = make_engine("rtl", wrong);
  LockStep lock_step(plan.topology, *model, *rtl);
  const auto differences = lock_step.run(kForever);
  REQUIRE_FALSE(differences.empty());
  REQUIRE(differences[0].cycle == 1);
  REQUIRE(differences[0].node == 7);
}

TEST_CASE("messages that meet fail an assertion in model and RTL", "[lock-step][rtl][relay]") {
  // Nodes 0 and 1 of a line send over 4 and 3 links in one step: on the second link they meet.
  const Topology line = Topology::mesh(std::array{8U});
  RelayProgram program(0);
  program.clock = {MessageTiming::kStep, 4, 1, 0};
  program.add_send(0, {{make_port(0, true), 1}});
  program.end_step();
  program.add_send(0, {{make_port(0, true), 4}});
  program.add_send(1, {{make_port(0, true), 4}});
  program.end_step();
  const Plan plan = make_broadcast_plan(line, "doubling", program);
  const auto fast = make_fast_engine(plan);
  testing::run_out(*fast);
  REQUIRE(fast->statistics().link_conflicts > 0);
  const auto message = [](Engine& engine) -> std::string {
    try {
      testing::run_out(engine);
    } catch (const ModelAssertion& assertion) {
      return assertion.what();
    }
    return "";
  };
  REQUIRE(message(*make_engine("systemc", plan)).find("two messages on one link") !=
          std::string::npos);
  REQUIRE(message(*make_engine("rtl", plan)).find("assertion failed") != std::string::npos);

  std::ostringstream trace;
  const Report report = run_plan(plan, *make_engine("rtl", plan), {.trace = &trace});
  REQUIRE(report.complete == false);
  REQUIRE(report.problems.front().find("assertion: ") == 0);
}

TEST_CASE("a node with two sends in one step makes only the first", "[lock-step][rtl][relay]") {
  RelayProgram program(0);
  program.clock = {MessageTiming::kStep, 4, 1, 0};
  program.add_send(0, {{make_port(0, true), 1}});
  program.add_send(0, {{make_port(1, true), 1}});
  program.end_step();
  const Plan plan = make_broadcast_plan(Topology::mesh(std::array{2U, 2U}), "doubling", program);
  for (const bool rtl : {false, true}) {
    const auto engine = rtl ? make_engine("rtl", plan) : make_engine("systemc", plan);
    const test::RelayRun run = test::run_relay(plan, *engine);
    REQUIRE_FALSE(run.complete);
    REQUIRE(run.traversals == 1);
  }
}

TEST_CASE("the largest message and delays", "[lock-step][rtl][relay]") {
  for (const char* algorithm : {"eye", "min-tcd"}) {
    const Plan plan =
        test::relay_plan(Topology::mesh(std::array{2U, 2U}), algorithm, 1,
                         {MessageTiming::kSelf, kMaxFlits, kMaxHopCycles, kMaxRelayCycles});
    const auto model = make_engine("systemc", plan);
    const auto rtl = make_engine("rtl", plan);
    LockStep lock_step(plan.topology, *model, *rtl);
    REQUIRE(lock_step.run(kForever).empty());
    REQUIRE(model->statistics().cycles == plan.expected.analytic_cycles);
    REQUIRE(rtl->statistics().cycles == plan.expected.analytic_cycles);
  }
}

TEST_CASE("times and memories beyond those of the routers are refused", "[lock-step][rtl][relay]") {
  const MessageClock slow{MessageTiming::kSelf, 1, 1, 1U << 18U};
  const MessageClock long_wires{MessageTiming::kSelf, 1, 1U << 30U, 0};
  const MessageClock long_message{MessageTiming::kSelf, kMaxFlits, 1, 0};
  const Plan plans[] = {
      test::relay_plan(Topology::mesh(std::array{2U, 2U}), "min-tcd", 0, slow),
      test::relay_plan(Topology::mesh(std::array{2U, 2U}), "eye", 0, long_wires),
      test::relay_plan(Topology::mesh(std::array{64U, 32U}), "doubling", 0, long_message)};
  for (const Plan& plan : plans) {
    REQUIRE_THROWS_AS(make_engine("rtl", plan), InfeasibleError);
    REQUIRE_THROWS_AS(make_engine("systemc", plan), InfeasibleError);
  }
}

TEST_CASE("larger networks in lock step", "[lock-step][rtl][relay]") {
  const MessageClock clock{MessageTiming::kSelf, 4, 1, 1};
  for (const Plan& plan :
       {test::relay_plan(Topology::mesh(std::array{32U, 32U}), "eye", 5, clock),
        test::relay_plan(Topology::torus(std::array{32U, 16U}), "eye", 77, clock),
        test::relay_plan(Topology::mesh(std::array{21U, 19U}), "min-tcd", 3, clock)}) {
    CAPTURE(test::describe(plan));
    const auto model = make_engine("systemc", plan);
    const auto rtl = make_engine("rtl", plan);
    LockStep lock_step(plan.topology, *model, *rtl);
    REQUIRE(lock_step.run(kForever).empty());
    REQUIRE(rtl->statistics().cycles == plan.expected.analytic_cycles);
  }
}

TEST_CASE("a path of more stretches than a header holds is refused", "[lock-step][rtl][relay]") {
  RelayProgram program(0);
  RelayPath path;
  for (int i = 0; i < 11; ++i) path.push_back({make_port(i % 2, true), 1});
  program.add_send(0, path);
  program.end_step();
  const Plan plan = make_broadcast_plan(Topology::mesh(std::array{8U, 8U}), "min-tcd", program);
  REQUIRE_THROWS_AS(make_engine("rtl", plan), InfeasibleError);
  REQUIRE_THROWS_AS(make_engine("systemc", plan), InfeasibleError);
}
