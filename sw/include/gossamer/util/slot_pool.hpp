// SPDX-License-Identifier: Apache-2.0
/// The slots of a buffer while a schedule is walked through in time.
#pragma once

#include <cstdint>
#include <vector>

namespace gossamer {

class SlotPool {
 public:
  /// The slot that was given back last, or one that was never used.
  std::uint32_t take() {
    if (free_.empty()) return used_++;
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void give_back(std::uint32_t slot) { free_.push_back(slot); }
  /// Slots that were ever needed at once.
  [[nodiscard]] std::uint32_t used() const { return used_; }

 private:
  std::uint32_t used_ = 0;
  std::vector<std::uint32_t> free_;
};

}  // namespace gossamer
