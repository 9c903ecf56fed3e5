// SPDX-License-Identifier: Apache-2.0
/// Nodes of a reduction find their ranks in a separate round.
#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <sstream>
#include <systemc>
#include <tuple>
#include <vector>

#include "gossamer/machines/ring/program.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/systemc/fabric_impl.hpp"
#include "gossamer/systemc/ring/router.hpp"
#include "gossamer/systemc/simulation_context.hpp"
#include "gossamer/tb/lock_step.hpp"
#include "gossamer/topology/faults.hpp"
#include "gossamer/util/error.hpp"

using namespace gossamer;
using namespace gossamer::systemc;

namespace {

using Sides = std::vector<std::uint32_t>;

Plan planned(const char* collective, const char* algorithm, const Topology& topology,
             std::int64_t packets) {
  PlanRequest request{topology, collective, algorithm, {}, {}};
  if (packets != 0) request.parameters["packets"] = packets;
  return make_plan(request);
}

/// One-way and two-way, on one cycle, two and three, in frames of one and of two slots, around a
/// dead node.
std::vector<Plan> plans() {
  const Topology torus = Topology::torus(Sides{5, 3});
  Faults faults;
  add_fault(torus, "node:2,1", faults);
  return {planned("all-reduce", "degraded", torus.with_faults(faults), 1),
          planned("all-reduce", "hamiltonian", Topology::torus(Sides{4, 3}), 2),
          planned("all-reduce", "hamiltonian", Topology::torus(Sides{5, 4}), 4),
          planned("reduce-scatter", "hamiltonian", Topology::torus(Sides{3, 3, 3}), 3),
          planned("all-reduce", "hamiltonian", Topology::torus(Sides{2, 4, 4}), 6),
          planned("all-reduce", "hamiltonian", Topology::torus(Sides{7}), 3),
          planned("all-reduce", "array", Topology::mesh(Sides{4, 3}), 1),
          planned("reduce-scatter", "array", Topology::grid(Sides{5, 4}, 1), 2),
          planned("all-reduce", "folded", Topology::mesh(Sides{3, 3}), 2),
          planned("reduce-scatter", "folded", Topology::mesh(Sides{3, 4, 3}), 3),
          planned("all-reduce", "rings", Topology::torus(Sides{3, 3, 3}), 0)};
}

Combination& combination_of(Plan& plan) { return plan.program.edit<RingProgram>().combine; }

/// The result of a successful run, which must be the same on every engine.
auto outcome(const Plan& plan, Engine& engine) {
  std::ostringstream trace;
  RunOptions options;
  options.trace = &trace;
  const Report report = run_plan(plan, engine, options);
  INFO((report.problems.empty() ? "" : report.problems.front()));
  CHECK(report.problems.empty());
  CHECK(report.complete == true);
  return std::tuple(report.steps, report.link_transfers, report.max_queue, trace.str());
}

/// A fabric of combining routers that find their ranks, with its controls at hand.
struct Testbench {
  Testbench(const Plan& plan, bool pins)
      : network("network", plan.topology,
                [shared = std::make_shared<const CombiningPlan>(plan, Arithmetic(), true)](
                    const char* name, NodeId node) {
                  return std::make_unique<CombiningRouter>(name, shared, node);
                },
                {.pins = pins}) {
    network.clk_i(clk);
    network.rst_ni(rst_n);
    network.clear_i(clear);
    network.start_i(start);
    rst_n.write(true);
  }
  void cycles(std::uint64_t n) {
    sc_core::sc_start(static_cast<double>(n), sc_core::SC_NS);
    network.check();
  }
  void pulse(sc_core::sc_signal<bool>& pin) {
    pin.write(!pin.read());
    cycles(1);
    pin.write(!pin.read());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  [[nodiscard]] const CombiningRouter& router(NodeId node) const {
    return static_cast<const CombiningRouter&>(network.router(node));
  }
  /// All ranks, as a plan has them.
  [[nodiscard]] std::vector<std::uint32_t> ranks(const Plan& plan) const {
    std::vector<std::uint32_t> all;
    for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
      for (std::size_t c = 0; c < plan.program.as<RingProgram>().combine.cycles(); ++c) {
        all.push_back(router(node).rank(c));
      }
    }
    return all;
  }

  sc_core::sc_clock clk{"clk", 1, sc_core::SC_NS, 0.5, 0.5, sc_core::SC_NS, true};
  sc_core::sc_signal<bool> rst_n{"rst_n"};
  sc_core::sc_signal<bool> clear{"clear"};
  sc_core::sc_signal<bool> start{"start"};
  CombiningFabric network;
};

}  // namespace

TEST_CASE("a round finds the plan's ranks, and the reduction with them has the plan's trace",
          "[reduction]") {
  for (const Plan& plan : plans()) {
    INFO(plan.collective << " " << plan.algorithm << " " << plan.topology.dims_text());
    const auto expected = outcome(plan, *make_fast_engine(plan));
    CHECK(outcome(plan, *make_engine("systemc", plan, {.find_ranks = true})) == expected);
    CHECK(outcome(plan, *make_engine("systemc", plan, {.pin_level = true, .find_ranks = true})) ==
          expected);
    CHECK(outcome(plan, *make_engine("rtl", plan, {.find_ranks = true})) == expected);
  }
}

TEST_CASE("models and RTL find the same ranks in lock step", "[reduction][lock-step]") {
  // Ranks of a damaged wiring are not from a plan; the machines find them.
  Plan damaged = planned("all-reduce", "hamiltonian", Topology::torus(Sides{4, 3}), 2);
  std::swap(combination_of(damaged).ranks[4], combination_of(damaged).ranks[10]);
  std::vector<Plan> all = plans();
  all.push_back(damaged);
  for (const Plan& plan : all) {
    INFO(plan.collective << " " << plan.algorithm << " " << plan.topology.dims_text());
    const auto clocked = make_engine("systemc", plan, {.find_ranks = true});
    const auto rtl = make_engine("rtl", plan, {.find_ranks = true});
    tb::LockStep lock_step(plan.topology, *clocked, *rtl);
    CHECK(lock_step.run(60).empty());
  }
}

TEST_CASE("ranks are found once after reset, by a word a cycle", "[reduction]") {
  const bool pins = GENERATE(false, true);
  for (Plan& plan : plans()) {
    INFO(plan.algorithm << " " << plan.topology.dims_text() << " pins " << pins);
    const Combination& combine = combination_of(plan);
    const std::uint64_t frame = plan.program.as<RingProgram>().frame();
    const std::uint64_t cycles = (combine.blocks - std::uint64_t{1}) * frame;
    const std::vector<std::uint32_t> none(combine.ranks.size(), 0);
    SimulationContext context;
    const SimulationContext::Scope scope(context);
    Testbench bench(plan, pins);
    bench.cycles(2);
    bench.pulse(bench.start);
    bench.cycles(frame);
    // A round that is broken off has found nothing, and the next one is that of discovery.
    CHECK(bench.ranks(plan) != none);
    bench.pulse(bench.clear);
    CHECK(bench.ranks(plan) == none);
    bench.pulse(bench.start);
    std::size_t most = 0;
    for (std::uint64_t cycle = 1; cycle <= cycles; ++cycle) {
      CHECK(bench.ranks(plan) != combine.ranks);
      std::size_t words = 0;
      for (const CombinedWord& word : bench.network.links()) words += word.terms != 0 ? 1U : 0U;
      most = std::max(most, words);
      bench.cycles(1);
    }
    CHECK(bench.ranks(plan) == combine.ranks);
    std::size_t heads = 0;
    for (std::size_t i = 0; i < combine.ranks.size(); ++i) {
      const bool live = plan.topology.is_live(static_cast<NodeId>(i / combine.cycles()));
      heads += live && combine.ranks[i] == 0 ? 1U : 0U;
    }
    CHECK(most == heads);
    for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
      CHECK_FALSE(bench.router(node).error());
      CHECK(bench.router(node).results(cycles).empty());
    }
    // Now it reduces, and a clear does not make it forget.
    bench.pulse(bench.start);
    bench.cycles(1);
    bench.pulse(bench.clear);
    CHECK(bench.ranks(plan) == combine.ranks);
    bench.pulse(bench.rst_n);
    CHECK(bench.ranks(plan) == none);
  }
}

TEST_CASE("ranks that cannot be found are one line", "[reduction]") {
  const Plan right = planned("all-reduce", "hamiltonian", Topology::torus(Sides{4, 3}), 2);
  const auto refused = [](const Plan& plan, const char* line) {
    CHECK_THROWS_WITH(make_engine("systemc", plan, {.find_ranks = true}), Catch::Contains(line));
    CHECK_THROWS_AS(make_engine("rtl", plan, {.find_ranks = true}), InputError);
  };
  Plan headless = right;
  for (std::uint32_t& rank : combination_of(headless).ranks) rank = rank == 0 ? 1 : rank;
  refused(headless, "not a ring on which one node has rank 0");
  Plan alone = planned("all-reduce", "line-sum", Topology::torus(Sides{4, 3}), 0);
  refused(alone, "have no ranks");
  // The RTL asserts that a head hears nothing.
  Plan two = right;
  combination_of(two).ranks[10] = 0;
  CHECK_THROWS_AS(make_engine("systemc", two, {.find_ranks = true}), InputError);
}
