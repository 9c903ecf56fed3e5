// SPDX-License-Identifier: Apache-2.0
/// The proof of a shift, from its word alone.
#pragma once

#include "gossamer/verify/verify.hpp"

namespace gossamer {

/// What all routers of a torus do when they run `program`: all packets are always displaced by the
/// same, so they reach every node when the displacements after each step are all there are.
/// O(steps).
[[nodiscard]] Verdict prove_shift(const Topology& topology, const ShiftProgram& program);

}  // namespace gossamer
