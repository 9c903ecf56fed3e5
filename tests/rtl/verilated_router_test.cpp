// SPDX-License-Identifier: Apache-2.0
/// The RTL router against the machine model, cycle by cycle, on random tables and traffic.
#include <catch2/catch.hpp>
#include <deque>
#include <optional>
#include <random>
#include <vector>

#include "gossamer/tb/verilated_router.hpp"

namespace {

using gossamer::Port;
using gossamer::PortSet;
using gossamer::tb::make_verilated_router;
using gossamer::tb::RouterPins;
using gossamer::tb::VerilatedRouter;

/// docs/tile.md in C++: one register and one FIFO per out-port.
class ReferenceRouter {
 public:
  struct Row {
    PortSet feed;
    PortSet early_feed;
    std::uint32_t switch_step = 0;
  };

  ReferenceRouter(std::vector<Row> table, std::size_t depth)
      : table_(std::move(table)), depth_(depth), waiting_(table_.size()), out_(table_.size()) {}

  void clock(const RouterPins& pins) {
    if (pins.clear_i) {
      for (auto& waiting : waiting_) waiting.clear();
      for (auto& out : out_) out.reset();
      step_ = 0;
      error_ = false;
      return;
    }
    for (std::size_t p = 0; p < table_.size(); ++p) {
      const Row& row = table_[p];
      auto& waiting = waiting_[p];
      out_[p].reset();
      if (pins.inject_valid_i.contains(static_cast<Port>(p))) {
        out_[p] = pins.inject_data_i.at(p);
      } else if (!waiting.empty()) {
        out_[p] = waiting.front();
        waiting.pop_front();
      }
      for (const Port q : step_ < row.switch_step ? row.early_feed : row.feed) {
        if (!pins.in_valid_i.contains(q)) continue;
        if (!out_[p]) {
          out_[p] = pins.in_data_i.at(q);
        } else if (waiting.size() + 1 < depth_) {
          waiting.push_back(pins.in_data_i.at(q));
          ++pushes_;
        } else {
          error_ = true;
        }
      }
    }
    ++step_;
  }

  [[nodiscard]] const std::optional<std::uint64_t>& out(std::size_t port) const {
    return out_[port];
  }
  [[nodiscard]] bool error() const { return error_; }
  [[nodiscard]] std::size_t pushes() const { return pushes_; }

 private:
  std::vector<Row> table_;
  std::size_t depth_;
  std::vector<std::deque<std::uint64_t>> waiting_;
  std::vector<std::optional<std::uint64_t>> out_;
  std::uint32_t step_ = 0;
  std::size_t pushes_ = 0;
  bool error_ = false;
};

/// Events of a run, so that a test can check that it covered them.
struct Seen {
  std::size_t packets = 0;
  std::size_t pushes = 0;
  bool error = false;
};

/// `cycles` cycles of random traffic; `load` is the chance of a packet on an input, in percent.
Seen compare(int ports, std::uint32_t depth, unsigned seed, int cycles, unsigned load) {
  std::mt19937_64 random(seed);
  const auto mask = static_cast<std::uint16_t>((1U << ports) - 1U);
  const auto some = [&](unsigned percent) {
    std::uint16_t bits = 0;
    for (int p = 0; p < ports; ++p) {
      if (random() % 100 < percent) bits = static_cast<std::uint16_t>(bits | (1U << p));
    }
    return PortSet(static_cast<std::uint16_t>(bits & mask));
  };
  std::vector<ReferenceRouter::Row> table(static_cast<std::size_t>(ports));
  const std::unique_ptr<VerilatedRouter> router = make_verilated_router(ports, depth);
  for (std::size_t p = 0; p < table.size(); ++p) {
    table[p].feed = some(30);
    if (random() % 2 == 0) {
      table[p].early_feed = some(30);
      table[p].switch_step = static_cast<std::uint32_t>(random() % 20);
    }
    router->set_table(static_cast<Port>(p), table[p].feed, table[p].early_feed,
                      table[p].switch_step);
  }
  ReferenceRouter reference(table, depth);
  Seen seen;
  for (int cycle = 0; cycle < cycles; ++cycle) {
    RouterPins& pins = router->pins();
    pins.clear_i = random() % 97 == 0;
    pins.in_valid_i = some(load);
    pins.inject_valid_i = some(load / 4);
    for (auto& data : pins.in_data_i) data = random();
    for (auto& data : pins.inject_data_i) data = random();
    reference.clock(pins);
    router->clock();
    INFO("ports " << ports << " depth " << depth << " seed " << seed << " cycle " << cycle);
    for (int p = 0; p < ports; ++p) {
      const auto& expected = reference.out(static_cast<std::size_t>(p));
      INFO("out-port " << p);
      REQUIRE(pins.out_valid_o.contains(static_cast<Port>(p)) == expected.has_value());
      if (!expected) continue;
      ++seen.packets;
      REQUIRE(pins.out_data_o.at(static_cast<std::size_t>(p)) == *expected);
    }
    REQUIRE(pins.error_o == reference.error());
    seen.error = seen.error || pins.error_o;
  }
  seen.pushes = reference.pushes();
  return seen;
}

}  // namespace

TEST_CASE("Verilated router equals the machine model on random tables and traffic", "[rtl]") {
  for (const int ports : {2, 4, 6}) {
    for (const std::uint32_t depth : {1U, 2U, 3U, 4U}) {
      Seen all;
      for (unsigned seed = 1; seed <= 20; ++seed) {
        const Seen seen = compare(ports, depth, seed, 400, seed % 2 == 0 ? 25 : 80);
        all.packets += seen.packets;
        all.pushes += seen.pushes;
        all.error = all.error || seen.error;
      }
      CHECK(all.packets > 1000);
      CHECK(all.error);
      CHECK((all.pushes > 0) == (depth > 1));
    }
  }
}

TEST_CASE("Verilated router of every size equals the machine model", "[rtl]") {
  for (int ports = 2; ports <= gossamer::kMaxPorts; ports += 2) {
    for (const std::uint32_t depth : {1U, 5U, 64U, 65U, gossamer::tb::kMaxVerilatedDepth}) {
      CHECK(compare(ports, depth, 7, 300, 60).packets > 0);
    }
  }
}

TEST_CASE("a queue takes exactly its depth before a packet is lost", "[rtl]") {
  for (const std::uint32_t depth : {1U, 2U, 5U, 100U}) {
    const auto router = make_verilated_router(4, depth);
    router->set_table(2, PortSet(0b0011), PortSet(), 0);
    RouterPins& pins = router->pins();
    pins.in_valid_i = PortSet(0b0011);
    // Two packets come and one goes in every cycle: after n cycles n + 1 would be held.
    for (std::uint32_t cycle = 1; cycle < depth; ++cycle) {
      router->clock();
      REQUIRE_FALSE(pins.error_o);
    }
    router->clock();
    CHECK(pins.error_o);
    pins.clear_i = true;
    router->clock();
    CHECK_FALSE(pins.error_o);
    CHECK(pins.out_valid_o.empty());
  }
}

TEST_CASE("sizes that no Verilated router has are refused", "[rtl]") {
  CHECK_THROWS_AS(make_verilated_router(0, 1), std::invalid_argument);
  CHECK_THROWS_AS(make_verilated_router(3, 1), std::invalid_argument);
  CHECK_THROWS_AS(make_verilated_router(18, 1), std::invalid_argument);
  CHECK_THROWS_AS(make_verilated_router(4, 0), std::invalid_argument);
  CHECK_THROWS_AS(make_verilated_router(4, gossamer::tb::kMaxVerilatedDepth + 1),
                  std::invalid_argument);
}
