// SPDX-License-Identifier: Apache-2.0
/// Configuration size of a stream router, in bits.
#pragma once

#include <cstdint>

#include "gossamer/machines/stream/program.hpp"

namespace gossamer {

/// True when in every router each output port p is fed by exactly one input port q, and output port
/// q by input port p, with or without packets.
[[nodiscard]] bool all_routers_pair_ports(const StreamProgram& program);

/// Bits that configure one router when it is not hardwired. Where all routers pair their ports: the
/// binary width of the number of pairings, (2d-1)!!: 2 bits for d = 2, 4 for d = 3. Otherwise, for
/// each output port, the number of its input port or none. With fan-in: a bit mask of input ports.
/// With a switch: twice the bits, plus the bits of the step. Preload lists, which hold own packets
/// only, are not counted.
[[nodiscard]] std::uint64_t stream_table_bits(const StreamProgram& program);

}  // namespace gossamer
