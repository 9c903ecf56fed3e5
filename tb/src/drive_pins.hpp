// SPDX-License-Identifier: Apache-2.0
/// Converts packets of a SystemC fabric to the pins of an RTL router and back.
#pragma once

#include <array>
#include <cstddef>

#include "gossamer/systemc/fabric.hpp"
#include "gossamer/tb/verilated_router.hpp"

namespace gossamer::tb {

/// Puts packets on data pins and returns the valid pins; `packet` returns a port's packet.
template <typename Packet>
PortSet drive(std::size_t ports, std::array<std::uint64_t, kMaxPorts>& data, Packet packet) {
  unsigned valid = 0;
  for (std::size_t port = 0; port < ports; ++port) {
    data[port] = packet(port);
    valid |= (data[port] != kNoPacket ? 1U : 0U) << port;
  }
  return PortSet(static_cast<std::uint16_t>(valid));
}

/// Drives the out-ports with the contents of the out registers.
inline void read_out(const RouterPins& pins, std::size_t ports, const systemc::PacketEdge& edge) {
  for (std::size_t port = 0; port < ports; ++port) {
    const bool valid = pins.out_valid_o.contains(static_cast<Port>(port));
    edge.drive(port, valid ? pins.out_data_o[port] : kNoPacket);
  }
}

}  // namespace gossamer::tb
