// SPDX-License-Identifier: Apache-2.0
/// The conventional network: input-queued wormhole routers with virtual channels and credits, as a
/// baseline for hardwired collectives. There is no plan: a PacketSource supplies the packets.
/// docs/spec/wormhole.md describes the machine, its stages and its validation.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>

#include "gossamer/topology/topology.hpp"

namespace gossamer::wormhole {

/// Cycles that a head flit spends in each stage of a router, each at least 1: route computation,
/// virtual channel allocation, switch allocation, switch traversal; `credit` is the stage in which
/// an arrived credit is counted. An uncontended visit takes their sum without the credit stage,
/// plus the link.
struct Pipeline {
  std::uint32_t route = 1;
  std::uint32_t channel_allocation = 1;
  std::uint32_t switch_allocation = 1;
  std::uint32_t switch_traversal = 1;
  std::uint32_t credit = 1;

  bool operator==(const Pipeline&) const = default;
};

/// Parameters of all routers of a network.
struct Router {
  /// Virtual channels per input port, 1 .. kMaxChannels. A torus with a side of 4 or more needs 2:
  /// one half of the channels for packets that cross the dateline, and the other for the rest.
  std::uint32_t channels = 2;
  /// Flits per virtual channel buffer, 1 .. kMaxBuffer.
  std::uint32_t buffer = 8;
  Pipeline pipeline;
  /// Cycles on a link between routers. 0 selects the default: 2 where any dimension wraps (a folded
  /// torus's links are twice as long), otherwise 1. Links between a node and its router take 1.
  std::uint32_t link_latency = 0;
};
inline constexpr std::uint32_t kMaxChannels = 32;
inline constexpr std::uint32_t kMaxBuffer = 4096;
inline constexpr std::uint32_t kMaxStage = 64;

/// The link latency of `router` on `topology`.
[[nodiscard]] std::uint32_t link_latency(const Router& router, const Topology& topology);

/// Throws InputError with the place and the remedy when a number is out of its range;
/// InfeasibleError when the network could deadlock.
void require_possible(const Router& router, const Topology& topology);

/// The destinations of a packet.
enum class Cast : std::uint8_t {
  /// To its destination.
  kUnicast,
  /// Along the path of PacketSource::way; every node on it gets a copy (path multicast).
  kPath,
  /// To all nodes except its destination, which is the sender: along dimension 0 in both
  /// directions, from every node there along dimension 1, and so on (tree multicast). A router
  /// keeps the packet in its buffer and sends it by one port after the other, so it must fit into a
  /// virtual channel's buffer.
  kTree,
};

/// A packet as supplied by its source.
struct Packet {
  NodeId destination = 0;
  std::uint32_t flits = 1;
  /// Bit i is the direction of the packet in dimension i if both are equally short; 1 is positive.
  std::uint32_t coins = 0;
  /// Value that is returned to the source when the packet has arrived.
  std::uint64_t tag = 0;
  Cast cast = Cast::kUnicast;
};

/// Supplies packets, and is notified of their arrivals.
class PacketSource {
 public:
  virtual ~PacketSource() = default;
  /// The packet that `node` begins to send in `cycle`, if any. Called once per cycle for every node
  /// that is not busy with a packet. A returned packet is not requested again.
  virtual bool next(NodeId node, std::uint64_t cycle, Packet& packet) = 0;
  /// Path multicast: the output port by which the packet leaves `node`, or the topology's ports()
  /// where it ends. The paths of all packets together must not contain a cycle of links.
  [[nodiscard]] virtual Port way(NodeId /*node*/, std::uint64_t /*tag*/) const {
    throw std::logic_error("this source sends no packets along a path");
  }
  /// A flit of the packet left the network at `node`; `last` is true for its last flit.
  virtual void arrived(NodeId node, std::uint64_t cycle, std::uint64_t tag, bool last) = 0;
};

/// A network of such routers, simulated cycle by cycle. A flit occupies a link for the cycles of
/// its period; credits return at the link's latency.
class Network {
 public:
  virtual ~Network() = default;
  /// Executes the next cycle: flits and credits arrive, nodes offer packets, and routers forward
  /// flits.
  virtual void clock(PacketSource& source) = 0;
  /// Cycles executed.
  [[nodiscard]] virtual std::uint64_t cycle() const = 0;
  /// Flits that entered the network and have not left it yet.
  [[nodiscard]] virtual std::uint64_t flits_inside() const = 0;
  /// Flits that entered a link between chiplets (topology/link_periods.hpp).
  [[nodiscard]] virtual std::uint64_t die_flits() const = 0;
};

/// A network that has not executed a cycle yet. Throws like require_possible.
[[nodiscard]] std::unique_ptr<Network> make_network(const Topology& topology, const Router& router);

}  // namespace gossamer::wormhole
