// SPDX-License-Identifier: Apache-2.0
/// A passive monitor of one out-port, or of its queue in one slot of a frame. It computes the
/// number of packets in the queue from its inputs and outputs.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gossamer/plan/plan.hpp"

namespace gossamer::tb {

class QueueMonitor {
 public:
  /// `depth`: capacity of the out-port in packets, including the register. `injections`: own
  /// packets that it will be offered; until then they count as queued, as in the plan's machine
  /// model.
  QueueMonitor(std::uint32_t depth, std::uint32_t injections)
      : depth_(depth), injections_(injections), pending_(injections) {}

  void clear() { *this = QueueMonitor(depth_, injections_); }

  /// One edge: whether an own packet enters, the number of arrivals for this port, and whether the
  /// register then holds a packet of this queue. `serves`: the register was loaded from this queue,
  /// not from the queue of another slot of the frame.
  void clock(bool serves, bool injected, std::uint32_t arrivals, bool sends) {
    if (serving_) max_queue_ = std::max(max_queue_, held_ + pending_);
    serving_ = serves;
    if (sending_) --held_;
    if (injected) {
      ++held_;
      --pending_;
    }
    const std::uint32_t kept = std::min(arrivals, depth_ - std::min(held_, depth_));
    held_ += kept;
    conflicts_ += arrivals - kept;
    sending_ = sends;
  }

  /// Packets that arrived at a full port.
  [[nodiscard]] std::uint64_t conflicts() const { return conflicts_; }
  /// Largest number of packets at the start of a step in which it sends.
  [[nodiscard]] std::uint32_t max_queue() const { return max_queue_; }

 private:
  std::uint32_t depth_;
  std::uint32_t injections_;
  /// Own packets still to be injected.
  std::uint32_t pending_;
  /// Packets in register and FIFO.
  std::uint32_t held_ = 0;
  bool sending_ = false;
  bool serving_ = false;
  std::uint32_t max_queue_ = 0;
  std::uint64_t conflicts_ = 0;
};

}  // namespace gossamer::tb
