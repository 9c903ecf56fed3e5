// SPDX-License-Identifier: Apache-2.0
/// Lower bounds of all-gather and all-to-all on a network with faults, and the part of the network
/// that causes each bound.
///
/// Every set S of live nodes receives k (P' - |S|) packets over the arcs that enter it. Source:
/// docs/spec/faults.md, section 2.
#pragma once

#include <cstdint>
#include <string>

#include "gossamer/topology/topology.hpp"

namespace gossamer::bounds {

struct GossipBound {
  std::uint64_t steps = 0;
  /// The cause: "node 3,4 has 3 live links", "link 3,0:y+ is a bridge ...", "distance".
  std::string set;
};

/// The largest of three bounds: a node with a core and few live links that enter it; the two sides
/// of a bridge; the longest distance (beyond 4096 live nodes, the longest from the first node
/// only). The live network must be connected (topology/faults.hpp, require_connected).
[[nodiscard]] GossipBound degraded_gossip_bound(const Topology& topology,
                                                std::uint64_t packets_per_node);

/// Lower bound on the steps of an all-to-all with `packets` packets for every ordered pair of live
/// cores. It is the largest of: the longest distance; the sum of all distances over the live links
/// (both up to 4096 live nodes); the packets that enter or leave a node over its links; the packets
/// that cross a cut over the links of the cut. Cuts are bridges, boundaries of intervals of one
/// coordinate, and any set that cut_steps() finds. The live network must be connected.
[[nodiscard]] std::uint64_t degraded_exchange_bound(const Topology& topology,
                                                    std::uint64_t packets);

/// The same network with all arcs reversed.
[[nodiscard]] Topology reversed(const Topology& topology);

/// Hops along live links to the farthest node with a core. `from` must have a core.
[[nodiscard]] std::uint32_t live_eccentricity(const Topology& topology, NodeId from);

}  // namespace gossamer::bounds
