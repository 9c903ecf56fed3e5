// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gossamer/verify/verify.hpp"

namespace gossamer {

/// Judges a queued program phase by phase (phase_proof.cpp). Counters are empty where a phase does
/// not do what it has to.
[[nodiscard]] Verdict prove_queued(const Plan& plan, const Progress& progress);

/// Judges a dynamic broadcast: for every number M of active nodes the interval must be as long as
/// the partial broadcast of M packets (closed forms), and the broadcasts of 1, N/2 and N packets
/// are proved phase by phase. Stability is no promise of the plan's.
[[nodiscard]] Verdict prove_intervals(const Plan& plan, const Progress& progress);

}  // namespace gossamer
