// SPDX-License-Identifier: Apache-2.0
/// Chooses the algorithm of a request that names none.
#pragma once

#include <string>
#include <string_view>

#include "gossamer/planner/planner.hpp"

namespace gossamer {

/// The best plan that the collective's algorithms have for the shape and the options. Throws
/// InputError where the collective or the options are unknown, InfeasibleError when none supports
/// the request.
[[nodiscard]] PlanOrExperiment best_plan(const PlanRequest& request);

/// All algorithms are tried, where one has to, up to this many nodes; some of them search.
inline constexpr NodeId kMostTried = 256;

/// True for plans of the same demand, and for those of the same vector that one of them pads.
[[nodiscard]] bool serves_alike(const Plan& one, const Plan& other);

/// Plans by one algorithm.
[[nodiscard]] PlanOrExperiment plan_by(const Algorithm& algorithm, PlanRequest request);

/// "torus", "grid wrapping in x", "mesh with faults".
[[nodiscard]] std::string named_shape(const Topology& topology);

/// The alternative to `algorithm` (any, when empty) on a network that it does not support.
[[nodiscard]] std::string nearest_shape(std::string_view collective, std::string_view algorithm,
                                        const Topology& topology);
/// The same for a request; on links that are not equally fast the slowest pace, with its steps
/// where they are known.
[[nodiscard]] std::string nearest_feasible(const PlanRequest& request, std::string_view algorithm);

}  // namespace gossamer
