// SPDX-License-Identifier: Apache-2.0
/// Collectives by unicasts on the conventional network: what software does there today; and by path
/// and tree multicast, what some networks do for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gossamer/topology/topology.hpp"
#include "gossamer/util/progress.hpp"
#include "gossamer/wormhole/network.hpp"

namespace gossamer::wormhole {

/// In what order messages go out.
enum class Order : std::uint8_t {
  /// Every node sends to nodes 0, 1, 2, ... in turn: all go for the same node at once.
  kNaive,
  /// Node i sends to i + 1, i + 2, ...: at any time to different nodes.
  kStaggered,
  /// Round a ring in software (neighbours in the network but for its end): what has arrived is sent
  /// on, after a start-up. All-reduce and reduce-scatter sum on the way.
  kRing,
  /// Who has a broadcast's message gives half of its nodes to one of them; a reduce runs up that
  /// tree.
  kHalving,
  /// Path multicast: one packet for all nodes before its sender on a Hamiltonian path and one for
  /// all behind it; every node that they pass keeps a copy.
  kPath,
  /// Tree multicast: one packet for all nodes, which routers copy (Cast::kTree). Packets are cut to
  /// what a virtual channel's buffer holds.
  kTree,
};
/// "naive", "staggered", "ring", "halving", "path", "tree".
[[nodiscard]] std::string_view order_name(Order order);

/// The orders in which `collective` (gossip, all-to-all, broadcast or a reduction) can be done;
/// empty for others.
[[nodiscard]] std::vector<Order> orders_of(std::string_view collective);

/// What is sent, and what sending costs.
struct Messages {
  /// Flits of a node's message: its packet of an all-gather or broadcast, what it has for each
  /// other node of an all-to-all. A reduction's vector, which rings deal to the nodes as evenly as
  /// can be.
  std::uint64_t flits = 1;
  /// Flits of a packet without its head, 1 .. 65535; each packet has one flit more for the header.
  std::uint32_t packet_payload = 16;
  /// Cycles that a node's processor takes for each message before its first flit can go; messages
  /// are started one behind the other, while earlier ones are sent.
  std::uint32_t start_up = 0;
  /// Of a broadcast; of a reduce its root.
  NodeId source = 0;
};

struct UnicastRun {
  /// Everybody has everything, each piece arrived exactly once, and sums are right.
  bool complete = false;
  /// Cycles until the last flit has arrived.
  std::uint64_t cycles = 0;
  std::uint64_t messages = 0;
  std::uint64_t packets = 0;
  /// Flits of the longest packet, its head included.
  std::uint64_t packet_flits = 0;
  /// Links between routers crossed, counted a flit.
  std::uint64_t flit_hops = 0;
  /// Flits read from a buffer: for every link and every end of a way.
  std::uint64_t buffer_reads = 0;
  /// Flits that nodes put into the network and got out of it, heads included.
  std::uint64_t injected = 0;
  std::uint64_t ejected = 0;
};

/// Runs one collective on a new network. InputError for an order that the collective does not have
/// or numbers out of their range.
[[nodiscard]] UnicastRun run_unicasts(const Topology& topology, const Router& router,
                                      std::string_view collective, Order order,
                                      const Messages& messages, const Progress& progress = {});

}  // namespace gossamer::wormhole
