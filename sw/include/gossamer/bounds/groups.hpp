// SPDX-License-Identifier: Apache-2.0
/// Lower bounds of collectives within groups, all groups at once (docs/groups.md).
#pragma once

#include <cstdint>

#include "gossamer/plan/demand.hpp"
#include "gossamer/topology/topology.hpp"

namespace gossamer::bounds {

/// Lower bound on the steps of a demand with groups: the maximum of the bounds of theorems 1 to 4
/// over all sets of axes and of the largest distance that a piece has to travel, in hops.
[[nodiscard]] std::uint64_t group_lower_bound(const Topology& topology, const Demand& demand);

}  // namespace gossamer::bounds
