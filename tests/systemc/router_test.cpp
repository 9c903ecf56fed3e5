// SPDX-License-Identifier: Apache-2.0
/// The stream router alone, edge by edge.
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <stdexcept>
#include <systemc>
#include <vector>

#include "gossamer/systemc/out_port.hpp"
#include "gossamer/systemc/simulation_context.hpp"
#include "gossamer/systemc/stream/router.hpp"

using namespace gossamer;
using namespace gossamer::systemc;

namespace {

constexpr PacketId kNone = kNoPacket;

/// A router of four ports with own packets 100, 101 ... and what stands on its ports.
struct RouterBench {
  RouterBench(const std::vector<StreamPort>& programs, std::uint32_t depth)
      : scope(context), table(programs), router("router", router_table(depth)) {
    router.clear();
    in.fill(kNone);
    // The start edge.
    cycle();
  }
  [[nodiscard]] RouterTable router_table(std::uint32_t depth) const {
    RouterTable made;
    for (const StreamPort& program : table) made.programs.push_back(&program);
    made.depth = depth;
    made.own = OwnPackets(100, 8);
    return made;
  }
  /// Puts `packets` on the in-ports until further notice.
  void arrive(const std::array<PacketId, 4>& packets) {
    std::copy(packets.begin(), packets.end(), in.begin());
  }
  void cycle() {
    out.fill(kNone);
    wish = router.clock({step++, in.data(), slots.data(), out.data()});
  }

  SimulationContext context;
  SimulationContext::Scope scope;
  std::vector<StreamPort> table;
  StreamRouter router;
  std::uint64_t step = 0;
  /// The fifth one is the in-port that is always idle.
  std::array<PacketId, 5> in{};
  std::array<LinkId, 5> slots{0, 1, 2, 3, 4};
  std::array<PacketId, 4> out{};
  /// The router's request.
  std::uint64_t wish = 0;
};

std::vector<StreamPort> idle_table() { return std::vector<StreamPort>(4); }

constexpr std::array<PacketId, 4> kNothing{kNone, kNone, kNone, kNone};

}  // namespace

TEST_CASE("a router passes packets along its table in one cycle", "[systemc][router]") {
  std::vector<StreamPort> table = idle_table();
  table[0].feed = PortSet::of(1);
  table[1].feed = PortSet::of(1);  // in-port 1 goes both ways
  table[2].feed = PortSet::of(0);
  // A fan-in elsewhere makes the router one with queues.
  const bool queues = GENERATE(false, true);
  if (queues) table[3].feed = PortSet(0b1100);
  RouterBench bench(table, 1);
  bench.arrive({10, 11, kNone, kNone});
  bench.cycle();
  REQUIRE(bench.out == std::array<PacketId, 4>{11, 11, 10, kNone});
  bench.arrive({kNone, 21, kNone, kNone});
  bench.cycle();
  REQUIRE(bench.out == std::array<PacketId, 4>{21, 21, kNone, kNone});
  bench.arrive(kNothing);
  bench.cycle();
  REQUIRE(bench.out == kNothing);
  REQUIRE(bench.wish == kUntilArrival);
  REQUIRE_FALSE(bench.router.error());
}

TEST_CASE("an injected packet goes first, arrivals follow in ascending order of their in-ports",
          "[systemc][router]") {
  std::vector<StreamPort> table = idle_table();
  table[0].feed = PortSet(0b1110);
  table[0].preload = {5, 2, 2};
  RouterBench bench(table, 8);
  REQUIRE(bench.out[0] == 105);
  bench.arrive({10, 11, 12, 13});
  bench.cycle();
  REQUIRE(bench.out[0] == 102);
  bench.arrive(kNothing);
  for (const PacketId expected : {PacketId{102}, PacketId{11}, PacketId{12}, PacketId{13}}) {
    bench.cycle();
    REQUIRE(bench.out[0] == expected);
    REQUIRE(bench.wish == bench.step);
  }
  bench.cycle();
  REQUIRE(bench.out[0] == kNone);
  REQUIRE(bench.wish == kUntilArrival);
  REQUIRE_FALSE(bench.router.error());
  REQUIRE(bench.router.max_queue() == 5);
}

TEST_CASE("own packets carry their assigned data, from the next start on", "[systemc][router]") {
  std::vector<StreamPort> table = idle_table();
  table[0].preload = {1};
  table[2].preload = {0};
  const bool queues = GENERATE(false, true);
  if (queues) table[3].feed = PortSet(0b1100);
  RouterBench bench(table, 1);
  REQUIRE(bench.out == std::array<PacketId, 4>{101, kNone, 100, kNone});
  bench.router.set_own(1, 0xabc);
  bench.cycle();
  REQUIRE(bench.out == kNothing);
  bench.router.clear();
  bench.step = 0;
  bench.cycle();
  REQUIRE(bench.out == std::array<PacketId, 4>{0xabc, kNone, 100, kNone});
  REQUIRE_THROWS_AS(bench.router.set_own(8, 0), std::out_of_range);
}

TEST_CASE("the same packet twice in a row counts as two packets", "[systemc][router]") {
  std::vector<StreamPort> table = idle_table();
  table[3].feed = PortSet(0b0011);
  RouterBench bench(table, 4);
  bench.arrive({7, 7, kNone, kNone});
  int sevens = 0;
  for (int i = 0; i < 8; ++i) {
    bench.cycle();
    if (i == 1) bench.arrive(kNothing);
    if (bench.out[3] == 7) ++sevens;
  }
  REQUIRE(sevens == 4);
  REQUIRE(bench.router.max_queue() == 3);
}

TEST_CASE("a full queue loses packets and reports it until cleared", "[systemc][router]") {
  std::vector<StreamPort> table = idle_table();
  table[1].feed = PortSet(0b1111);
  RouterBench bench(table, 2);
  bench.arrive({10, 11, 12, 13});
  bench.cycle();
  REQUIRE(bench.router.error());
  REQUIRE(bench.router.conflicts() == 2);
  REQUIRE(bench.out[1] == 10);
  bench.arrive(kNothing);
  bench.cycle();
  REQUIRE(bench.out[1] == 11);
  bench.cycle();
  REQUIRE(bench.out[1] == kNone);
  REQUIRE(bench.router.error());
  bench.router.clear();
  REQUIRE_FALSE(bench.router.error());
  REQUIRE(bench.router.conflicts() == 0);
}

TEST_CASE("clear empties the queues", "[systemc][router]") {
  std::vector<StreamPort> table = idle_table();
  table[1].feed = PortSet(0b1111);
  RouterBench bench(table, 4);
  bench.arrive({10, 11, 12, 13});
  bench.cycle();
  bench.arrive(kNothing);
  bench.router.clear();
  for (int i = 0; i < 4; ++i) {
    bench.cycle();
    REQUIRE(bench.out[1] == kNone);
  }
}

TEST_CASE("the feed changes at the switch step, counted from the start", "[systemc][router]") {
  std::vector<StreamPort> table = idle_table();
  table[0].early_feed = PortSet::of(2);
  table[0].feed = PortSet::of(3);
  table[0].switch_step = 3;
  RouterBench bench(table, 1);
  for (int round = 0; round < 2; ++round) {
    bench.arrive({kNone, kNone, 22, 33});
    for (int step = 1; step <= 5; ++step) {
      CAPTURE(round, step);
      // The packets that the register takes at the edge that ends the step.
      bench.cycle();
      REQUIRE(bench.out[0] == (step < 3 ? 22 : 33));
    }
    bench.router.clear();
    bench.step = 0;
    bench.arrive(kNothing);
    bench.cycle();
  }
}

TEST_CASE("a router refuses impossible parameters", "[systemc][router]") {
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  const auto make = [](const std::vector<StreamPort>& programs) {
    RouterTable table;
    for (const StreamPort& program : programs) table.programs.push_back(&program);
    StreamRouter("router", table);
  };
  REQUIRE_NOTHROW(make(idle_table()));
  REQUIRE_THROWS_AS(make({}), std::invalid_argument);
  std::vector<StreamPort> table = idle_table();
  table[2].early_feed = PortSet::of(4);
  REQUIRE_THROWS_AS(make(table), std::invalid_argument);
}

TEST_CASE("an out-port with a preload list keeps room for it", "[systemc][out-port]") {
  const OutPortTable program{.feed = PortSet::of(0), .early_feed = {}, .own_packets = 3};
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
