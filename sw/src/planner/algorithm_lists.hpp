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

}  // namespace gossamer
