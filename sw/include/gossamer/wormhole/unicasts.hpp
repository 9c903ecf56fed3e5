// SPDX-License-Identifier: Apache-2.0
/// Collectives on the conventional network: by unicasts, the usual software implementation, and by
/// path and tree multicast, which some networks provide.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gossamer/plan/groups.hpp"
#include "gossamer/topology/topology.hpp"
#include "gossamer/util/progress.hpp"
#include "gossamer/wormhole/network.hpp"

namespace gossamer::wormhole {

/// The order in which messages are sent. An all-reduce is a ring, or a reduce followed by a
/// broadcast: both naive, or up the tree of kHalving and down in the order's way. In a
/// reduce-scatter without a ring, every node sends each other node that node's part of its vector.
enum class Order : std::uint8_t {
  /// Every node sends to nodes 0, 1, 2, ..., so all send to the same node at the same time.
  kNaive,
  /// Node i sends to i + 1, i + 2, ...: at any time nodes send to different destinations.
  kStaggered,
  /// Around a ring in software (neighbours in the network except at its end): a node forwards
  /// arrived data after a start-up. All-reduce and reduce-scatter sum on the way.
  kRing,
  /// A node that holds a broadcast's message sends it to a node in the other half of its nodes,
  /// which then serves that half. A reduce runs up the same tree.
  kHalving,
  /// Path multicast: one packet for all nodes before its sender on a Hamiltonian path and one for
  /// all nodes after it; every node on the path keeps a copy.
  kPath,
  /// Tree multicast: one packet for all nodes, which routers copy (Cast::kTree). Packets are
  /// limited to a virtual channel's buffer.
  kTree,
};
/// "naive", "staggered", "ring", "halving", "path", "tree".
[[nodiscard]] std::string_view order_name(Order order);

/// The orders that support `collective` (gossip, all-to-all, broadcast or a reduction); empty for
/// other collectives. Groups: trees are for whole networks, and paths for groups whose neighbouring
/// members are neighbours in the network.
[[nodiscard]] std::vector<Order> orders_of(std::string_view collective,
                                           const std::optional<Groups>& groups = {});

/// The messages, and the cost of sending them.
struct Messages {
  /// Flits of a node's message: its packet of an all-gather or broadcast, its data for each other
  /// node of an all-to-all, or a reduction's vector, which rings divide as evenly as possible.
  std::uint64_t flits = 1;
  /// Flits of a packet without its head, 1 .. 65535; each packet has one more flit for the header.
  std::uint32_t packet_payload = 16;
  /// Cycles that a node's processor needs per message before its first flit can be sent. The
  /// processor prepares one message at a time, while earlier messages are being sent.
  std::uint32_t start_up = 0;
  /// Source of a broadcast, root of a reduce; with groups, its rank in each of them.
  NodeId source = 0;
  /// All groups run the collective at the same time; empty: one collective of all nodes.
  std::optional<Groups> groups{};
};

struct UnicastRun {
  /// Every node has all its data, each piece arrived exactly once, and sums are right.
  bool complete = false;
  /// Cycles until the last flit has arrived.
  std::uint64_t cycles = 0;
  std::uint64_t messages = 0;
  std::uint64_t packets = 0;
  /// Flits of the longest packet, including its head.
  std::uint64_t packet_flits = 0;
  /// Links between routers crossed, counted per flit.
  std::uint64_t flit_hops = 0;
  /// The links between chiplets among them.
  std::uint64_t die_flit_hops = 0;
  /// Flits read from a buffer: one per link and one at the end of each path.
  std::uint64_t buffer_reads = 0;
  /// Flits that entered and left the network, including heads.
  std::uint64_t injected = 0;
  std::uint64_t ejected = 0;

  /// Adds the traffic of another run. The result is complete only if both runs are; the cycles are
  /// unchanged.
  void add_traffic(const UnicastRun& other);
};

/// Runs one collective on a new network. Throws InputError for an order that does not support the
/// collective and its groups, and for numbers out of their range.
[[nodiscard]] UnicastRun run_unicasts(const Topology& topology, const Router& router,
                                      std::string_view collective, Order order,
                                      const Messages& messages, const Progress& progress = {});

}  // namespace gossamer::wormhole
