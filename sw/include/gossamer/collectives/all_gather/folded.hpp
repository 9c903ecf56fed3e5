// SPDX-License-Identifier: Apache-2.0
/// A torus plan embedded in a mesh of the same sides: dilation 2, two mesh steps per torus step.
///
/// Along each dimension, line position i holds ring node i/2 (i even) or p-1-(i-1)/2 (i odd), so
/// ring neighbours are one or two links apart. Each mesh link serves two torus links alternately.
/// Odd steps carry the first link of a two-link path and packets that end at the line's end; even
/// steps carry the second link and packets that leave the line's end. Source: Varvarigos &
/// Bertsekas, Fig. 1; docs/spec/partial-collectives.md, section 5.
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
