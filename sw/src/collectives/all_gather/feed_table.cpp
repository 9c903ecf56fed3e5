// SPDX-License-Identifier: Apache-2.0
#include "feed_table.hpp"

#include <numeric>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/machines/stream/program.hpp"

namespace gossamer {

FeedTable::FeedTable(const Topology& topology, std::uint32_t packets_per_node)
    : program_(topology.nodes(), topology.ports(), packets_per_node) {
  StreamPort entry;
  entry.preload.resize(packets_per_node);
  for (const Port port : all_ports(topology.ports())) {
    entry.feed = PortSet::of(port);
    std::iota(entry.preload.begin(), entry.preload.end(), std::uint16_t{0});
    codes_.push_back(program_.intern(entry));
    std::iota(entry.preload.rbegin(), entry.preload.rend(), std::uint16_t{0});
    codes_.push_back(program_.intern(entry));
  }
}

Plan feed_plan(const Topology& topology, std::string algorithm, FeedTable table,
               std::uint32_t packets_per_node, std::uint64_t steps) {
  Plan plan{topology,     "gossip", std::move(algorithm), {}, Demand::all_gather(packets_per_node),
            table.take(), {}};
  plan.parameters["packets"] = std::int64_t{packets_per_node};
  plan.expected.analytic_steps = steps;
  plan.expected.analytic_cycles = steps;
  plan.expected.lower_bound_steps = bounds::gossip_lower_bound(topology, packets_per_node);
  plan.expected.queue_depth = packets_per_node;
  return plan;
}

}  // namespace gossamer
