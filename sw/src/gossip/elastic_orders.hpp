// SPDX-License-Identifier: Apache-2.0
/// The orders in which elastic routers merge streams.
#pragma once

#include <cstdint>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// True: out-ports of the program have several feeds, or change them.
[[nodiscard]] bool merges(const StreamProgram& program);

/// What the routers of `program` do in `steps` steps, as what each link carries and, where that is
/// not the first arrivals of one feed, in which order: arrivals as the rigid run queues them, in a
/// step those of lower in-ports first. With room for one packet more than its queues ever hold, the
/// rigid run, one move at a time, is a run of the elastic network, and if one run of it ends all
/// do. The program has no frame and combines nothing. Throws InfeasibleError where there would be
/// too many of them. Source: docs/algorithms/elastic.md.
[[nodiscard]] StreamProgram with_orders(const Topology& topology, const StreamProgram& program,
                                        std::uint64_t steps);

}  // namespace gossamer
