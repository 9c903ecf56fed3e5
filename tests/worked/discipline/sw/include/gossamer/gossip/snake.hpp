// SPDX-License-Identifier: Apache-2.0
/// The all-gather of shifting routers: all packets go over the torus together, row by row.
#pragma once

#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// The `snake` gossip plan, one packet a node: P - 1 steps with one register a router, 2d times the
/// lower bound. Throws InfeasibleError on meshes.
[[nodiscard]] Plan plan_snake(const Topology& topology);

}  // namespace gossamer
