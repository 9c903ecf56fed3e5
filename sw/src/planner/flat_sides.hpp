// SPDX-License-Identifier: Apache-2.0
/// Sides of 1: planned without, and put back. Internal.
#pragma once

#include "gossamer/planner/planner.hpp"

namespace gossamer {

/// True when some side is 1: a dimension without links.
[[nodiscard]] bool has_flat_sides(const Topology& topology);

/// The same network without its sides of 1: same nodes, fewer ports, faults likewise.
[[nodiscard]] Topology without_flat_sides(const Topology& topology);

/// The request for that network; a `source` loses its coordinates there.
[[nodiscard]] PlanRequest without_flat_sides(const PlanRequest& request);

/// A plan of it on `topology`, whose further ports stay idle. Streams and schedules only: relays
/// are planned with sides of 1, and queued programs need equal ones.
[[nodiscard]] Plan with_flat_sides(const Plan& plan, const Topology& topology);

}  // namespace gossamer
