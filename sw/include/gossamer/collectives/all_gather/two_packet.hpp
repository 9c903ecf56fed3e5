// SPDX-License-Identifier: Apache-2.0
/// The paper's gossip with two packets per node on 2-D tori (Meyer & Sibeyn, section 3).
///
/// Both sides even: two Hamiltonian cycles by a rule on the column's parity. One side odd: the
/// same, but one column only passes packets sideways. Each of its nodes lies on one cycle, and its
/// neighbours above and below supply it with the packets of the other. Both odd: the paper's rule
/// gives no two cycles; `hamiltonian` is used instead.
#pragma once

#include "gossamer/plan/plan.hpp"

namespace gossamer {

struct TwoPacketOptions {
  /// One side odd: no switch and no fan-in, at the cost of C + 1 steps (C the odd side). The other
  /// cases are time-independent anyway.
  bool time_independent = false;
};

/// The `two-packet` all-gather plan. Parameter "construction" names the case: "even-even",
/// "one-odd", "hamiltonian" (both odd). Exact figures: bounds::two_packet_steps; buffers: 1, for
/// one odd side 2 (time-independent) or C + 1 (switched). Throws InfeasibleError unless the
/// topology is a 2-D torus.
[[nodiscard]] Plan plan_two_packet(const Topology& topology, const TwoPacketOptions& options);

}  // namespace gossamer
