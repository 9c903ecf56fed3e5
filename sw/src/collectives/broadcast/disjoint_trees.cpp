// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/broadcast/disjoint_trees.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "gossamer/bounds/broadcast.hpp"
#include "gossamer/bounds/reductions.hpp"
#include "gossamer/collectives/broadcast/broadcast.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"
#include "gossamer/util/words.hpp"

namespace gossamer {

namespace {

/// By tree and node: the port that leads one link nearer to the root, which is the input port of
/// packets from there.
using Ways = std::vector<std::vector<Port>>;

/// The closed form. Dimensions with two links between two nodes come last (`doubled`), each by a
/// step from a network to two copies of it. All others are rings of at least three nodes, or lines.
class ClosedForm {
 public:
  ClosedForm(const Topology& topology, NodeId root)
      : topology_(topology), root_(root), at_root_(topology.coordinates(root)) {
    for (int dim = 0; dim < topology.dimensions(); ++dim) {
      const bool two = topology.wraps(dim) && topology.side(dim) == 2;
      (two ? doubled_ : base_).push_back(dim);
    }
    // From one tree no step leads on: two copies of a line have no more trees than a mesh.
    const bool line = base_.size() == 1 && !topology.wraps(base_.front());
    if (line && !doubled_.empty()) {
      base_.push_back(doubled_.front());
      doubled_.erase(doubled_.begin());
    }
  }

  [[nodiscard]] Ways ways() {
    Ways ways;
    for (const int dim : base_) {
      ways.emplace_back(topology_.nodes());
      if (is_ring(dim)) ways.emplace_back(topology_.nodes());
    }
    members_ = {root_};
    grown_ = base_;
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      if (node == root_ || !in_base(node)) continue;
      members_.push_back(node);
      std::size_t tree = 0;
      for (std::size_t k = 0; k < base_.size(); ++k) {
        for (const bool positive : {false, true}) {
          if (positive && !is_ring(base_[k])) continue;
          ways[tree++][node] = base_way(node, k, positive);
        }
      }
    }
    for (const int dim : doubled_) {
      extend(ways, dim);
      grown_.push_back(dim);
    }
    return ways;
  }

 private:
  [[nodiscard]] bool is_ring(int dim) const {
    return topology_.wraps(dim) && topology_.side(dim) > 2;
  }
  [[nodiscard]] bool in_base(NodeId node) const {
    const Coordinates at = topology_.coordinates(node);
    return std::all_of(doubled_.begin(), doubled_.end(), [&](int dim) {
      return at[static_cast<std::size_t>(dim)] == at_root_[static_cast<std::size_t>(dim)];
    });
  }

  /// On which side of the root a coordinate lies: -1, 0, 1.
  [[nodiscard]] int side_of(std::uint32_t x, int dim) const {
    const std::uint32_t origin = at_root_[static_cast<std::size_t>(dim)];
    if (x == origin) return 0;
    if (!is_ring(dim)) return x < origin ? -1 : 1;
    const std::uint32_t side = topology_.side(dim);
    return (x + side - origin) % side <= side / 2 ? 1 : -1;
  }

  /// Tree (k, positive): where the node agrees with the root in dimension k it goes outward along
  /// k; on the tree's side of k inward along the next dimension, cyclically, in which it differs;
  /// on the other side round the ring. All trees of a node leave by different ports.
  [[nodiscard]] Port base_way(NodeId node, std::size_t k, bool positive) const {
    const Coordinates at = topology_.coordinates(node);
    const auto side_in = [&](std::size_t i) {
      return side_of(at[static_cast<std::size_t>(base_[i])], base_[i]);
    };
    const int dim = base_[k];
    const int side = side_in(k);
    if (is_ring(dim)) {
      if (side == 0) return make_port(dim, positive);
      if ((side > 0) != positive) return make_port(dim, side > 0);
    } else if (side == 0) {
      return make_port(dim, at[static_cast<std::size_t>(dim)] + 1 < topology_.side(dim));
    }
    std::size_t next = k;
    do {
      next = (next + 1) % base_.size();
    } while (side_in(next) == 0);
    return make_port(base_[next], side_in(next) < 0);
  }

  /// Two copies of the network so far, the root in one, with two links both ways between the copies
  /// of a node. Two trees more: up to the other copy, there along trees 0 and 1, and down at the
  /// root's copy. Trees 0 and 1 go down at once instead; the others go on in their copy until the
  /// node before the root, where they go down in their place.
  void extend(Ways& ways, int dim) {
    const Port first = make_port(dim, false);
    const Port second = make_port(dim, true);
    const std::size_t trees = ways.size();
    for (int i = 0; i < 2; ++i) ways.emplace_back(topology_.nodes());
    const std::size_t count = members_.size();
    for (std::size_t m = 0; m < count; ++m) {
      const NodeId node = members_[m];
      const NodeId copy = topology_.neighbor(node, second);
      members_.push_back(copy);
      if (node == root_) {
        ways[trees][copy] = first;
        ways[trees + 1][copy] = second;
        for (std::size_t tree = 0; tree < trees; ++tree) ways[tree][copy] = from_root(ways, tree);
        continue;
      }
      ways[trees][node] = first;
      ways[trees + 1][node] = second;
      if (trees == 0) continue;
      ways[trees][copy] = ways[0][node];
      ways[trees + 1][copy] = ways[1][node];
      ways[0][copy] = first;
      ways[1][copy] = second;
      std::size_t below = 0;
      for (std::size_t tree = 2; tree < trees; ++tree) {
        ways[tree][copy] = ways[tree][node];
        if (topology_.neighbor(node, ways[tree][node]) != root_) continue;
        std::swap(ways[tree][copy], ways[below++][copy]);
      }
    }
  }

  /// An out-port of the root by which the tree begins.
  [[nodiscard]] Port from_root(const Ways& ways, std::size_t tree) const {
    for (const int dim : grown_) {
      for (const bool positive : {false, true}) {
        const Port port = make_port(dim, positive);
        const NodeId child = topology_.neighbor(root_, port);
        if (child != kNoNode && ways[tree][child] == opposite(port)) return port;
      }
    }
    throw std::logic_error("a tree begins nowhere");
  }

  const Topology& topology_;
  NodeId root_;
  Coordinates at_root_;
  std::vector<int> base_;
  std::vector<int> doubled_;
  /// Dimensions and nodes of the network so far.
  std::vector<int> grown_;
  std::vector<NodeId> members_;
};

/// Links from the root to every node of each tree.
using Depths = std::vector<std::vector<std::uint32_t>>;

Depths depths_of(const Topology& topology, NodeId root, const Ways& ways) {
  constexpr std::uint32_t kUnknown = ~std::uint32_t{0};
  Depths depths;
  std::vector<NodeId> path;
  for (const std::vector<Port>& way : ways) {
    std::vector<std::uint32_t>& depth = depths.emplace_back(topology.nodes(), kUnknown);
    depth[root] = 0;
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      NodeId at = node;
      for (; depth[at] == kUnknown; at = topology.neighbor(at, way[at])) path.push_back(at);
      for (std::uint32_t below = depth[at]; !path.empty(); path.pop_back()) {
        depth[path.back()] = ++below;
      }
    }
  }
  return depths;
}

/// Makes trees shallower: at a node two trees exchange their incoming links. Exchanges that do not
/// change the sum of the excess depths are sometimes accepted, since they enable others.
/// Deterministic.
class Shortening {
 public:
  Shortening(const Topology& topology, NodeId root, Ways& ways, std::uint64_t seed)
      : topology_(topology),
        root_(root),
        ways_(ways),
        depths_(depths_of(topology, root, ways)),
        // No tree can be shallower than the farthest node's distance; smaller depths do not matter.
        free_depth_(bounds::eccentricity(topology, root) - std::int64_t{1}),
        random_(seed) {
    for (const std::vector<Port>& way : ways) {
      auto& children = children_.emplace_back(topology.nodes());
      for (NodeId node = 0; node < topology.nodes(); ++node) {
        if (node != root) children[topology.neighbor(node, way[node])].push_back(node);
      }
    }
  }

  void run() {
    // Improvements end long before; networks of thousands of nodes need some hundred rounds.
    constexpr int kRounds = 600;
    constexpr int kIdleRounds = 60;
    int idle = 0;
    for (int round = 0; round < kRounds && idle < kIdleRounds; ++round) {
      bool improved = false;
      for (NodeId node = 0; node < topology_.nodes(); ++node) {
        if (node == root_) continue;
        for (std::size_t a = 0; a + 1 < ways_.size(); ++a) {
          for (std::size_t b = a + 1; b < ways_.size(); ++b) improved |= exchange(node, a, b);
        }
      }
      idle = improved ? 0 : idle + 1;
    }
  }

 private:
  /// True when it made things better.
  bool exchange(NodeId node, std::size_t a, std::size_t b) {
    const NodeId from_a = topology_.neighbor(node, ways_[a][node]);
    const NodeId from_b = topology_.neighbor(node, ways_[b][node]);
    const auto change = [&](std::size_t tree, NodeId parent) {
      return std::int64_t{depths_[tree][parent]} + 1 - std::int64_t{depths_[tree][node]};
    };
    const std::int64_t change_a = change(a, from_b);
    const std::int64_t change_b = change(b, from_a);
    const bool neither_shorter = change_a >= 0 && change_b >= 0;
    if (neither_shorter && (change_a > 0 || change_b > 0)) return false;
    if (is_below(a, from_b, node) || is_below(b, from_a, node)) return false;
    const std::int64_t cost =
        collect(a, node, change_a, below_a_) + collect(b, node, change_b, below_b_);
    constexpr std::uint64_t kSeldom = 8;
    if (cost > 0 || (cost == 0 && random_.below(kSeldom) != 0)) return false;
    move(a, node, from_a, from_b, change_a, below_a_);
    move(b, node, from_b, from_a, change_b, below_b_);
    std::swap(ways_[a][node], ways_[b][node]);
    return cost < 0;
  }

  [[nodiscard]] bool is_below(std::size_t tree, NodeId at, NodeId node) const {
    for (; at != root_; at = topology_.neighbor(at, ways_[tree][at])) {
      if (at == node) return true;
    }
    return false;
  }

  /// The node and all nodes below it, and the cost of moving them deeper by `change`.
  std::int64_t collect(std::size_t tree, NodeId node, std::int64_t change,
                       std::vector<NodeId>& below) const {
    const auto cost_of = [this](std::int64_t depth) {
      const std::int64_t excess = std::max<std::int64_t>(0, depth - free_depth_ + 1);
      return excess * excess * excess * excess;
    };
    below = {node};
    std::int64_t cost = 0;
    for (std::size_t i = 0; i < below.size(); ++i) {
      const std::int64_t depth = depths_[tree][below[i]];
      cost += cost_of(depth + change) - cost_of(depth);
      const std::vector<NodeId>& children = children_[tree][below[i]];
      below.insert(below.end(), children.begin(), children.end());
    }
    return cost;
  }

  void move(std::size_t tree, NodeId node, NodeId from, NodeId to, std::int64_t change,
            const std::vector<NodeId>& below) {
    std::vector<NodeId>& old = children_[tree][from];
    old.erase(std::find(old.begin(), old.end(), node));
    children_[tree][to].push_back(node);
    for (const NodeId moved : below) {
      depths_[tree][moved] = static_cast<std::uint32_t>(depths_[tree][moved] + change);
    }
  }

  const Topology& topology_;
  NodeId root_;
  Ways& ways_;
  Depths depths_;
  std::int64_t free_depth_;
  std::vector<std::vector<std::vector<NodeId>>> children_;
  std::vector<NodeId> below_a_;
  std::vector<NodeId> below_b_;
  SplitMix64 random_;
};

/// Trees times nodes up to which trees are made shallower, and up to which that is tried more than
/// once: seconds.
constexpr std::uint64_t kMostShortened = std::uint64_t{1} << 15U;
constexpr std::uint64_t kMostRepeated = std::uint64_t{1} << 11U;
constexpr std::uint64_t kSeeds = 8;

std::vector<std::uint32_t> deepest(const Topology& topology, NodeId root, const Ways& ways) {
  std::vector<std::uint32_t> all;
  for (const std::vector<std::uint32_t>& depth : depths_of(topology, root, ways)) {
    all.push_back(*std::max_element(depth.begin(), depth.end()));
  }
  return all;
}

}  // namespace

DisjointTrees::DisjointTrees(const Topology& topology, NodeId root)
    : ways_(ClosedForm(topology, root).ways()) {
  depths_ = deepest(topology, root, ways_);
  const std::uint64_t size = ways_.size() * topology.nodes();
  if (topology.is_mesh() || size > kMostShortened) return;
  const auto sorted = [](std::vector<std::uint32_t> depths) {
    std::sort(depths.begin(), depths.end());
    return depths;
  };
  const auto sum = [](const std::vector<std::uint32_t>& depths) {
    return std::accumulate(depths.begin(), depths.end(), std::uint64_t{0});
  };
  const Ways closed_form = ways_;
  const std::vector<std::uint32_t> most = sorted(depths_);
  for (std::uint64_t seed = 1; seed <= (size > kMostRepeated ? 1 : kSeeds); ++seed) {
    Ways ways = closed_form;
    Shortening(topology, root, ways, seed).run();
    std::vector<std::uint32_t> depths = deepest(topology, root, ways);
    // No number of packets may end later than by the closed form.
    const std::vector<std::uint32_t> ascending = sorted(depths);
    const bool later =
        !std::equal(ascending.begin(), ascending.end(), most.begin(),
                    [](std::uint32_t depth, std::uint32_t bound) { return depth <= bound; });
    if (later || sum(depths) >= sum(depths_)) continue;
    depths_ = std::move(depths);
    ways_ = std::move(ways);
  }
}

Plan plan_disjoint_trees(const Topology& topology, const DisjointTreesOptions& options) {
  const std::uint32_t asked = options.packets.value_or(1);
  if (asked < 1 || asked > kMaxPacketsPerNode) {
    throw InputError(
        fmt::format("--packets: 1 to {} packets are supported, not {}", kMaxPacketsPerNode, asked));
  }
  const NodeId root = options.source;
  const DisjointTrees trees(topology, root);
  const std::uint32_t packets = options.packets.value_or(static_cast<std::uint32_t>(trees.size()));
  if (options.one_per_tree && packets > trees.size()) {
    throw InfeasibleError(
        fmt::format("elastic: {0} packets on {1}, which carry one packet each; nearest feasible: "
                    "--packets {2}, and longer packets (--flits)",
                    packets, counted(trees.size(), "tree"), trees.size()));
  }
  // The next packet goes to the tree where it arrives first.
  std::vector<StreamPort> sends(trees.size());
  std::vector<std::uint64_t> arrives(trees.depths().begin(), trees.depths().end());
  std::uint64_t steps = 0;
  for (std::uint32_t packet = 0; packet < packets; ++packet) {
    const auto first = std::min_element(arrives.begin(), arrives.end());
    steps = *first;
    *first = options.one_per_tree ? ~std::uint64_t{0} : *first + 1;
    sends[static_cast<std::size_t>(first - arrives.begin())].preload.push_back(
        static_cast<std::uint16_t>(packet));
  }

  StreamProgram program(topology.nodes(), topology.ports(), packets);
  ExpectedFigures expected;
  for (std::size_t tree = 0; tree < trees.size(); ++tree) {
    if (sends[tree].preload.empty()) continue;
    expected.queue_depth =
        std::max(expected.queue_depth, static_cast<std::uint32_t>(sends[tree].preload.size()));
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      if (node == root) continue;
      const Port in_port = trees.in_port(tree, node);
      const NodeId parent = topology.neighbor(node, in_port);
      StreamPort passes;
      if (parent != root) passes.feed = PortSet::of(trees.in_port(tree, parent));
      program.set(parent, opposite(in_port), parent == root ? sends[tree] : passes);
    }
  }
  expected.analytic_steps = steps;
  expected.analytic_cycles = steps;
  expected.lower_bound_steps = bounds::broadcast_lower_bound(topology, root, packets);
  expected.bound_steps = bounds::disjoint_trees_steps(topology, root, packets);
  return {topology,
          "broadcast",
          "disjoint-trees",
          {{"source", node_text(topology, root)}, {"packets", std::int64_t{packets}}},
          Demand::broadcast(root, packets),
          std::move(program),
          expected};
}

}  // namespace gossamer
