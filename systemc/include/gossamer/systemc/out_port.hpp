// SPDX-License-Identifier: Apache-2.0
/// The behaviour of one router out-port, without SystemC: what both forms of the router execute.
///
/// An out-port is the register of its link and, behind it, a FIFO of `depth - 1` packets. At every
/// clock edge the register takes, in this order of preference, the injected own packet, the head of
/// the FIFO, the first arrival of the feeding in-ports in ascending order. The other arrivals are
/// appended to the FIFO in ascending in-port order; one that finds it full is lost and counted.
///
/// Own packets that are still to be injected occupy the queue, as in the plan's machine model,
/// where the FIFO is preloaded with all of them.
///
/// Where steps come in frames, the register has an OutPort for each slot behind it: the one whose
/// slot comes next is given clock(), the others wait().
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gossamer/plan/demand.hpp"
#include "gossamer/topology/port.hpp"

namespace gossamer::systemc {

/// What an out-port is told.
struct OutPortTable {
  /// In-ports whose arrivals are appended, in steps >= switch_step and before.
  PortSet feed;
  PortSet early_feed;
  std::uint32_t switch_step = 0;
  /// Own packets that it sends first.
  std::uint32_t own_packets = 0;

  [[nodiscard]] PortSet feed_at(std::uint64_t step) const {
    return step < switch_step ? early_feed : feed;
  }
};

class OutPort {
 public:
  /// `depth` is the queue depth in packets, the link register included, >= 1.
  OutPort(const OutPortTable& table, std::uint32_t depth) : table_(table), depth_(depth) {
    clear();
  }

  /// Empties the FIFO, forgets losses and expects the whole preload list anew.
  void clear();

  /// The clock edge that ends `step` (0: the start edge): queues or loses what the register does
  /// not take, and returns what it takes, kNoPacket for nothing. `injected` is the own packet
  /// offered or kNoPacket, `arrivals` what each in-port carries.
  PacketId clock(std::uint64_t step, PacketId injected, std::span<const PacketId> arrivals);

  /// The edge that ends `step` while the register is loaded from another slot's queue: all arrivals
  /// join the queue or are lost.
  void wait(std::uint64_t step, std::span<const PacketId> arrivals);

  /// Number of own packets, from the front of the preload list, that are injected: those that the
  /// queue has room for.
  [[nodiscard]] std::uint32_t injections() const;
  /// Nothing waits in the FIFO and nothing is left to inject: idle but for the register.
  [[nodiscard]] bool drained() const { return head_ == waiting_.size() && pending_ == 0; }
  /// Packets lost since clear(), own packets beyond injections() included.
  [[nodiscard]] std::uint64_t conflicts() const { return conflicts_; }
  /// Longest queue at the start of a step that it sends in since clear(), register and own packets
  /// still to be injected included.
  [[nodiscard]] std::uint32_t max_queue() const { return max_queue_; }

 private:
  void pop();
  /// Packets that wait or are still to be injected.
  [[nodiscard]] std::size_t behind() const { return waiting_.size() - head_ + pending_; }
  /// Takes the queue of the step that ends into account, if it was this one's turn.
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
  /// The step is one in which it sends: clock() was called at its start.
  bool serving_ = false;
  std::uint32_t max_queue_ = 0;
  std::uint64_t conflicts_ = 0;
};

}  // namespace gossamer::systemc
