// SPDX-License-Identifier: Apache-2.0
/// The 2-D paper's Figure 2: best targets under the papers' order of the dimensions.
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/collectives/broadcast/broadcast.hpp"

namespace gossamer {

/// The `figure2` plan: as `eye` from any source of a mesh with d equal sides 2^k, every level one
/// step a dimension in the order of the papers' rotation (bounds::eye_block), but in every step of
/// every block the target that gives the least TCD under that order, by dynamic programming. Its
/// TCDs are those of Cang & Wu, 2-D, Figure 2, entry for entry; at some sources they beat
/// `eye`, which refutes the papers' minimality theorems (docs/spec/broadcast.md, section 5).
/// Ties: the target with the lowest id. O(N log N) time. Throws InfeasibleError on tori and for
/// other sides.
[[nodiscard]] Plan plan_figure2(const Topology& topology, const BroadcastOptions& options);

/// The TCD of `figure2` from every source, by node id.
[[nodiscard]] std::vector<std::uint64_t> figure2_map(const Topology& topology);

}  // namespace gossamer
