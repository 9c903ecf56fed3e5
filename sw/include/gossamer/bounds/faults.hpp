// SPDX-License-Identifier: Apache-2.0
/// What no all-gather and no all-to-all can beat on a network with faults, and which part of it
/// says so.
///
/// Every set S of live nodes gets k (P' - |S|) packets over the arcs that enter it. Source:
/// docs/spec/faults.md, section 2.
#pragma once

#include <cstdint>
#include <string>

#include "gossamer/topology/topology.hpp"

namespace gossamer::bounds {

struct GossipBound {
  std::uint64_t steps = 0;
  /// What gives it: "node 3,4 has 3 live links", "link 3,0:y+ is a bridge ...", "distance".
  std::string set;
};

/// The largest of: a node with a core and few live links that enter it; the sides of a bridge; the
/// longest distance (beyond 4096 live nodes that of the first one only). The live network must be
/// connected (topology/faults.hpp, require_connected).
[[nodiscard]] GossipBound degraded_gossip_bound(const Topology& topology,
                                                std::uint64_t packets_per_node);

/// What no all-to-all with `packets` packets for every ordered pair of live cores can beat: the
/// largest of the longest distance, the sum of all distances over the live links (both up to 4096
/// live nodes), what leaves or enters a node over its links, and what crosses a bridge, or the
/// boundary of the nodes whose coordinates in one dimension lie in an interval, or of any set that
/// cut_steps() finds, over the links there. The live network must be connected.
[[nodiscard]] std::uint64_t degraded_exchange_bound(const Topology& topology,
                                                    std::uint64_t packets);

/// The same network with all arcs turned round.
[[nodiscard]] Topology reversed(const Topology& topology);

/// Steps along live links to the farthest node with a core. `from` has one itself.
[[nodiscard]] std::uint32_t live_eccentricity(const Topology& topology, NodeId from);

}  // namespace gossamer::bounds
