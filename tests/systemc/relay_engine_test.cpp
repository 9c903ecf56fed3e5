// SPDX-License-Identifier: Apache-2.0
/// SystemC relay routers in a fabric against the fast engine and the closed forms.
#include "gossamer/sim/engines.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gossamer/systemc/relay/router.hpp"
#include "gossamer/systemc/simulation_context.hpp"
#include "gossamer/util/error.hpp"
#include "relay_plans.hpp"
#include "simulate.hpp"

using namespace gossamer;

TEST_CASE("SystemC relays write the fast engine's trace in the formulas' cycles", "[relay]") {
  std::size_t plans = 0;
  test::for_each_relay_plan([&](const Plan& plan) {
    CAPTURE(test::describe(plan));
    const test::RelayRun expected = test::run_relay(plan, *make_fast_engine(plan));
    const test::RelayRun got = test::run_relay(plan, *make_engine("systemc", plan));
    REQUIRE(expected.complete);
    REQUIRE(got == expected);
    REQUIRE(got.cycles == plan.expected.analytic_cycles);
    ++plans;
  });
  REQUIRE(plans > 400);
}

TEST_CASE("a broadcast executes router edges only where messages pass", "[relay]") {
  const Plan plan = test::relay_plan(Topology::mesh(std::array{16U, 16U}), "eye", 5 + 16 * 5,
                                     {MessageTiming::kSelf, 1, 1, 0});
  systemc::SimulationContext context;
  const systemc::SimulationContext::Scope scope(context);
  {
    const sc_core::sc_time period(1, sc_core::SC_NS);
    sc_core::sc_clock clk("clk", period, 0.5, period / 2, true);
    sc_core::sc_signal<bool> rst_n("rst_n");
    sc_core::sc_signal<bool> clear("clear");
    sc_core::sc_signal<bool> start("start");
    const auto tiles = std::make_shared<systemc::RelayTiles>(plan);
    systemc::RelayFabric network("network", plan.topology,
                                 [&](const char* name, NodeId node) {
                                   return systemc::make_model_relay_tile(name, tiles, node);
                                 },
                                 {.latency = 1});
    network.clk_i(clk);
    network.rst_ni(rst_n);
    network.clear_i(clear);
    network.start_i(start);
    const auto round = [&] {
      start.write(true);
      sc_core::sc_start(period);
      start.write(false);
      sc_core::sc_start(100 * period);
    };
    sc_core::sc_start(period);
    rst_n.write(true);
    round();
    REQUIRE(network.idle());
    // 255 sends over 291 links: an edge at the end of every link, one per router for the start, and
    // one for every further cycle in which a node waits for its next send.
    const std::uint64_t edges = network.router_edges();
    REQUIRE(edges >= 291 + 256);
    REQUIRE(edges <= 291 + 256 + 2 * 255);
    const std::uint64_t activations = network.activations();
    sc_core::sc_start(1000 * period);
    REQUIRE(network.activations() == activations);
    REQUIRE(network.router_edges() == edges);
    // Asleep, it wakes for the next round, which is like the first.
    round();
    REQUIRE(network.idle());
    REQUIRE(network.router_edges() == 2 * edges);
  }
}

TEST_CASE("waves of a broadcast are written, and a bad name refused", "[relay]") {
  const Plan plan = test::relay_plan(Topology::mesh(std::array{4U, 4U}), "eye", 5,
                                     {MessageTiming::kSelf, 2, 1, 0});
  const std::string name = "relay_wave_test.vcd";
  {
    const auto engine = make_engine("systemc", plan, {.wave = name});
    testing::run_out(*engine);
  }
  std::ifstream file(name);
  std::stringstream text;
  text << file.rdbuf();
  REQUIRE(text.str().find("node_5") != std::string::npos);
  REQUIRE(text.str().find(" head ") != std::string::npos);
  std::remove(name.c_str());
  REQUIRE_THROWS_AS(make_engine("systemc", plan, {.wave = "wave.fst"}), InputError);
}
