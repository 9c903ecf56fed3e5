// SPDX-License-Identifier: Apache-2.0
/// Collectives by unicasts, by path and by tree multicast on the conventional network.
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
      for (const char* collective :
           {"gossip", "all-to-all", "reduce-scatter", "all-reduce", "reduce", "broadcast"}) {
        for (const Order order : wormhole::orders_of(collective)) {
          CAPTURE(kind, topology.dims_text(), collective, wormhole::order_name(order));
          const UnicastRun run = run_unicasts(topology, {}, collective, order, messages);
          CHECK(run.complete);
          const bool pairs =
              collective == std::string("gossip") || collective == std::string("all-to-all");
          if (collective == std::string("all-reduce") && order != Order::kRing) {
            // Two collectives that are checked for themselves, one after the other.
            const Order up = order == Order::kNaive ? Order::kNaive : Order::kHalving;
            const UnicastRun reduce = run_unicasts(topology, {}, "reduce", up, messages);
            const UnicastRun broadcast = run_unicasts(topology, {}, "broadcast", order, messages);
            CHECK(run.cycles == reduce.cycles + broadcast.cycles);
            CHECK(run.flit_hops == reduce.flit_hops + broadcast.flit_hops);
            CHECK(run.buffer_reads == reduce.buffer_reads + broadcast.buffer_reads);
            CHECK(run.ejected == reduce.ejected + broadcast.ejected);
            continue;
          }
          // Nothing is lost, and nothing comes twice.
          const std::uint64_t owed = collective == std::string("broadcast") ? nodes - 1
                                     : pairs                                ? nodes * (nodes - 1)
                                                                            : 0;
          if (owed != 0 && order != Order::kTree) CHECK(run.ejected == flits * owed);
          if (order == Order::kPath) {
            // Two messages a sender, one at the path's ends, which take its links once.
            CHECK(run.messages <= (pairs ? 2 * nodes - 2 : 2));
            CHECK(run.flit_hops == flits * owed);
            continue;
          }
          if (order == Order::kTree) {
            // At most six packets of seven flits after a head, the capacity of the buffers: one
            // message per sender, over one link for every node.
            CHECK(run.packet_flits == 8);
            CHECK(run.messages == (pairs ? nodes : 1));
            CHECK(run.flit_hops == (37 + 6) * owed);
            CHECK(run.ejected == (37 + 6) * owed);
            continue;
          }
          CHECK(run.buffer_reads == run.flit_hops + run.injected);
          if (pairs) CHECK(run.messages == nodes * (nodes - 1));
          if (pairs && order != Order::kRing) CHECK(run.flit_hops == flits * distances);
          if (collective == std::string("broadcast") || collective == std::string("reduce")) {
            CHECK(run.messages == nodes - 1);
          }
          // One block a node goes to all others, and as a sum once more.
          if (collective == std::string("reduce-scatter")) {
            CHECK(run.messages == std::min<std::uint64_t>(nodes, 37) * (nodes - 1));
          }
          if (collective == std::string("all-reduce")) {
            CHECK(run.messages == 2 * std::min<std::uint64_t>(nodes, 37) * (nodes - 1));
          }
          CHECK(run.ejected == run.injected);
        }
      }
    }
  }
}

TEST_CASE("a reduce supports any root, with the broadcast's tree reversed",
          "[wormhole][unicasts]") {
  const Topology topology = make("mesh", {4, 3});
  for (NodeId root = 0; root < topology.nodes(); ++root) {
    Messages messages;
    messages.flits = 5;
    messages.source = root;
    CAPTURE(root);
    const UnicastRun naive = run_unicasts(topology, {}, "reduce", Order::kNaive, messages);
    CHECK(naive.complete);
    std::uint64_t distances = 0;
    for (NodeId from = 0; from < topology.nodes(); ++from) {
      distances += topology.distance(from, root);
    }
    // Five flits after a head.
    CHECK(naive.flit_hops == 6 * distances);
    const UnicastRun up = run_unicasts(topology, {}, "reduce", Order::kHalving, messages);
    const UnicastRun down = run_unicasts(topology, {}, "broadcast", Order::kHalving, messages);
    CHECK(up.complete);
    CHECK(up.flit_hops == down.flit_hops);
  }
}

TEST_CASE("a tree's packet waits in a router until it has left by every port",
          "[wormhole][unicasts]") {
  // From the middle of a line of three the packet goes down first: its five flits and a new channel
  // pass before the first flit goes up.
  Messages messages;
  messages.flits = 4;
  messages.source = 1;
  const Topology line = make("mesh", {3});
  const std::uint64_t alone = 2 + 2 * 4 + 1 + 1 + 4;
  const UnicastRun middle = run_unicasts(line, {}, "broadcast", Order::kTree, messages);
  CHECK(middle.complete);
  CHECK(middle.cycles == alone + 5 + 1);
  CHECK(middle.buffer_reads == 2 * 5 + 2 * 5);
  // From its end nothing forks.
  messages.source = 0;
  const UnicastRun end = run_unicasts(line, {}, "broadcast", Order::kTree, messages);
  CHECK(end.cycles == alone + 4 + 1);
  CHECK(end.buffer_reads == 2 * 5 + 5);
  // A packet must fit where it waits.
  wormhole::Router narrow;
  narrow.buffer = 1;
  CHECK_THROWS_AS(run_unicasts(line, narrow, "broadcast", Order::kTree, messages), InfeasibleError);
}

TEST_CASE("simultaneous trees of all nodes end on every shape, with minimal buffers",
          "[wormhole][unicasts]") {
  for (const Topology& topology :
       {make("torus", {8, 8}), make("torus", {5, 4}), make("mesh", {6, 5}),
        make("torus", {4, 4, 4}), Topology::grid(std::vector<std::uint32_t>{8, 4}, 1),
        Topology::grid(std::vector<std::uint32_t>{2, 1, 6}, 5)}) {
    for (const std::uint32_t buffer : {2U, 3U, 8U}) {
      for (const std::uint32_t channels : {2U, 3U, 4U}) {
        CAPTURE(topology.dims_text(), topology.kind(), buffer, channels);
        Messages messages;
        messages.flits = 40;
        const UnicastRun run =
            run_unicasts(topology, {channels, buffer, {}, 0}, "gossip", Order::kTree, messages);
        CHECK(run.complete);
      }
    }
  }
}

Groups in_groups(std::vector<std::uint32_t> shape, std::vector<std::uint32_t> stride) {
  return {std::move(shape), std::move(stride), false};
}

TEST_CASE("in the rows of a torus unicasts take the time of one row, in all rows at once",
          "[wormhole][unicasts]") {
  const Topology torus = make("torus", {8, 3});
  const Topology row = make("torus", {8});
  Messages messages;
  messages.flits = 40;
  messages.source = 5;
  for (const char* collective :
       {"gossip", "all-to-all", "reduce-scatter", "all-reduce", "reduce", "broadcast"}) {
    messages.groups = in_groups({8, 1}, {1, 1});
    for (const Order order : wormhole::orders_of(collective, messages.groups)) {
      CAPTURE(collective, wormhole::order_name(order));
      messages.groups = in_groups({8, 1}, {1, 1});
      const UnicastRun rows = run_unicasts(torus, {}, collective, order, messages);
      messages.groups.reset();
      const UnicastRun one = run_unicasts(row, {}, collective, order, messages);
      CHECK(rows.complete);
      CHECK(rows.cycles == one.cycles);
      CHECK(rows.flit_hops == 3 * one.flit_hops);
      CHECK(rows.buffer_reads == 3 * one.buffer_reads);
      CHECK(rows.ejected == 3 * one.ejected);
    }
  }
}

TEST_CASE("groups of unicasts in boxes and with strides are complete", "[wormhole][unicasts]") {
  const Topology torus = make("torus", {8, 4});
  Messages messages;
  messages.flits = 20;
  messages.source = 3;
  for (const Groups& groups :
       {in_groups({4, 2}, {1, 1}), in_groups({2, 2}, {4, 2}), in_groups({1, 4}, {1, 1})}) {
    messages.groups = groups;
    for (const char* collective :
         {"gossip", "all-to-all", "reduce-scatter", "all-reduce", "reduce", "broadcast"}) {
      const auto orders = wormhole::orders_of(collective, groups);
      REQUIRE(!orders.empty());
      for (const Order order : orders) {
        CAPTURE(collective, wormhole::order_name(order), groups.shape, groups.stride);
        CHECK(run_unicasts(torus, {}, collective, order, messages).complete);
      }
    }
  }
  // Neighbouring members are four links apart: each flit crosses all of them.
  messages.groups = in_groups({2, 1}, {4, 1});
  messages.source = 0;
  const UnicastRun far = run_unicasts(torus, {}, "broadcast", Order::kNaive, messages);
  CHECK(far.flit_hops == 16 * 4 * (20 + 2));
  CHECK_THROWS_AS(run_unicasts(torus, {}, "broadcast", Order::kTree, messages), InputError);
  CHECK_THROWS_AS(run_unicasts(torus, {}, "broadcast", Order::kPath, messages), InputError);
  messages.source = 2;
  CHECK_THROWS_AS(run_unicasts(torus, {}, "broadcast", Order::kNaive, messages), InputError);
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

TEST_CASE("an all-reduce of fewer flits than nodes, and orders that do not exist",
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
