// SPDX-License-Identifier: Apache-2.0
/// Lengths of packets that routers queue.
#pragma once

#include <cstdint>

namespace gossamer {

/// Lengths in flits, that is in clock cycles on a link.
struct PacketClock {
  /// Of a whole packet, F: a multiple of the parts that it is sent in.
  std::uint32_t flits = 1;
  /// Of a prefix message, at most F: t_p = prefix_flits / flits.
  std::uint32_t prefix_flits = 1;

  bool operator==(const PacketClock&) const = default;
};

/// The most flits a packet may have.
inline constexpr std::uint32_t kMaxPacketFlits = 1U << 20;

}  // namespace gossamer
