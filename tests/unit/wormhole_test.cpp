// SPDX-License-Identifier: Apache-2.0
/// The conventional network, compared with figures of an established simulator and checked for
/// consistency: no packet is lost, no deadlock occurs, flits of a packet stay together.
#include <catch2/catch.hpp>
#include <map>

#include "gossamer/util/error.hpp"
#include "gossamer/wormhole/traffic.hpp"

namespace gossamer::wormhole {
namespace {

Topology square(const char* kind, std::uint32_t side) {
  const std::vector<std::uint32_t> sides{side, side};
  return Topology::make(kind, sides);
}

struct Load {
  double rate;
  /// 0: saturated.
  double latency;
};

/// Measured with BookSim2 (docs/spec/wormhole.md, section 3 has the configuration).
struct Row {
  const char* kind;
  std::uint32_t side;
  const char* pattern;
  std::uint32_t channels;
  std::uint32_t buffer;
  std::uint32_t flits;
  std::vector<Load> loads;
  double full_load;
};

TEST_CASE("latency over load and throughput at full load are BookSim2's", "[wormhole]") {
  const std::vector<Row> rows{
      {"mesh",
       4,
       "uniform",
       1,
       4,
       1,
       {{0.01, 19.70}, {0.05, 19.91}, {0.1, 20.94}, {0.2, 26.18}, {0.3, 0}},
       0.246},
      {"mesh",
       8,
       "uniform",
       2,
       8,
       4,
       {{0.01, 36.97}, {0.05, 37.09}, {0.1, 37.82}, {0.2, 40.42}, {0.3, 47.58}, {0.4, 0}},
       0.361},
      {"mesh",
       8,
       "bit-complement",
       4,
       8,
       1,
       {{0.01, 47.33}, {0.05, 47.40}, {0.1, 48.38}, {0.2, 54.69}, {0.3, 0}},
       0.122},
      {"torus",
       4,
       "uniform",
       2,
       4,
       1,
       {{0.01, 18.86}, {0.05, 19.14}, {0.1, 19.17}, {0.2, 19.98}, {0.3, 21.21}, {0.4, 26.82}},
       0.445},
      {"torus",
       8,
       "uniform",
       2,
       8,
       1,
       {{0.01, 31.32}, {0.05, 31.52}, {0.1, 32.33}, {0.2, 36.14}, {0.3, 0}},
       0.214},
      {"torus", 8, "tornado", 2, 8, 1, {{0.01, 43.31}, {0.05, 45.76}, {0.1, 0}}, 0.035},
  };
  for (const Row& row : rows) {
    const Topology topology = square(row.kind, row.side);
    Router router;
    router.channels = row.channels;
    router.buffer = row.buffer;
    Traffic traffic;
    traffic.pattern = parse_pattern(row.pattern);
    traffic.packet_flits = row.flits;
    for (const Load& load : row.loads) {
      CAPTURE(row.kind, row.side, row.pattern, load.rate);
      const TrafficPoint point = measure_load(topology, router, traffic, load.rate);
      CHECK(point.saturated == (load.latency == 0));
      REQUIRE(point.mean_latency.has_value() == (load.latency != 0));
      if (load.latency == 0) continue;
      // Both sides draw packets: the other's interval is not known, so a fiftieth for it.
      CHECK(*point.mean_latency == Approx(load.latency).epsilon(0.02));
      CHECK(point.accepted_rate == Approx(load.rate).epsilon(0.02));
    }
    CAPTURE(row.kind, row.side, row.pattern);
    std::uint64_t cycles = 0;
    CHECK(full_load_accepted_rate(topology, router, traffic, cycles) ==
          Approx(row.full_load).epsilon(0.02));
    CHECK(cycles == 26000);
  }
}

/// Packets handed in before the run; checks that each arrives once, whole, where it should.
class Script final : public PacketSource {
 public:
  explicit Script(std::uint32_t nodes) : queues_(nodes), next_(nodes) {}
  void add(NodeId from, NodeId to, std::uint32_t flits) {
    Packet packet;
    packet.destination = to;
    packet.flits = flits;
    packet.coins = static_cast<std::uint32_t>(sent_.size() * 0x9e3779b9U);
    packet.tag = sent_.size();
    sent_.push_back(packet);
    queues_[from].push_back(packet);
  }
  bool next(NodeId node, std::uint64_t, Packet& packet) override {
    if (next_[node] == queues_[node].size()) return false;
    packet = queues_[node][next_[node]++];
    return true;
  }
  void arrived(NodeId node, std::uint64_t cycle, std::uint64_t tag, bool last) override {
    REQUIRE(sent_[tag].destination == node);
    ++flits_[tag];
    REQUIRE(last == (flits_[tag] == sent_[tag].flits));
    if (last) ++done_;
    last_ = cycle;
  }
  bool all_done() const { return done_ == sent_.size(); }
  std::uint64_t last() const { return last_; }

 private:
  std::vector<std::vector<Packet>> queues_;
  std::vector<std::size_t> next_;
  std::vector<Packet> sent_;
  std::map<std::uint64_t, std::uint32_t> flits_;
  std::size_t done_ = 0;
  std::uint64_t last_ = 0;
};

TEST_CASE("a single packet takes two cycles, the stages of its visits and the links",
          "[wormhole]") {
  const Topology topology = square("mesh", 8);
  for (const std::uint32_t flits : {1U, 5U}) {
    for (const std::uint32_t stage : {1U, 3U}) {
      Router router;
      router.pipeline = {stage, 2, 1, 4, 1};
      router.link_latency = stage;
      Script script(64);
      script.add(0, 63, flits);
      const auto network = make_network(topology, router);
      while (!script.all_done()) network->clock(script);
      // Two cycles into the first of 15 routers, one out of the last, 14 links between them; the
      // other flits follow a cycle apart.
      CAPTURE(flits, stage);
      CHECK(script.last() == 2 + 15 * (stage + 2 + 1 + 4) + 14 * stage + 1 + (flits - 1));
      CHECK(network->flits_inside() == 0);
    }
  }
}

TEST_CASE("a flit occupies a slow link for the link's period", "[wormhole]") {
  const Topology dies = with_link_rates(square("mesh", 8), {{}, {}, "4x4", "1/5"});
  for (const std::uint32_t flits : {1U, 7U}) {
    Router router;
    Script script(64);
    script.add(0, 63, flits);
    const auto network = make_network(dies, router);
    while (!script.all_done()) network->clock(script);
    // Two of 14 links take four cycles more, and the flits follow each other five cycles apart.
    // They need neither a route nor a channel, so the last one comes two cycles closer to the head
    // in each of the four routers after the second slow link.
    CAPTURE(flits);
    const std::uint32_t behind = flits == 1 ? 0 : 5 * (flits - 1) - 4 * 2;
    CHECK(script.last() == 2 + 15 * 4 + 14 + 1 + 2 * 4 + behind);
    CHECK(network->die_flits() == 2 * flits);
  }
  // Each of the two links in the middle of a line carries a flit every three cycles.
  const std::vector<std::uint32_t> line{4, 1};
  Traffic traffic;
  traffic.pattern = Pattern::kBitComplement;
  std::uint64_t cycles = 0;
  const auto accepted = [&](const Topology& topology) {
    return full_load_accepted_rate(topology, {}, traffic, cycles);
  };
  CHECK(accepted(Topology::mesh(line)) > 0.3);
  CHECK(accepted(with_link_rates(Topology::mesh(line), {{}, {}, "2x1", "1/3"})) ==
        Approx(0.5 / 3).epsilon(0.01));
}

TEST_CASE("floods on tori, with the fewest channels and buffers, end", "[wormhole]") {
  // All-to-all at once, long packets through one-flit buffers: all possible waits occur.
  struct Case {
    std::vector<std::uint32_t> sides;
    std::uint32_t channels;
  };
  for (const Case& tried : std::vector<Case>{{{4, 4}, 2},
                                             {{5, 5}, 2},
                                             {{8}, 2},
                                             {{3, 3}, 1},
                                             {{2, 2, 2}, 1},
                                             {{4, 4, 4}, 3},
                                             {{6, 5}, 5}}) {
    const Topology topology = Topology::torus(tried.sides);
    Router router;
    router.channels = tried.channels;
    router.buffer = 1;
    Script script(topology.nodes());
    for (NodeId hop = 0; hop < topology.nodes(); ++hop) {
      for (NodeId from = 0; from < topology.nodes(); ++from) {
        script.add(from, (from + hop) % topology.nodes(), 1 + (from * 7 + hop) % 9);
      }
    }
    const auto network = make_network(topology, router);
    std::uint64_t limit = 2'000'000;
    while (!script.all_done() && --limit != 0) network->clock(script);
    CAPTURE(topology.dims_text(), tried.channels);
    CHECK(script.all_done());
    CHECK(network->flits_inside() == 0);
  }
}

TEST_CASE("one channel around a ring of four is refused: its packets could deadlock",
          "[wormhole]") {
  Router router;
  router.channels = 1;
  CHECK_THROWS_AS(make_network(square("torus", 4), router), InfeasibleError);
  CHECK_NOTHROW(make_network(square("torus", 3), router));
  CHECK_NOTHROW(make_network(square("mesh", 4), router));
  router.channels = 33;
  CHECK_THROWS_AS(make_network(square("mesh", 4), router), InputError);
  router.channels = 2;
  router.buffer = 0;
  CHECK_THROWS_AS(make_network(square("mesh", 4), router), InputError);
}

TEST_CASE("the same seed gives the same figures, another seed different ones", "[wormhole]") {
  const Topology topology = square("mesh", 4);
  Traffic traffic;
  const double first = *measure_load(topology, {}, traffic, 0.2).mean_latency;
  CHECK(*measure_load(topology, {}, traffic, 0.2).mean_latency == first);
  traffic.seed = 1;
  CHECK(*measure_load(topology, {}, traffic, 0.2).mean_latency != first);
}

TEST_CASE("patterns that a topology does not have are refused with the nearest one", "[wormhole]") {
  const Topology oblong = Topology::mesh(std::vector<std::uint32_t>{4, 3});
  Traffic traffic;
  traffic.pattern = Pattern::kTranspose;
  CHECK_THROWS_AS(measure_load(oblong, {}, traffic, 0.1), InfeasibleError);
  traffic.pattern = Pattern::kBitReverse;
  CHECK_THROWS_AS(measure_load(oblong, {}, traffic, 0.1), InfeasibleError);
  traffic.pattern = Pattern::kUniform;
  CHECK_THROWS_AS(measure_load(oblong, {}, traffic, 0), InputError);
  CHECK_THROWS_AS(measure_load(oblong, {}, traffic, 1.5), InputError);
}

}  // namespace
}  // namespace gossamer::wormhole
