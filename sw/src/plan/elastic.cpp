// SPDX-License-Identifier: Apache-2.0
#include "gossamer/plan/elastic.hpp"

namespace gossamer {

std::vector<std::uint32_t> LinkLatency::by_link(const Topology& topology) const {
  if (!table.empty()) return table;
  std::vector<std::uint32_t> latencies;
  latencies.reserve(topology.link_slots());
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (const Port port : all_ports(topology.ports())) {
      const auto dim = static_cast<std::size_t>(dimension_of(port));
      const std::uint32_t border = is_positive(port) ? topology.side(dimension_of(port)) - 1 : 0;
      if (walk.neighbor(port) == kNoNode) {
        latencies.push_back(0);
      } else if (dimension.empty()) {
        latencies.push_back(uniform);
      } else {
        latencies.push_back((walk.coordinates()[dim] == border ? wrap : dimension)[dim]);
      }
    }
  }
  return latencies;
}

}  // namespace gossamer
