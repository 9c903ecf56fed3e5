// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gossamer/machines/ring/program.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {

/// The wiring rank by rank, then one router's registers as intervals of contributing ranks.
[[nodiscard]] Verdict prove_ring(const Plan& plan, const RingProgram& program);

}  // namespace gossamer
