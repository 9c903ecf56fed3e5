// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gossamer/verify/verify.hpp"

namespace gossamer {

/// Every send followed in order of steps; of sums with the set of contributors.
[[nodiscard]] Verdict prove_relay(const Plan& plan);

}  // namespace gossamer
