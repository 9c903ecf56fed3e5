// SPDX-License-Identifier: Apache-2.0
#include "gossamer/bounds/reductions.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "gossamer/bounds/faults.hpp"
#include "gossamer/bounds/groups.hpp"
#include "gossamer/bounds/partial.hpp"
#include "gossamer/util/checked.hpp"

namespace gossamer::bounds {

namespace {

/// Links that leave a corner; on a torus every node is one.
std::uint64_t corner_links(const Topology& topology) {
  return static_cast<std::uint64_t>(topology.degree(0));
}

/// The farthest sum arrives at a node no sooner than its distance, and its links deliver one sum
/// per step. `inward`: the topology reversed.
std::uint64_t arrival_bound(const Topology& topology, const Topology& inward, NodeId node,
                            std::uint64_t words) {
  const auto links = static_cast<std::uint64_t>(std::max(1, topology.degree(node)));
  const std::uint64_t farthest = live_eccentricity(inward, node);
  return farthest + ceil_div(words, links) - std::min<std::uint64_t>(farthest, 1);
}

std::uint64_t degraded_arrival_bound(const Topology& topology, std::uint64_t words) {
  // Beyond this number of nodes only the first node is examined.
  constexpr std::uint32_t kMostLookedAt = 4096;
  const Topology inward = reversed(topology);
  std::uint64_t bound = 0;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    if (!topology.has_core(node)) continue;
    bound = std::max(bound, arrival_bound(topology, inward, node, words));
    if (topology.live_nodes() > kMostLookedAt) break;
  }
  return bound;
}

}  // namespace

std::uint64_t reduce_scatter_lower_bound(const Topology& topology, std::uint64_t k) {
  // Run backwards it is an all-gather.
  if (!topology.is_healthy()) return gossip_lower_bound(reversed(topology), k);
  const std::uint64_t others = topology.nodes() - std::uint64_t{1};
  return std::max(
      ceil_div(checked_product("words that leave a node", k, others), corner_links(topology)),
      topology.diameter());
}

std::uint64_t all_reduce_lower_bound(const Topology& topology, std::uint64_t words) {
  const std::uint64_t others = topology.cores() - std::uint64_t{1};
  const std::uint64_t by_hops = ceil_div(
      checked_product("hops of all words", std::uint64_t{2}, words, others), topology.links());
  if (!topology.is_healthy()) return std::max(by_hops, degraded_arrival_bound(topology, words));
  const std::uint64_t at_a_corner =
      topology.diameter() - 1 + ceil_div(words, corner_links(topology));
  return std::max(by_hops, at_a_corner);
}

std::uint64_t reduce_lower_bound(const Topology& topology, NodeId root, std::uint64_t words) {
  if (!topology.is_healthy()) return arrival_bound(topology, reversed(topology), root, words);
  // The farthest node is a corner.
  std::uint64_t farthest = 0;
  const Coordinates at = topology.coordinates(root);
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    const std::uint32_t x = at[static_cast<std::size_t>(dim)];
    const std::uint32_t side = topology.side(dim);
    farthest += topology.wraps(dim) ? side / 2 : std::max(x, side - 1 - x);
  }
  return ceil_div(words, corner_links(topology)) - 1 + farthest;
}

std::uint64_t broadcast_lower_bound(const Topology& topology, NodeId root, std::uint64_t packets) {
  std::uint64_t bound = reduce_lower_bound(topology, root, packets);
  const Coordinates at = topology.coordinates(root);
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    const std::uint32_t side = topology.side(dim);
    if (topology.wraps(dim) || side == 1) continue;
    const std::uint32_t x = at[static_cast<std::size_t>(dim)];
    const std::uint64_t along = std::max(x, side - 1 - x);
    bound = std::max(bound, along - 1 + ceil_div(packets, topology.nodes() / side));
  }
  return bound;
}

std::uint64_t all_to_all_lower_bound(const Topology& topology, std::uint64_t packets) {
  if (!topology.is_healthy()) return degraded_exchange_bound(topology, packets);
  std::uint64_t bound = topology.diameter();
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    const std::uint64_t n = topology.side(dim);
    const std::uint64_t lines = topology.nodes() / n;
    const std::uint64_t crossing =
        checked_product("packets that cross the middle", packets, lines, n / 2, n - n / 2);
    bound = std::max(bound, topology.wraps(dim) ? ceil_div(crossing, 2) : crossing);
  }
  return bound;
}

std::uint64_t lower_bound(const Topology& topology, const Demand& demand) {
  if (demand.groups) return group_lower_bound(topology, demand);
  if (demand == Demand::all_gather(demand.pieces)) {
    return gossip_lower_bound(topology, demand.pieces);
  }
  if (demand == Demand::broadcast(demand.root, demand.pieces)) {
    return broadcast_lower_bound(topology, demand.root, demand.pieces);
  }
  if (demand.from == Origin::kEveryNode && demand.to == Destination::kEachNode) {
    return all_to_all_lower_bound(topology, demand.pieces);
  }
  if (demand.combines() && demand.from == Origin::kEveryNode) {
    if (demand.to == Destination::kOwner) {
      return reduce_scatter_lower_bound(topology, demand.pieces / topology.nodes());
    }
    if (demand.to == Destination::kRoot) {
      return reduce_lower_bound(topology, demand.root, demand.pieces);
    }
    return all_reduce_lower_bound(topology, demand.pieces);
  }
  if (demand.is_personal()) {
    std::vector<NodeId> active;
    for (const DemandSource& source : demand.sources) active.push_back(source.node);
    return exchange_lower_bound(topology, active);
  }
  throw std::logic_error("no lower bound is known for this demand");
}

std::uint64_t lower_bound(const Plan& plan) {
  Demand asked = plan.demand;
  if (const auto words = plan.parameters.find("words");
      asked.combines() && words != plan.parameters.end()) {
    if (const auto* number = std::get_if<std::int64_t>(&words->second)) {
      asked.pieces =
          std::min(asked.pieces, static_cast<std::uint64_t>(std::max<std::int64_t>(*number, 1)));
    }
  }
  return lower_bound(plan.topology, asked);
}

std::uint64_t packed_steps(const std::vector<std::uint64_t>& first, std::uint64_t frame,
                           std::uint64_t words) {
  const auto done_by = [&](std::uint64_t step) {
    std::uint64_t count = 0;
    for (const std::uint64_t begin : first) {
      if (step >= begin) count += (step - begin) / frame + 1;
    }
    return count;
  };
  // One stream alone is never faster.
  std::uint64_t high = *std::min_element(first.begin(), first.end()) + (words - 1) * frame;
  std::uint64_t low = 0;
  while (low < high) {
    const std::uint64_t middle = (low + high) / 2;
    if (done_by(middle) >= words) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return high;
}

std::uint64_t lines_most_words(const Topology& mesh) {
  const auto& sides = mesh.sides();
  return sides.size() * (*std::min_element(sides.begin(), sides.end()) - std::uint64_t{1});
}

std::uint64_t lines_steps(const Topology& mesh, std::uint64_t words) {
  const bool side_by_side = words <= lines_most_words(mesh);
  return mesh.diameter() - 1 + (side_by_side ? ceil_div(words, mesh.sides().size()) : words);
}

std::vector<std::uint64_t> three_trees_first(const Topology& topology) {
  // The page's first side is the even one, if one is.
  std::uint64_t n = topology.side(0);
  std::uint64_t m = topology.side(1);
  if (n % 2 != 0 && m % 2 == 0) std::swap(n, m);
  std::vector<std::uint64_t> late;
  if (n % 2 == 0 && m % 2 == 0) {
    late = n == 4 && m == 4 ? std::vector<std::uint64_t>{3, 3, 4}
                            : std::vector<std::uint64_t>{2, 2, 2};
  } else if (n % 2 == 0 && m == 3) {
    late = n == 4 ? std::vector<std::uint64_t>{4, 1, 5} : std::vector<std::uint64_t>{3, 2, 3};
  } else if (n % 2 == 0) {
    late = n == 4 && m == 5 ? std::vector<std::uint64_t>{2, 2, 3}
                            : std::vector<std::uint64_t>{1, 1, 1};
  } else if (n == 3 || m == 3) {
    const std::uint64_t other = std::max(n, m);
    late = other == 3   ? std::vector<std::uint64_t>{4, 4, 1}
           : other == 5 ? std::vector<std::uint64_t>{3, 4, 2}
                        : std::vector<std::uint64_t>{0, 4, 2};
    if (n > m) std::swap(late[0], late[1]);
  } else if (n == 5 || m == 5) {
    late = n == m ? std::vector<std::uint64_t>{2, 2, 0} : std::vector<std::uint64_t>{1, 2, 0};
    if (n > m) std::swap(late[0], late[1]);
  } else {
    late = {0, 0, 1};
  }
  for (std::uint64_t& steps : late) steps += n + m - 2;
  return late;
}

std::uint64_t isotropic_steps(const Topology& torus) {
  std::uint64_t steps = torus.diameter();
  for (int dim = 0; dim < torus.dimensions(); ++dim) {
    const std::uint64_t n = torus.side(dim);
    const std::uint64_t lines = torus.nodes() / n;
    const std::uint64_t hops = n % 2 != 0 ? lines * ((n * n - 1) / 8)
                                          : lines * n * (n - 2) / 8 + ceil_div(lines, 2) * (n / 2);
    steps = std::max(steps, hops);
  }
  return steps;
}

}  // namespace gossamer::bounds
