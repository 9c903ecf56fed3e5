// SPDX-License-Identifier: Apache-2.0
/// Packets of a SystemC network on the pins of an RTL router and back.
#pragma once

#include <array>
#include <span>

#include "gossamer/plan/plan.hpp"
#include "gossamer/tb/verilated_router.hpp"

namespace gossamer::tb {

/// Puts packets on data pins and returns the valid pins.
inline PortSet drive(std::span<const PacketId> packets,
                     std::array<std::uint64_t, kMaxPorts>& data) {
  unsigned valid = 0;
  for (std::size_t port = 0; port < packets.size(); ++port) {
    valid |= (packets[port] != kNoPacket ? 1U : 0U) << port;
    data[port] = packets[port];
  }
  return PortSet(static_cast<std::uint16_t>(valid));
}

/// Reads the out registers.
inline void read_out(const RouterPins& pins, std::span<PacketId> taken) {
  for (std::size_t port = 0; port < taken.size(); ++port) {
    taken[port] =
        pins.out_valid_o.contains(static_cast<Port>(port)) ? pins.out_data_o[port] : kNoPacket;
  }
}

}  // namespace gossamer::tb
