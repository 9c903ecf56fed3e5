// SPDX-License-Identifier: Apache-2.0
/// The proof of a scheduled program, from its ROM alone.
#pragma once

#include "gossamer/verify/verify.hpp"

namespace gossamer {

/// What all routers of the torus do when they run `program`.
///
/// By symmetry one router is enough: a packet is named by the displacement of its origin, and what
/// arrives on in-port q is what this router itself sends by the opposite out-port, shifted by one
/// hop. So the ROM is walked through once with the buffer's content written as displacements. Every
/// packet has to come up as an arrival; one that comes up twice, a slot that is read empty, two
/// arrivals for one slot, and a slot overwritten before its last use (which shows as a packet that
/// is missing and another that is doubled) are found on the way. O(steps d).
///
/// The counts are those of the whole network, as an exhaustive simulation up to the completing step
/// (or up to step `limit`) finds them. Beside the counts, `problems` names each word of the ROM
/// that cannot be meant: reads of empty slots, stores of arrivals that never come.
///
/// A program of classes is walked through router by router, O(P d steps). Throws InputError for one
/// ROM where the routers are not all alike (Topology::routers_are_alike).
[[nodiscard]] Verdict prove_schedule(const Topology& topology, const ScheduleProgram& program,
                                     std::uint64_t limit = ~std::uint64_t{0});

/// The same for a total exchange: a node's own packet o - 1 has to arrive at the node at offset o,
/// once, and wherever else it arrives it passes.
[[nodiscard]] Verdict prove_exchange_schedule(const Topology& topology,
                                              const ScheduleProgram& program,
                                              std::uint64_t limit = ~std::uint64_t{0});

}  // namespace gossamer
