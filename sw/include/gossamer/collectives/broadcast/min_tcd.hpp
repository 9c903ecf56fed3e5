// SPDX-License-Identifier: Apache-2.0
/// Broadcast of least distance over recursive cuts: any sides, any source, always ceil(log2 N)
/// steps.
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/collectives/broadcast/broadcast.hpp"

namespace gossamer {

/// The `min-tcd` plan (docs/spec/broadcast.md, section 4): the region of a holder is cut in two,
/// straight across a box, by a jog or along a snake. The holder sends to the best node of the other
/// part, and so on. Dynamic programming finds the least TCD of all these choices. For power-of-two
/// sides this is the exact minimum over recursive halvings. On a torus the mesh plan of the
/// cheapest source (ties: lowest id) whose paths are also minimal on the torus is translated. The
/// routers need a list of their sends.
///
/// Time and memory grow with the slack 2^m - N, since more boxes can be cut out. Power-of-two sides
/// take O(N log N); others up to the total number of cells of all boxes that fit. Throws
/// InfeasibleError when the tables would hold more than kMinTcdMaxCells numbers.
[[nodiscard]] Plan plan_min_tcd(const Topology& topology, const BroadcastOptions& options);

/// The TCD of `min-tcd` from every source of the topology, by node id. Limits: see plan_min_tcd.
[[nodiscard]] std::vector<std::uint64_t> min_tcd_map(const Topology& topology);

/// The largest number of table entries (4 bytes each) that `min-tcd` uses.
inline constexpr std::uint64_t kMinTcdMaxCells = std::uint64_t{1} << 28;

}  // namespace gossamer
