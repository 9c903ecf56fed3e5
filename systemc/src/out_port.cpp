// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/out_port.hpp"

#include <algorithm>

namespace gossamer::systemc {

std::uint32_t OutPort::injections() const { return std::min(depth_, table_.own_packets); }

void OutPort::clear() {
  pending_ = injections();
  waiting_.clear();
  head_ = 0;
  sending_ = false;
  serving_ = false;
  max_queue_ = 0;
  conflicts_ = table_.own_packets - pending_;
}

void OutPort::pop() {
  if (++head_ == waiting_.size()) {
    waiting_.clear();
    head_ = 0;
  } else if (head_ >= 64 && 2 * head_ >= waiting_.size()) {
    // Free the part that was read, seldom enough for a constant cost per packet.
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }
}

void OutPort::measure() {
  if (!serving_) return;
  const std::size_t queue = behind() + (sending_ ? 1U : 0U);
  max_queue_ = std::max(max_queue_, static_cast<std::uint32_t>(queue));
}

PacketId OutPort::clock(std::uint64_t step, PacketId injected, std::span<const PacketId> arrivals) {
  measure();
  PacketId taken = injected;
  if (injected != kNoPacket) {
    if (pending_ > 0) --pending_;
  } else if (head_ < waiting_.size()) {
    taken = waiting_[head_];
    pop();
  }
  for (const Port in_port : table_.feed_at(step)) {
    const PacketId arrival = arrivals[in_port];
    if (arrival == kNoPacket) continue;
    if (taken == kNoPacket) {
      taken = arrival;
    } else if (behind() + 1 < depth_) {
      waiting_.push_back(arrival);
    } else {
      ++conflicts_;
    }
  }
  serving_ = true;
  sending_ = taken != kNoPacket;
  return taken;
}

void OutPort::wait(std::uint64_t step, std::span<const PacketId> arrivals) {
  measure();
  for (const Port in_port : table_.feed_at(step)) {
    const PacketId arrival = arrivals[in_port];
    if (arrival == kNoPacket) continue;
    if (behind() < depth_) {
      waiting_.push_back(arrival);
    } else {
      ++conflicts_;
    }
  }
  serving_ = false;
  sending_ = false;
}

}  // namespace gossamer::systemc
