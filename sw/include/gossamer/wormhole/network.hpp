// SPDX-License-Identifier: Apache-2.0
/// The network that everybody has: input-queued wormhole routers with virtual channels and credits,
/// to compare hardwired collectives with. There is no plan: what is sent comes from a PacketSource.
/// The machine, its stages and what it is measured against are in docs/spec/wormhole.md.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>

#include "gossamer/topology/topology.hpp"

namespace gossamer::wormhole {

/// Cycles that a head flit spends in each stage of a router, each at least 1: route computation,
/// allocation of a virtual channel, allocation of the switch, traversal of the switch; `credit` is
/// the stage in which an arrived credit is counted. An uncontended visit takes their sum without
/// the credit's, plus the link.
struct Pipeline {
  std::uint32_t route = 1;
  std::uint32_t channel_allocation = 1;
  std::uint32_t switch_allocation = 1;
  std::uint32_t switch_traversal = 1;
  std::uint32_t credit = 1;

  bool operator==(const Pipeline&) const = default;
};

/// How all routers of a network are built.
struct Router {
  /// Virtual channels an input port, 1 .. kMaxChannels. A torus with a side of 4 or more needs 2:
  /// one of each half for packets that cross the dateline, and one for those that do not.
  std::uint32_t channels = 2;
  /// Flits that one virtual channel's buffer holds, 1 .. kMaxBuffer.
  std::uint32_t buffer = 8;
  Pipeline pipeline;
  /// Cycles on a link between routers; 0 is the rule: 2 where any dimension wraps (a folded torus's
  /// links are twice as long), else 1. Links between a node and its router take 1.
  std::uint32_t link_latency = 0;
};
inline constexpr std::uint32_t kMaxChannels = 32;
inline constexpr std::uint32_t kMaxBuffer = 4096;
inline constexpr std::uint32_t kMaxStage = 64;

/// The link latency that `router` has on `topology`.
[[nodiscard]] std::uint32_t link_latency(const Router& router, const Topology& topology);

/// InputError with the place and the cure when a number is out of its range; InfeasibleError when
/// the network could deadlock.
void require_possible(const Router& router, const Topology& topology);

/// To whom a packet goes.
enum class Cast : std::uint8_t {
  /// To its destination.
  kUnicast,
  /// Where PacketSource::way says; every node that it passes gets a copy (path multicast).
  kPath,
  /// To all nodes but its destination, which sends it: along dimension 0 both ways, from every node
  /// there along dimension 1, and so on (tree multicast). A router keeps the packet in its buffer
  /// and sends it by one port after the other, so it must fit into a virtual channel's buffer.
  kTree,
};

/// One packet, as its source hands it over.
struct Packet {
  NodeId destination = 0;
  std::uint32_t flits = 1;
  /// Bit i says which way round the packet takes in dimension i where both are equally short; 1 is
  /// the positive one.
  std::uint32_t coins = 0;
  /// Whatever the source wants back when the packet has arrived.
  std::uint64_t tag = 0;
  Cast cast = Cast::kUnicast;
};

/// Where packets come from and where they end.
class PacketSource {
 public:
  virtual ~PacketSource() = default;
  /// The packet that `node` begins to send in `cycle`, if there is one. Asked once a cycle of every
  /// node that is not busy with a packet; what was given is not asked for again.
  virtual bool next(NodeId node, std::uint64_t cycle, Packet& packet) = 0;
  /// Path multicast: the out-port by which the packet leaves `node`, the topology's ports()
  /// where it ends. The ways of all packets together must not close a circle of links.
  [[nodiscard]] virtual Port way(NodeId /*node*/, std::uint64_t /*tag*/) const {
    throw std::logic_error("this source sends no packets along a path");
  }
  /// A flit of the packet came out at `node`; `last` with its last one.
  virtual void arrived(NodeId node, std::uint64_t cycle, std::uint64_t tag, bool last) = 0;
};

/// A network of such routers, a cycle at a time.
class Network {
 public:
  virtual ~Network() = default;
  /// Executes the next cycle: flits and credits arrive, nodes offer packets, routers act.
  virtual void clock(PacketSource& source) = 0;
  /// Cycles executed.
  [[nodiscard]] virtual std::uint64_t cycle() const = 0;
  /// Flits that entered the network and did not leave it yet.
  [[nodiscard]] virtual std::uint64_t flits_inside() const = 0;
};

/// A network that has executed no cycle yet. Throws as require_possible.
[[nodiscard]] std::unique_ptr<Network> make_network(const Topology& topology, const Router& router);

}  // namespace gossamer::wormhole
