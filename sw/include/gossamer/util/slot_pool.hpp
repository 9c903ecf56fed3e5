// SPDX-License-Identifier: Apache-2.0
/// The slots of a buffer during a walk through a schedule in time order.
#pragma once

#include <cstdint>
#include <vector>

namespace gossamer {

class SlotPool {
 public:
  /// The most recently returned slot, or a new one.
  std::uint32_t take() {
    if (free_.empty()) return used_++;
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void give_back(std::uint32_t slot) { free_.push_back(slot); }
  /// The largest number of slots in use at once.
  [[nodiscard]] std::uint32_t used() const { return used_; }

 private:
  std::uint32_t used_ = 0;
  std::vector<std::uint32_t> free_;
};

}  // namespace gossamer
