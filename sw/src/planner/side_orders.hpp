// SPDX-License-Identifier: Apache-2.0
/// Plans found with the dimensions in another order. Internal.
///
/// Searches and some constructions treat dimensions one after the other, so that a 3x8 network gets
/// another plan than an 8x3 network. Where that may cost steps, all orders are tried and the best
/// plan is laid back on the network that was asked for.
#pragma once

#include <functional>

#include "gossamer/planner/planner.hpp"

namespace gossamer {

/// The plan with the fewest steps over all orders of the request's sides; the asked order wins of
/// equals. `plan` makes the plan of a request in its own order. Throws what `plan` throws for the
/// asked order when no order has a plan.
[[nodiscard]] PlanOrExperiment best_of_side_orders(
    const PlanRequest& request, const std::function<PlanOrExperiment(const PlanRequest&)>& plan);

}  // namespace gossamer
