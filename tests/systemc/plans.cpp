// SPDX-License-Identifier: Apache-2.0
#include "plans.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "gossamer/sim/engines.hpp"

namespace gossamer::test {

namespace {
constexpr Port kLeft = 0;
constexpr Port kRight = 1;
constexpr Port kTop = 2;
constexpr Port kBottom = 3;
}  // namespace

std::uint32_t Random::below(std::uint32_t bound) {
  state_ += 0x9e3779b97f4a7c15U;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
  return static_cast<std::uint32_t>((mixed ^ (mixed >> 31U)) % bound);
}

Plan stream_plan(const Topology& topology, StreamProgram program, std::uint32_t queue_depth) {
  Plan plan{
      topology,           "gossip", "test", {}, Demand::all_gather(program.packets_per_node()),
      std::move(program), {}};
  plan.expected.queue_depth = queue_depth;
  return plan;
}

Plan even_torus_gossip(std::uint32_t columns, std::uint32_t rows) {
  const Topology torus = Topology::torus(std::array{columns, rows});
  // By node and port: the other end of the port's pair.
  const auto partner = [&](NodeId node, Port port) {
    const std::uint32_t column = torus.coordinates(node)[0];
    const bool top_right = column % 2 == 0 || column == columns - 1;
    const std::array<Port, 4> pairs =
        top_right ? std::array<Port, 4>{kBottom, kTop, kRight, kLeft}   // T<->R, B<->L
                  : std::array<Port, 4>{kTop, kBottom, kLeft, kRight};  // T<->L, B<->R
    return pairs[port];
  };
  // Walk the cycle through node 0's right port: its ports are those of packet 0.
  std::vector<std::uint16_t> packet(torus.link_slots(), 1);
  NodeId node = 0;
  Port out = kRight;
  do {
    packet[torus.link(node, out)] = 0;
    node = torus.neighbor(node, out);
    const Port in = opposite(out);
    packet[torus.link(node, in)] = 0;
    out = partner(node, in);
  } while (node != 0 || out != kRight);

  StreamProgram program(torus.nodes(), torus.ports(), 2);
  for (node = 0; node < torus.nodes(); ++node) {
    for (Port port = 0; port < 4; ++port) {
      program.set(node, port,
                  {.feed = PortSet::of(partner(node, port)),
                   .early_feed = {},
                   .switch_step = 0,
                   .preload = {packet[torus.link(node, port)]}});
    }
  }
  return stream_plan(torus, std::move(program), 1);
}

Plan lone_packet(std::uint32_t columns, std::uint32_t rows) {
  const Topology torus = Topology::torus(std::array{columns, rows});
  StreamProgram program(torus.nodes(), torus.ports(), 1);
  for (NodeId node = 0; node < columns; ++node) {
    StreamPort port;
    port.feed = PortSet::of(kLeft);
    if (node == 0) port.preload = {0};
    program.set(node, kRight, port);
  }
  return stream_plan(torus, std::move(program), 1);
}

bool runs_on(const Plan& plan, std::string_view engine) {
  const auto names = engines_of(plan.machine());
  return std::find(names.begin(), names.end(), engine) != names.end();
}

Plan random_plan(const Topology& topology, std::uint32_t queue_depth, std::uint64_t seed,
                 const RandomTraits& traits) {
  Random random(seed);
  const auto ports = static_cast<std::uint32_t>(topology.ports());
  const std::uint32_t packets = 1 + random.below(4);
  StreamProgram program(topology.nodes(), topology.ports(), packets);
  const auto random_feed = [&] {
    PortSet feed;
    if (random.one_in(traits.dead_end_one_in)) return feed;
    const std::uint32_t size = 1 + random.below(traits.max_feed);
    for (std::uint32_t i = 0; i < size; ++i) feed.insert(static_cast<Port>(random.below(ports)));
    return feed;
  };
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (int p = 0; p < topology.ports(); ++p) {
      StreamPort port;
      port.feed = random_feed();
      if (traits.max_switch_step > 0 && random.one_in(3)) {
        port.early_feed = random_feed();
        port.switch_step = 1 + random.below(traits.max_switch_step);
      }
      for (std::uint32_t i = random.below(traits.max_preload + 1); i > 0; --i) {
        port.preload.push_back(static_cast<std::uint16_t>(random.below(packets)));
      }
      program.set(node, static_cast<Port>(p), port);
    }
  }
  return stream_plan(topology, std::move(program), queue_depth);
}

}  // namespace gossamer::test
