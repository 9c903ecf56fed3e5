// SPDX-License-Identifier: Apache-2.0
/// Each collective's algorithms, in a file of its own. Internal.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "gossamer/plan/message_clock.hpp"
#include "gossamer/planner/planner.hpp"

namespace gossamer {

[[nodiscard]] std::span<const Algorithm> gossip_algorithms();
[[nodiscard]] std::span<const Algorithm> broadcast_algorithms();
[[nodiscard]] std::span<const Algorithm> partial_algorithms();
[[nodiscard]] std::span<const Algorithm> product_algorithms();
[[nodiscard]] std::span<const Algorithm> reduction_algorithms();

/// An entry of a list for an algorithm that a paper describes and others beat, or that is there to
/// compare with: help names it apart from those to use.
[[nodiscard]] constexpr Algorithm historical(Algorithm algorithm) {
  algorithm.historical = true;
  return algorithm;
}

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
