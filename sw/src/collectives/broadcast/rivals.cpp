// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/broadcast/rivals.hpp"

#include <algorithm>

#include "gossamer/bounds/broadcast.hpp"
#include "gossamer/machines/relay/clock.hpp"
#include "gossamer/topology/live_tree.hpp"

namespace gossamer {

namespace {

/// A step for each distance from the source, along a breadth-first tree of live links. Branches
/// without a core are omitted.
RelayProgram live_tree_program(const Topology& topology, NodeId source) {
  const LiveTree tree = live_tree(topology, source, TreeLinks::kOutward);
  std::vector<bool> leads(topology.nodes(), false);
  for (auto node = tree.order.rbegin(); node != tree.order.rend(); ++node) {
    leads[*node] = leads[*node] || topology.has_core(*node);
    if (*node != source && leads[*node]) {
      leads[topology.beyond(*node, tree.towards_root[*node])] = true;
    }
  }
  const std::vector<std::uint32_t> depth = tree.depths(topology);
  RelayProgram program(source);
  for (const NodeId node : tree.order) {
    if (node == source || !leads[node]) continue;
    while (program.steps() + 1 < depth[node]) program.end_step();
    const Port up = tree.towards_root[node];
    program.add_send(topology.beyond(node, up), RelayPath{{opposite(up), 1}});
  }
  program.end_step();
  return program;
}

RelayProgram ordered_tree_program(const Topology& topology, NodeId source) {
  const Coordinates origin = topology.coordinates(source);
  // A node's sends depend on its position: it continues along the last dimension in which it
  // differs from the source, and starts both directions along all later ones.
  struct Holder {
    NodeId node;
    Port came_by;  // direction of travel
    bool is_source;
  };
  const auto goes_on = [&](NodeId node, Port port) {
    const int dim = dimension_of(port);
    const std::uint32_t side = topology.side(dim);
    const std::uint32_t at = node / topology.stride(dim) % side;
    const std::uint32_t start = origin[static_cast<std::size_t>(dim)];
    if (!topology.wraps(dim)) return is_positive(port) ? at + 1 < side : at > 0;
    const std::uint32_t done =
        is_positive(port) ? (at + side - start) % side : (start + side - at) % side;
    return done < (is_positive(port) ? side / 2 : (side - 1) / 2);
  };
  RelayProgram program(source);
  std::vector<Holder> front{{source, 0, true}};
  while (true) {
    std::vector<Holder> next;
    for (const Holder& holder : front) {
      const auto send = [&](Port port) {
        if (!goes_on(holder.node, port)) return;
        program.add_send(holder.node, RelayPath{{port, 1}});
        next.push_back({topology.neighbor(holder.node, port), port, false});
      };
      if (!holder.is_source) send(holder.came_by);
      const int first = holder.is_source ? 0 : dimension_of(holder.came_by) + 1;
      for (int dim = first; dim < topology.dimensions(); ++dim) {
        send(make_port(dim, false));
        send(make_port(dim, true));
      }
    }
    if (next.empty()) break;
    program.end_step();
    front = std::move(next);
  }
  return program;
}

}  // namespace

Plan plan_tree(const Topology& topology, const BroadcastOptions& options) {
  RelayProgram program = topology.is_healthy() ? ordered_tree_program(topology, options.source)
                                               : live_tree_program(topology, options.source);
  program.clock = options.clock;
  program.clock.timing = MessageTiming::kSelf;
  program.ports = RelayPorts::kFanOut;
  const std::uint64_t links = program.sends().size();
  Plan plan = make_broadcast_plan(topology, "tree", std::move(program));
  const std::uint32_t eccentricity = bounds::eccentricity(topology, options.source);
  plan.expected.analytic_steps = eccentricity;
  plan.expected.lower_bound_steps = eccentricity;
  plan.expected.analytic_tcd =
      topology.faults().dead_cores.empty() ? topology.live_nodes() - 1 : links;
  plan.expected.analytic_cycles = bounds::tree_cycles(topology, options.source, options.clock);
  return plan;
}

Plan plan_xy_unicast(const Topology& topology, const BroadcastOptions& options) {
  RelayProgram program(options.source);
  program.clock = options.clock;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    if (node == options.source) continue;
    program.add_send(options.source, ascending_path(topology, options.source, node));
    program.end_step();
  }
  Plan plan = make_broadcast_plan(topology, "xy-unicast", std::move(program));
  plan.expected.analytic_steps = topology.nodes() - 1;
  plan.expected.analytic_tcd = bounds::unicast_tcd(topology, options.source);
  plan.expected.analytic_cycles = relay_cycles(topology, plan.program.as<RelayProgram>());
  return plan;
}

Plan plan_doubling(const Topology& topology, const BroadcastOptions& options) {
  const auto dimensions = static_cast<std::size_t>(topology.dimensions());
  // On a torus the intervals start at the source: then every send goes up by half an interval.
  const NodeId origin = topology.is_torus() ? options.source : 0;
  const Translation outward(topology, 0, origin);
  struct Holder {
    Coordinates at;
    Coordinates first;  // its interval in each dimension
    Coordinates length;
  };
  Holder start{topology.coordinates(topology.is_torus() ? 0 : options.source), {}, {}};
  std::copy(topology.sides().begin(), topology.sides().end(), start.length.begin());
  std::vector<int> levels;
  for (const std::uint32_t side : topology.sides()) levels.push_back(bounds::ceil_log2(side));

  RelayProgram program(options.source);
  program.clock = options.clock;
  std::vector<Holder> holders{start};
  for (int j = *std::max_element(levels.begin(), levels.end()); j >= 1; --j) {
    for (std::size_t i = 0; i < dimensions; ++i) {
      if (levels[i] < j) continue;
      const std::size_t before = holders.size();
      for (std::size_t h = 0; h < before; ++h) {
        if (holders[h].length[i] == 1) continue;
        Holder target = holders[h];
        Holder& holder = holders[h];
        const std::uint32_t low = holder.length[i] / 2;
        const std::uint32_t high = holder.length[i] - low;
        const std::uint32_t middle = holder.first[i] + low;
        const bool in_low = holder.at[i] < middle;
        const std::uint32_t place = in_low ? holder.at[i] - holder.first[i] : holder.at[i] - middle;
        target.at[i] = in_low ? middle + place : holder.first[i] + std::min(place, low - 1);
        (in_low ? target : holder).first[i] = middle;
        (in_low ? target : holder).length[i] = high;
        (in_low ? holder : target).length[i] = low;
        const std::uint32_t hops =
            std::max(holder.at[i], target.at[i]) - std::min(holder.at[i], target.at[i]);
        program.add_send(
            outward(topology.node(holder.at)),
            RelayPath{{make_port(static_cast<int>(i), in_low), static_cast<std::uint16_t>(hops)}});
        holders.push_back(target);
      }
      program.end_step();
    }
  }
  Plan plan = make_broadcast_plan(topology, "doubling", std::move(program));
  std::uint64_t steps = 0;
  for (const int level : levels) steps += static_cast<std::uint64_t>(level);
  plan.expected.analytic_steps = steps;
  if (bounds::levels_of(topology)) plan.expected.analytic_tcd = bounds::doubling_tcd(levels);
  plan.expected.analytic_cycles = relay_cycles(topology, plan.program.as<RelayProgram>());
  return plan;
}

}  // namespace gossamer
