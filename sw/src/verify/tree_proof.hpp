// SPDX-License-Identifier: Apache-2.0
/// The argument for packed trees. Internal.
#pragma once

#include "gossamer/verify/verify.hpp"

namespace gossamer {

/// Each stream's parents lead every node to one root, each sends before its parent and at most a
/// frame earlier, totals come down likewise, and no link has two sends in one step of a frame:
/// then every sum has what it should and nothing else, and steps and hops follow. O(P streams). The
/// plan must hold a PackedTrees.
[[nodiscard]] Verdict prove_packed_trees(const Plan& plan);

}  // namespace gossamer
