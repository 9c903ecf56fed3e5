// SPDX-License-Identifier: Apache-2.0
/// What eye-directed broadcast is measured against: fan-out in the routers, unicasts, plain
/// doubling.
#pragma once

#include <vector>

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

/// What a router of a fan-out program is told, for the whole run: everything that comes in by the
/// one in-port leaves by all of `out`, and goes to the node itself.
struct FanOutEntry {
  /// The in-port that the message comes by; kOwn at the source.
  Port in = 0;
  PortSet out;

  static constexpr Port kOwn = 0xff;
  bool operator==(const FanOutEntry&) const = default;
};
/// The time-independent table of a fan-out program whose sends are single hops, by node id. Throws
/// std::invalid_argument for other programs.
[[nodiscard]] std::vector<FanOutEntry> fan_out_table(const Topology& topology,
                                                     const RelayProgram& program);

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
