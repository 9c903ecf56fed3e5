// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/lock_step.hpp"
#include "gossamer/sim/engines.hpp"

#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gossamer/machines/stream/program.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/util/error.hpp"
#include "plans.hpp"

using namespace gossamer;
using gossamer::tb::Difference;
using gossamer::tb::Fault;
using gossamer::tb::LockStep;
using gossamer::tb::Side;

namespace {

/// Counts the steps it sees and ends the run after some.
class StopAfter final : public Observer {
 public:
  explicit StopAfter(std::uint64_t steps) : left_(steps) {}
  bool on_links(const LinkView& view) override {
    last = view.step;
    return --left_ > 0;
  }
  std::uint64_t last = 0;

 private:
  std::uint64_t left_;
};

}  // namespace

TEST_CASE("equal models agree in every cycle", "[lock-step]") {
  const std::vector<Plan> plans = {
      test::even_torus_gossip(4, 4),
      test::random_plan(Topology::torus(std::array{4U, 3U}), 2, 11),
      test::random_plan(Topology::mesh(std::array{3U, 3U}), 1, 12),
  };
  for (const Plan& plan : plans) {
    const auto reference = make_engine("systemc", plan);
    const auto device = make_engine("systemc", plan, {.pin_level = true});
    LockStep lock_step(plan.topology, *reference, *device);
    REQUIRE(lock_step.run(50).empty());
    REQUIRE(lock_step.cycles() == 50);
  }
}

TEST_CASE("a flipped packet in either side is detected at its link and cycle", "[lock-step]") {
  const Plan plan = test::even_torus_gossip(6, 4);
  const Topology& torus = plan.topology;
  test::Random random(2024);
  for (const Side side : {Side::kReference, Side::kDevice}) {
    for (int i = 0; i < 10; ++i) {
      const auto reference = make_engine("systemc", plan);
      const auto device = make_engine("systemc", plan, {.pin_level = true});
      const Fault fault{.side = side,
                        .cycle = 1 + random.below(12),
                        .node = random.below(torus.nodes()),
                        .port = static_cast<Port>(random.below(4)),
                        .upset = {.flip = PacketId{1} << random.below(64)}};
      CAPTURE(side == Side::kDevice, fault.cycle, fault.node, fault.port, fault.upset.flip);

      // The content of the link in that cycle, from an undisturbed engine.
      const auto untouched = make_engine("systemc", plan);
      untouched->clock(fault.cycle - 1);
      const PacketId carried = untouched->links().packets[torus.link(fault.node, fault.port)];
      const std::string right = fmt::format("packet {}", carried);
      const std::string wrong = fmt::format("packet {}", carried ^ fault.upset.flip);

      LockStep lock_step(torus, *reference, *device);
      lock_step.inject(fault);
      const std::vector<Difference> differences = lock_step.run(100);
      const bool in_device = side == Side::kDevice;
      REQUIRE(differences ==
              std::vector<Difference>{{fault.cycle, fault.node, fault.port,
                                       in_device ? right : wrong, in_device ? wrong : right}});
      REQUIRE(lock_step.cycles() == fault.cycle - 1);
    }
  }
}

TEST_CASE("a dropped packet is reported as a missing one", "[lock-step]") {
  const Plan plan = test::lone_packet(4, 4);
  const auto reference = make_engine("systemc", plan);
  const auto device = make_engine("systemc", plan);
  LockStep lock_step(plan.topology, *reference, *device);
  lock_step.inject(
      {.side = Side::kDevice, .cycle = 3, .node = 2, .port = 1, .upset = {.drop = true}});
  const auto differences = lock_step.run(10);
  REQUIRE(differences == std::vector<Difference>{{3, 2, Port{1}, "packet 0", "none"}});
  REQUIRE(differences[0].text() == "cycle 3, node 2, port x+: expected packet 0, got none");
}

TEST_CASE("all differences of the first differing cycle are reported", "[lock-step]") {
  const Plan plan = test::even_torus_gossip(4, 4);
  const auto reference = make_engine("systemc", plan);
  const auto device = make_engine("systemc", plan);
  LockStep lock_step(plan.topology, *reference, *device);
  lock_step.inject({.side = Side::kDevice, .cycle = 5, .node = 9, .port = 2, .upset = {.flip = 1}});
  lock_step.inject(
      {.side = Side::kReference, .cycle = 5, .node = 3, .port = 0, .upset = {.drop = true}});
  lock_step.inject({.side = Side::kDevice, .cycle = 6, .node = 1, .port = 1, .upset = {.flip = 1}});
  const auto differences = lock_step.run(10);
  REQUIRE(differences.size() == 2);
  REQUIRE(differences[0].node == 3);
  REQUIRE(differences[0].expected == "none");
  REQUIRE(differences[1].node == 9);
  REQUIRE(differences[1].expected != differences[1].got);
}

TEST_CASE("error flags are compared", "[lock-step]") {
  // Two streams meet in one out-port that can hold one packet: node 0 loses packets. The device has
  // room for two, so in the cycle after the first loss the two disagree.
  Plan plan = test::even_torus_gossip(4, 4);
  auto& program = plan.program.edit<StreamProgram>();
  StreamPort meeting = program.at(0, 1);
  meeting.feed = PortSet(0b1101);
  program.set(0, 1, meeting);
  Plan deeper = plan;
  deeper.expected.queue_depth = 3;
  const auto reference = make_engine("systemc", plan);
  const auto device = make_engine("systemc", deeper);
  LockStep lock_step(plan.topology, *reference, *device);
  const auto differences = lock_step.run(10);
  REQUIRE(differences == std::vector<Difference>{{2, 0, std::nullopt, "1", "0"}});
  REQUIRE(differences[0].text() == "cycle 2, node 0, error flag: expected 1, got 0");
}

TEST_CASE("an observer sees the reference and may end the run", "[lock-step]") {
  const Plan plan = test::even_torus_gossip(4, 4);
  const auto reference = make_engine("systemc", plan);
  const auto device = make_engine("systemc", plan);
  LockStep lock_step(plan.topology, *reference, *device);
  StopAfter observer(4);
  watch(lock_step, 10, observer);
  REQUIRE(lock_step.differences().empty());
  REQUIRE(observer.last == 4);
  REQUIRE(lock_step.cycles() == 4);
}

TEST_CASE("a fault that damages nothing is refused", "[lock-step]") {
  const Plan plan = test::lone_packet(4, 4);
  const auto reference = make_engine("systemc", plan);
  const auto device = make_engine("systemc", plan);
  LockStep lock_step(plan.topology, *reference, *device);
  SECTION("no such node") {
    REQUIRE_THROWS_AS(lock_step.inject({.cycle = 1, .node = 99, .upset = {.flip = 1}}), InputError);
  }
  SECTION("idle link") {
    lock_step.inject({.cycle = 2, .node = 0, .port = 1, .upset = {.flip = 1}});
    REQUIRE_THROWS_AS(lock_step.run(10), InputError);
  }
}
