// SPDX-License-Identifier: Apache-2.0
#include "gossamer/machines/ring/program.hpp"

namespace gossamer {

std::uint64_t RingPort::hash() const {
  return mixed(mixed(kHashStart, feed.bits()), lane ? *lane + 1U : 0U);
}

std::uint64_t RingProgram::memory_bytes() const {
  return PortTable::memory_bytes() + combine.ranks.capacity() * sizeof(std::uint32_t);
}

}  // namespace gossamer
