// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gossamer/verify/verify.hpp"

namespace gossamer {

/// Judges a queued program by replaying its rules: the phases and the demand are all it takes from
/// the plan.
[[nodiscard]] Verdict prove_queued(const Plan& plan, const Progress& progress);

}  // namespace gossamer
