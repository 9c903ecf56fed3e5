// SPDX-License-Identifier: Apache-2.0
/// The ways in which a stream program is judged, strongest assumption first. Internal.
#pragma once

#include <optional>

#include "gossamer/machines/stream/program.hpp"
#include "gossamer/verify/verify.hpp"
#include "translation_lattice.hpp"

namespace gossamer {

/// All of them judge the first `limit` steps: complete means by then, and the counters of an
/// incomplete plan are those of `limit` steps, like those of a run.

/// Empty when the program does not consist of link cycles, trails and paths through all live nodes
/// on which every link has packets, or when it does not complete.
[[nodiscard]] std::optional<Verdict> prove_on_hamiltonian_cycles(const Plan& plan,
                                                                 std::uint64_t limit);

/// Empty when the program is not one spanning tree on which every packet floods, or when it does
/// not complete.
[[nodiscard]] std::optional<Verdict> prove_on_spanning_tree(const Plan& plan, std::uint64_t limit);

/// Empty when windows cannot judge the program (streams that merge permanently or before a switch,
/// gaps that meet a backlog, many link cycles).
[[nodiscard]] std::optional<Verdict> prove_by_windows(const Plan& plan, std::uint64_t limit,
                                                      const Progress& progress);

/// For plain programs without a frame only.
[[nodiscard]] Verdict prove_by_feed_walk(const Topology& topology, const StreamProgram& program,
                                         std::uint64_t limit, const Progress& progress);

/// For the packets of one root: one feed an out-port, or packets of the root's own.
[[nodiscard]] Verdict prove_trees(const Plan& plan, const StreamProgram& program,
                                  std::uint64_t limit);

/// For every program. Throws InputError when the routers' packets would take more than 16 GiB.
[[nodiscard]] Verdict prove_by_classes(const Plan& plan, const TranslationLattice& lattice,
                                       std::uint64_t limit, const Progress& progress);

/// The strongest of these that holds.
[[nodiscard]] Verdict prove_stream(const Plan& plan, const Progress& progress);

}  // namespace gossamer
