// SPDX-License-Identifier: Apache-2.0
/// A torus plan laid on a mesh of the same sides: dilation 2, two mesh steps a torus step.
///
/// Along each dimension, line position i holds ring node i/2 (i even) or p-1-(i-1)/2 (i odd), so
/// that ring neighbours are one or two links apart. Each mesh link then serves two torus links, in
/// turn: the first link of a two-link way and what ends at the line's end in the odd step, the
/// second link and what leaves the line's end in the even one. Source: Varvarigos & Bertsekas,
/// Fig. 1; docs/spec/partial-collectives.md, section 5.
#pragma once

#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// The `folded` plan of a torus plan, streams in a frame of 2. Completes in at most twice
/// the torus plan's steps; in exactly that many for `hamiltonian` with all sides >= 3. Queues: at
/// most one packet more than on the torus.
/// Requires a plan on a torus whose program is a StreamProgram.
/// Throws InfeasibleError when the torus has more than 4 dimensions (PortSet's width) or the plan
/// has fan-in or a switch, where the two steps would change the order of arrival.
[[nodiscard]] Plan plan_folded(const Plan& torus_plan);

}  // namespace gossamer
