// SPDX-License-Identifier: Apache-2.0
/// Collectives by unicasts on the conventional network, and the same bytes side by side.
#include <catch2/catch.hpp>

#include "gossamer/compare/physical.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {
namespace {

using wormhole::Messages;
using wormhole::Order;
using wormhole::run_unicasts;
using wormhole::UnicastRun;

Topology make(const char* kind, const std::vector<std::uint32_t>& sides) {
  return Topology::make(kind, sides);
}

TEST_CASE("every order of every collective is complete, and its links are those of the paths",
          "[wormhole][unicasts]") {
  for (const char* kind : {"torus", "mesh"}) {
    for (const std::vector<std::uint32_t>& sides :
         std::vector<std::vector<std::uint32_t>>{{4, 4}, {5, 3}, {2, 2, 3}, {7}}) {
      const Topology topology = make(kind, sides);
      const std::uint64_t nodes = topology.nodes();
      std::uint64_t distances = 0;
      for (NodeId from = 0; from < nodes; ++from) {
        for (NodeId to = 0; to < nodes; ++to) distances += topology.distance(from, to);
      }
      Messages messages;
      messages.flits = 37;
      messages.packet_payload = 16;
      // Three packets of 16, 16 and 5 flits, and a head for each.
      const std::uint64_t flits = 37 + 3;
      for (const char* collective : {"gossip", "all-to-all", "all-reduce", "broadcast"}) {
        for (const Order order : wormhole::orders_of(collective)) {
          CAPTURE(kind, topology.dims_text(), collective, wormhole::order_name(order));
          const UnicastRun run = run_unicasts(topology, {}, collective, order, messages);
          CHECK(run.complete);
          const bool pairs =
              collective == std::string("gossip") || collective == std::string("all-to-all");
          if (pairs) CHECK(run.messages == nodes * (nodes - 1));
          if (pairs && order != Order::kRing) CHECK(run.flit_hops == flits * distances);
          if (collective == std::string("broadcast")) CHECK(run.messages == nodes - 1);
        }
      }
    }
  }
}

TEST_CASE("two nodes: the cycles of one message, and of software that starts it",
          "[wormhole][unicasts]") {
  // One hop: two routers of four stages, a link of one cycle, three at the ends, then body flits.
  Messages messages;
  messages.flits = 5;
  messages.packet_payload = 16;
  const Topology pair = make("mesh", {2});
  const std::uint64_t alone = 2 + 2 * 4 + 1 + 1 + 5;
  CHECK(run_unicasts(pair, {}, "broadcast", Order::kNaive, messages).cycles == alone);
  messages.start_up = 100;
  CHECK(run_unicasts(pair, {}, "broadcast", Order::kNaive, messages).cycles == alone + 100);
}

TEST_CASE("an all-reduce of fewer flits than nodes, and orders that there are not",
          "[wormhole][unicasts]") {
  Messages messages;
  messages.flits = 3;
  CHECK(run_unicasts(make("torus", {3, 3}), {}, "all-reduce", Order::kRing, messages).complete);
  CHECK_THROWS_AS(run_unicasts(make("torus", {3, 3}), {}, "broadcast", Order::kRing, messages),
                  InputError);
  CHECK_THROWS_AS(run_unicasts(make("torus", {3, 3}), {}, "prefix", Order::kNaive, messages),
                  InputError);
  messages.flits = 0;
  CHECK_THROWS_AS(run_unicasts(make("torus", {3, 3}), {}, "gossip", Order::kNaive, messages),
                  InputError);
}

const PhysicalComparisonRow& row_of(const PhysicalComparison& comparison, const std::string& name,
                                    std::uint64_t packets) {
  for (const PhysicalComparisonRow& row : comparison.rows) {
    if (row.algorithm == name && row.packets_per_node == packets) return row;
  }
  throw std::out_of_range(name);
}

TEST_CASE("64 KiB a node on 8x8, 128-bit links: four packets a node are at the bound",
          "[wormhole][physical]") {
  PhysicalComparisonOptions options;
  options.quantities = {65536, 128, 1'000'000'000};
  options.conventional = false;
  const PhysicalComparison torus = compare_physical(make("torus", {8, 8}), "gossip", options);
  CHECK(torus.quantities.flits() == 4096);
  CHECK(torus.lower_bound_cycles == 64512);
  CHECK(row_of(torus, "hamiltonian", 4).cycles == 64512);
  CHECK(row_of(torus, "hamiltonian", 2).cycles == 65536);
  CHECK(torus.seconds(row_of(torus, "hamiltonian", 4)) == Approx(64.512e-6));
}

TEST_CASE("flits are whole, and the same bytes are compared", "[wormhole][physical]") {
  CHECK(PhysicalQuantities{1, 32, 1}.flits() == 1);
  CHECK(PhysicalQuantities{4, 32, 1}.flits() == 1);
  CHECK(PhysicalQuantities{5, 32, 1}.flits() == 2);
  CHECK(PhysicalQuantities{5, 1, 1}.flits() == 40);
  CHECK(PhysicalQuantities{7, 24, 1}.flits() == 3);
  PhysicalComparisonOptions options;
  options.quantities = {256, 32, 1'000'000'000};
  for (const char* collective : {"gossip", "all-reduce", "broadcast"}) {
    const PhysicalComparison comparison =
        compare_physical(make("torus", {4, 4}), collective, options);
    std::size_t conventional = 0;
    for (const PhysicalComparisonRow& row : comparison.rows) {
      CAPTURE(collective, row.algorithm, row.refusal);
      if (row.algorithm.starts_with("wormhole ")) ++conventional;
      if (!row.refusal.empty()) continue;
      REQUIRE(row.cycles.has_value());
      if (comparison.lower_bound_cycles) CHECK(*row.cycles >= *comparison.lower_bound_cycles);
    }
    CHECK(conventional == wormhole::orders_of(collective).size());
  }
  CHECK_THROWS_AS(compare_physical(make("torus", {4, 4}), "prefix", options), InputError);
}

}  // namespace
}  // namespace gossamer
