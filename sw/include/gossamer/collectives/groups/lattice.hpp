// SPDX-License-Identifier: Apache-2.0
/// Lattice programs: one program of all nodes for groups whose members form rings along all axes.
///
/// The members of a group are a coset of a lattice, and a translation of the network maps groups to
/// groups. So every node can do the same in each step, as in collectives/all_gather/scheduled.hpp.
/// A port of a dimension of stride s takes s steps to bring a packet one member further. Ports of
/// short strides need not wait for those of long ones, as they do in frames (compose/groups.hpp).
#pragma once

#include <optional>

#include "gossamer/machines/timetable/program.hpp"

namespace gossamer {

/// Members of a group times packets per member, and members for an all-to-all, up to which a
/// program is searched for.
inline constexpr std::uint64_t kMostLatticePackets = 4096;
inline constexpr std::uint64_t kMostLatticeExchange = 256;

/// The program of a demand with groups: all-gather, reduce-scatter, all-reduce with an equal number
/// of words per member that are numbered by node, and all-to-all of one packet per pair.
///
/// - All-gather: list scheduling. In every step each idle port starts a hop for a packet and a
///   member that has not been served, chosen by a maximum matching; seeded tries for the fewest
///   steps. The least number of steps T of such a program is the least one with
///   2 sum over B of floor(T / s_i) >= k (G_B - 1) for every set B of axes (docs/groups.md).
/// - Reduce-scatter: the all-gather in reverse. All-reduce: both, one after the other.
/// - All-to-all: the open shop of collectives/all_to_all/isotropic.hpp, in the fewest steps.
///
/// Empty where some axis is not closed, for other demands, beyond the limits, or if nothing is
/// found. Deterministic.
[[nodiscard]] std::optional<TimetableProgram> lattice_program(const Topology& topology,
                                                              const Demand& demand);

}  // namespace gossamer
