// SPDX-License-Identifier: Apache-2.0
/// Plans found with the dimensions in another order. Internal.
///
/// Searches and some constructions treat dimensions one after the other, so a 3x8 network gets a
/// different plan than an 8x3 network. Where this may cost steps, all orders are tried, and the
/// best plan is mapped back to the requested network.
#pragma once

#include <functional>

#include "gossamer/planner/planner.hpp"

namespace gossamer {

/// The plan with the fewest steps over all orders of the request's sides; among equals the
/// requested order wins. `plan` makes the plan of a request in its own order. When no order has a
/// plan, throws the exception of the requested order.
[[nodiscard]] PlanOrExperiment best_of_side_orders(
    const PlanRequest& request, const std::function<PlanOrExperiment(const PlanRequest&)>& plan);

}  // namespace gossamer
