// SPDX-License-Identifier: Apache-2.0
/// The arena-backed form of links and routers: the same modules and bindings as the pin-level ones,
/// with the packets in one double-buffered array instead of signals.
///
/// An ArenaRouter's ports are bound to ArenaLinks, which know their slot in the arena. When
/// elaboration ends the ArenaNetwork (arena_network.hpp) reads from these bindings which slot feeds
/// which, and steps all routers in one process without a call through a port.
#pragma once

#include <cstdint>
#include <span>
#include <systemc>
#include <vector>

#include "gossamer/plan/plan.hpp"
#include "gossamer/systemc/out_port.hpp"
#include "gossamer/systemc/router_table.hpp"

namespace gossamer::systemc {

/// What all links carry in this cycle and, while an edge is being executed, in the next one.
class LinkArena {
 public:
  /// Slot `slots` is an extra one that stays idle: the source of links that nothing feeds.
  explicit LinkArena(std::size_t slots) : now_(slots + 1, kNoPacket), next_(slots + 1, kNoPacket) {}

  /// Number of link slots, the idle one not counted: its number.
  [[nodiscard]] std::size_t slots() const { return now_.size() - 1; }
  [[nodiscard]] PacketId* now() { return now_.data(); }
  [[nodiscard]] const PacketId* now() const { return now_.data(); }
  [[nodiscard]] PacketId* next() { return next_.data(); }
  /// This cycle's packets, one entry per link slot.
  [[nodiscard]] std::span<const PacketId> links() const { return {now_.data(), slots()}; }
  /// The edge: next becomes now.
  void swap() { now_.swap(next_); }

 private:
  std::vector<PacketId> now_;
  std::vector<PacketId> next_;
};

/// What a router sees of a link.
class LinkInterface : virtual public sc_core::sc_interface {
 public:
  /// Where the link's packet is in the arena.
  [[nodiscard]] virtual LinkId slot() const = 0;
  /// What the link carries in this cycle, kNoPacket when it is idle.
  [[nodiscard]] virtual PacketId packet() const = 0;
};

/// The register of one out-port, its packet in the arena. Latency one cycle, as the pin-level Link.
class ArenaLink final : public sc_core::sc_module, public LinkInterface {
 public:
  /// `arena` must outlive the link.
  ArenaLink(const sc_core::sc_module_name& name, const LinkArena& arena, LinkId slot);

  [[nodiscard]] LinkId slot() const override { return slot_; }
  [[nodiscard]] PacketId packet() const override { return arena_->now()[slot_]; }

 private:
  const LinkArena* arena_;
  LinkId slot_;
};

/// A router whose links live in an arena: the bindings, and what an ArenaNetwork asks of it. The
/// table is the derived class's: OutPort objects (ModelRouter) or the Verilated RTL.
class ArenaRouter : public sc_core::sc_module {
 public:
  /// The links that enter: in[p] is in-port p's, so they are to be bound in ascending order. A link
  /// of the idle slot stands for what is missing at the border of a mesh. One multi-port instead of
  /// a port a link: half the memory of a router.
  sc_core::sc_port<LinkInterface, 0> in{"in"};
  /// The links that leave, by out-port, likewise.
  sc_core::sc_port<LinkInterface, 0> out{"out"};

  explicit ArenaRouter(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}

  /// Empties all queues and restarts the step counter.
  virtual void clear() = 0;
  /// The clock edge that ends `step` (0: the start edge). `injected` offers an own packet or
  /// kNoPacket per out-port, `arrivals` is what the in-ports carry; `taken` receives, per out-port,
  /// what the link register takes.
  virtual void clock(std::uint64_t step, std::span<const PacketId> injected,
                     std::span<const PacketId> arrivals, std::span<PacketId> taken) = 0;
  /// True when an edge without arrivals would do nothing: the network may leave it out.
  [[nodiscard]] virtual bool drained() const = 0;
  /// Packets lost since clear() because a queue was full.
  [[nodiscard]] virtual std::uint64_t conflicts() const = 0;
  /// A packet was lost (sticky): the router's error_o.
  [[nodiscard]] virtual bool error() const = 0;
  /// Longest queue of an out-port at the start of a step since clear(), in packets.
  [[nodiscard]] virtual std::uint32_t max_queue() const = 0;
};

/// The machine model of streams as a router, in frames of one or more slots. Each out-port has an
/// OutPort for each slot.
class ModelRouter final : public ArenaRouter {
 public:
  ModelRouter(const sc_core::sc_module_name& name, const RouterTable& table);

  void clear() override;
  void clock(std::uint64_t step, std::span<const PacketId> injected,
             std::span<const PacketId> arrivals, std::span<PacketId> taken) override;
  [[nodiscard]] bool drained() const override;
  [[nodiscard]] std::uint64_t conflicts() const override;
  [[nodiscard]] bool error() const override { return conflicts() != 0; }
  [[nodiscard]] std::uint32_t max_queue() const override;

 private:
  void clock_framed(std::uint64_t step, std::span<const PacketId> injected,
                    std::span<const PacketId> arrivals, std::span<PacketId> taken);

  std::uint32_t frame_;
  /// Out-port p's queue of slot t at p * frame_ + t.
  std::vector<OutPort> out_ports_;
};

}  // namespace gossamer::systemc
