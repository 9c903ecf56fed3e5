// SPDX-License-Identifier: Apache-2.0
/// What eye-directed broadcast is measured against: fan-out in the routers, unicasts, plain
/// doubling.
#pragma once

#include "gossamer/collectives/broadcast/broadcast.hpp"

namespace gossamer {

/// The `tree` plan: routers that copy a passing message. Every node is reached on the
/// dimension-ordered shortest path (dimension 0 first; a torus tie goes up), these paths form a
/// tree, and every router copies what comes in to its children. N - 1 link traversals, every link
/// at most once, as many steps as the source's eccentricity; the program is a fan-out one, its
/// timing always self-timed, and relay cycles do not occur. Not comparable with the one-port plans:
/// it shows what the one-port model costs. With faults the tree is a breadth-first one of live
/// links, one-way ones included. Any topology, any source.
[[nodiscard]] Plan plan_tree(const Topology& topology, const BroadcastOptions& options);

/// The `xy-unicast` plan: the source sends to all others itself, one a step in id order, dimension
/// 0 first. N - 1 steps. Any topology, any source; fit for small ones.
[[nodiscard]] Plan plan_xy_unicast(const Topology& topology, const BroadcastOptions& options);

/// The `doubling` plan: recursive doubling without eyes. Level by level from the largest half,
/// every holder sends straight to the node that lies in the other half of its interval where it
/// lies in its own (at the end of the other half when that is the shorter one). An interval of n is
/// cut into floor(n/2) and ceil(n/2). Any topology, any source (on a torus as from its node 0); sum
/// of ceil(log2 n_i) steps.
[[nodiscard]] Plan plan_doubling(const Topology& topology, const BroadcastOptions& options);

}  // namespace gossamer
