// SPDX-License-Identifier: Apache-2.0
#include "gossamer/plan/block_pairs.hpp"

#include <fmt/format.h>

#include "gossamer/plan/topology_io.hpp"

namespace gossamer {

std::string pairs_defect(const Topology& topology) {
  if (topology.dimensions() != 2 || topology.side(0) != topology.side(1) || topology.side(0) < 2) {
    return fmt::format("{} nodes are no square of side 2 or more", topology.dims_text());
  }
  if (!topology.is_healthy()) return "the network has faults";
  if (!topology.is_torus() && !topology.is_mesh()) {
    return fmt::format("a {} wraps in one dimension only", topology_words(topology));
  }
  return {};
}

}  // namespace gossamer
