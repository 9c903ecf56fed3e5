// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "gossamer/plan/groups.hpp"
#include "gossamer/planner/planner.hpp"

namespace gossamer {

/// The groups of the request's options `groups` and `group-stride`; empty without them. Throws
/// InputError for invalid shapes and strides, InfeasibleError for groups that are impossible on the
/// request's network.
[[nodiscard]] std::optional<Groups> requested_groups(const PlanRequest& request);

/// Adds these options to the request, for groups with a value.
void request_groups(PlanRequest& request, const std::optional<Groups>& groups);

}  // namespace gossamer
