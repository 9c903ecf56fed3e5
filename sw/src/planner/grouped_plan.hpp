// SPDX-License-Identifier: Apache-2.0
/// From a request with --groups to a plan.
#pragma once

#include "gossamer/planner/planner.hpp"

namespace gossamer {

/// The request has one of the options of groups.
[[nodiscard]] bool asks_for_groups(const PlanRequest& request);

/// Plans one group's network as any other, and lays the plan on all groups. Throws InputError for
/// what is no shape or stride, InfeasibleError for groups that there cannot be, or that have no
/// plan.
[[nodiscard]] Plan plan_groups(const PlanRequest& request);

}  // namespace gossamer
