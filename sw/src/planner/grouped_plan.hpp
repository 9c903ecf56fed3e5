// SPDX-License-Identifier: Apache-2.0
/// From a request with --groups to a plan.
#pragma once

#include "gossamer/planner/planner.hpp"

namespace gossamer {

/// The request has one of the options of groups.
[[nodiscard]] bool asks_for_groups(const PlanRequest& request);

/// Plans one group's network like any other, and applies the plan to all groups. Throws InputError
/// for invalid shapes and strides, InfeasibleError for groups that are impossible or have no plan.
[[nodiscard]] Plan plan_groups(const PlanRequest& request);

}  // namespace gossamer
