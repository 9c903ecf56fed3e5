// SPDX-License-Identifier: Apache-2.0
/// The behaviour of one router out-port, without SystemC; both forms of the router execute it.
///
/// An out-port is the register of its link, fed by a FIFO of `depth - 1` packets. At every clock
/// edge the register takes, in this order of preference, the injected own packet, the head of the
/// FIFO, the first arrival of the feeding in-ports in ascending order. The other arrivals are
/// appended to the FIFO in ascending in-port order; an arrival that finds it full is lost and
/// counted.
///
/// Own packets that are still to be injected occupy the queue, as in the plan's machine model,
/// where the FIFO is preloaded with all of them.
///
/// If steps form frames, the register has one OutPort per slot: clock() is called for the slot that
/// comes next, wait() for the others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gossamer/plan/demand.hpp"
#include "gossamer/topology/port.hpp"

namespace gossamer::systemc {

/// Configuration of an out-port.
struct OutPortTable {
  /// In-ports whose arrivals are appended, in steps >= switch_step and before.
  PortSet feed;
  PortSet early_feed;
  std::uint32_t switch_step = 0;
  /// Number of own packets, which are sent first.
  std::uint32_t own_packets = 0;

  [[nodiscard]] PortSet feed_at(std::uint64_t step) const {
    return step < switch_step ? early_feed : feed;
  }
};

class OutPort {
 public:
  /// `depth` is the queue depth in packets, including the link register, >= 1.
  OutPort(const OutPortTable& table, std::uint32_t depth) : table_(table), depth_(depth) {
    clear();
  }

  /// Empties the FIFO, resets the number of losses and expects the whole preload list again.
  void clear();

  /// The clock edge that ends `step` (0: the start edge). Returns the packet that the register
  /// takes, or kNoPacket; the others are queued or lost. `injected` is the offered own packet or
  /// kNoPacket, `arrivals` the packet at each in-port.
  PacketId clock(std::uint64_t step, PacketId injected, std::span<const PacketId> arrivals);

  /// The edge that ends `step` while the register is loaded from another slot's queue: all arrivals
  /// join the queue or are lost.
  void wait(std::uint64_t step, std::span<const PacketId> arrivals);

  /// Number of own packets, from the front of the preload list, that are injected: as many as the
  /// queue can hold.
  [[nodiscard]] std::uint32_t injections() const;
  /// The FIFO is empty and all own packets are injected: idle except for the register.
  [[nodiscard]] bool drained() const { return head_ == waiting_.size() && pending_ == 0; }
  /// Packets lost since clear(), including own packets beyond injections().
  [[nodiscard]] std::uint64_t conflicts() const { return conflicts_; }
  /// Longest queue since clear() at the start of a step in which it sends, including the register
  /// and own packets still to be injected.
  [[nodiscard]] std::uint32_t max_queue() const { return max_queue_; }

 private:
  void pop();
  /// Packets that wait or are still to be injected.
  [[nodiscard]] std::size_t behind() const { return waiting_.size() - head_ + pending_; }
  /// Updates the maximum with the queue of the ending step, if this OutPort served it.
  void measure();

  OutPortTable table_;
  std::uint32_t depth_;
  /// Own packets still to be injected.
  std::uint32_t pending_ = 0;
  /// The FIFO: waiting_[head_ ...].
  std::vector<PacketId> waiting_;
  std::size_t head_ = 0;
  /// The register holds a packet.
  bool sending_ = false;
  /// It sends in this step: clock() was called at its start.
  bool serving_ = false;
  std::uint32_t max_queue_ = 0;
  std::uint64_t conflicts_ = 0;
};

}  // namespace gossamer::systemc
