// SPDX-License-Identifier: Apache-2.0
#include "gossamer/machines/stream/program.hpp"

#include <algorithm>

namespace gossamer {

std::uint64_t StreamPort::hash() const {
  std::uint64_t hash = mixed(mixed(kHashStart, feed.bits()), early_feed.bits());
  hash = mixed(hash, switch_step);
  for (const std::uint16_t packet : preload) hash = mixed(hash, packet);
  return hash;
}

bool StreamProgram::is_plain() const {
  return frame_ == 1 &&
         std::all_of(dictionary().begin(), dictionary().end(), [](const StreamPort& entry) {
           return entry.switch_step == 0 && !entry.has_fan_in() && entry.preload.size() <= 1;
         });
}

std::uint64_t StreamProgram::memory_bytes() const {
  std::uint64_t bytes = PortTable::memory_bytes();
  for (const StreamPort& entry : dictionary()) {
    bytes += entry.preload.capacity() * sizeof(std::uint16_t);
  }
  return bytes;
}

}  // namespace gossamer
