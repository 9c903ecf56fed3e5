// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gossamer/verify/verify.hpp"

namespace gossamer {

/// Rings: what they carry adds up, room on every link, cycles in closed form. Others: what every
/// node takes, followed back along the feeds, and a sweep over all flits.
[[nodiscard]] Verdict prove_elastic(const Plan& plan);

}  // namespace gossamer
