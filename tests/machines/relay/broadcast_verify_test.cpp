// SPDX-License-Identifier: Apache-2.0
#include "gossamer/machines/relay/broadcast_proof.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <random>

#include "gossamer/collectives/broadcast/eye.hpp"
#include "gossamer/collectives/broadcast/figure2.hpp"
#include "gossamer/collectives/broadcast/min_tcd.hpp"
#include "gossamer/collectives/broadcast/rivals.hpp"
#include "relay.hpp"

namespace gossamer {
namespace {

using testing::mesh;
using testing::torus;
using Kind = RelayProblem::Kind;

/// A plan's sends in a form that is easy to damage.
struct LooseSend {
  NodeId from;
  RelayPath path;
};
using LooseSteps = std::vector<std::vector<LooseSend>>;

LooseSteps loosen(const RelayProgram& program) {
  LooseSteps steps;
  for (std::uint32_t step = 1; step <= program.steps(); ++step) {
    steps.emplace_back();
    for (const RelaySend& send : program.sends(step)) {
      steps.back().push_back({send.from, program.path(send)});
    }
  }
  return steps;
}

Plan rebuilt(const Plan& plan, const LooseSteps& steps) {
  const auto& old = plan.program.as<RelayProgram>();
  RelayProgram program(old.source());
  program.clock = old.clock;
  program.ports = old.ports;
  program.rule = old.rule;
  for (const auto& step : steps) {
    for (const LooseSend& send : step) program.add_send(send.from, send.path);
    program.end_step();
  }
  Plan copy = plan;
  copy.program = std::move(program);
  return copy;
}

bool names(const RelayVerdict& verdict, Kind kind) {
  return std::any_of(verdict.problems.begin(), verdict.problems.end(),
                     [kind](const RelayProblem& problem) { return problem.kind == kind; });
}

std::vector<Plan> sound_plans() {
  const MessageClock clock{MessageTiming::kSelf, 3, 2, 1};
  return {plan_eye(mesh({8, 8}), {18, clock}),     plan_eye(mesh({8, 8}), {3, clock}),
          plan_eye(torus({4, 8}), {9, clock}),     plan_eye(mesh({4, 4, 4}), {5, clock}),
          plan_min_tcd(mesh({5, 6}), {7, clock}),  plan_min_tcd(mesh({3, 4, 3}), {0, clock}),
          plan_min_tcd(torus({5, 5}), {7, clock}), plan_figure2(mesh({8, 8}), {4, clock}),
          plan_doubling(mesh({6, 5}), {8, clock}), plan_xy_unicast(mesh({4, 3}), {5, clock}),
          plan_tree(mesh({5, 4}), {6, clock}),     plan_tree(torus({5, 4}), {6, clock})};
}

TEST_CASE("a rebuilt plan is the same plan", "[broadcast][verify]") {
  for (const Plan& plan : sound_plans()) {
    const Plan copy = rebuilt(plan, loosen(plan.program.as<RelayProgram>()));
    CAPTURE(plan.algorithm);
    REQUIRE(copy == plan);
    REQUIRE(verify_broadcast(copy).ok());
  }
}

/// Applies `damage` to every send of every sound plan in turn; each time the plan must be rejected.
/// `damage` returns false where it does not apply.
void require_rejected(const std::function<bool(const Plan&, LooseSteps&, std::size_t step,
                                               std::size_t send)>& damage) {
  std::size_t applied = 0;
  for (const Plan& plan : sound_plans()) {
    const LooseSteps sound = loosen(plan.program.as<RelayProgram>());
    for (std::size_t step = 0; step < sound.size(); ++step) {
      for (std::size_t send = 0; send < sound[step].size(); ++send) {
        LooseSteps steps = sound;
        if (!damage(plan, steps, step, send)) continue;
        ++applied;
        CAPTURE(plan.algorithm, plan.topology.dims_text(), step + 1, send);
        REQUIRE_FALSE(verify_broadcast(rebuilt(plan, steps)).ok());
      }
    }
  }
  REQUIRE(applied > 30);
}

TEST_CASE("the verifier rejects a plan without any one of its sends", "[broadcast][verify]") {
  require_rejected([](const Plan&, LooseSteps& steps, std::size_t step, std::size_t send) {
    steps[step].erase(steps[step].begin() + static_cast<std::ptrdiff_t>(send));
    return true;
  });
}

TEST_CASE("the verifier rejects a plan with any send done twice", "[broadcast][verify]") {
  require_rejected([](const Plan&, LooseSteps& steps, std::size_t step, std::size_t send) {
    steps[step].push_back(steps[step][send]);
    return true;
  });
}

TEST_CASE("the verifier rejects a plan with any send one hop longer or shorter",
          "[broadcast][verify]") {
  require_rejected([](const Plan&, LooseSteps& steps, std::size_t step, std::size_t send) {
    ++steps[step][send].path.back().hops;
    return true;
  });
  require_rejected([](const Plan&, LooseSteps& steps, std::size_t step, std::size_t send) {
    RelayPath& path = steps[step][send].path;
    if (path_hops(path) == 1) return false;
    if (--path.back().hops == 0) path.pop_back();
    return true;
  });
}

TEST_CASE("the verifier rejects a plan with any send the other way", "[broadcast][verify]") {
  require_rejected([](const Plan& plan, LooseSteps& steps, std::size_t step, std::size_t send) {
    RelaySegment& segment = steps[step][send].path.front();
    const std::uint32_t side = plan.topology.side(dimension_of(segment.port));
    // Half-way around a ring both directions lead to the same node.
    if (plan.topology.is_torus() && 2U * segment.hops == side) return false;
    segment.port = opposite(segment.port);
    return true;
  });
}

TEST_CASE("the verifier rejects a plan with any send along another dimension",
          "[broadcast][verify]") {
  require_rejected([](const Plan& plan, LooseSteps& steps, std::size_t step, std::size_t send) {
    RelayPath& path = steps[step][send].path;
    if (path.size() != 1) return false;
    const int dim = (dimension_of(path.front().port) + 1) % plan.topology.dimensions();
    path.front().port = make_port(dim, is_positive(path.front().port));
    return true;
  });
}

TEST_CASE("the verifier rejects a plan with any send from another node", "[broadcast][verify]") {
  require_rejected([](const Plan& plan, LooseSteps& steps, std::size_t step, std::size_t send) {
    NodeId& from = steps[step][send].from;
    from = (from + 1) % plan.topology.nodes();
    return true;
  });
}

TEST_CASE("the verifier rejects a plan with any send of a full step moved a step ahead",
          "[broadcast][verify]") {
  require_rejected([](const Plan& plan, LooseSteps& steps, std::size_t step, std::size_t send) {
    // Every holder is busy only if all holders send in every step.
    if (step == 0 || plan.algorithm == "tree" || plan.algorithm == "xy-unicast") return false;
    if (steps[step - 1].size() != std::size_t{1} << (step - 1)) return false;
    steps[step - 1].push_back(steps[step][send]);
    steps[step].erase(steps[step].begin() + static_cast<std::ptrdiff_t>(send));
    return true;
  });
}

TEST_CASE("the verifier rejects wrong figures", "[broadcast][verify]") {
  for (const Plan& plan : sound_plans()) {
    Plan wrong = plan;
    wrong.expected.analytic_steps = *plan.expected.analytic_steps + 1;
    REQUIRE(names(verify_broadcast(wrong), Kind::kWrongFigure));
    wrong = plan;
    wrong.expected.analytic_cycles = *plan.expected.analytic_cycles - 1;
    REQUIRE(names(verify_broadcast(wrong), Kind::kWrongFigure));
    wrong = plan;
    wrong.expected.lower_bound_steps = *plan.expected.analytic_steps + 1;
    REQUIRE(names(verify_broadcast(wrong), Kind::kWrongFigure));
    wrong = plan;
    wrong.expected.bound_steps = *plan.expected.analytic_steps - 1;
    REQUIRE(names(verify_broadcast(wrong), Kind::kWrongFigure));
    if (!plan.expected.analytic_tcd) continue;
    wrong = plan;
    wrong.expected.analytic_tcd = *plan.expected.analytic_tcd - 1;
    REQUIRE(names(verify_broadcast(wrong), Kind::kWrongFigure));
  }
}

TEST_CASE("the verifier compares the sends with the table-free rule", "[broadcast][verify]") {
  Plan plan = plan_eye(mesh({8, 8}), {18, {}});
  plan.program.edit<RelayProgram>().rule->side_bits = 1;
  REQUIRE(names(verify_broadcast(plan), Kind::kNotTheRule));
  plan = plan_eye(torus({8, 8}), {3, {}});
  plan.program.edit<RelayProgram>().rule->side_bits ^= 2;
  REQUIRE(names(verify_broadcast(plan), Kind::kNotTheRule));
  plan = plan_eye(mesh({8, 8}), {1, {}});
  DimensionOrder& order = plan.program.edit<RelayProgram>().rule->source_orders.front();
  std::swap(order[0], order[1]);
  REQUIRE(names(verify_broadcast(plan), Kind::kNotTheRule));
  order = DimensionOrder{9, 9};
  REQUIRE(names(verify_broadcast(plan), Kind::kNotTheRule));
  // A correct broadcast with the parameters of another rule.
  plan = plan_doubling(mesh({8, 8}), {18, {}});
  plan.program.edit<RelayProgram>().rule =
      plan_eye(mesh({8, 8}), {18, {}}).program.as<RelayProgram>().rule;
  REQUIRE(names(verify_broadcast(plan), Kind::kNotTheRule));
}

/// A plan of the given sends, step by step, without expected figures.
Plan hand_made(const Topology& topology, NodeId source, const LooseSteps& steps) {
  RelayProgram program(source);
  for (const auto& step : steps) {
    for (const LooseSend& send : step) program.add_send(send.from, send.path);
    program.end_step();
  }
  return {topology,           "broadcast", "hand-made", {}, Demand::broadcast(source),
          std::move(program), {}};
}

constexpr Port kLeft = 0;
constexpr Port kRight = 1;
constexpr Port kUp = 3;

TEST_CASE("the verifier names each kind of problem with step, node and link",
          "[broadcast][verify]") {
  const Topology row = mesh({4});
  // 0 1 2 3; the source is 0.
  const auto only = [](const Plan& plan) {
    const RelayVerdict verdict = verify_broadcast(plan);
    REQUIRE_FALSE(verdict.problems.empty());
    return verdict.problems.front();
  };
  const LooseSteps sound{{{0, {{kRight, 2}}}}, {{0, {{kRight, 1}}}, {2, {{kRight, 1}}}}};
  REQUIRE(verify_broadcast(hand_made(row, 0, sound)).ok());

  RelayProblem problem = only(hand_made(row, 4, sound));
  CHECK(problem.kind == Kind::kNoSuchNode);
  problem = only(hand_made(row, 0, {{{7, {{kRight, 1}}}}}));
  CHECK(problem.kind == Kind::kNoSuchNode);
  problem = only(hand_made(row, 0, {{{0, {{kRight, 4}}}}}));
  CHECK(problem.kind == Kind::kLeavesMesh);
  CHECK(problem.text == "step 1: node 0: its path leaves the mesh");
  problem = only(hand_made(row, 0, {{{0, {{kRight, 1}}}, {3, {{kLeft, 1}}}}}));
  CHECK(problem.kind == Kind::kNotHolder);
  CHECK(problem.node == 3);
  problem = only(hand_made(row, 0, {{{0, {{kRight, 1}}}}, {{1, {{kLeft, 1}}}}}));
  CHECK(problem.kind == Kind::kDuplicate);
  CHECK(problem.step == 2);
  problem = only(hand_made(row, 0, {{{0, {{kRight, 1}}}}}));
  CHECK(problem.kind == Kind::kMissing);
  CHECK(problem.node == 2);

  // Two sends of step 2 over the link from 1 to 2.
  Plan crossing =
      hand_made(row, 0, {{{0, {{kRight, 1}}}}, {{0, {{kRight, 3}}}, {1, {{kRight, 1}}}}});
  const RelayVerdict verdict = verify_broadcast(crossing);
  REQUIRE(verdict.problem_count == 1);
  CHECK(verdict.problems.front().kind == Kind::kContention);
  CHECK(verdict.problems.front().step == 2);
  CHECK(verdict.problems.front().link == row.link(1, kRight));
  CHECK(verdict.problems.front().text == "step 2: node 1: two sends use one link (link 1 x+)");
  // A flit long they miss each other, longer they do not.
  CHECK(testing::run_relay_fast(crossing).conflicts == 0);
  crossing.program.edit<RelayProgram>().clock.flits = 2;
  CHECK(testing::run_relay_fast(crossing).conflicts == 1);

  // One node, two sends.
  const Plan two_at_once =
      hand_made(mesh({2, 2}), 0, {{{0, {{kRight, 1}}}, {0, {{kUp, 1}}}}, {{1, {{kUp, 1}}}}});
  CHECK(names(verify_broadcast(two_at_once), Kind::kNotOnePort));
  CHECK(verify_broadcast(two_at_once).most_sends == 2);

  // A router copies at once, even if a send is in a later step.
  Plan late = two_at_once;
  late.program.edit<RelayProgram>().ports = RelayPorts::kFanOut;
  CHECK(verify_broadcast(late).ok());
  late = hand_made(mesh({2, 2}), 0, {{{0, {{kRight, 1}}}}, {{0, {{kUp, 1}}}, {1, {{kUp, 1}}}}});
  CHECK(verify_broadcast(late).ok());
  late.program.edit<RelayProgram>().ports = RelayPorts::kFanOut;
  CHECK(only(late).kind == Kind::kNotAtOnce);
  CHECK(only(late).text == "step 2: node 0: must copy a passing message immediately, in step 1");
}

TEST_CASE("messages of different steps that meet at a clock are found by verifier and engine",
          "[broadcast][verify][timing]") {
  // 0 informs 1; then 0 sends past 1 to 3, and 1 informs 2 only in step 3. In steps no messages
  // meet. Self-timed, 1 sends over the link 1 -> 2 at once, and meets the message to 3 there.
  const LooseSteps steps{{{0, {{kRight, 1}}}}, {{0, {{kRight, 3}}}}, {{1, {{kRight, 1}}}}};
  Plan plan = hand_made(mesh({4}), 0, steps);
  auto& clock = plan.program.edit<RelayProgram>().clock;
  clock = {MessageTiming::kStep, 4, 1, 0};
  RelayVerdict verdict = verify_broadcast(plan);
  CHECK(verdict.ok());
  CHECK_FALSE(verdict.regions_disjoint);
  CHECK(testing::run_relay_fast(plan).conflicts == 0);
  clock.timing = MessageTiming::kSelf;
  verdict = verify_broadcast(plan);
  REQUIRE(verdict.problem_count == 1);
  CHECK(verdict.problems.front().kind == Kind::kTimedContention);
  CHECK(verdict.problems.front().link == plan.topology.link(1, kRight));
  CHECK(testing::run_relay_fast(plan).conflicts == 1);
  clock.relay_cycles = 8;
  clock.flits = 1;
  CHECK(verify_broadcast(plan).ok() == (testing::run_relay_fast(plan).conflicts == 0));
}

TEST_CASE("paths that are not minimal are judged by their effect", "[broadcast][verify]") {
  const Topology ring = torus({4});
  // The longer direction to node 3.
  const LooseSteps detour{{{0, {{kRight, 2}}}}, {{0, {{kLeft, 1}}}, {2, {{kLeft, 1}}}}};
  const LooseSteps round{{{0, {{kRight, 3}}}}, {{0, {{kRight, 1}}}, {3, {{kLeft, 1}}}}};
  for (const LooseSteps& steps : {detour, round}) {
    Plan plan = hand_made(ring, 0, steps);
    const RelayVerdict verdict = verify_broadcast(plan);
    CAPTURE(verdict.problem_count);
    REQUIRE(verdict.ok());
    REQUIRE(testing::run_relay_fast(plan).complete);
    REQUIRE(testing::run_relay_fast(plan).tcd == verdict.tcd);
    plan.expected.analytic_tcd = verdict.tcd - 1;
    REQUIRE_FALSE(verify_broadcast(plan).ok());
  }
}

TEST_CASE("an invalid lower bound is rejected", "[broadcast][verify]") {
  for (Plan plan : sound_plans()) {
    REQUIRE(verify_broadcast(plan).ok());
    --*plan.expected.lower_bound_steps;
    REQUIRE_FALSE(verify_broadcast(plan).ok());
  }
}

TEST_CASE("the proof of damaged plans has the figures of a run", "[broadcast][verify]") {
  std::mt19937 random(7);
  const auto below = [&random](std::size_t n) { return random() % n; };
  int counted = 0;
  for (const Plan& right : sound_plans()) {
    for (int round = 0; round < 100; ++round) {
      LooseSteps steps = loosen(right.program.as<RelayProgram>());
      auto& step = steps[below(steps.size())];
      LooseSend& send = step[below(step.size())];
      RelaySegment& segment = send.path[below(send.path.size())];
      switch (below(3)) {
        case 0:
          send = step.back();
          step.pop_back();
          break;
        case 1:
          segment.hops = static_cast<std::uint16_t>(1 + below(4));
          break;
        default:
          segment.port = static_cast<Port>(below(static_cast<std::size_t>(right.topology.ports())));
      }
      const Plan plan = rebuilt(right, steps);
      const RelayVerdict verdict = verify_broadcast(plan);
      if (!verdict.conflicts) continue;
      ++counted;
      CAPTURE(right.algorithm, right.topology.dims_text(), round);
      const testing::RelayOutcome run = testing::run_relay_fast(plan);
      REQUIRE(verdict.complete == run.complete);
      REQUIRE(verdict.conflicts == run.conflicts);
      REQUIRE(verdict.tcd == run.tcd);
      REQUIRE(run.duplicates == 0);
      if (run.complete) REQUIRE(verdict.steps == run.steps);
    }
  }
  REQUIRE(counted > 100);
}

}  // namespace
}  // namespace gossamer
