// SPDX-License-Identifier: Apache-2.0
#include "gossamer/bounds/reductions.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "gossamer/bounds/faults.hpp"
#include "gossamer/bounds/groups.hpp"
#include "gossamer/bounds/partial.hpp"
#include "gossamer/bounds/unequal.hpp"
#include "gossamer/util/checked.hpp"

namespace gossamer::bounds {

namespace {

/// Links that leave a corner; on a torus every node is one.
std::uint64_t corner_links(const Topology& topology) {
  return static_cast<std::uint64_t>(topology.degree(0));
}

/// Words that can be complete at a corner at the end of step D, the diameter. They need data from
/// all nodes at distance D, which arrive in this step. Along a ring of odd length these come in
/// over both links, half of them over each, so such a ring completes one word; another link
/// completes one each.
std::uint64_t first_completions(const Topology& topology) {
  std::uint64_t words = corner_links(topology);
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    if (topology.wraps(dim) && topology.side(dim) % 2 != 0 && topology.side(dim) > 1) --words;
  }
  return words;
}

/// By distance, the most nodes that are no farther than that from some node: from the middle.
std::vector<std::uint64_t> largest_balls(const Topology& topology) {
  std::vector<std::uint64_t> at{1};
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    const std::uint32_t side = topology.side(dim);
    std::vector<std::uint64_t> next(at.size() + side / 2, 0);
    for (std::uint32_t x = 0; x < side; ++x) {
      const std::uint32_t along = x <= side / 2 ? side / 2 - x : x - side / 2;
      for (std::size_t i = 0; i < at.size(); ++i) next[i + along] += at[i];
    }
    at = std::move(next);
  }
  for (std::size_t i = 1; i < at.size(); ++i) at[i] += at[i - 1];
  return at;
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

/// Of a vector, those that the plan was asked for: without its padding.
std::uint64_t words_asked(const Plan& plan) {
  const auto words = plan.parameters.find("words");
  if (!plan.demand.combines() || words == plan.parameters.end()) return plan.demand.pieces;
  const auto* number = std::get_if<std::int64_t>(&words->second);
  if (number == nullptr) return plan.demand.pieces;
  std::uint64_t flits = 1;
  // The pieces of the demand are packets of words.
  if (const auto packet = plan.parameters.find("flits");
      packet != plan.parameters.end() && plan.parameters.contains("adder-cycles")) {
    const auto* words_of_one = std::get_if<std::int64_t>(&packet->second);
    if (words_of_one != nullptr && *words_of_one > 1) {
      flits = static_cast<std::uint64_t>(*words_of_one);
    }
  }
  return std::min(plan.demand.pieces,
                  ceil_div(static_cast<std::uint64_t>(std::max<std::int64_t>(*number, 1)), flits));
}

}  // namespace

std::uint64_t reduce_scatter_lower_bound(const Topology& topology, std::uint64_t k) {
  // Run backwards it is an all-gather.
  if (!topology.has_equal_links()) return unequal_gather_bound(topology, k);
  if (!topology.is_healthy()) return gossip_lower_bound(reversed(topology), k);
  const std::uint64_t others = topology.nodes() - std::uint64_t{1};
  return std::max(
      ceil_div(checked_product("words that leave a node", k, others), corner_links(topology)),
      topology.diameter());
}

std::uint64_t all_reduce_lower_bound(const Topology& topology, std::uint64_t words) {
  if (!topology.has_equal_links()) return unequal_all_reduce_bound(topology, words);
  const std::uint64_t others = topology.cores() - std::uint64_t{1};
  const std::uint64_t by_hops = ceil_div(
      checked_product("hops of all words", std::uint64_t{2}, words, others), topology.links());
  if (!topology.is_healthy()) return std::max(by_hops, degraded_arrival_bound(topology, words));
  const std::uint64_t first = first_completions(topology);
  const std::uint64_t later = words > first ? words - first : 0;
  return std::max(by_hops, topology.diameter() + ceil_div(later, corner_links(topology)));
}

std::uint64_t owners_lower_bound(const Topology& topology, std::uint64_t words) {
  if (!topology.has_equal_links()) return unequal_diameter(topology);
  const std::vector<std::uint64_t> balls = largest_balls(topology);
  const std::uint64_t others = topology.nodes() - std::uint64_t{1};
  const std::uint64_t wanted = checked_product("words that reach all nodes", words, others);
  const std::uint64_t links = topology.links();
  std::uint64_t arrived = 0;
  std::uint64_t steps = 0;
  while (arrived < wanted) {
    ++steps;
    if (steps + 1 >= balls.size()) {
      // From here on only links matter.
      return std::max<std::uint64_t>(balls.size() - 1,
                                     steps - 1 + ceil_div(wanted - arrived, links));
    }
    arrived = std::min(arrived + links, words * (balls[steps] - 1));
  }
  return steps;
}

std::vector<std::uint64_t> earlier_lower_bounds(const Plan& plan) {
  const Topology& topology = plan.topology;
  const Demand& demand = plan.demand;
  if (!demand.combines() || demand.from != Origin::kEveryNode || demand.groups ||
      !topology.is_healthy()) {
    return {};
  }
  std::vector<std::uint64_t> bounds;
  for (const std::uint64_t words : {words_asked(plan), demand.pieces}) {
    if (demand.to == Destination::kOwner) {
      bounds.push_back(reduce_scatter_lower_bound(topology, words / topology.nodes()));
    }
    if (demand.to == Destination::kEveryNode) {
      const std::uint64_t others = topology.nodes() - std::uint64_t{1};
      bounds.push_back(
          std::max(ceil_div(checked_product("hops of all words", std::uint64_t{2}, words, others),
                            topology.links()),
                   topology.diameter() - 1 + ceil_div(words, corner_links(topology))));
    }
  }
  return bounds;
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
      const std::uint64_t blocks =
          reduce_scatter_lower_bound(topology, demand.pieces / topology.nodes());
      // Words without a full block for each node have fewer owners.
      const bool even = demand.pieces % topology.nodes() == 0;
      if (even || !topology.is_healthy()) return blocks;
      return std::max(blocks, owners_lower_bound(topology, demand.pieces));
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
  asked.pieces = words_asked(plan);
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

std::uint64_t lines_most_words(const Topology& mesh, std::uint32_t adder_cycles) {
  const auto& sides = mesh.sides();
  const std::uint64_t n = *std::min_element(sides.begin(), sides.end());
  return sides.size() * (n - 1 + adder_cycles * ceil_div(n, 2));
}

std::uint64_t lines_steps(const Topology& mesh, std::uint64_t words, std::uint32_t adder_cycles) {
  const bool side_by_side = words <= lines_most_words(mesh, adder_cycles);
  std::uint64_t additions = 0;
  for (const std::uint32_t n : mesh.sides()) additions += ceil_div(n, 2);
  return mesh.diameter() - 1 + (side_by_side ? ceil_div(words, mesh.sides().size()) : words) +
         adder_cycles * additions;
}

std::uint64_t tree_steps(const Topology& topology, std::uint64_t words,
                         std::uint32_t adder_cycles) {
  std::uint64_t height = 0;
  std::uint64_t middles = 0;
  for (const std::uint32_t n : topology.sides()) {
    height += n / 2;
    if (n >= 3) ++middles;
  }
  return words - 1 + 2 * height + adder_cycles * (height + middles);
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
