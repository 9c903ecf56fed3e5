// SPDX-License-Identifier: Apache-2.0
/// Machines that break, on every engine: a plan for the faults sees nothing of them, a healthy one
/// loses the same packets everywhere, and nothing that a broken link says is taken for a packet.
#include "gossamer/sim/broken_machine.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "gossamer/collectives/all_gather/hamiltonian.hpp"
#include "gossamer/machines/queued/program.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/error.hpp"
#include "plan_mutants.hpp"
#include "plans.hpp"

namespace gossamer {
namespace {

using Sides = std::vector<std::uint32_t>;

constexpr auto kEngines = std::to_array<const char*>({"fast", "systemc", "rtl"});

struct Run {
  std::string trace;
  std::uint64_t missing = 0;
  Report report;
};

Run run(const Plan& plan, Engine& engine) {
  std::ostringstream trace;
  Received received(plan);
  RunOptions options;
  options.trace = &trace;
  options.observer = &received;
  options.max_steps = plan.expected.analytic_steps;
  Run made{{}, 0, run_plan(plan, engine, options)};
  made.trace = trace.str();
  const std::uint64_t packets = plan.topology.nodes() * plan.demand.pieces;
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
    for (PacketId packet = 0; packet < packets; ++packet) {
      made.missing += received.has(node, packet) ? 0U : 1U;
    }
  }
  return made;
}

Run run_broken(const char* engine, const Plan& plan, const std::string& what) {
  std::vector<Break> breaks;
  std::istringstream words(what);
  for (std::string word; words >> word;) breaks.push_back(parse_break(plan.topology, word));
  const auto made = make_broken_machine(
      plan, breaks, [engine](const Plan& on) { return make_engine(engine, on, {}); });
  return run(plan, *made);
}

Plan planned(const Topology& topology, const std::string& algorithm, std::int64_t packets) {
  return make_plan({topology, "gossip", algorithm, {{"packets", packets}}, {}});
}

TEST_CASE("a plan for the faults is unaffected by them, on every engine", "[faults][rtl]") {
  const Topology torus = Topology::torus(Sides{5, 4});
  Faults faults;
  add_fault(torus, "link:2,3:x+", faults);
  add_fault(torus, "arc:4,1:y-", faults);
  add_fault(torus, "node:0,2", faults);
  const std::string algorithm = GENERATE("degraded", "trail", "tree", "in-out", "scheduled");
  const Plan plan = planned(torus.with_faults(faults), algorithm, 2);
  INFO(algorithm);
  const Run whole = run(plan, *make_fast_engine(plan));
  CHECK(whole.report.problems.empty());
  for (const char* engine : kEngines) {
    for (const char* what : {"link:2,3:x+ arc:4,1:y- node:0,2",
                             "link:2,3:x+=garbage arc:4,1:y-=garbage node:0,2=garbage"}) {
      INFO(engine << " " << what);
      const Run broken = run_broken(engine, plan, what);
      CHECK(broken.trace == whole.trace);
      CHECK(broken.report.problems.empty());
      CHECK(broken.report.steps == whole.report.steps);
      CHECK(broken.report.max_queue == whole.report.max_queue);
      CHECK(broken.missing == whole.missing);
    }
  }
}

TEST_CASE("a healthy plan loses the same packets to silence and to garbage, on every engine",
          "[faults][rtl]") {
  // h = floor((P - 1) / 2) = 9.
  const Plan plan = plan_hamiltonian(Topology::torus(Sides{5, 4}), {});
  for (const char* engine : kEngines) {
    INFO(engine);
    const Run silent = run_broken(engine, plan, "link:2,3:x+");
    const Run garbage = run_broken(engine, plan, "link:2,3:x+=garbage");
    CHECK(silent.missing == 90);
    CHECK(garbage.missing == 90);
    CHECK(silent.report.complete == false);
    CHECK(garbage.report.complete == false);
    CHECK(garbage.report.duplicates == silent.report.duplicates);
    CHECK(run_broken(engine, plan, "arc:2,3:x+=garbage").missing == 45);
    // Passed on, it shows in the trace; what the broken link itself carries does not.
    CHECK(garbage.trace.find(",18446744073709551614\n") != std::string::npos);
    CHECK(silent.trace.find("18446744073709551614") == std::string::npos);
    CHECK(garbage.trace == run_broken("fast", plan, "link:2,3:x+=garbage").trace);
    CHECK(silent.trace == run_broken("fast", plan, "link:2,3:x+").trace);
  }
}

TEST_CASE("one ROM for all routers meets a broken link, on every engine", "[faults][rtl]") {
  const Plan gossip = make_plan({Topology::torus(Sides{4, 4}), "gossip", "scheduled", {}, {}});
  const Run whole = run(gossip, *make_fast_engine(gossip));
  CHECK(whole.missing == 0);
  for (const char* what : {"link:1,1:x+", "link:1,1:x+=garbage", "node:2,2"}) {
    const Run fast = run_broken("fast", gossip, what);
    CHECK(fast.missing > 0);
    CHECK(fast.report.complete == false);
    for (const char* engine : kEngines) {
      INFO(engine << " " << what);
      CHECK(run_broken(engine, gossip, what).trace == fast.trace);
    }
  }
}

TEST_CASE("a link that dies during a round leaves packets missing, which is always detected",
          "[faults][rtl]") {
  const Plan plan = plan_hamiltonian(Topology::torus(Sides{5, 4}), {});
  std::uint64_t before = ~std::uint64_t{0};
  for (std::uint64_t since = 1; since <= 11; ++since) {
    const std::string what = "arc:2,3:x+=garbage@" + std::to_string(since);
    const Run fast = run_broken("fast", plan, what);
    INFO(what);
    // The sooner, the more is lost: from step s on h - s + 1 packets do not cross, each missed by
    // one node less than the one before.
    const std::uint64_t left = since <= 9 ? 10 - since : 0;
    CHECK(fast.missing == left * (left + 1) / 2);
    CHECK(fast.missing <= before);
    // 10 steps: in the last one the ways meet, and what arrives is known already.
    CHECK((fast.report.complete == true) == (fast.missing == 0));
    before = fast.missing;
    for (const char* engine : {"systemc", "rtl"}) {
      CHECK(run_broken(engine, plan, what).trace == fast.trace);
    }
  }
}

TEST_CASE("links as signals break like links in memory", "[faults]") {
  const Plan plan = plan_hamiltonian(Topology::torus(Sides{4, 3}), {});
  for (const char* what : {"link:2,2:x+=garbage", "link:2,2:x+", "node:1,1=garbage@3"}) {
    const std::array breaks = {parse_break(plan.topology, what)};
    const auto pins = make_broken_machine(plan, breaks, [](const Plan& on) {
      return make_engine("systemc", on, {.pin_level = true});
    });
    CHECK(run(plan, *pins).trace == run_broken("fast", plan, what).trace);
  }
}

TEST_CASE("a fabric that sleeps is woken by garbage", "[faults]") {
  // The round is over after 5 steps of the line; the fabric then rests.
  const Plan plan = planned(Topology::mesh(Sides{6}), "array", 1);
  const auto settle = [&](const char* engine) {
    const auto machine =
        make_broken_machine(plan, std::array{parse_break(plan.topology, "arc:1:x+=garbage@12")},
                            [engine](const Plan& on) { return make_engine(engine, on, {}); });
    std::ostringstream trace;
    TraceWriter writer(plan.topology, trace);
    for (int step = 0; step < 20; ++step) {
      writer.on_links(machine->links());
      machine->clock(1);
    }
    writer.finish();
    return trace.str();
  };
  const std::string fast = settle("fast");
  CHECK(fast.find("\n13,0,2,1,18446744073709551614\n") != std::string::npos);
  CHECK(settle("systemc") == fast);
  CHECK(settle("rtl") == fast);
}

/// The observations of a run of sums or of a timetable, which always end.
struct WordRun {
  std::string trace;
  Report report;
  /// Nodes whose routers say that a word is lost.
  std::size_t errors = 0;
};

WordRun run_words(const Plan& plan, Engine& engine) {
  std::ostringstream trace;
  RunOptions options;
  options.trace = &trace;
  WordRun made{{}, run_plan(plan, engine, options)};
  made.trace = trace.str();
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
    made.errors += plan.topology.is_live(node) && engine.error(node) ? 1U : 0U;
  }
  return made;
}

WordRun run_broken_words(std::string_view engine, const Plan& plan, const std::string& what) {
  std::vector<Break> breaks;
  std::istringstream words(what);
  for (std::string word; words >> word;) breaks.push_back(parse_break(plan.topology, word));
  return run_words(plan, *make_broken_machine(plan, breaks, [engine](const Plan& on) {
                     return make_engine(engine, on, {});
                   }));
}

/// Both lack the same.
void check_lost_alike(const WordRun& broken, const WordRun& fast) {
  CHECK(broken.trace == fast.trace);
  CHECK(broken.report.complete == false);
  CHECK(broken.report.missing == fast.report.missing);
  CHECK(broken.report.duplicates == fast.report.duplicates);
}

/// What broke carried nothing that anybody waits for.
void check_unharmed(const WordRun& broken, const WordRun& whole) {
  CHECK(broken.trace == whole.trace);
  CHECK(broken.report.problems.empty());
  CHECK(broken.report.complete == true);
  CHECK(broken.report.steps == whole.report.steps);
  CHECK(broken.report.cycles == whole.report.cycles);
  CHECK(broken.errors == 0);
}

TEST_CASE("reductions and all-to-alls for the faults are unaffected by them, on every engine",
          "[faults][rtl]") {
  const Topology torus = Topology::torus(Sides{5, 4});
  Faults links;
  add_fault(torus, "link:2,3:x+", links);
  Faults more = links;
  add_fault(torus, "node:0,2", more);
  Faults one_way = more;
  add_fault(torus, "arc:4,1:y-", one_way);
  add_fault(torus, "core:1,1", one_way);
  struct Row {
    Topology topology;
    const char* collective;
    const char* algorithm;
    std::vector<const char*> breaks;
  };
  const std::vector<const char*> of_links = {"link:2,3:x+", "link:2,3:x+=garbage"};
  const std::vector<const char*> of_more = {"link:2,3:x+ node:0,2",
                                            "link:2,3:x+=garbage node:0,2=garbage"};
  const std::vector<const char*> of_one_way = {
      "link:2,3:x+ node:0,2 arc:4,1:y-", "link:2,3:x+=garbage node:0,2=garbage arc:4,1:y-=garbage"};
  const Row row =
      GENERATE_COPY(Row{torus.with_faults(links), "reduce-scatter", "degraded", of_links},
                    Row{torus.with_faults(links), "all-reduce", "degraded", of_links},
                    Row{torus.with_faults(more), "all-reduce", "degraded", of_more},
                    Row{torus.with_faults(more), "all-reduce", "packing", of_more},
                    Row{torus.with_faults(more), "reduce", "tree", of_more},
                    Row{torus.with_faults(one_way), "reduce-scatter", "scheduled", of_one_way},
                    Row{torus.with_faults(one_way), "all-reduce", "scheduled", of_one_way},
                    Row{torus.with_faults(one_way), "all-to-all", "scheduled", of_one_way});
  const Plan plan = make_plan({row.topology, row.collective, row.algorithm, {}, {}});
  const WordRun whole = run_words(plan, *make_fast_engine(plan));
  CHECK(whole.report.problems.empty());
  CHECK(whole.report.complete == true);
  for (const char* engine : kEngines) {
    INFO(row.collective << " " << row.algorithm << " " << engine);
    const WordRun intact = run_words(plan, *make_engine(engine, plan, {}));
    CHECK(intact.trace == whole.trace);
    CHECK(intact.errors == 0);
    for (const char* what : row.breaks) {
      INFO(what);
      check_unharmed(run_broken_words(engine, plan, what), whole);
    }
  }
}

TEST_CASE(
    "a reduction planned without the faults loses the same words on every engine, and reports it",
    "[faults][rtl]") {
  struct Row {
    Sides sides;
    bool torus;
    const char* collective;
    const char* algorithm;
    std::int64_t packets;
  };
  const Row row = GENERATE(Row{{4, 3}, true, "reduce-scatter", "hamiltonian", 2},
                           Row{{3, 3}, true, "reduce-scatter", "hamiltonian", 2},
                           Row{{4, 3}, true, "all-reduce", "hamiltonian", 5},
                           Row{{3, 3}, true, "all-reduce", "hamiltonian", 2},
                           Row{{4, 3}, false, "all-reduce", "array", 1},
                           Row{{3, 3}, false, "reduce-scatter", "folded", 2},
                           Row{{3, 3}, true, "all-reduce", "rings", 0},
                           Row{{4, 3}, false, "all-reduce", "line-sum", 0},
                           Row{{4, 3}, true, "reduce-scatter", "scheduled", 1},
                           Row{{4, 3}, false, "all-to-all", "scheduled", 0});
  PlanRequest request{row.torus ? Topology::torus(row.sides) : Topology::mesh(row.sides),
                      row.collective,
                      row.algorithm,
                      {},
                      {}};
  if (row.packets != 0) request.parameters["packets"] = row.packets;
  const Plan plan = make_plan(request);
  const WordRun whole = run_words(plan, *make_fast_engine(plan));
  CHECK(whole.report.complete == true);
  for (const char* what : {"link:1,1:x+", "link:1,1:x+=garbage", "link:0,0:x+@2", "node:1,1",
                           "node:1,1=garbage", "link:1,2:y-=garbage@3"}) {
    INFO(row.collective << " " << row.algorithm << " " << what);
    const WordRun fast = run_broken_words("fast", plan, what);
    CHECK(fast.trace != whole.trace);
    CHECK(fast.report.complete == false);
    CHECK_FALSE(fast.report.problems.empty());
    for (const char* engine : {"systemc", "rtl"}) {
      INFO(engine);
      const WordRun broken = run_broken_words(engine, plan, what);
      check_lost_alike(broken, fast);
      // If words circulate on cycles, a router detects a missing word.
      const bool told =
          row.algorithm != std::string("line-sum") && row.algorithm != std::string("scheduled");
      const bool silent = std::string(what).find("garbage") == std::string::npos;
      if (told && silent) CHECK(broken.errors > 0);
      if (!told || !silent) CHECK(broken.errors == 0);
    }
  }
}

TEST_CASE("invalid breaks are rejected", "[faults]") {
  const Topology torus = Topology::torus(Sides{4, 4});
  for (const char* text : {"link:1,1", "link:1,1:x+=loud", "link:1,1:x+@0", "link:1,1:x+@",
                           "link:1,1:x+=silent@x", "core:1,1", "=garbage", "node:4,4"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_break(torus, text), InputError);
  }
  const auto fast = [](const Plan& plan) { return make_fast_engine(plan); };
  const auto refused = [&](const Plan& plan, const char* what, const char* why) {
    CHECK_THROWS_WITH(make_broken_machine(plan, std::array{parse_break(plan.topology, what)}, fast),
                      Catch::Contains(why));
  };
  const Plan message = make_plan({torus, "broadcast", "", {}, {}});
  refused(message, "link:1,1:x+=garbage", "only =silent");
  refused(message, "link:1,1:x+@2", "leave out @2");
  refused(make_plan({torus, "gossip", "", {{"elastic", true}}, {}}), "link:1,1:x+@3",
          "leave out @3");
  const Plan queued = make_plan({Topology::mesh(Sides{4, 4}),
                                 "partial-exchange",
                                 "",
                                 {{"active", std::string("random:3:2")}},
                                 {}});
  refused(queued, "link:1,1:x+=garbage", "only =silent");
}

/// A plan, and what breaks.
struct BreakCase {
  Plan plan;
  std::vector<const char*> breaks;
};

Plan elastic_plan(const Topology& topology, const char* collective, const char* algorithm,
                  const char* latency = "2") {
  PlanRequest request{topology, collective, algorithm, {}, {}};
  request.parameters = {{"elastic", true},
                        {"flits", std::int64_t{4}},
                        {"chunk", std::string("2")},
                        {"link-latency", std::string(latency)}};
  // On the one cycle that is left; a healthy torus has a block for each.
  if (request.algorithm == "degraded") request.parameters["packets"] = std::int64_t{1};
  return make_plan(request);
}

TEST_CASE("elastic plans and relays for the faults are unaffected by them", "[faults][rtl]") {
  const Topology torus = Topology::torus(Sides{5, 4});
  Faults link;
  add_fault(torus, "link:2,3:x+", link);
  Faults more = link;
  add_fault(torus, "node:0,2", more);
  const char* const both = "link:2,3:x+ node:0,2";
  const char* const loud = "link:2,3:x+=garbage node:0,2=garbage";
  const auto on = [&](const Faults& faults) { return torus.with_faults(faults); };
  const BreakCase made = GENERATE_COPY(
      BreakCase{elastic_plan(on(link), "gossip", "whole-cycles"),
                {"link:2,3:x+", "link:2,3:x+=garbage"}},
      BreakCase{elastic_plan(on(more), "gossip", "whole-cycles", "x=1,y=3"), {both, loud}},
      BreakCase{elastic_plan(on(link), "all-reduce", "degraded"),
                {"link:2,3:x+", "link:2,3:x+=garbage"}},
      BreakCase{make_plan({on(more), "broadcast", "pairing", {}, {}}), {both}},
      BreakCase{make_plan({on(more), "broadcast", "tree", {}, {}}), {both}});
  INFO(made.plan.collective << " " << made.plan.algorithm);
  const WordRun whole = run_words(made.plan, *make_fast_engine(made.plan));
  CHECK(whole.report.problems.empty());
  CHECK(whole.report.complete == true);
  for (const EngineInfo& engine : engines()) {
    if (!test::runs_on(made.plan, engine.name)) continue;
    for (const char* what : made.breaks) {
      INFO(engine.name << " " << what);
      check_unharmed(run_broken_words(engine.name, made.plan, what), whole);
    }
  }
}

TEST_CASE(
    "elastic plans, relays and trees planned without the faults lose the contents of the link",
    "[faults][rtl]") {
  const Topology torus = Topology::torus(Sides{4, 3});
  const Topology mesh = Topology::mesh(Sides{4, 3});
  const std::vector<const char*> any = {"link:1,1:x+", "link:1,1:x+=garbage", "arc:1,2:y-=garbage",
                                        "node:1,1", "node:1,1=garbage"};
  const std::vector<const char*> summed = {"link:1,1:x+", "link:1,1:x+=garbage", "link:1,1:x+@2",
                                           "node:1,1", "node:1,1=garbage"};
  const BreakCase made = GENERATE_COPY(
      BreakCase{elastic_plan(torus, "gossip", "hamiltonian", "x=1,y=3"), any},
      BreakCase{elastic_plan(torus, "reduce-scatter", "hamiltonian"), any},
      BreakCase{elastic_plan(torus, "all-reduce", "hamiltonian"), any},
      BreakCase{make_plan({mesh, "all-reduce", "tree", {}, {}}), summed},
      BreakCase{make_plan({torus, "broadcast", "tree", {}, {}}), {"link:0,0:x+", "node:1,1"}},
      BreakCase{make_plan({mesh, "broadcast", "min-tcd", {}, {}}), {"node:1,1"}},
      BreakCase{make_plan({torus, "all-reduce", "min-tcd", {}, {}}), {"link:1,1:x+", "node:1,1"}});
  INFO(made.plan.collective << " " << made.plan.algorithm);
  const WordRun whole = run_words(made.plan, *make_fast_engine(made.plan));
  CHECK(whole.report.complete == true);
  for (const char* what : made.breaks) {
    INFO(what);
    const WordRun fast = run_broken_words("fast", made.plan, what);
    CHECK(fast.trace != whole.trace);
    CHECK(fast.report.complete == false);
    CHECK_FALSE(fast.report.problems.empty());
    for (const EngineInfo& engine : engines()) {
      if (!test::runs_on(made.plan, engine.name)) continue;
      INFO(engine.name);
      check_lost_alike(run_broken_words(engine.name, made.plan, what), fast);
    }
  }
}

/// The deliveries of each node in broadcast phases, as a processing element receives them.
class Deliveries final : public Observer {
 public:
  explicit Deliveries(const Plan& plan) : topology_(plan.topology), got_(plan.topology.nodes()) {
    if (!plan.program.is<QueuedProgram>()) return;
    for (const QueuedPhase& phase : plan.program.as<QueuedProgram>().phases) {
      if (phase.kind == QueuedPhaseKind::kBroadcast) first_ = std::min(first_, phase.start);
    }
  }
  bool on_links(const LinkView& view) override {
    for (LinkId link = 0; view.step >= first_ && link < view.packets.size(); ++link) {
      if (view.packets[link] == kNoPacket) continue;
      const NodeId to = topology_.neighbor(topology_.link_from(link), topology_.link_port(link));
      got_[to].push_back(view.packets[link]);
    }
    return true;
  }
  /// By node, in ascending order.
  [[nodiscard]] std::vector<std::vector<PacketId>> take() {
    for (auto& packets : got_) std::sort(packets.begin(), packets.end());
    return std::move(got_);
  }

 private:
  const Topology& topology_;
  std::uint64_t first_ = kNoStepLimit;
  std::vector<std::vector<PacketId>> got_;
};

/// The observations of a run of a queued plan, and the final knowledge of its nodes.
struct QueuedRun {
  std::string trace;
  Report report;
  std::vector<PrefixResult> told;
  std::vector<std::vector<PacketId>> delivered;
  /// By node; none on the fast engine.
  std::vector<bool> errors;
};

QueuedRun run_queued(const char* name, const Plan& plan, const std::string& what) {
  std::vector<Break> breaks;
  if (!what.empty()) breaks.push_back(parse_break(plan.topology, what));
  const auto engine = make_broken_machine(
      plan, breaks, [name](const Plan& on) { return make_engine(name, on, {}); });
  std::ostringstream trace;
  RunOptions options;
  options.trace = &trace;
  Deliveries deliveries(plan);
  options.observer = &deliveries;
  QueuedRun made{{}, run_plan(plan, *engine, options), {}, {}, {}};
  made.trace = trace.str();
  made.delivered = deliveries.take();
  // A gather by a timetable has no classes.
  const int classes =
      plan.program.is<QueuedProgram>() ? plan.program.as<QueuedProgram>().classes : 0;
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
    for (int c = 0; c < classes; ++c) {
      made.told.push_back(engine->prefix(c, node));
    }
    if (name != std::string("fast")) made.errors.push_back(engine->error(node));
  }
  return made;
}

TEST_CASE(
    "queued plans lose the same packets on every engine, and a node without its rank reports it",
    "[faults][rtl]") {
  std::size_t cut = 0;
  std::size_t lost = 0;
  std::size_t unharmed = 0;
  for (const testing::PlanCase& wanted : testing::queued_cases()) {
    std::istringstream document(testing::document(wanted).dump());
    const Plan plan = read_plan(document, "plan");
    INFO(wanted.topology << " " << plan.topology.dims_text() << " " << wanted.collective << " "
                         << wanted.algorithm);
    const QueuedRun whole = run_queued("fast", plan, "");
    CHECK(whole.report.problems.empty());
    const std::size_t classes = whole.told.size() / plan.topology.nodes();
    const auto at = [&](NodeId node) { return node_text(plan.topology, node); };
    std::vector<std::string> breaks = {"link:" + at(1) + ":x+", "arc:" + at(2) + ":x-",
                                       "link:" + at(1) + ":x+@3", "node:" + at(4),
                                       "arc:" + at(0) + ":x+@2"};
    if (plan.topology.dimensions() > 1) breaks.push_back("link:" + at(1) + ":y+");
    for (const std::string& what : breaks) {
      INFO(what);
      const QueuedRun fast = run_queued("fast", plan, what);
      CHECK((fast.report.complete == true) == fast.report.problems.empty());
      if (fast.trace == whole.trace) CHECK(fast.report.complete == true);
      ++(fast.report.complete == true ? unharmed : lost);
      for (const char* engine : {"systemc", "rtl"}) {
        INFO(engine);
        const QueuedRun broken = run_queued(engine, plan, what);
        CHECK(broken.report.complete == fast.report.complete);
        CHECK(broken.trace == fast.trace);
        CHECK(broken.report.cycles == fast.report.cycles);
        CHECK(broken.report.max_queue == fast.report.max_queue);
        CHECK(broken.report.link_conflicts == 0);
        CHECK(broken.report.duplicates == fast.report.duplicates);
        CHECK(broken.told == fast.told);
        for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
          cut += broken.errors[node] ? 1U : 0U;
          // A broadcast that lacks something is one packet short at least.
          const bool all = broken.delivered[node] == whole.delivered[node];
          const bool is_short = broken.delivered[node].size() < whole.delivered[node].size();
          CHECK(all != is_short);
          for (std::size_t c = node * classes; c < (node + 1) * classes; ++c) {
            if (!broken.errors[node]) CHECK(broken.told[c] == whole.told[c]);
          }
        }
      }
    }
  }
  CHECK(cut > 100);
  CHECK(lost > 50);
  CHECK(unharmed > 5);
}

}  // namespace
}  // namespace gossamer
