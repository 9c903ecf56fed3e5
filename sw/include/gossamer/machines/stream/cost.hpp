// SPDX-License-Identifier: Apache-2.0
/// What a router of streams is told, in bits.
#pragma once

#include <cstdint>

#include "gossamer/machines/stream/program.hpp"

namespace gossamer {

/// True when in every router each out-port p is fed by exactly one in-port q, and out-port q by
/// in-port p, with packets or without.
[[nodiscard]] bool all_routers_pair_ports(const StreamProgram& program);

/// Bits that one router needs to be told what to do, when it is not hardwired. Where all routers
/// pair up their ports: the number of such pairings, (2d-1)!!, in binary: 2 bits for d = 2, 4 for
/// d = 3. Else for each out-port the number of its in-port or none, a bit mask of in-ports where
/// there is fan-in, everything twice and the step besides where there is a switch. Preload lists,
/// which hold own packets only, are not counted.
[[nodiscard]] std::uint64_t stream_table_bits(const StreamProgram& program);

}  // namespace gossamer
