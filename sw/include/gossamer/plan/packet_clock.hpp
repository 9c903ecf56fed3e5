// SPDX-License-Identifier: Apache-2.0
/// Lengths of packets that routers queue.
#pragma once

#include <cstdint>

namespace gossamer {

/// Lengths in flits, i.e. in clock cycles on a link.
struct PacketClock {
  /// Length F of a whole packet: a multiple of its number of parts.
  std::uint32_t flits = 1;
  /// Length of a prefix message, at most F: t_p = prefix_flits / flits.
  std::uint32_t prefix_flits = 1;

  bool operator==(const PacketClock&) const = default;
};

/// The largest number of flits per packet.
inline constexpr std::uint32_t kMaxPacketFlits = 1U << 20;

}  // namespace gossamer
