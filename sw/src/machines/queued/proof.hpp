// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gossamer/verify/verify.hpp"

namespace gossamer {

/// Judges a queued program phase by phase (phase_proof.cpp). Counters are empty where a phase
/// fails.
[[nodiscard]] Verdict prove_queued(const Plan& plan, const Progress& progress);

}  // namespace gossamer
