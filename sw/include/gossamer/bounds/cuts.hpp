// SPDX-License-Identifier: Apache-2.0
/// What no all-to-all can beat because of one set of nodes, of whatever shape.
#pragma once

#include <cstdint>

#include "gossamer/topology/topology.hpp"

namespace gossamer::bounds {

/// Steps in which `packets` packets a pair of live cores leave and enter a set of live nodes over
/// the live arcs there, of all sets that a search finds that which takes longest: intervals of a
/// coordinate and balls round a node, those with the most packets an arc improved node by node.
/// Deterministic. 0 above 1024 live nodes, where it would take seconds. The live network must be
/// connected.
///
/// The search: C. Fiduccia, R. Mattheyses, "A linear-time heuristic for improving network
/// partitions", DAC 1982, with packets an arc in place of balance and arcs.
[[nodiscard]] std::uint64_t cut_steps(const Topology& topology, std::uint64_t packets);

}  // namespace gossamer::bounds
