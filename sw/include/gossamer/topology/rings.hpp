// SPDX-License-Identifier: Apache-2.0
/// A network split into disjoint rings of equal size.
///
/// Consecutive nodes of a ring are neighbours, the last and the first included; a ring of two is a
/// pair of neighbours. The constructions are pairs, bands around a wrapping side, rectangles, paths
/// of 2x2 blocks, and cuts into two parts. In three or more dimensions one dimension is the first
/// side and a Hamiltonian cycle or path of the others the second.
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// Rings of `size` nodes each; together they visit every node once. Dead links are not considered.
/// Throws InfeasibleError where the size does not divide the number of nodes, where no such rings
/// exist, and where no construction finds them; the message names the nearest size that has rings.
[[nodiscard]] std::vector<std::vector<NodeId>> rings_of(const Topology& topology,
                                                        std::uint32_t size);

}  // namespace gossamer
