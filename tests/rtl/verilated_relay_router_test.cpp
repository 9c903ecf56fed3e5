// SPDX-License-Identifier: Apache-2.0
/// The RTL relay routers alone, pin by pin: passing flits, deliveries, and the times of the node's
/// sends.
#include <catch2/catch.hpp>
#include <map>

#include "gossamer/tb/relay/verilated_router.hpp"
#include "gossamer/tb/verilated_router.hpp"

namespace {

using namespace gossamer;
using gossamer::tb::make_verilated_relay_router;
using gossamer::tb::RtlAssertion;
using gossamer::tb::VerilatedRelayRouter;

constexpr Port kLeft = 0;
constexpr Port kRight = 1;
constexpr Port kDown = 2;
constexpr Port kUp = 3;

/// A router of an 8x8 mesh.
RelayRouterConfig config(RelayRouterKind kind, std::uint8_t parity, std::uint32_t flits,
                         std::uint32_t relay_cycles) {
  RelayRouterConfig config;
  config.kind = kind;
  config.ports = 4;
  config.format = RelayFormat::of(kind, 4);
  config.clock = {MessageTiming::kSelf, flits, 1, relay_cycles};
  config.levels = {3, 3};
  config.parity = parity;
  return config;
}

PinFlit head(const RelayFormat& format, std::uint32_t hops, std::uint32_t step,
             std::uint32_t tag = 0) {
  PinFlit flit{true, true, {}};
  // A payload above the header.
  flit.data.at(static_cast<std::size_t>(format.words) - 1) = 0x1234567800000000U;
  RelayEntry entry;
  entry.hops = hops;
  entry.step = step;
  entry.tag = tag;
  format.put_header(flit.data, entry);
  return flit;
}

PinFlit body(std::uint64_t data) { return {true, false, {data}}; }

/// A send as it leaves the node: the cycle of its head, counted from the message's head.
struct Seen {
  Port port = 0;
  std::uint32_t links = 0;
  std::uint32_t step = 0;
  bool operator==(const Seen&) const = default;
};

/// Gives a router a message of `flits` flits by the left in-port and collects its sends for
/// `cycles` cycles.
std::map<int, Seen> sends_after(const RelayRouterConfig& config, std::uint32_t step, int cycles,
                                std::uint32_t tag = 0) {
  const auto router = make_verilated_relay_router(config);
  RelayRouterPins pins;
  std::map<int, Seen> sends;
  for (int cycle = 0; cycle < cycles; ++cycle) {
    pins.in_i[kLeft] = {};
    if (cycle == 0) {
      pins.in_i[kLeft] = head(config.format, 0, step, tag);
    } else if (cycle < static_cast<int>(config.clock.flits)) {
      pins.in_i[kLeft] = body(static_cast<std::uint64_t>(cycle));
    }
    router->clock(pins);
    CHECK(pins.deliver_o.valid == (cycle < static_cast<int>(config.clock.flits)));
    CHECK(pins.deliver_o.head == (cycle == 0));
    CHECK_FALSE(pins.error_o);
    for (Port port = 0; port < 4; ++port) {
      const PinFlit& flit = pins.out_o[port];
      if (!flit.valid || !flit.head) continue;
      // In its out register one cycle after the edge's own.
      sends[cycle + 1] = {port, get_bits(flit.data, 0, config.format.hop_bits) + 1,
                          config.format.step(flit.data)};
    }
  }
  return sends;
}

}  // namespace

TEST_CASE(
    "a message with links left goes straight on, with one link less in the header and the same "
    "body",
    "[rtl]") {
  for (const RelayRouterKind kind : {RelayRouterKind::kRule, RelayRouterKind::kList}) {
    const RelayRouterConfig table = config(kind, 0, 3, 1);
    for (Port q = 0; q < 4; ++q) {
      const auto router = make_verilated_relay_router(table);
      RelayRouterPins pins;
      const PinFlit flits[] = {head(table.format, 2, 4), body(0xfeedbeef), body(0)};
      for (const PinFlit& flit : flits) {
        pins.in_i[q] = flit;
        router->clock(pins);
        PinFlit expected = flit;
        if (flit.head) expected.data[0] -= 1;
        for (Port p = 0; p < 4; ++p) {
          CHECK(pins.out_o[p] == (p == opposite(q) ? expected : PinFlit{}));
        }
        CHECK_FALSE(pins.deliver_o.valid);
      }
      pins.in_i[q] = {};
      router->clock(pins);
      for (Port p = 0; p < 4; ++p) CHECK_FALSE(pins.out_o[p].valid);
      CHECK_FALSE(pins.busy_o);
    }
  }
}

TEST_CASE("a path's stretches are taken one after the other", "[rtl]") {
  const RelayRouterConfig table = config(RelayRouterKind::kList, 0, 1, 0);
  const RelayEntry entry = relay_entry(table.format, {{kRight, 1}, {kUp, 2}, {kLeft, 1}}, 0, 0);
  PinFlit flit = head(table.format, 0, 0);
  table.format.put_header(flit.data, entry);
  // In by the left: turns up, goes straight up, turns left, is delivered.
  Port in = kLeft;
  for (const Port out : {kUp, kUp, kLeft}) {
    const auto router = make_verilated_relay_router(table);
    RelayRouterPins pins;
    pins.in_i[in] = flit;
    router->clock(pins);
    REQUIRE(pins.out_o[out].valid);
    flit = pins.out_o[out];
    in = opposite(out);
  }
  const auto router = make_verilated_relay_router(table);
  RelayRouterPins pins;
  pins.in_i[in] = flit;
  router->clock(pins);
  REQUIRE(pins.deliver_o == flit);
}

TEST_CASE("the node sends by parities, o after the last flit and every F + o", "[rtl]") {
  // 8x8: steps (level, dimension) 3x 3y 2x 2y 1x 1y, links 3 3 1 1 1 1.
  for (const RelayRouterKind kind : {RelayRouterKind::kRule, RelayRouterKind::kList}) {
    // x even, y odd: up where coordinate + level is odd.
    const std::map<int, Seen> expected{{5, {kDown, 3, 1}},
                                       {10, {kLeft, 1, 2}},
                                       {15, {kUp, 1, 3}},
                                       {20, {kRight, 1, 4}},
                                       {25, {kDown, 1, 5}}};
    CHECK(sends_after(config(kind, 0b10, 4, 1), 0, 60) == expected);
    // One flit and no delay: the message goes on in the cycle after it came.
    CHECK(sends_after(config(kind, 0b11, 1, 0), 3, 20) ==
          std::map<int, Seen>{{1, {kLeft, 1, 4}}, {2, {kDown, 1, 5}}});
    // Side bits turn a dimension round.
    CHECK(sends_after(config(kind, 0b11, 1, 0), 3, 20, 0b01) ==
          std::map<int, Seen>{{1, {kRight, 1, 4}}, {2, {kDown, 1, 5}}});
    // After the last step nothing is sent.
    CHECK(sends_after(config(kind, 0b10, 4, 1), 5, 60).empty());
  }
}

TEST_CASE("an order in the header holds to the end of its level", "[rtl]") {
  // (y, x) in level 3, ascending from level 2 on.
  const std::uint32_t swapped = 1U << 2;
  CHECK(sends_after(config(RelayRouterKind::kList, 0b00, 1, 0), 0, 20, swapped) ==
        std::map<int, Seen>{{1, {kRight, 3, 1}},
                            {2, {kLeft, 1, 2}},
                            {3, {kDown, 1, 3}},
                            {4, {kRight, 1, 4}},
                            {5, {kUp, 1, 5}}});
}

TEST_CASE("two messages for one out-port, or one node, fail an assertion", "[rtl]") {
  for (const RelayRouterKind kind : {RelayRouterKind::kRule, RelayRouterKind::kList}) {
    const RelayRouterConfig table = config(kind, 0, 2, 0);
    {
      const auto router = make_verilated_relay_router(table);
      RelayRouterPins pins;
      pins.in_i[kLeft] = head(table.format, 0, 0);
      pins.in_i[kUp] = head(table.format, 0, 0);
      CHECK_THROWS_AS(router->clock(pins), RtlAssertion);
    }
    {
      RelayRouterPins pins;
      pins.start_i = true;
      // The source's first send goes right (x even, level 3), as does the passing message.
      pins.in_i[kLeft] = head(table.format, 1, 0);
      pins.entry_i = relay_entry(table.format, {{kRight, 1}}, 0, 0);
      RelayRouterConfig source = table;
      source.list = kind == RelayRouterKind::kList;
      const auto sender = make_verilated_relay_router(source);
      CHECK_THROWS_AS(sender->clock(pins), RtlAssertion);
    }
  }
}

TEST_CASE("a router of sums adds or replaces depending on the step of the message", "[rtl]") {
  RelayRouterConfig sums = config(RelayRouterKind::kSums, 0, 2, 0);
  sums.list = true;
  sums.duplex = true;
  sums.adding_steps = 3;
  const auto of = [&](std::uint32_t step, const RelaySum& word) {
    PinFlit flit = head(sums.format, 0, step);
    word.put(flit.data);
    return flit;
  };
  const auto router = make_verilated_relay_router(sums);
  RelayRouterPins pins;
  pins.start_i = true;
  router->clock(pins);
  pins.start_i = false;
  for (const std::uint32_t step : {2U, 3U}) {
    const bool adds = step < sums.adding_steps;
    for (std::uint32_t index = 0; index < 2; ++index) {
      CHECK(pins.store_o == index);
      RelaySum{~std::uint64_t{0} - index, 7}.put(pins.stored_i);
      pins.in_i[kUp] = of(step, {6, 4});
      pins.in_i[kUp].head = index == 0;
      router->clock(pins);
      REQUIRE(pins.deliver_o.valid);
      const RelaySum sum = RelaySum::of(pins.deliver_o.data);
      CHECK(sum.value == (adds ? 5 - index : 6));
      CHECK(sum.terms == (adds ? 11 : 4));
    }
  }
  CHECK(pins.store_o == 0);
}

TEST_CASE("the sum of a message of one flit is sent on at the edge of its arrival", "[rtl]") {
  for (const std::uint32_t relay_cycles : {0U, 1U}) {
    RelayRouterConfig sums = config(RelayRouterKind::kSums, 0, 1, relay_cycles);
    sums.list = true;
    sums.duplex = true;
    sums.adding_steps = 1;
    sums.clock.timing = MessageTiming::kStep;
    const auto router = make_verilated_relay_router(sums);
    RelayRouterPins pins;
    pins.start_i = true;
    router->clock(pins);
    pins.start_i = false;
    RelaySum{30, 2}.put(pins.own_data_i);
    pins.stored_i = pins.own_data_i;
    pins.in_i[kUp] = head(sums.format, 0, 0);
    RelaySum{12, 1}.put(pins.in_i[kUp].data);
    pins.entry_i = relay_entry(sums.format, {{kRight, 1}}, 1, 0);
    pins.step_start_i = true;
    pins.step_i = 1;
    router->clock(pins);
    REQUIRE(pins.out_o[kRight].valid);
    // With relay cycles it has been in the memory, and there is no such path.
    CHECK(RelaySum::of(pins.out_o[kRight].data).value == (relay_cycles == 0 ? 42 : 30));
    CHECK(sums.format.step(pins.out_o[kRight].data) == 1);
  }
}

TEST_CASE("a sum leaves the adder some cycles after its word, and is sent on at once", "[rtl]") {
  RelayRouterConfig sums = config(RelayRouterKind::kSums, 0, 2, 0);
  sums.list = true;
  sums.duplex = true;
  sums.adding_steps = 1;
  sums.adder_cycles = 3;
  sums.clock.timing = MessageTiming::kStep;
  const auto router = make_verilated_relay_router(sums);
  RelayRouterPins pins;
  pins.start_i = true;
  router->clock(pins);
  pins.start_i = false;
  pins.entry_i = relay_entry(sums.format, {{kRight, 1}}, 1, 0);
  pins.step_i = 1;
  // Two flits arrive, and their sums are due in cycles 3 and 4, when the next step begins.
  for (std::uint32_t cycle = 0; cycle < 6; ++cycle) {
    pins.in_i[kUp] = {};
    if (cycle < 2) {
      CHECK(pins.store_o == cycle);
      pins.in_i[kUp] = head(sums.format, 0, 0);
      pins.in_i[kUp].head = cycle == 0;
      RelaySum{12 + cycle, 1}.put(pins.in_i[kUp].data);
      RelaySum{30, 2}.put(pins.stored_i);
    }
    RelaySum{1000, 9}.put(pins.own_data_i);
    pins.step_start_i = cycle == 3;
    const std::uint32_t write = pins.write_o;
    router->clock(pins);
    const bool due = cycle == 3 || cycle == 4;
    CHECK(pins.deliver_o.valid == due);
    CHECK(pins.out_o[kRight].valid == due);
    CHECK(pins.busy_o == (cycle < 5));
    if (!due) continue;
    CHECK(write == cycle - 3);
    CHECK(pins.deliver_o.head == (cycle == 3));
    CHECK(RelaySum::of(pins.deliver_o.data).value == 42 + cycle - 3);
    CHECK(RelaySum::of(pins.out_o[kRight].data).value == 42 + cycle - 3);
    CHECK(RelaySum::of(pins.out_o[kRight].data).terms == 3);
  }
}

TEST_CASE("models of float64 have the larger and smaller words of all types", "[rtl]") {
  for (const WordType type : {WordType::kFloat16, WordType::kBfloat16}) {
    const FloatFormat format = *float_format(type);
    Arithmetic arithmetic;
    arithmetic.operation = Operation::kMax;
    arithmetic.type = arithmetic.own = type;
    arithmetic.bits = format.bits();
    const tb::ModelWords words(arithmetic);
    CHECK(words.model("router") == "router_max");
    constexpr std::uint64_t kInfinity = std::uint64_t{0x7ff} << 52U;
    const std::uint64_t sign = std::uint64_t{1} << 15U;
    const auto fraction = static_cast<unsigned>(format.fraction_bits);
    const std::uint64_t infinity = sign - (std::uint64_t{1} << fraction);
    CHECK(words.in(0) == 0);
    CHECK(words.in(infinity) == kInfinity);
    // The canonical NaN.
    CHECK(words.in(infinity | std::uint64_t{1} << (fraction - 1)) ==
          (kInfinity | std::uint64_t{1} << 51U));
    for (std::uint64_t word = 0; word < sign; ++word) {
      REQUIRE(words.out(words.in(word)) == word);
      REQUIRE(words.out(words.in(word | sign)) == (word | sign));
      REQUIRE(words.in(word | sign) == (words.in(word) | std::uint64_t{1} << 63U));
      REQUIRE((word == 0 || words.in(word) > words.in(word - 1)));
    }
  }
}

TEST_CASE("a router of sums that is not duplex reports arrivals while it sends", "[rtl]") {
  for (const bool duplex : {true, false}) {
    RelayRouterConfig sums = config(RelayRouterKind::kSums, 0, 3, 0);
    sums.list = true;
    sums.duplex = duplex;
    sums.clock.timing = MessageTiming::kStep;
    const auto router = make_verilated_relay_router(sums);
    RelayRouterPins pins;
    pins.start_i = true;
    pins.step_start_i = true;
    pins.entry_i = relay_entry(sums.format, {{kRight, 1}}, 0, 0);
    router->clock(pins);
    pins.start_i = pins.step_start_i = false;
    pins.in_i[kUp] = head(sums.format, 0, 0);
    if (duplex) {
      CHECK_NOTHROW(router->clock(pins));
    } else {
      CHECK_THROWS_AS(router->clock(pins), RtlAssertion);
    }
  }
}

TEST_CASE("clear ends everything", "[rtl]") {
  for (const RelayRouterKind kind : {RelayRouterKind::kRule, RelayRouterKind::kList}) {
    const RelayRouterConfig table = config(kind, 0, 4, 3);
    const auto router = make_verilated_relay_router(table);
    RelayRouterPins pins;
    pins.in_i[kLeft] = head(table.format, 0, 0);
    router->clock(pins);
    CHECK(pins.busy_o);
    pins.in_i[kLeft] = {};
    pins.clear_i = true;
    router->clock(pins);
    CHECK_FALSE(pins.busy_o);
    pins.clear_i = false;
    for (int cycle = 0; cycle < 40; ++cycle) {
      router->clock(pins);
      for (Port p = 0; p < 4; ++p) CHECK_FALSE(pins.out_o[p].valid);
    }
  }
}

TEST_CASE("fan-out has no relay router", "[rtl]") {
  RelayRouterConfig tree;
  tree.kind = RelayRouterKind::kTree;
  CHECK_THROWS_AS(make_verilated_relay_router(tree), std::invalid_argument);
}
