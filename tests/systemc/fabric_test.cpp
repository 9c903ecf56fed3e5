// SPDX-License-Identifier: Apache-2.0
/// The fabric, with the stream router and with routers of a user's own.
#include "gossamer/systemc/fabric.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <memory>
#include <stdexcept>
#include <systemc>
#include <vector>

#include "gossamer/systemc/simulation_context.hpp"
#include "gossamer/systemc/stream/router.hpp"
#include "plans.hpp"

using namespace gossamer;
using namespace gossamer::systemc;

namespace {

/// A fabric on a clock of 1 ns, edges at half past, with its controls at hand.
struct Testbench {
  Testbench(const Topology& topology, const PacketFabric::RouterFactory& make_router,
            const FabricOptions& options = {})
      : network("network", topology, make_router, options) {
    network.clk_i(clk);
    network.rst_ni(rst_n);
    network.clear_i(clear);
    network.start_i(start);
    rst_n.write(true);
  }
  explicit Testbench(const Plan& plan, const FabricOptions& options = {})
      : Testbench(
            plan.topology,
            [&plan](const char* name, NodeId node) {
              return std::make_unique<StreamRouter>(name, router_table(plan, node));
            },
            options) {}
  void cycles(int n) { sc_core::sc_start(n, sc_core::SC_NS); }
  void pulse_start() {
    start.write(true);
    cycles(1);
    start.write(false);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  [[nodiscard]] std::size_t busy() {
    std::size_t busy = 0;
    for (const PacketId packet : network.links()) busy += packet != kNoPacket ? 1U : 0U;
    return busy;
  }

  sc_core::sc_clock clk{"clk", 1, sc_core::SC_NS, 0.5, 0.5, sc_core::SC_NS, true};
  sc_core::sc_signal<bool> rst_n{"rst_n"};
  sc_core::sc_signal<bool> clear{"clear"};
  sc_core::sc_signal<bool> start{"start"};
  PacketFabric network;
};

/// A router of a user's own: what comes in goes straight on, and the source sends every `period`
/// cycles, each time a new packet. It keeps count of its edges.
class Beacon final : public PacketRouter {
 public:
  Beacon(const char* name, std::size_t ports, std::uint64_t period)
      : RouterModule(name), ports_(ports), period_(period) {}

  void clear() override { sent_ = 0; }
  std::uint64_t clock(const PacketEdge& edge) override {
    ++edges;
    for (std::size_t port = 0; port < ports_; ++port) {
      if (edge.in(port) != kNoPacket) edge.drive(port ^ 1U, edge.in(port));
    }
    if (period_ == 0) return kUntilArrival;
    if (edge.cycle() % period_ == 0) edge.drive(1, sent_++);
    return edge.cycle() - edge.cycle() % period_ + period_;
  }
  std::uint64_t edges = 0;

 private:
  std::size_t ports_;
  std::uint64_t period_;
  PacketId sent_ = 0;
};

/// Throws at the edge that ends cycle 3.
class Failing final : public PacketRouter {
 public:
  using RouterModule::RouterModule;
  void clear() override {}
  std::uint64_t clock(const PacketEdge& edge) override {
    if (edge.cycle() == 3) throw std::runtime_error("cycle 3");
    return edge.cycle() + 1;
  }
};

/// One packet that crosses three links of a row and leaves the network.
Plan three_hops() {
  Plan plan = test::lone_packet(8, 8);
  auto& program = plan.program.edit<StreamProgram>();
  program.set(3, 1, StreamPort{});
  return plan;
}

}  // namespace

TEST_CASE("an idle network does no work", "[systemc][fabric]") {
  Plan plan = three_hops();
  const bool queued = GENERATE(false, true);
  CAPTURE(queued);
  if (queued) {
    // A fan-in on an idle port: the same traffic on the general path.
    auto& program = plan.program.edit<StreamProgram>();
    StreamPort fan_in;
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

TEST_CASE("reset and clear empty the fabric", "[systemc][fabric]") {
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

TEST_CASE("links of any latency carry a user's packets in the same way in both forms",
          "[systemc][fabric]") {
  const auto pins = GENERATE(false, true);
  const auto latency = GENERATE(1U, 2U, 5U);
  CAPTURE(pins, latency);
  // Along a row of five: packets 0, 1, 2 ... every 4 cycles, out of the mesh at its end.
  const Topology mesh = Topology::mesh(std::array{5U, 3U});
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  Testbench bench(mesh,
                  [](const char* name, NodeId node) {
                    return std::make_unique<Beacon>(name, 4, node == 5 ? 4 : 0);
                  },
                  {.latency = latency, .pins = pins});
  bench.cycles(2);
  for (int round = 0; round < 2; ++round) {
    bench.pulse_start();
    for (std::uint64_t cycle = 1; cycle < 60; ++cycle) {
      CAPTURE(round, cycle);
      std::vector<PacketId> expected(mesh.link_slots(), kNoPacket);
      for (NodeId hop = 0; hop < 4; ++hop) {
        // Driven at the edge that ends cycle 4n, and then once in a latency by a node further on.
        const std::uint64_t sent = std::uint64_t{1} + hop * latency;
        if (cycle < sent || (cycle - sent) % 4 != 0) continue;
        expected[mesh.link(5 + hop, 1)] = (cycle - sent) / 4;
      }
      const auto links = bench.network.links();
      REQUIRE(std::vector<PacketId>(links.begin(), links.end()) == expected);
      bench.cycles(1);
    }
  }
}

TEST_CASE("a router is clocked only on request or upon an arrival", "[systemc][fabric]") {
  const Topology torus = Topology::torus(std::array{8U, 8U});
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  std::vector<const Beacon*> beacons;
  Testbench bench(torus, [&](const char* name, NodeId node) {
    auto beacon = std::make_unique<Beacon>(name, 4, node == 0 ? 100 : 0);
    beacons.push_back(beacon.get());
    return beacon;
  });
  bench.pulse_start();
  bench.cycles(7);
  REQUIRE(beacons[0]->edges == 1);
  REQUIRE(beacons[7]->edges == 2);
  REQUIRE(beacons[8]->edges == 1);
  REQUIRE(bench.network.router_edges() == 64 + 7);
  bench.cycles(93);
  // Round and round, back at node 0 every 8 cycles: 12 times, and the edge that it has asked for.
  REQUIRE(beacons[0]->edges == 1 + 12 + 1);
  REQUIRE(beacons[8]->edges == 1);
}

TEST_CASE("a router's exception stops the fabric and is rethrown", "[systemc][fabric]") {
  const auto pins = GENERATE(false, true);
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  Testbench bench(Topology::torus(std::array{3U, 3U}),
                  [](const char* name, NodeId) { return std::make_unique<Failing>(name); },
                  {.pins = pins});
  bench.pulse_start();
  bench.cycles(2);
  REQUIRE_NOTHROW(bench.network.check());
  bench.cycles(1);
  REQUIRE_THROWS_WITH(bench.network.check(), "cycle 3");
  bench.cycles(10);
  REQUIRE_THROWS_WITH(bench.network.check(), "cycle 3");
  bench.pulse_start();
  REQUIRE_NOTHROW(bench.network.check());
}

TEST_CASE("a fabric without latency is refused", "[systemc][fabric]") {
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  REQUIRE_THROWS_AS(Testbench(test::lone_packet(4, 4), {.latency = 0}), std::invalid_argument);
}
