// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/arena_network.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <systemc>

#include "gossamer/systemc/simulation_context.hpp"
#include "plans.hpp"

using namespace gossamer;
using gossamer::systemc::ArenaNetwork;
using gossamer::systemc::SimulationContext;

namespace {

/// An arena network on a clock of 1 ns, edges at half past, with its controls at hand.
struct Testbench {
  explicit Testbench(const Plan& plan) : network("network", plan) {
    network.clk_i(clk);
    network.rst_ni(rst_n);
    network.clear_i(clear);
    network.start_i(start);
    rst_n.write(true);
  }
  void cycles(int n) { sc_core::sc_start(n, sc_core::SC_NS); }
  void pulse_start() {
    start.write(true);
    cycles(1);
    start.write(false);
  }
  [[nodiscard]] std::size_t busy() const {
    std::size_t busy = 0;
    for (const PacketId packet : network.links()) busy += packet != kNoPacket ? 1U : 0U;
    return busy;
  }

  sc_core::sc_clock clk{"clk", 1, sc_core::SC_NS, 0.5, 0.5, sc_core::SC_NS, true};
  sc_core::sc_signal<bool> rst_n{"rst_n"};
  sc_core::sc_signal<bool> clear{"clear"};
  sc_core::sc_signal<bool> start{"start"};
  ArenaNetwork network;
};

/// One packet that crosses three links of a row and leaves the network.
Plan three_hops() {
  Plan plan = test::lone_packet(8, 8);
  auto& program = std::get<StreamProgram>(plan.program);
  program.set(3, 1, PortProgram{});
  return plan;
}

}  // namespace

TEST_CASE("a network in which nothing moves does no work", "[systemc][arena]") {
  Plan plan = three_hops();
  const bool queued = GENERATE(false, true);
  CAPTURE(queued);
  if (queued) {
    // A fan-in on an idle port: the same traffic on the general path.
    auto& program = std::get<StreamProgram>(plan.program);
    PortProgram fan_in;
    fan_in.feed = PortSet(0b11);
    program.set(40, 2, fan_in);
    REQUIRE_FALSE(program.is_plain());
  }
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  Testbench bench(plan);

  bench.cycles(100);
  REQUIRE(bench.network.activations() == 1);  // the edge at which it fell asleep
  bench.pulse_start();
  REQUIRE(bench.busy() == 1);
  const std::uint64_t started = bench.network.activations();
  bench.cycles(2);
  REQUIRE(bench.network.links()[plan.topology.link(2, 1)] == 0);
  bench.cycles(1000);
  REQUIRE(bench.busy() == 0);
  const std::uint64_t finished = bench.network.activations();
  REQUIRE(finished - started <= 5);  // three steps, and at most two to see that it is over

  bench.pulse_start();
  REQUIRE(bench.busy() == 1);
  bench.cycles(1);
  REQUIRE(bench.network.links()[plan.topology.link(1, 1)] == 0);
  REQUIRE(bench.network.activations() - finished == 3);  // woken, start edge, one step
}

TEST_CASE("reset and clear empty the arena network", "[systemc][arena]") {
  const Plan plan = test::even_torus_gossip(4, 4);
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  Testbench bench(plan);
  bench.pulse_start();
  bench.cycles(3);
  REQUIRE(bench.busy() == 64);
  SECTION("clear, at the next edge") {
    bench.clear.write(true);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    REQUIRE(bench.busy() == 64);
    bench.cycles(1);
    REQUIRE(bench.busy() == 0);
    bench.clear.write(false);
  }
  SECTION("reset, at once") {
    bench.rst_n.write(false);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    sc_core::sc_start(1, sc_core::SC_PS);
    REQUIRE(bench.busy() == 0);
    bench.rst_n.write(true);
  }
  bench.cycles(10);
  REQUIRE(bench.busy() == 0);
  bench.pulse_start();
  REQUIRE(bench.busy() == 64);
}

TEST_CASE("a link of the arena can be read through its interface", "[systemc][arena]") {
  const Plan plan = test::lone_packet(4, 4);
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  Testbench bench(plan);
  bench.pulse_start();
  const auto* link = bench.network.link(plan.topology.link(1, 1));
  REQUIRE(link->packet() == kNoPacket);
  bench.cycles(1);
  REQUIRE(link->packet() == 0);
}
