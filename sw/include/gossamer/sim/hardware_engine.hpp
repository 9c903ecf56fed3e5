// SPDX-License-Identifier: Apache-2.0
/// Engines that simulate the hardware cycle by cycle: their link registers can be looked at between
/// two cycles, and upset.
///
/// What `gossamer cosim` steps side by side (tb/lock_step.hpp).
#pragma once

#include <cstdint>
#include <span>

#include "gossamer/sim/engine.hpp"

namespace gossamer {

/// What a fault does to the packet in a link's register.
struct Upset {
  /// Bits of the packet that are inverted.
  PacketId flip = 0;
  /// True: the packet vanishes (valid falls), `flip` is of no account.
  bool drop = false;

  /// The packet after the fault.
  [[nodiscard]] PacketId apply(PacketId packet) const { return drop ? kNoPacket : packet ^ flip; }
};

/// An engine of clocked registers, one cycle a step.
class HardwareEngine : public Engine {
 public:
  /// What every link carries in the cycle that run() will execute next: one entry per link slot of
  /// the topology, kNoPacket on an idle one. Valid until the next call of run() or upset().
  [[nodiscard]] virtual std::span<const PacketId> links() = 0;
  /// The node's router has lost a packet because a queue was full (sticky).
  [[nodiscard]] virtual bool error(NodeId node) const = 0;
  /// Damages what `link` carries in the cycle that run() will execute next; the damage travels on
  /// like any packet. Returns false, and does nothing, when the link is idle.
  virtual bool upset(LinkId link, const Upset& upset) = 0;
};

}  // namespace gossamer
