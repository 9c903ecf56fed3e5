// SPDX-License-Identifier: Apache-2.0
/// Each pin-level module alone, in a testbench of signals.
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <systemc>
#include <vector>

#include "gossamer/systemc/link.hpp"
#include "gossamer/systemc/network.hpp"
#include "gossamer/systemc/network_interface.hpp"
#include "gossamer/systemc/out_port.hpp"
#include "gossamer/systemc/router.hpp"
#include "gossamer/systemc/simulation_context.hpp"
#include "plans.hpp"

using namespace gossamer;
using namespace gossamer::systemc;

namespace {

template <class T>
using Signals = sc_core::sc_vector<sc_core::sc_signal<T>>;

/// Clock of 1 ns with edges at half past, reset and clear.
struct Clocked {
  sc_core::sc_clock clk{"clk", 1, sc_core::SC_NS, 0.5, 0.5, sc_core::SC_NS, true};
  sc_core::sc_signal<bool> rst_n{"rst_n"};
  sc_core::sc_signal<bool> clear{"clear"};

  Clocked() { rst_n.write(true); }
  template <class Module>
  void connect(Module& module) {
    module.clk_i(clk);
    module.rst_ni(rst_n);
    module.clear_i(clear);
  }
  static void cycle() { sc_core::sc_start(1, sc_core::SC_NS); }
  /// Lets combinational paths follow without an edge.
  static void settle() { sc_core::sc_start(1, sc_core::SC_PS); }
};

struct RouterBench : Clocked {
  RouterBench(const std::vector<PortProgram>& table, std::uint32_t depth)
      : ports(table.size()),
        inject_valid("inject_valid", ports),
        inject_data("inject_data", ports),
        in_valid("in_valid", ports),
        in_data("in_data", ports),
        out_valid("out_valid", ports),
        out_data("out_data", ports),
        router("router", table, depth) {
    connect(router);
    router.inject_valid_i.bind(inject_valid);
    router.inject_data_i.bind(inject_data);
    router.in_valid_i.bind(in_valid);
    router.in_data_i.bind(in_data);
    router.out_valid_o.bind(out_valid);
    router.out_data_o.bind(out_data);
    router.error_o(error);
  }
  /// Puts `packets` on the in-ports for one cycle, kNoPacket on the others.
  void arrive(const std::vector<PacketId>& packets) {
    for (std::size_t port = 0; port < ports; ++port) {
      in_valid[port].write(packets[port] != kNoPacket);
      if (packets[port] != kNoPacket) in_data[port].write(packets[port]);
    }
  }
  void inject(std::size_t port, std::optional<PacketId> packet) {
    inject_valid[port].write(packet.has_value());
    if (packet) inject_data[port].write(*packet);
  }
  [[nodiscard]] PacketId out(std::size_t port) const {
    return out_valid[port].read() ? out_data[port].read() : kNoPacket;
  }

  std::size_t ports;
  Signals<bool> inject_valid;
  Signals<PacketId> inject_data;
  Signals<bool> in_valid;
  Signals<PacketId> in_data;
  Signals<bool> out_valid;
  Signals<PacketId> out_data;
  sc_core::sc_signal<bool> error{"error"};
  Router router;
};

std::vector<PortProgram> idle_table() { return std::vector<PortProgram>(4); }

constexpr PacketId kNone = kNoPacket;

}  // namespace

TEST_CASE("a link holds a packet for one cycle", "[systemc][link]") {
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  Clocked bench;
  sc_core::sc_signal<bool> valid{"valid"};
  sc_core::sc_signal<PacketId> data{"data"};
  sc_core::sc_signal<bool> valid_o{"valid_o"};
  sc_core::sc_signal<PacketId> data_o{"data_o"};
  Link link("link");
  bench.connect(link);
  link.valid_i(valid);
  link.data_i(data);
  link.valid_o(valid_o);
  link.data_o(data_o);

  valid.write(true);
  data.write(42);
  Clocked::settle();
  REQUIRE_FALSE(valid_o.read());
  Clocked::cycle();
  REQUIRE(valid_o.read());
  REQUIRE(data_o.read() == 42);
  SECTION("idle input") {
    valid.write(false);
    data.write(43);
    Clocked::cycle();
    REQUIRE_FALSE(valid_o.read());
    REQUIRE(data_o.read() == 42);
  }
  SECTION("clear") {
    bench.clear.write(true);
    Clocked::cycle();
    REQUIRE_FALSE(valid_o.read());
  }
  SECTION("reset does not wait for the clock") {
    bench.rst_n.write(false);
    Clocked::settle();
    REQUIRE_FALSE(valid_o.read());
  }
}

TEST_CASE("a router passes packets along its table in one cycle", "[systemc][router]") {
  std::vector<PortProgram> table = idle_table();
  table[0].feed = PortSet::of(1);
  table[1].feed = PortSet::of(1);  // in-port 1 goes both ways
  table[2].feed = PortSet::of(0);
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  RouterBench bench(table, 1);
  bench.arrive({10, 11, 12, 13});
  Clocked::cycle();
  REQUIRE(bench.out(0) == 11);
  REQUIRE(bench.out(1) == 11);
  REQUIRE(bench.out(2) == 10);
  REQUIRE(bench.out(3) == kNone);
  bench.arrive({kNone, 21, kNone, kNone});
  Clocked::cycle();
  REQUIRE(bench.out(0) == 21);
  REQUIRE(bench.out(2) == kNone);
  REQUIRE_FALSE(bench.error.read());
}

TEST_CASE("an injected packet goes ahead, arrivals follow in ascending order of their in-ports",
          "[systemc][router]") {
  std::vector<PortProgram> table = idle_table();
  table[0].feed = PortSet(0b1110);
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  RouterBench bench(table, 4);
  bench.inject(0, 5);
  bench.arrive({10, 11, 12, 13});
  Clocked::cycle();
  REQUIRE(bench.out(0) == 5);
  bench.inject(0, 6);
  bench.arrive({kNone, kNone, kNone, kNone});
  Clocked::cycle();
  REQUIRE(bench.out(0) == 6);
  bench.inject(0, std::nullopt);
  for (const PacketId expected : {PacketId{11}, PacketId{12}, PacketId{13}, kNone}) {
    Clocked::cycle();
    REQUIRE(bench.out(0) == expected);
  }
  REQUIRE_FALSE(bench.error.read());
}

TEST_CASE("the same packet twice running is two packets", "[systemc][router]") {
  std::vector<PortProgram> table = idle_table();
  table[3].feed = PortSet(0b0011);
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  RouterBench bench(table, 4);
  // Equal values make no signal events; the queue must move on nevertheless.
  bench.arrive({7, 7, kNone, kNone});
  Clocked::cycle();
  Clocked::cycle();
  bench.arrive({kNone, kNone, kNone, kNone});
  int sevens = 0;
  for (int i = 0; i < 8; ++i) {
    if (bench.out(3) == 7) ++sevens;
    Clocked::cycle();
  }
  REQUIRE(sevens == 3);  // one crossed the link before the count began
  REQUIRE(bench.router.out_port(3).max_queue() == 3);
}

TEST_CASE("a full queue loses packets and says so until cleared", "[systemc][router]") {
  std::vector<PortProgram> table = idle_table();
  table[1].feed = PortSet(0b1111);
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  RouterBench bench(table, 2);
  bench.arrive({10, 11, 12, 13});
  Clocked::cycle();
  REQUIRE(bench.error.read());
  REQUIRE(bench.router.out_port(1).conflicts() == 2);
  REQUIRE(bench.out(1) == 10);
  bench.arrive({kNone, kNone, kNone, kNone});
  Clocked::cycle();
  REQUIRE(bench.out(1) == 11);
  Clocked::cycle();
  REQUIRE(bench.out(1) == kNone);
  REQUIRE(bench.error.read());
  bench.clear.write(true);
  Clocked::cycle();
  REQUIRE_FALSE(bench.error.read());
  REQUIRE(bench.router.out_port(1).conflicts() == 0);
}

TEST_CASE("clear and reset empty the queues", "[systemc][router]") {
  std::vector<PortProgram> table = idle_table();
  table[1].feed = PortSet(0b1111);
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  RouterBench bench(table, 4);
  bench.arrive({10, 11, 12, 13});
  Clocked::cycle();
  bench.arrive({kNone, kNone, kNone, kNone});
  const bool by_reset = GENERATE(false, true);
  bench.clear.write(!by_reset);
  bench.rst_n.write(!by_reset);
  Clocked::cycle();
  bench.clear.write(false);
  bench.rst_n.write(true);
  for (int i = 0; i < 4; ++i) {
    REQUIRE(bench.out(1) == kNone);
    Clocked::cycle();
  }
}

TEST_CASE("the feed changes at the switch step, counted from clear", "[systemc][router]") {
  std::vector<PortProgram> table = idle_table();
  table[0].early_feed = PortSet::of(2);
  table[0].feed = PortSet::of(3);
  table[0].switch_step = 3;
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  RouterBench bench(table, 1);
  bench.arrive({kNone, kNone, 22, 33});
  for (int round = 0; round < 2; ++round) {
    bench.clear.write(true);
    Clocked::cycle();
    bench.clear.write(false);
    Clocked::cycle();  // the start edge
    for (int step = 1; step <= 5; ++step) {
      CAPTURE(round, step);
      // In the cycle of step s stands what the edge that ended step s - 1 took.
      REQUIRE(bench.out(0) == (step - 1 < 3 ? 22 : 33));
      Clocked::cycle();
    }
  }
}

TEST_CASE("a router refuses impossible parameters", "[systemc][router]") {
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  REQUIRE_THROWS_AS(Router("no_depth", idle_table(), 0), std::invalid_argument);
  REQUIRE_THROWS_AS(Router("no_ports", {}, 1), std::invalid_argument);
  std::vector<PortProgram> table = idle_table();
  table[2].early_feed = PortSet::of(4);
  REQUIRE_THROWS_AS(Router("beyond", table, 1), std::invalid_argument);
  REQUIRE_THROWS_AS(NetworkInterface("packet", {{2}}, 2, 1), std::invalid_argument);
}

TEST_CASE("an out-port with a preload list keeps room for it", "[systemc][out-port]") {
  PortProgram program;
  program.feed = PortSet::of(0);
  program.preload = {0, 1, 2};
  OutPort port(program, 3);
  REQUIRE(port.injections() == 3);
  const std::array<PacketId, 1> arrival{100};
  REQUIRE(port.clock(0, 0, std::array{kNone}) == 0);
  REQUIRE(port.clock(1, 1, arrival) == 1);  // register, 1 to inject, 1 waiting: full
  REQUIRE(port.conflicts() == 0);
  REQUIRE(port.clock(2, 2, arrival) == 2);  // register, 2 waiting
  REQUIRE(port.conflicts() == 0);
  REQUIRE(port.clock(3, kNone, arrival) == 100);
  REQUIRE(port.conflicts() == 0);
  REQUIRE(port.max_queue() == 3);

  OutPort shallow(program, 2);
  REQUIRE(shallow.injections() == 2);
  REQUIRE(shallow.conflicts() == 1);
  REQUIRE(shallow.clock(0, 0, std::array{kNone}) == 0);
  REQUIRE(shallow.clock(1, 1, arrival) == 1);
  REQUIRE(shallow.clock(2, kNone, arrival) == 100);
  REQUIRE(shallow.conflicts() == 1);
}

TEST_CASE("a network interface injects its lists and delivers arrivals", "[systemc][interface]") {
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  Clocked bench;
  sc_core::sc_signal<bool> start{"start"};
  Signals<PacketId> own("own", 2);
  Signals<bool> inject_valid("inject_valid", 2);
  Signals<PacketId> inject_data("inject_data", 2);
  Signals<bool> in_valid("in_valid", 2);
  Signals<PacketId> in_data("in_data", 2);
  Signals<bool> deliver_valid("deliver_valid", 2);
  Signals<PacketId> deliver_data("deliver_data", 2);
  sc_core::sc_signal<bool> busy{"busy"};
  sc_core::sc_signal<bool> done{"done"};
  NetworkInterface interface("interface", {{1, 0}, {1}}, 2, 3);
  bench.connect(interface);
  interface.start_i(start);
  interface.own_data_i.bind(own);
  interface.inject_valid_o.bind(inject_valid);
  interface.inject_data_o.bind(inject_data);
  interface.in_valid_i.bind(in_valid);
  interface.in_data_i.bind(in_data);
  interface.deliver_valid_o.bind(deliver_valid);
  interface.deliver_data_o.bind(deliver_data);
  interface.busy_o(busy);
  interface.done_o(done);
  own[0].write(100);
  own[1].write(101);
  in_valid[1].write(true);
  in_data[1].write(55);
  Clocked::settle();
  REQUIRE_FALSE(inject_valid[0].read());
  REQUIRE_FALSE(deliver_valid[1].read());  // no round is running

  for (int round = 0; round < 2; ++round) {
    CAPTURE(round);
    start.write(true);
    Clocked::settle();
    REQUIRE(inject_valid[0].read());
    REQUIRE(inject_data[0].read() == 101);
    REQUIRE(inject_data[1].read() == 101);
    REQUIRE_FALSE(busy.read());
    Clocked::cycle();  // the start edge
    start.write(false);
    Clocked::settle();
    REQUIRE(inject_valid[0].read());
    REQUIRE(inject_data[0].read() == 100);
    REQUIRE_FALSE(inject_valid[1].read());
    for (int step = 1; step <= 3; ++step) {
      CAPTURE(step);
      REQUIRE(busy.read());
      REQUIRE_FALSE(done.read());
      REQUIRE(deliver_valid[1].read());
      REQUIRE(deliver_data[1].read() == 55);
      REQUIRE_FALSE(deliver_valid[0].read());
      Clocked::cycle();
    }
    REQUIRE_FALSE(busy.read());
    REQUIRE(done.read());
    REQUIRE_FALSE(inject_valid[0].read());
    REQUIRE_FALSE(deliver_valid[1].read());
    Clocked::cycle();
    REQUIRE_FALSE(done.read());
  }
  start.write(true);
  Clocked::cycle();
  start.write(false);
  bench.clear.write(true);
  Clocked::cycle();
  REQUIRE_FALSE(busy.read());
  REQUIRE_FALSE(done.read());
}
