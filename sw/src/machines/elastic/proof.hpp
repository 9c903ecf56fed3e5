// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gossamer/verify/verify.hpp"

namespace gossamer {

/// Rings: link contents add up, every link has room, cycles in closed form. Others: each node's
/// takes, followed back along the feeds, and a sweep over all flits.
[[nodiscard]] Verdict prove_elastic(const Plan& plan);

}  // namespace gossamer
