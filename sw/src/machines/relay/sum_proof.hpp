// SPDX-License-Identifier: Apache-2.0
/// The argument for relayed reductions. Internal.
#pragma once

#include "gossamer/verify/verify.hpp"

namespace gossamer {

/// Follows every send in order of steps, with the set of contributors of each node's sum. Sums that
/// meet must be disjoint, and required sums must hold every node once at the end. Sets are boxes of
/// coordinates where possible, otherwise bits (up to 2^14 nodes). All sends of a step start
/// together; two that use one link must do so at different cycles. The plan must hold a
/// RelayProgram that combines.
[[nodiscard]] Verdict prove_relayed_sums(const Plan& plan);

}  // namespace gossamer
