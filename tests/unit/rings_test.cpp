// SPDX-License-Identifier: Apache-2.0
#include "gossamer/topology/rings.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "gossamer/collectives/all_gather/hamiltonian.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {
namespace {

bool adjacent(const Topology& topology, NodeId from, NodeId to) {
  for (int port = 0; port < topology.ports(); ++port) {
    if (topology.neighbor(from, static_cast<Port>(port)) == to) return true;
  }
  return false;
}

/// Lists of `size` nodes that visit each node once, with a link at each hop, the last one included.
bool judge(const Topology& topology, const std::vector<std::vector<NodeId>>& rings,
           std::uint32_t size) {
  std::vector<int> visits(topology.nodes(), 0);
  for (const std::vector<NodeId>& ring : rings) {
    if (ring.size() != size) return false;
    for (std::size_t i = 0; i < ring.size(); ++i) {
      if (ring[i] >= topology.nodes() || ++visits[ring[i]] != 1) return false;
      if (!adjacent(topology, ring[i], ring[(i + 1) % ring.size()])) return false;
    }
  }
  return rings.size() * std::size_t{size} == topology.nodes();
}

struct Counts {
  int by_rule = 0;
  int impossible = 0;
  int left = 0;

  bool operator==(const Counts&) const = default;
};

void count(const Topology& topology, Counts& counts) {
  for (std::uint32_t size = 2; size <= topology.nodes(); ++size) {
    if (topology.nodes() % size != 0) continue;
    INFO(topology.kind() << " " << topology.dims_text() << ", rings of " << size);
    try {
      const auto rings = rings_of(topology, size);
      REQUIRE(judge(topology, rings, size));
      ++counts.by_rule;
    } catch (const InfeasibleError& error) {
      const std::string text = error.what();
      const bool impossible = text.find("impossible: ") != std::string::npos;
      const bool left = text.find("no rule for rings of") != std::string::npos;
      REQUIRE(impossible != left);
      ++(impossible ? counts.impossible : counts.left);
    }
  }
}

/// Sides 2..16; with `ordered` the first side is not the longer one.
Counts counted(std::uint32_t wrap, bool ordered) {
  Counts counts;
  for (std::uint32_t a = 2; a <= 16; ++a) {
    for (std::uint32_t b = ordered ? a : 2; b <= 16; ++b) {
      count(Topology::grid(std::vector<std::uint32_t>{a, b}, wrap), counts);
    }
  }
  return counts;
}

// The figures of docs/ranks.md.
TEST_CASE("all networks with sides up to 16 split into rings as often as documented", "[rings]") {
  CHECK(counted(0, true) == Counts{526, 316, 24});
  CHECK(counted(1, false) == Counts{1229, 352, 71});
  CHECK(counted(3, true) == Counts{728, 121, 17});
}

TEST_CASE("networks of one, three and four dimensions split into rings", "[rings]") {
  for (const std::uint32_t size : {2U, 3U, 4U, 6U, 12U, 24U, 72U}) {
    for (std::uint32_t wrap = 0; wrap < 8; ++wrap) {
      const Topology topology = Topology::grid(std::vector<std::uint32_t>{3, 4, 6}, wrap);
      if (size == 3 && (wrap & 1U) == 0) {
        CHECK_THROWS_AS(rings_of(topology, size), InfeasibleError);
        continue;
      }
      INFO("3x4x6, wrap " << wrap << ", rings of " << size);
      CHECK(judge(topology, rings_of(topology, size), size));
    }
  }
  const std::vector<std::uint32_t> odd{3, 3, 5};
  CHECK(judge(Topology::torus(odd), rings_of(Topology::torus(odd), 45), 45));
  CHECK_THROWS_AS(rings_of(Topology::mesh(odd), 45), InfeasibleError);
  const Topology cube = Topology::mesh(std::vector<std::uint32_t>{2, 2, 2, 2});
  for (const std::uint32_t size : {2U, 4U, 8U, 16U}) CHECK(judge(cube, rings_of(cube, size), size));
  const Topology line = Topology::mesh(std::vector<std::uint32_t>{12});
  CHECK(judge(line, rings_of(line, 2), 2));
  CHECK_THROWS_AS(rings_of(line, 4), InfeasibleError);
  const Topology ring = Topology::torus(std::vector<std::uint32_t>{1, 9, 1});
  CHECK(judge(ring, rings_of(ring, 9), 9));
}

TEST_CASE("a refused size of rings is answered with the cause and the nearest size", "[rings]") {
  const auto refusal = [](std::vector<std::uint32_t> sides, std::uint32_t wrap,
                          std::uint32_t size) {
    try {
      (void)rings_of(Topology::grid(sides, wrap), size);
    } catch (const InfeasibleError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal({4, 4}, 3, 3) ==
        "--ring 3: does not divide the 16 nodes; nearest feasible: --ring 2");
  CHECK(refusal({3, 8}, 0, 8) ==
        "--ring 8: no rule for rings of 8 here; nearest feasible: --ring 6");
  CHECK(refusal({4, 6}, 0, 3) ==
        "--ring 3: impossible: an odd ring goes round a wrapping side that is odd, and none is; "
        "nearest feasible: --ring 2");
  CHECK(refusal({5, 6}, 1, 3) ==
        "--ring 3: impossible: an odd ring goes round a wrapping side that is odd, at least 5 "
        "nodes; nearest feasible: --ring 2");
  CHECK(refusal({3, 8}, 0, 4) ==
        "--ring 4: impossible: rings of 4 are unit squares, and squares do not cover odd sides; "
        "nearest feasible: --ring 2");
}

TEST_CASE("edge-disjoint cycles as orders use no link twice", "[rings]") {
  for (const std::vector<std::uint32_t>& sides : std::vector<std::vector<std::uint32_t>>{
           {2}, {5}, {4, 4}, {3, 5}, {2, 6}, {8, 8}, {3, 4, 5}, {4, 4, 4}, {3, 3, 3, 3}}) {
    const Topology topology = Topology::torus(sides);
    std::vector<bool> used(topology.link_slots(), false);
    const std::vector<StreamLine> cycles = hamiltonian_cycles(topology);
    CHECK(cycles.size() == sides.size());
    for (const StreamLine& cycle : cycles) {
      CHECK(judge(topology, {cycle.nodes}, topology.nodes()));
      for (std::size_t i = 0; i < cycle.nodes.size(); ++i) {
        const NodeId to = topology.neighbor(cycle.nodes[i], cycle.out[i]);
        CHECK(to == cycle.nodes[(i + 1) % cycle.nodes.size()]);
        for (const LinkId link : {topology.link(cycle.nodes[i], cycle.out[i]),
                                  topology.link(to, opposite(cycle.out[i]))}) {
          CHECK_FALSE(used[link]);
          used[link] = true;
        }
      }
    }
  }
}

}  // namespace
}  // namespace gossamer
