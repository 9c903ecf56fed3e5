// SPDX-License-Identifier: Apache-2.0
/// Lower bound of an all-to-all from the cut around one set of nodes of any shape.
#pragma once

#include <cstdint>

#include "gossamer/topology/topology.hpp"

namespace gossamer::bounds {

/// The least number of steps in which `packets` packets per pair of live cores can enter and leave
/// a set of live nodes over the live arcs of its boundary. The result is the maximum over all sets
/// that a search finds: intervals of a coordinate, balls around a node, and improvements, node by
/// node, of the sets with the most packets per arc. Deterministic. Returns 0 above 1024 live nodes,
/// where the search would take seconds. The live network must be connected.
///
/// The search: C. Fiduccia, R. Mattheyses, "A linear-time heuristic for improving network
/// partitions", DAC 1982, with packets per arc instead of balance and arcs.
[[nodiscard]] std::uint64_t cut_steps(const Topology& topology, std::uint64_t packets);

}  // namespace gossamer::bounds
