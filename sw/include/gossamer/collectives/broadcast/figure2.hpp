// SPDX-License-Identifier: Apache-2.0
/// The 2-D paper's Figure 2: best targets under the papers' order of the dimensions.
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/collectives/broadcast/broadcast.hpp"

namespace gossamer {

/// The `figure2` plan: like `eye` from any source of a mesh with d equal sides 2^k. Every level
/// takes one step per dimension in the order of the papers' rotation (bounds::eye_block). In every
/// step of every block, dynamic programming chooses the target of least TCD under that order. Its
/// TCDs are those of Cang & Wu, 2-D, Figure 2, entry for entry. At some sources they beat `eye`,
/// which refutes the papers' minimality theorems (docs/spec/broadcast.md, section 5). Ties: the
/// target with the lowest id. O(N log N) time. Throws InfeasibleError on tori and for other sides.
[[nodiscard]] Plan plan_figure2(const Topology& topology, const BroadcastOptions& options);

/// The TCD of `figure2` from every source, by node id.
[[nodiscard]] std::vector<std::uint64_t> figure2_map(const Topology& topology);

}  // namespace gossamer
