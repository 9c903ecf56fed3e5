// SPDX-License-Identifier: Apache-2.0
/// The routers with a step counter (timetables and frames), on random programs and with faults:
/// fast engine, SystemC and RTL.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gossamer/collectives/all_gather/scheduled.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/tb/lock_step.hpp"
#include "gossamer/tb/timetable/verilated_router.hpp"
#include "gossamer/tb/verilated_router.hpp"
#include "gossamer/util/error.hpp"
#include "plans.hpp"

using namespace gossamer;
using gossamer::tb::Difference;
using gossamer::tb::Fault;
using gossamer::tb::LockStep;
using gossamer::tb::Side;

namespace {

/// Keeps every step's links.
class Recorder final : public Observer {
 public:
  bool on_links(const LinkView& view) override {
    steps.emplace_back(view.packets.begin(), view.packets.end());
    return true;
  }
  std::vector<std::vector<PacketId>> steps;
};

/// In `steps` steps the engine has the same link contents and counts as the fast one.
EngineStatistics require_like_fast(const Plan& plan, Engine& engine, std::uint64_t steps) {
  const auto fast = make_fast_engine(plan);
  Recorder expected;
  watch(*fast, steps, expected);
  Recorder got;
  watch(engine, steps, got);
  REQUIRE(got.steps.size() == expected.steps.size());
  for (std::size_t step = 0; step < expected.steps.size(); ++step) {
    CAPTURE(step);
    REQUIRE(got.steps[step] == expected.steps[step]);
  }
  const EngineStatistics statistics = fast->statistics();
  REQUIRE(engine.statistics().max_queue == statistics.max_queue);
  REQUIRE(engine.statistics().link_conflicts == statistics.link_conflicts);
  bool any_error = false;
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
    any_error = any_error || engine.error(node);
  }
  REQUIRE(any_error == (statistics.link_conflicts > 0));
  return statistics;
}

Plan gossip_plan(const Topology& topology, SharedProgram program, std::uint32_t packets,
                 std::uint32_t depth) {
  Plan plan{topology, "gossip", "random", {}, Demand::all_gather(packets), std::move(program), {}};
  plan.expected.queue_depth = depth;
  return plan;
}

/// Any ROM: reads of slots that are empty, several stores for one slot, several own packets.
TimetableRom random_rom(test::Random& random, int ports, std::uint32_t packets, std::uint32_t slots,
                        std::uint32_t steps) {
  TimetableRom rom;
  for (std::uint32_t step = 1; step <= steps; ++step) {
    for (const Port port : all_ports(ports)) {
      const std::uint32_t source = random.below(1 + packets + slots);
      if (source != 0) {
        rom.sends.push_back({.step = step,
                             .source = source <= packets ? WordSource::own(source - 1)
                                                         : WordSource::slot(source - 1 - packets),
                             .port = port});
      }
      if (random.one_in(4)) continue;
      ArrivalRow row;
      row.step = step;
      row.port = port;
      row.slot = random.below(slots);
      rom.arrivals.push_back(row);
    }
  }
  return rom;
}

/// One such ROM for all nodes, or one for each.
Plan random_timetable(const Topology& topology, bool one_rom, std::uint32_t packets,
                      std::uint32_t slots, std::uint32_t steps, std::uint64_t seed) {
  test::Random random(seed);
  const int ports = topology.ports();
  TimetableProgram program(topology.nodes(), ports, packets, DeliveryRule::kAll);
  for (NodeId node = 0; node < (one_rom ? 1 : topology.nodes()); ++node) {
    const std::uint32_t rom = program.intern(random_rom(random, ports, packets, slots, steps));
    if (!one_rom) program.assign(node, rom);
  }
  const std::uint32_t depth = program.slots();
  return gossip_plan(topology, std::move(program), packets, depth);
}

struct FramedTraits {
  std::uint32_t max_feed = 2;
  std::uint32_t max_preload = 3;
  /// Own packets in slot 0 only, which are all injected before any packet can wait.
  bool preload_at_start_only = false;
  std::uint32_t max_switch_step = 9;
};

Plan random_framed(const Topology& topology, std::uint32_t frame, std::uint32_t depth,
                   std::uint64_t seed, const FramedTraits& traits) {
  test::Random random(seed);
  const std::uint32_t in_slots = static_cast<std::uint32_t>(topology.ports()) * frame;
  StreamProgram program(topology.nodes(), static_cast<int>(in_slots), 2, frame);
  const auto random_feed = [&] {
    PortSet feed;
    if (random.one_in(4)) return feed;
    for (std::uint32_t i = 1 + random.below(traits.max_feed); i > 0; --i) {
      feed.insert(static_cast<Port>(random.below(in_slots)));
    }
    return feed;
  };
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (std::uint32_t at = 0; at < in_slots; ++at) {
      StreamPort entry;
      entry.feed = random_feed();
      if (traits.max_switch_step > 0 && random.one_in(3)) {
        entry.early_feed = random_feed();
        entry.switch_step = 1 + random.below(traits.max_switch_step);
      }
      if (!traits.preload_at_start_only || at % frame == 0) {
        for (std::uint32_t i = random.below(traits.max_preload + 1); i > 0; --i) {
          entry.preload.push_back(static_cast<std::uint16_t>(random.below(2)));
        }
      }
      program.set(node, static_cast<Port>(at), entry);
    }
  }
  return gossip_plan(topology, std::move(program), 2, depth);
}

struct FramedShape {
  Topology topology;
  std::uint32_t frame;
};
/// Every number of ports and slots that a table's 16 port names allow.
std::vector<FramedShape> framed_shapes() {
  return {{Topology::torus(std::array{5U}), 3},
          {Topology::mesh(std::array{4U}), 8},
          {Topology::torus(std::array{4U, 3U}), 2},
          {Topology::mesh(std::array{3U, 3U}), 3},
          {Topology::torus(std::array{3U, 3U}), 4},
          {Topology::mesh(std::array{3U, 2U, 2U}), 2},
          {Topology::torus(std::array{3U, 2U, 3U}), 2},
          {Topology::mesh(std::array{2U, 2U, 3U, 2U}), 2}};
}

Plan folded_plan(std::vector<std::uint32_t> sides) {
  return make_plan({Topology::mesh(sides), "gossip", "folded", {}, {}});
}

std::string texts(const std::vector<Difference>& differences) {
  std::string text;
  for (const Difference& difference : differences) text += difference.text() + "\n";
  return text;
}

/// In a lock step of model and RTL, twenty seeded faults on busy links, in either side, are found
/// where and when they are made, and nothing else.
void require_faults_found(const Plan& plan, std::uint64_t steps) {
  test::Random random(7);
  const Topology& topology = plan.topology;
  int made = 0;
  while (made < 20) {
    const std::uint64_t cycle = 1 + random.below(static_cast<std::uint32_t>(steps));
    const NodeId node = random.below(topology.nodes());
    const auto port = static_cast<Port>(random.below(static_cast<std::uint32_t>(topology.ports())));
    const auto untouched = make_engine("systemc", plan);
    untouched->clock(cycle - 1);
    const LinkView view = untouched->links();
    const LinkId link = topology.link(node, port);
    const PacketId carried = view.packets[link];
    if (carried == kNoPacket) continue;
    const bool in_rtl = random.one_in(2);
    Upset upset;
    if (random.one_in(3)) {
      upset.drop = true;
    } else {
      upset.flip = PacketId{1} << random.below(64);
    }
    CAPTURE(cycle, node, port, in_rtl, upset.flip, upset.drop);
    const auto model = make_engine("systemc", plan);
    const auto rtl = make_engine("rtl", plan);
    LockStep lock_step(topology, *model, *rtl);
    lock_step.inject({in_rtl ? Side::kDevice : Side::kReference, cycle, node, port, upset});
    // Links of timetables carry words; the fault is in the value.
    const auto shown = [&](std::uint64_t flip) {
      if (view.values.empty()) return fmt::format("packet {}", carried ^ flip);
      return fmt::format("packet {} value {:x} of 1 terms", carried, view.values[link] ^ flip);
    };
    const std::string right = shown(0);
    const std::string wrong = upset.drop ? "none" : shown(upset.flip);
    REQUIRE(lock_step.run(steps) ==
            std::vector<Difference>{
                {cycle, node, port, in_rtl ? right : wrong, in_rtl ? wrong : right}});
    ++made;
  }
}

}  // namespace

TEST_CASE("random timetables, conflicts included, run identically on all engines",
          "[systemc][lock-step][timetable]") {
  std::uint64_t conflicts = 0;
  std::uint64_t most_slots = 0;
  const std::vector<Topology> shapes = {
      Topology::torus(std::array{5U}), Topology::torus(std::array{4U, 3U}),
      Topology::mesh(std::array{2U, 2U, 3U}), Topology::torus(std::array{2U, 2U, 2U, 2U, 2U})};
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Topology& topology = shapes[seed % shapes.size()];
    for (const std::uint32_t slots : {1U, 3U, 64U, 65U}) {
      CAPTURE(seed, slots);
      const Plan plan = random_timetable(topology, seed % 3 == 0,
                                         1 + static_cast<std::uint32_t>(seed % 3), slots, 30, seed);
      // After the last step all links are idle, and engines are done.
      const EngineStatistics counts = require_like_fast(plan, *make_engine("systemc", plan), 40);
      require_like_fast(plan, *make_engine("systemc", plan, {.pin_level = true}), 40);
      require_like_fast(plan, *make_engine("rtl", plan), 40);
      const auto model = make_engine("systemc", plan);
      const auto rtl = make_engine("rtl", plan);
      LockStep lock_step(topology, *model, *rtl);
      REQUIRE(texts(lock_step.run(40)).empty());
      conflicts += counts.link_conflicts;
      most_slots = std::max(most_slots, counts.max_queue);
    }
  }
  REQUIRE(conflicts > 1000);
  REQUIRE(most_slots > 25);
}

TEST_CASE("random framed programs run on SystemC as on the fast engine", "[systemc][framed]") {
  std::uint64_t conflicts = 0;
  std::uint64_t longest = 0;
  for (const FramedShape& shape : framed_shapes()) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      for (const std::uint32_t depth : {1U, 2U, 3U, 8U}) {
        CAPTURE(shape.topology.dims_text(), shape.frame, seed, depth);
        const Plan plan = random_framed(shape.topology, shape.frame, depth, seed, {});
        const EngineStatistics counts = require_like_fast(plan, *make_engine("systemc", plan), 40);
        require_like_fast(plan, *make_engine("systemc", plan, {.pin_level = true}), 40);
        conflicts += counts.link_conflicts;
        longest = std::max(longest, counts.max_queue);
      }
    }
  }
  REQUIRE(conflicts > 1000);
  REQUIRE(longest == 8);
}

TEST_CASE("random framed programs run on the RTL as on the model, lost packets included",
          "[lock-step][framed]") {
  std::uint64_t conflicts = 0;
  for (const FramedShape& shape : framed_shapes()) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      for (const std::uint32_t depth : {1U, 2U, 3U, 65U}) {
        CAPTURE(shape.topology.dims_text(), shape.frame, seed, depth);
        const Plan plan = random_framed(shape.topology, shape.frame, depth, seed,
                                        {.max_preload = 1, .preload_at_start_only = true});
        conflicts += require_like_fast(plan, *make_engine("rtl", plan), 40).link_conflicts;
        const auto model = make_engine("systemc", plan);
        const auto rtl = make_engine("rtl", plan);
        LockStep lock_step(shape.topology, *model, *rtl);
        REQUIRE(texts(lock_step.run(40)).empty());
      }
    }
  }
  REQUIRE(conflicts > 1000);
}

TEST_CASE("the RTL sends each slot's own packets in its turns", "[lock-step][framed]") {
  std::uint64_t longest = 0;
  for (const FramedShape& shape : framed_shapes()) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      CAPTURE(shape.topology.dims_text(), shape.frame, seed);
      const Plan plan =
          random_framed(shape.topology, shape.frame, 64, seed, {.max_feed = 1, .max_preload = 6});
      const EngineStatistics counts = require_like_fast(plan, *make_engine("rtl", plan), 40);
      REQUIRE(counts.link_conflicts == 0);
      longest = std::max(longest, counts.max_queue);
    }
  }
  REQUIRE(longest > 6);
}

TEST_CASE("a schedule and a folded plan run at their planned steps on shapes of 1 to 4 dimensions",
          "[lock-step][timetable][framed]") {
  const std::vector<std::vector<std::uint32_t>> shapes = {
      {7}, {12, 5}, {5, 4, 3}, {3, 3, 3, 4}, {16, 16}};
  for (const auto& sides : shapes) {
    for (const Plan& plan : {plan_scheduled(Topology::torus(sides)), folded_plan(sides)}) {
      CAPTURE(plan.algorithm, plan.topology.dims_text());
      const auto model = make_engine("systemc", plan);
      const auto rtl = make_engine("rtl", plan);
      LockStep lock_step(plan.topology, *model, *rtl);
      const std::uint64_t steps = *plan.expected.analytic_steps;
      REQUIRE(texts(lock_step.run(steps)).empty());
      REQUIRE(lock_step.cycles() == steps);
    }
  }
}

TEST_CASE("seeded faults in a scheduled network are named", "[lock-step][timetable]") {
  const Plan plan = plan_scheduled(Topology::torus(std::array{6U, 5U}));
  require_faults_found(plan, *plan.expected.analytic_steps);
}

TEST_CASE("seeded faults in a folded network are named", "[lock-step][framed]") {
  const Plan plan = folded_plan({5, 4});
  require_faults_found(plan, *plan.expected.analytic_steps);
}

TEST_CASE("an RTL router with a wrong ROM field is detected at its first effect",
          "[lock-step][timetable]") {
  const Plan plan = plan_scheduled(Topology::torus(std::array{5U, 5U}));
  const auto& program = plan.program.as<TimetableProgram>();
  REQUIRE(program.one_rom());
  for (std::uint32_t step = 1; step <= program.steps(); ++step) {
    TimetableRom rom = program.roms()[0];
    // The port is silent where it should send, and sends where it should be silent.
    const auto at = std::find_if(rom.sends.begin(), rom.sends.end(), [step](const SendRow& row) {
      return row.step > step || (row.step == step && row.port >= 2);
    });
    if (at != rom.sends.end() && at->step == step && at->port == 2) {
      rom.sends.erase(at);
    } else {
      rom.sends.insert(at, {.step = step, .source = WordSource::own(0), .port = 2});
    }
    TimetableProgram damaged(program.nodes(), program.ports(), program.own(), program.delivery());
    damaged.intern(std::move(rom));
    Plan wrong = plan;
    wrong.program = std::move(damaged);
    const auto model = make_engine("systemc", plan);
    const auto rtl = make_engine("rtl", wrong);
    LockStep lock_step(plan.topology, *model, *rtl);
    const auto differences = lock_step.run(program.steps());
    CAPTURE(step);
    // Every router runs the ROM: all of them go wrong, at port 2, in that step.
    REQUIRE(differences.size() == plan.topology.nodes());
    for (const Difference& difference : differences) {
      REQUIRE(difference.cycle == step);
      REQUIRE(difference.port == Port{2});
    }
  }
}

TEST_CASE("plans that the timed routers do not support are refused", "[systemc][lock-step]") {
  const Topology torus = Topology::torus(std::array{3U, 3U});
  TimetableProgram program(torus.nodes(), torus.ports(), 1, DeliveryRule::kAll);
  ArrivalRow row;
  row.slot = tb::kMaxTimetableRouterSlots;
  program.intern({.sends = {}, .arrivals = {row}});
  const Plan deep = gossip_plan(torus, std::move(program), 1, 1);
  CHECK_THROWS_AS(make_engine("rtl", deep), InfeasibleError);
  CHECK_THROWS_AS(tb::make_verilated_timetable_router(4, tb::kMaxTimetableRouterSlots + 1),
                  std::invalid_argument);
  CHECK_THROWS_AS(tb::make_verilated_timetable_router(10, 1, {}, true), std::invalid_argument);
  CHECK_THROWS_AS(tb::make_verilated_timetable_router(3, 1), std::invalid_argument);
  CHECK_THROWS_AS(tb::make_verilated_timetable_router(4, 0), std::invalid_argument);
  CHECK_THROWS_AS(tb::make_verilated_router(6, 1, 3), std::invalid_argument);
  CHECK_THROWS_AS(tb::make_verilated_router(4, 1, 0), std::invalid_argument);
}
