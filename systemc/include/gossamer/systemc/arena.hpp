// SPDX-License-Identifier: Apache-2.0
/// Links of the queued network: packets in one double-buffered array instead of signals.
#pragma once

#include <cstdint>
#include <span>
#include <systemc>
#include <vector>

#include "gossamer/plan/plan.hpp"

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

/// The register of one out-port, its packet in the arena. Latency one cycle.
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

}  // namespace gossamer::systemc
