// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "gossamer/machines/ring/program.hpp"
#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// Additions of two words by all routers in a whole run, the results at the nodes included.
[[nodiscard]] std::uint64_t ring_additions(const Topology& topology, const RingProgram& program);

}  // namespace gossamer
