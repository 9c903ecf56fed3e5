// SPDX-License-Identifier: Apache-2.0
/// Each collective's algorithms, in a file of its own. Internal.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "gossamer/planner/planner.hpp"
#include "gossamer/plan/message_clock.hpp"

namespace gossamer {

[[nodiscard]] std::span<const Algorithm> gossip_algorithms();
[[nodiscard]] std::span<const Algorithm> broadcast_algorithms();
[[nodiscard]] std::span<const Algorithm> partial_algorithms();
[[nodiscard]] std::span<const Algorithm> reduction_algorithms();

// Options that several collectives have.

/// --packets, if given. Throws InputError.
[[nodiscard]] std::optional<std::uint32_t> packets_option(const PlanRequest& request);
[[nodiscard]] std::uint32_t packets_or_one(const PlanRequest& request);
/// --seed, 1 unless given. Throws InputError.
[[nodiscard]] std::uint64_t seed_option(const PlanRequest& request);
/// --source as a node; the origin unless given. Throws InputError.
[[nodiscard]] NodeId root_option(const PlanRequest& request);
/// --flits, --hop-cycles and --relay-cycles. Throws InputError.
[[nodiscard]] MessageClock clock_options(const PlanRequest& request);

}  // namespace gossamer
