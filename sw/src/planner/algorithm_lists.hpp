// SPDX-License-Identifier: Apache-2.0
/// Each collective's algorithms, in a file of its own. Internal.
#pragma once

#include <span>

#include "gossamer/planner/planner.hpp"

namespace gossamer {

[[nodiscard]] std::span<const Algorithm> gossip_algorithms();
[[nodiscard]] std::span<const Algorithm> broadcast_algorithms();
[[nodiscard]] std::span<const Algorithm> partial_algorithms();
[[nodiscard]] std::span<const Algorithm> reduction_algorithms();

// Options that several collectives of relays have.

/// --source as a node; the origin unless given. Throws InputError.
[[nodiscard]] NodeId root_option(const PlanRequest& request);
/// --flits, --hop-cycles and --relay-cycles. Throws InputError.
[[nodiscard]] RelayClock clock_options(const PlanRequest& request);

}  // namespace gossamer
