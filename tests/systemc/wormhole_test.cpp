// SPDX-License-Identifier: Apache-2.0
/// The conventional network's tiles on the fabric against the fast network: the same flit at the
/// same node in the same cycle.
#include <catch2/catch.hpp>
#include <tuple>

#include "gossamer/systemc/wormhole_router.hpp"
#include "gossamer/util/random.hpp"
#include "gossamer/wormhole/traffic.hpp"

namespace gossamer::systemc {
namespace {

using Arrival = std::tuple<std::uint64_t, NodeId, std::uint64_t, bool>;

/// Each node draws by itself, so that the order in which nodes are asked does not matter.
class Draw final : public wormhole::PacketSource {
 public:
  Draw(std::uint32_t nodes, std::uint64_t seed, std::uint64_t until, std::uint32_t flits)
      : nodes_(nodes), until_(until), flits_(flits) {
    for (NodeId node = 0; node < nodes; ++node) random_.emplace_back(seed * 1000 + node);
    sent_.resize(nodes);
  }
  bool next(NodeId node, std::uint64_t cycle, wormhole::Packet& packet) override {
    if (cycle >= until_ || random_[node].below(3) == 0) return false;
    packet.destination = static_cast<NodeId>(random_[node].below(nodes_));
    packet.flits = 1 + static_cast<std::uint32_t>(random_[node].below(flits_));
    packet.coins = static_cast<std::uint32_t>(random_[node].next());
    packet.tag = std::uint64_t{node} << 32U | sent_[node]++;
    offered_ += packet.flits;
    return true;
  }
  void arrived(NodeId node, std::uint64_t cycle, std::uint64_t tag, bool last) override {
    arrivals.emplace_back(cycle, node, tag, last);
  }
  std::uint64_t offered() const { return offered_; }
  std::vector<Arrival> arrivals;

 private:
  std::uint32_t nodes_;
  std::uint64_t until_;
  std::uint32_t flits_;
  std::vector<SplitMix64> random_;
  std::vector<std::uint64_t> sent_;
  std::uint64_t offered_ = 0;
};

std::vector<Arrival> run(wormhole::Network& network, Draw& draw) {
  // Until all is out: what was offered and not yet sent counts as well.
  while (network.cycle() < 300 || draw.arrivals.size() < draw.offered()) {
    network.clock(draw);
    REQUIRE(network.cycle() < 100'000);
  }
  CHECK(network.flits_inside() == 0);
  std::sort(draw.arrivals.begin(), draw.arrivals.end());
  return draw.arrivals;
}

TEST_CASE("tiles on the fabric and the fast network agree flit by flit and cycle by cycle",
          "[wormhole]") {
  SplitMix64 random(7);
  const std::vector<std::vector<std::uint32_t>> shapes{{4, 4}, {5, 3}, {8}, {3, 3, 2}, {6, 4}};
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto& sides = shapes[seed % shapes.size()];
    const Topology topology = seed % 2 == 0 ? Topology::torus(sides) : Topology::mesh(sides);
    wormhole::Router router;
    const auto draw = [&](std::uint32_t n) {
      return 1 + static_cast<std::uint32_t>(random.below(n));
    };
    router.channels = 1 + draw(4);
    router.buffer = draw(6);
    router.pipeline = {draw(3), draw(3), draw(2), draw(3), draw(3)};
    router.link_latency = static_cast<std::uint32_t>(random.below(4));
    const std::uint32_t flits = draw(5);
    Draw fast_draw(topology.nodes(), seed, 300, flits);
    const auto fast = wormhole::make_fast_network(topology, router);
    const auto expected = run(*fast, fast_draw);
    Draw draws(topology.nodes(), seed, 300, flits);
    const auto network = make_wormhole_network(topology, router);
    const auto got = run(*network, draws);
    CAPTURE(seed, topology.dims_text(), topology.kind(), router.channels, router.buffer,
            router.link_latency);
    REQUIRE(expected.size() > 100);
    REQUIRE(got == expected);
  }
}

TEST_CASE("traffic measured on the fabric is traffic measured on the fast network", "[wormhole]") {
  const Topology topology = Topology::torus(std::vector<std::uint32_t>{4, 4});
  wormhole::Traffic traffic;
  traffic.warm_up = 200;
  traffic.period = 100;
  for (const double rate : {0.3, 0.9}) {
    const auto fast = wormhole::measure_load(topology, {}, traffic, rate);
    const auto slow = wormhole::measure_load(topology, {}, traffic, rate, make_wormhole_network);
    CHECK(slow.mean_latency == fast.mean_latency);
    CHECK(slow.accepted_rate == fast.accepted_rate);
    CHECK(slow.cycles == fast.cycles);
    CHECK(slow.saturated == fast.saturated);
  }
}

}  // namespace
}  // namespace gossamer::systemc
