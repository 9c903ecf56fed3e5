// SPDX-License-Identifier: Apache-2.0
/// Baselines of eye-directed broadcast: fan-out in the routers, unicasts, plain doubling.
#pragma once

#include "gossamer/collectives/broadcast/broadcast.hpp"

namespace gossamer {

/// The `tree` plan: routers copy a passing message. The dimension-ordered shortest paths to all
/// nodes (dimension 0 first; ties on a torus go in positive direction) form a tree, and every
/// router copies arriving flits to its children. It takes N - 1 link traversals, every link at most
/// once, and as many steps as the source's eccentricity. The program is a fan-out program; its
/// timing is always self-timed, and relay cycles do not occur. It is not comparable with the
/// one-port plans: it shows what the one-port model costs. With faults it is a breadth-first tree
/// of live links, including one-way links. Any topology, any source.
[[nodiscard]] Plan plan_tree(const Topology& topology, const BroadcastOptions& options);

/// The `xy-unicast` plan: the source itself sends to all other nodes, one per step in id order,
/// dimension 0 first. N - 1 steps. Any topology, any source; practical for small networks.
[[nodiscard]] Plan plan_xy_unicast(const Topology& topology, const BroadcastOptions& options);

/// The `doubling` plan: recursive doubling without eyes. Level by level from the largest half,
/// every holder sends straight to the node at its own relative position in the other half of its
/// interval (or at the end of the other half if that is shorter). An interval of n is cut into
/// floor(n/2) and ceil(n/2). Any topology, any source (on a torus, as from its node 0); sum of
/// ceil(log2 n_i) steps.
[[nodiscard]] Plan plan_doubling(const Topology& topology, const BroadcastOptions& options);

}  // namespace gossamer
