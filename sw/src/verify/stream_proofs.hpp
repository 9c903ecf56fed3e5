// SPDX-License-Identifier: Apache-2.0
/// The ways in which a stream program is judged, strongest assumption first. Internal.
#pragma once

#include <optional>

#include "gossamer/verify/verify.hpp"

namespace gossamer {

/// Nothing when the program is not made of Hamiltonian link cycles with even preload lists.
[[nodiscard]] std::optional<Verdict> prove_on_hamiltonian_cycles(const Topology& topology,
                                                                 const StreamProgram& program);

/// Nothing when windows cannot judge the program (fan-in, switches, uneven lists, many link
/// cycles), or when it never completes.
[[nodiscard]] std::optional<Verdict> prove_by_windows(const Topology& topology,
                                                      const StreamProgram& program,
                                                      const Progress& progress);

/// For plain programs only.
[[nodiscard]] Verdict prove_by_feed_walk(const Topology& topology, const StreamProgram& program,
                                         const Progress& progress);

/// For programs that combine.
[[nodiscard]] Verdict prove_combination(const Plan& plan, const StreamProgram& program);

/// For every program.
[[nodiscard]] Verdict prove_by_replay(const Plan& plan, const Progress& progress);

}  // namespace gossamer
