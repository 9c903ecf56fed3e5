// SPDX-License-Identifier: Apache-2.0
#include "gossamer/bounds/faults.hpp"

#include "gossamer/util/checked.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "gossamer/bounds/cuts.hpp"
#include "gossamer/bounds/gossip.hpp"
#include "gossamer/topology/live_tree.hpp"

namespace gossamer::bounds {

namespace {

/// Up to this number of nodes every eccentricity is computed.
constexpr std::uint32_t kMostForDistances = 4096;

/// The links whose loss parts the network, each with the cores on the side of its receiver.
struct Bridge {
  LinkId arc;
  std::uint32_t cores;
};

std::vector<Bridge> bridges(const Topology& topology) {
  constexpr std::uint32_t kUnseen = ~std::uint32_t{0};
  // Depth first along links of either direction: a tree link is a bridge when no link below it
  // reaches above it.
  struct Place {
    NodeId node;
    Port came_by;  // in-port of the tree link
    int next;
  };
  std::vector<std::uint32_t> number(topology.nodes(), kUnseen);
  std::vector<std::uint32_t> lowest(topology.nodes(), 0);
  std::vector<std::uint32_t> cores(topology.nodes(), 0);
  std::vector<Bridge> found;
  std::uint32_t count = 0;
  std::vector<Place> path;
  for (NodeId start = 0; start < topology.nodes(); ++start) {
    if (!topology.is_live(start) || number[start] != kUnseen) continue;
    path.push_back({start, static_cast<Port>(topology.ports()), 0});
    while (!path.empty()) {
      Place& place = path.back();
      const NodeId node = place.node;
      if (number[node] == kUnseen) {
        number[node] = lowest[node] = count++;
        cores[node] = topology.has_core(node) ? 1 : 0;
      }
      if (place.next < topology.ports()) {
        const auto port = static_cast<Port>(place.next++);
        if (port == place.came_by) continue;
        const NodeId to = topology.neighbor(node, port) != kNoNode ? topology.neighbor(node, port)
                                                                   : topology.sender(node, port);
        if (to == kNoNode) continue;
        if (number[to] == kUnseen) {
          path.push_back({to, opposite(port), 0});
        } else {
          lowest[node] = std::min(lowest[node], number[to]);
        }
        continue;
      }
      const Port came_by = place.came_by;
      path.pop_back();
      if (path.empty()) continue;
      const NodeId parent = path.back().node;
      lowest[parent] = std::min(lowest[parent], lowest[node]);
      cores[parent] += cores[node];
      if (lowest[node] > number[parent]) {
        found.push_back({topology.link(parent, opposite(came_by)), cores[node]});
      }
    }
  }
  return found;
}

}  // namespace

std::uint32_t live_eccentricity(const Topology& topology, NodeId from) {
  const LiveTree tree = live_tree(topology, from, TreeLinks::kOutward);
  const auto last = std::find_if(tree.order.rbegin(), tree.order.rend(),
                                 [&](NodeId node) { return topology.has_core(node); });
  return tree.depths(topology)[*last];
}

GossipBound degraded_gossip_bound(const Topology& topology, std::uint64_t packets_per_node) {
  const std::uint64_t cores = topology.cores();
  GossipBound bound;
  const auto consider = [&bound](std::uint64_t steps, auto text) {
    if (steps > bound.steps) bound = {steps, text()};
  };
  NodeId poorest = kNoNode;
  int fewest = topology.ports() + 1;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    if (!topology.has_core(node)) continue;
    const int degree = topology.degree(node);
    if (degree < fewest) {
      fewest = degree;
      poorest = node;
    }
  }
  if (fewest == 0) fewest = 1;
  consider(ceil_div(checked_product("packets for a node", packets_per_node, cores - 1),
                    static_cast<std::uint64_t>(fewest)),
           [&] {
             return fmt::format("node {}, which {} live link{}", node_text(topology, poorest),
                                fewest, fewest == 1 ? " enters" : "s enter");
           });
  for (const Bridge& bridge : bridges(topology)) {
    const std::uint64_t side = bridge.cores;
    // Without a core on one side, no packet crosses the bridge.
    if (side == 0 || side == cores) continue;
    consider(
        checked_product("packets that cross a cut", packets_per_node, std::max(side, cores - side)),
        [&] {
          return fmt::format("link {}, a bridge between {} and {} nodes",
                             arc_text(topology, bridge.arc), cores - side, side);
        });
  }
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    // A router without a core has no packets.
    if (!topology.has_core(node)) continue;
    consider(live_eccentricity(topology, node),
             [&] { return fmt::format("the distance from node {}", node_text(topology, node)); });
    if (topology.live_nodes() > kMostForDistances) break;
  }
  return bound;
}

Topology reversed(const Topology& topology) {
  Faults faults = topology.faults();
  for (LinkId& arc : faults.dead_arcs) arc = reverse_arc(topology, arc);
  return topology.with_faults(std::move(faults));
}

namespace {

/// Steps in which `packets` packets cross `arcs` arcs; 0 without packets.
std::uint64_t crossing_steps(std::uint64_t packets, std::uint64_t arcs) {
  return arcs == 0 ? 0 : ceil_div(packets, arcs);
}

/// Steps of an all-to-all with one packet per pair to leave and to enter the nodes whose
/// coordinates in `dim` lie in an interval; the maximum over all intervals.
std::uint64_t interval_steps(const Topology& topology, int dim, std::uint64_t packets) {
  const std::uint32_t side = topology.side(dim);
  // By coordinate: live arcs to the next one, and from it; cores below it.
  std::vector<std::uint64_t> up(side, 0);
  std::vector<std::uint64_t> down(side, 0);
  std::vector<std::uint64_t> cores_below(side + std::size_t{1}, 0);
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    const std::uint32_t at = walk.coordinates()[static_cast<std::size_t>(dim)];
    if (walk.neighbor(make_port(dim, true)) != kNoNode) ++up[at];
    if (walk.neighbor(make_port(dim, false)) != kNoNode) ++down[(at + side - 1) % side];
    if (topology.has_core(walk.node())) ++cores_below[at + 1];
  }
  for (std::uint32_t at = 0; at < side; ++at) cores_below[at + 1] += cores_below[at];
  std::uint64_t steps = 0;
  for (std::uint32_t first = 0; first < side; ++first) {
    for (std::uint32_t end = first + 1; end < side + (first == 0 ? 0 : 1); ++end) {
      const std::uint32_t before = (first + side - 1) % side;
      const std::uint64_t inside = cores_below[end] - cores_below[first];
      const std::uint64_t pairs =
          checked_product("packets that cross a cut", packets, inside, topology.cores() - inside);
      steps = std::max({steps, crossing_steps(pairs, up[end - 1] + down[before]),
                        crossing_steps(pairs, down[end - 1] + up[before])});
    }
  }
  return steps;
}

}  // namespace

std::uint64_t degraded_exchange_bound(const Topology& topology, std::uint64_t packets) {
  const std::uint64_t cores = topology.cores();
  std::uint64_t bound = 0;
  std::uint64_t hops = 0;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    if (!topology.has_core(node)) continue;
    std::uint64_t out = 0;
    for (const Port port : all_ports(topology.ports())) {
      out += topology.neighbor(node, port) != kNoNode ? 1U : 0U;
    }
    const auto in = static_cast<std::uint64_t>(topology.degree(node));
    bound =
        std::max(bound, crossing_steps(checked_product("packets for a node", packets, cores - 1),
                                       std::min(in, out)));
    if (topology.live_nodes() > kMostForDistances) continue;
    const LiveTree tree = live_tree(topology, node, TreeLinks::kOutward);
    const std::vector<std::uint32_t> depths = tree.depths(topology);
    for (const NodeId to : tree.order) {
      if (!topology.has_core(to)) continue;
      hops += depths[to];
      bound = std::max<std::uint64_t>(bound, depths[to]);
    }
  }
  bound = std::max(bound, crossing_steps(checked_product("hops of all packets", packets, hops),
                                         topology.links()));
  for (const Bridge& bridge : bridges(topology)) {
    bound = std::max(
        bound, checked_product("packets that cross a bridge", packets, std::uint64_t{bridge.cores},
                               std::uint64_t{cores - bridge.cores}));
  }
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    bound = std::max(bound, interval_steps(topology, dim, packets));
  }
  return std::max(bound, cut_steps(topology, packets));
}

}  // namespace gossamer::bounds
