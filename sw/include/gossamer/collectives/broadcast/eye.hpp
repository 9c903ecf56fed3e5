// SPDX-License-Identifier: Apache-2.0
/// Eye-directed broadcast: minimum distance from an eye, table-free in hardware.
#pragma once

#include "gossamer/collectives/broadcast/broadcast.hpp"

namespace gossamer {

/// The `eye` plan (Cang & Wu, Algorithms 1, 2, 3 and the d-D extension; docs/spec/broadcast.md,
/// section 3).
///
/// All sides are powers of two. From an eye of a mesh, and from any source of a torus (by
/// translation), every holder sends straight by the parity rule (EyeRule) and no router needs a
/// table. From another source of a mesh, all sides must be equal; the source then sends to explicit
/// targets, all other nodes by the rule. Always log2 N steps, no contention; O(N) time and memory.
/// Throws InfeasibleError where this is impossible; the message names the nearest possible source
/// or algorithm.
[[nodiscard]] Plan plan_eye(const Topology& topology, const BroadcastOptions& options);

/// The eye nearest to `source` (ties: the lower coordinate); all sides powers of two.
[[nodiscard]] NodeId nearest_eye(const Topology& topology, NodeId source);

}  // namespace gossamer
