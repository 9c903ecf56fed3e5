// SPDX-License-Identifier: Apache-2.0
/// Collectives by unicasts and by path multicast on the conventional network.
#include <catch2/catch.hpp>

#include "gossamer/util/error.hpp"
#include "gossamer/wormhole/unicasts.hpp"

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
          // Nothing is lost, and nothing comes twice.
          const std::uint64_t owed = collective == std::string("broadcast") ? nodes - 1
                                     : pairs                                ? nodes * (nodes - 1)
                                                                            : 0;
          if (owed != 0) CHECK(run.ejected == flits * owed);
          if (order == Order::kPath) {
            // Two messages a sender, one at the path's ends, which take its links once.
            CHECK(run.messages <= (pairs ? 2 * nodes - 2 : 2));
            CHECK(run.flit_hops == flits * owed);
            continue;
          }
          if (pairs) CHECK(run.messages == nodes * (nodes - 1));
          if (pairs && order != Order::kRing) CHECK(run.flit_hops == flits * distances);
          if (collective == std::string("broadcast")) CHECK(run.messages == nodes - 1);
          CHECK(run.ejected == run.injected);
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

}  // namespace
}  // namespace gossamer
