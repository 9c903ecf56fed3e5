// SPDX-License-Identifier: Apache-2.0
#include "gossamer/machines/elastic/program.hpp"

namespace gossamer {

std::uint64_t ElasticPort::hash() const {
  std::uint64_t hash = mixed(mixed(kHashStart, feed.bits()), lane ? *lane + 1U : 0U);
  hash = mixed(hash, carries);
  for (const std::uint16_t packet : preload) hash = mixed(hash, packet);
  return hash;
}

std::uint64_t ElasticProgram::memory_bytes() const {
  std::uint64_t bytes =
      PortTable::memory_bytes() + elastic.latency.table.capacity() * sizeof(std::uint32_t);
  for (const ElasticPort& entry : dictionary()) {
    bytes += entry.preload.capacity() * sizeof(std::uint16_t);
  }
  if (combine) bytes += combine->ranks.capacity() * sizeof(std::uint32_t);
  return bytes;
}

}  // namespace gossamer
