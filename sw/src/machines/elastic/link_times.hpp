// SPDX-License-Identifier: Apache-2.0
/// The push and take times of an elastic link's flits, as far back as they may be needed: the
/// recursion of docs/algorithms/elastic.md for one link. Internal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gossamer/machines/elastic/program.hpp"

namespace gossamer {

class LinkTimes {
 public:
  LinkTimes() = default;
  LinkTimes(const Elastic& elastic, std::uint32_t latency)
      : latency_(latency),
        capacity_(elastic.capacity(latency)),
        // A flit in a queue of one slot leaves it in the cycle after its push, and the slot is free
        // from then on.
        gap_(elastic.slots == 1 ? 2 : 1),
        pushed_at_(capacity_ + 1, 0),
        taken_at_(capacity_ + 1, 0) {}

  /// The first cycle in which the next flit can be pushed. The take that makes room for it is
  /// known.
  [[nodiscard]] std::uint64_t can_push() const {
    const std::uint64_t places = taken_at_.size();
    std::uint64_t cycle = pushed_ == 0 ? 0 : pushed_at_[(pushed_ - 1) % places] + gap_;
    if (pushed_ >= capacity_) {
      cycle = std::max(cycle, taken_at_[(pushed_ - capacity_) % places] + latency_);
    }
    return cycle;
  }
  void push(std::uint64_t cycle) { pushed_at_[pushed_++ % pushed_at_.size()] = cycle; }
  /// The first cycle in which the next flit can be taken. It has been pushed.
  [[nodiscard]] std::uint64_t arrives() const {
    const std::uint64_t places = taken_at_.size();
    const std::uint64_t cycle = pushed_at_[taken_ % places] + latency_;
    return taken_ == 0 ? cycle : std::max(cycle, taken_at_[(taken_ - 1) % places] + 1);
  }
  void take(std::uint64_t cycle) { taken_at_[taken_++ % taken_at_.size()] = cycle; }

 private:
  std::uint64_t latency_ = 1;
  std::uint64_t capacity_ = 0;
  std::uint64_t gap_ = 1;
  std::vector<std::uint64_t> pushed_at_;
  std::vector<std::uint64_t> taken_at_;
  std::uint64_t pushed_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace gossamer
