// SPDX-License-Identifier: Apache-2.0
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/sim/engines.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gossamer/sim/observers.hpp"
#include "gossamer/util/error.hpp"
#include "plans.hpp"

using namespace gossamer;

namespace {

/// Keeps every step's links.
class Recorder final : public Observer {
 public:
  bool on_links(const LinkView& view) override {
    CHECK(view.step == steps.size() + first_step);
    steps.emplace_back(view.packets.begin(), view.packets.end());
    return steps.size() < stop_after;
  }
  std::vector<std::vector<PacketId>> steps;
  std::size_t stop_after = ~std::size_t{0};
  std::uint64_t first_step = 1;
};

void require_same(const EngineStatistics& expected, const EngineStatistics& got) {
  REQUIRE(got.steps == expected.steps);
  REQUIRE(got.cycles == expected.cycles);
  REQUIRE(got.max_queue == expected.max_queue);
  REQUIRE(got.link_conflicts == expected.link_conflicts);
}

/// Runs both forms of the SystemC engine, and the fast engine's trace and counts are theirs.
EngineStatistics require_like_fast(const Plan& plan, std::uint64_t steps) {
  const auto fast = make_fast_engine(plan);
  Recorder expected;
  watch(*fast, steps, expected);
  for (const bool pin_level : {false, true}) {
    CAPTURE(pin_level);
    const auto engine = make_engine("systemc", plan, {.pin_level = pin_level});
    REQUIRE(engine->name() == "systemc");
    Recorder got;
    watch(*engine, steps, got);
    REQUIRE(got.steps.size() == expected.steps.size());
    for (std::size_t step = 0; step < steps; ++step) {
      CAPTURE(step);
      REQUIRE(got.steps[step] == expected.steps[step]);
    }
    require_same(fast->statistics(), engine->statistics());
    bool any_error = false;
    for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
      any_error = any_error || engine->error(node);
    }
    REQUIRE(any_error == (fast->statistics().link_conflicts > 0));
  }
  return fast->statistics();
}

/// First step at whose end every node has seen or owns all packets; 0 when that did not happen.
std::uint64_t completion(const Plan& plan, const std::vector<std::vector<PacketId>>& steps) {
  const Topology& topology = plan.topology;
  const auto own = plan.program.as<StreamProgram>().packets_per_node();
  const std::size_t packets = std::size_t{topology.nodes()} * own;
  std::vector<std::vector<bool>> known(topology.nodes(), std::vector<bool>(packets));
  std::size_t missing = packets * topology.nodes();
  const auto learn = [&](NodeId node, PacketId packet) {
    if (known[node][packet]) return;
    known[node][packet] = true;
    --missing;
  };
  for (PacketId packet = 0; packet < packets; ++packet) {
    learn(static_cast<NodeId>(packet / own), packet);
  }
  for (std::size_t step = 0; step < steps.size(); ++step) {
    for (LinkId link = 0; link < steps[step].size(); ++link) {
      if (steps[step][link] == kNoPacket) continue;
      learn(topology.neighbor(topology.link_from(link), topology.link_port(link)),
            steps[step][link]);
    }
    if (missing == 0) return step + 1;
  }
  return 0;
}

std::string temporary_file(const std::string& suffix) {
  return "systemc_test_" + std::to_string(getpid()) + suffix;
}

/// The value changes of a one-bit or vector variable of a VCD file, as "time: value".
std::vector<std::string> changes(const std::string& file, const std::string& variable) {
  std::ifstream in(file);
  std::vector<std::string> scopes;
  std::string id;
  std::string time = "0";
  std::vector<std::string> found;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "$scope") {
      words >> word >> word;
      scopes.push_back(word);
    } else if (word == "$upscope") {
      scopes.pop_back();
    } else if (word == "$var") {
      std::string code;
      words >> word >> word >> code >> word;
      std::string path;
      for (std::size_t i = 1; i < scopes.size(); ++i) path += scopes[i] + ".";
      if (path + word == variable) id = code;
    } else if (word.starts_with("#")) {
      time = word.substr(1);
    } else if (!id.empty() && word == "0" + id) {
      found.push_back(time + ": 0");
    } else if (!id.empty() && word == "1" + id) {
      found.push_back(time + ": 1");
    } else if (word.starts_with("b") && words >> word && word == id) {
      found.push_back(time + ": " + line.substr(1, line.find(' ') - 1));
    }
  }
  return found;
}

}  // namespace

TEST_CASE("the all-gather on even tori is complete in nodes / 2 steps on both forms",
          "[systemc][engine]") {
  for (const auto& [columns, rows] : {std::pair{4U, 4U}, {6U, 4U}, {8U, 8U}, {4U, 2U}}) {
    CAPTURE(columns, rows);
    const Plan plan = test::even_torus_gossip(columns, rows);
    for (const bool pin_level : {false, true}) {
      CAPTURE(pin_level);
      Recorder recorder;
      watch(*make_engine("systemc", plan, {.pin_level = pin_level}), columns * rows, recorder);
      REQUIRE(completion(plan, recorder.steps) == columns * rows / 2);
      for (std::size_t step = 0; step < columns * rows / 2; ++step) {
        REQUIRE(std::count(recorder.steps[step].begin(), recorder.steps[step].end(), kNoPacket) ==
                0);
      }
    }
    require_like_fast(plan, columns * rows);
  }
}

TEST_CASE("random wirings without queues give the fast engine's trace", "[systemc][engine]") {
  const test::RandomTraits plain{
      .max_feed = 1, .max_preload = 1, .max_switch_step = 0, .dead_end_one_in = 5};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const Topology torus =
        Topology::torus(std::array{3 + static_cast<std::uint32_t>(seed % 4), 4U});
    require_like_fast(test::random_plan(torus, 1, seed, plain), 40);
    const Topology mesh = Topology::mesh(std::array{2U, 3U, 4U});
    require_like_fast(test::random_plan(mesh, 1, seed, plain), 40);
  }
}

TEST_CASE("a falling and rising load has the same trace link by link and as a whole",
          "[systemc][engine]") {
  // A packet that doubles at every node of a long row fills the torus from one link, and another
  // wiring empties it again.
  const Topology torus = Topology::torus(std::array{16U, 16U});
  const auto program_with = [&](auto feed_of) {
    StreamProgram program(torus.nodes(), 4, 1);
    for (NodeId node = 0; node < torus.nodes(); ++node) {
      for (Port port = 0; port < 4; ++port) {
        StreamPort at;
        at.feed = feed_of(node, port);
        program.set(node, port, at);
      }
    }
    return program;
  };
  SECTION("rising") {
    // Every packet that comes along x or y goes on and also turns: 1, 2, 4 ... links.
    StreamProgram program = program_with(
        [](NodeId, Port port) { return port == 1 || port == 3 ? PortSet::of(0) : PortSet::of(2); });
    StreamPort first = program.at(5, 1);
    first.preload = {0};
    program.set(5, 1, first);
    const Plan plan = test::stream_plan(torus, std::move(program), 1);
    require_like_fast(plan, 80);
  }
  SECTION("falling") {
    // Rows run straight on into a column where they end.
    StreamProgram program = program_with([](NodeId node, Port port) {
      return node % 16 == 15 ? PortSet() : PortSet::of(opposite(port));
    });
    for (NodeId node = 0; node < torus.nodes(); ++node) {
      for (Port port = 0; port < 2; ++port) {
        StreamPort at = program.at(node, port);
        at.preload = {0};
        program.set(node, port, at);
      }
    }
    const Plan plan = test::stream_plan(torus, std::move(program), 1);
    require_like_fast(plan, 40);
  }
}

TEST_CASE("random programs with fan-in, switches and queues give the fast engine's trace",
          "[systemc][engine]") {
  std::uint64_t conflicts = 0;
  std::uint64_t longest = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    for (std::uint32_t depth = 1; depth <= 4; ++depth) {
      CAPTURE(seed, depth);
      const Topology shape = seed % 2 == 0 ? Topology::torus(std::array{4U, 3U})
                                           : Topology::mesh(std::array{3U, 2U, 2U});
      const EngineStatistics statistics =
          require_like_fast(test::random_plan(shape, depth, seed), 40);
      conflicts += statistics.link_conflicts;
      longest = std::max(longest, statistics.max_queue);
    }
  }
  // The plans were of the intended kind.
  REQUIRE(conflicts > 1000);
  REQUIRE(longest == 4);
}

TEST_CASE("deep queues keep their order", "[systemc][engine]") {
  const Topology torus = Topology::torus(std::array{4U, 4U});
  const test::RandomTraits traits{
      .max_feed = 2, .max_preload = 4, .max_switch_step = 200, .dead_end_one_in = 6};
  std::uint64_t longest = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    const auto statistics = require_like_fast(test::random_plan(torus, 300, seed, traits), 500);
    longest = std::max(longest, statistics.max_queue);
  }
  REQUIRE(longest > 150);
}

TEST_CASE("an engine continues where it stopped", "[systemc][engine]") {
  const Plan plan = test::random_plan(Topology::torus(std::array{4U, 4U}), 2, 7);
  const auto fast = make_fast_engine(plan);
  Recorder expected;
  watch(*fast, 20, expected);
  for (const bool pin_level : {false, true}) {
    const auto engine = make_engine("systemc", plan, {.pin_level = pin_level});
    Recorder first;
    first.stop_after = 3;
    watch(*engine, 20, first);
    REQUIRE(first.steps.size() == 3);
    REQUIRE(engine->statistics().steps == 3);
    engine->clock(6);
    REQUIRE(engine->statistics().steps == 9);
    REQUIRE(std::ranges::equal(expected.steps[9], engine->links().packets));
    Recorder rest;
    rest.first_step = 10;
    watch(*engine, 11, rest);
    REQUIRE(rest.steps.size() == 11);
    for (std::size_t i = 0; i < 11; ++i) REQUIRE(rest.steps[i] == expected.steps[9 + i]);
    require_same(fast->statistics(), engine->statistics());
  }
}

TEST_CASE("several engines live at a time", "[systemc][engine]") {
  const Plan plan = test::even_torus_gossip(4, 4);
  const Plan other = test::even_torus_gossip(6, 4);
  auto arena = make_engine("systemc", plan);
  auto pins = make_engine("systemc", plan, {.pin_level = true});
  auto third = make_engine("systemc", other);
  for (int step = 0; step < 10; ++step) {
    REQUIRE(std::ranges::equal(arena->links().packets, pins->links().packets));
    arena->clock(1);
    pins->clock(1);
    third->clock(1);
  }
  arena.reset();
  pins->clock(1);
  third->clock(1);
  REQUIRE(pins->statistics().steps == 11);
}

TEST_CASE("an upset packet travels on, a dropped one does not", "[systemc][engine]") {
  const Plan plan = test::lone_packet(4, 4);
  for (const bool pin_level : {false, true}) {
    CAPTURE(pin_level);
    const auto engine = make_engine("systemc", plan, {.pin_level = pin_level});
    REQUIRE(engine->links().packets[plan.topology.link(0, 1)] == 0);
    REQUIRE_FALSE(engine->upset(plan.topology.link(1, 1), {.flip = 1}));
    engine->clock(1);
    REQUIRE(engine->upset(plan.topology.link(1, 1), {.flip = 0x10}));
    REQUIRE(engine->links().packets[plan.topology.link(1, 1)] == 0x10);
    engine->clock(1);
    REQUIRE(engine->links().packets[plan.topology.link(2, 1)] == 0x10);
    REQUIRE(engine->upset(plan.topology.link(2, 1), {.drop = true}));
    for (int step = 0; step < 8; ++step) {
      REQUIRE(std::ranges::count(engine->links().packets, kNoPacket) == 64);
      engine->clock(1);
    }
  }
}

TEST_CASE("waves show every link's packets in both forms", "[systemc][engine]") {
  const Plan plan = test::lone_packet(4, 2);
  for (const bool pin_level : {false, true}) {
    CAPTURE(pin_level);
    const std::string file = temporary_file(pin_level ? "_pins.vcd" : "_arena.vcd");
    make_engine("systemc", plan, {.pin_level = pin_level, .wave = file})->clock(8);
    // Edges at 0.5 ns, 1.5 ns ...; the third one is the start edge. The row has four links.
    REQUIRE(changes(file, "node_1.x+.valid") ==
            std::vector<std::string>{"0: 0", "3500: 1", "4500: 0", "7500: 1", "8500: 0"});
    REQUIRE(changes(file, "node_0.x+.valid") == std::vector<std::string>{"0: 0", "2500: 1",
                                                                         "3500: 0", "6500: 1",
                                                                         "7500: 0", "10500: 1"});
    REQUIRE(changes(file, "node_7.y-.valid") == std::vector<std::string>{"0: 0"});
    REQUIRE(changes(file, "node_7.y-.packet").size() == 1);
    std::remove(file.c_str());
  }
}

TEST_CASE("a wave file that cannot be written is refused", "[systemc][engine]") {
  const Plan plan = test::lone_packet(4, 2);
  REQUIRE_THROWS_AS(make_engine("systemc", plan, {.wave = "no/such/folder/w.vcd"}), InputError);
  REQUIRE_THROWS_AS(make_engine("systemc", plan, {.wave = "w.fst"}), InputError);
}
