// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/reduce/packing.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <queue>
#include <stdexcept>
#include <utility>
#include <vector>

#include "gossamer/topology/live_tree.hpp"
#include "gossamer/util/random.hpp"

namespace gossamer {

namespace {

constexpr std::uint32_t kUnset = ~std::uint32_t{0};
/// Nodes of trees that each beginning is tried with, in another order every time.
constexpr std::size_t kTrialWork = 8192;
/// The same on links that are not equally fast: nodes times the square of trees, as the time of a
/// trial grows.
constexpr std::size_t kUnequalTrialWork = 163'840;
/// Times that the roots of trees on links that are not equally fast move to the middle.
constexpr int kMostCentrings = 4;

/// A link, counted once: from `low` by a + port to `high`.
struct MeshEdge {
  NodeId low = 0;
  NodeId high = 0;
  Port port = 0;
  /// Steps that it takes, in each direction.
  std::uint32_t period = 1;
};

/// The network as a graph, and how often each edge is used by trees.
struct PackedGraph {
  std::vector<MeshEdge> edges;
  /// By node: the edges at it.
  std::vector<std::vector<std::uint32_t>> at;
  std::vector<NodeId> live;

  explicit PackedGraph(const Topology& topology) : at(topology.nodes()) {
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      if (topology.is_live(node)) live.push_back(node);
      for (int dim = 0; dim < topology.dimensions(); ++dim) {
        const Port port = make_port(dim, true);
        const NodeId other = topology.neighbor(node, port);
        if (other == kNoNode || topology.sender(node, port) == kNoNode) continue;
        at[node].push_back(static_cast<std::uint32_t>(edges.size()));
        at[other].push_back(static_cast<std::uint32_t>(edges.size()));
        edges.push_back({node, other, port, topology.period(node, port)});
      }
    }
  }
  [[nodiscard]] NodeId nodes() const { return static_cast<NodeId>(at.size()); }
  /// Trees of a frame that can have the edge.
  [[nodiscard]] std::uint32_t room(std::uint32_t edge, std::uint32_t frame) const {
    return frame / edges[edge].period;
  }
  [[nodiscard]] NodeId other(std::uint32_t edge, NodeId node) const {
    return edges[edge].low == node ? edges[edge].high : edges[edge].low;
  }
  [[nodiscard]] Port port(std::uint32_t edge, NodeId from) const {
    return edges[edge].low == from ? edges[edge].port : opposite(edges[edge].port);
  }
};

/// Forests that together use each edge as often as a frame has room, grown to spanning trees.
class Forests {
 public:
  Forests(const PackedGraph& graph, std::uint32_t frame, std::size_t trees)
      : graph_(graph),
        frame_(frame),
        edges_(trees),
        holds_(trees, std::vector<bool>(graph.edges.size(), false)),
        used_(graph.edges.size(), 0) {}

  /// Takes an edge into a tree where there is room and no circuit.
  void offer(std::size_t tree, std::uint32_t edge) {
    if (used_[edge] == graph_.room(edge, frame_) || holds_[tree][edge]) return;
    if (path(tree, graph_.edges[edge].low, graph_.edges[edge].high)) return;
    insert(tree, edge);
    ++used_[edge];
  }

  /// Grows all to spanning trees; false where the network has no room for them.
  [[nodiscard]] bool complete() {
    std::size_t missing = 0;
    for (const auto& tree : edges_) missing += graph_.live.size() - 1 - tree.size();
    for (; missing != 0; --missing) {
      if (!augment()) return false;
    }
    return true;
  }

  [[nodiscard]] const std::vector<std::vector<std::uint32_t>>& edges() const { return edges_; }

 private:
  /// An edge in search of a tree: new, or put out of one.
  struct Displaced {
    std::uint32_t edge;
    /// Where it was; kUnset: nowhere.
    std::uint32_t tree;
    /// The edge that displaced it; kUnset: none.
    std::uint32_t by;
  };

  void insert(std::size_t tree, std::uint32_t edge) {
    edges_[tree].push_back(edge);
    holds_[tree][edge] = true;
  }
  void remove(std::size_t tree, std::uint32_t edge) {
    std::erase(edges_[tree], edge);
    holds_[tree][edge] = false;
  }

  /// The edges of a tree between two nodes; empty when it does not connect them.
  std::optional<std::vector<std::uint32_t>> path(std::size_t tree, NodeId from, NodeId to) {
    // By node: the edge by which it was reached.
    reached_.assign(graph_.nodes(), kUnset);
    queue_.assign(1, from);
    for (std::size_t i = 0; i < queue_.size() && reached_[to] == kUnset; ++i) {
      for (const std::uint32_t edge : graph_.at[queue_[i]]) {
        if (!holds_[tree][edge]) continue;
        const NodeId next = graph_.other(edge, queue_[i]);
        if (next == from || reached_[next] != kUnset) continue;
        reached_[next] = edge;
        queue_.push_back(next);
      }
    }
    if (reached_[to] == kUnset) return std::nullopt;
    std::vector<std::uint32_t> edges;
    for (NodeId at = to; at != from; at = graph_.other(reached_[at], at)) {
      edges.push_back(reached_[at]);
    }
    return edges;
  }

  /// One edge more, by a shortest sequence of edges that put each other out.
  bool augment() {
    std::vector<Displaced> found;
    std::vector<std::vector<bool>> seen(edges_.size(),
                                        std::vector<bool>(graph_.edges.size(), false));
    for (std::uint32_t edge = 0; edge < graph_.edges.size(); ++edge) {
      if (used_[edge] < graph_.room(edge, frame_)) found.push_back({edge, kUnset, kUnset});
    }
    for (std::uint32_t i = 0; i < found.size(); ++i) {
      const Displaced at = found[i];
      for (std::uint32_t tree = 0; tree < edges_.size(); ++tree) {
        if (tree == at.tree || holds_[tree][at.edge]) continue;
        const auto circuit = path(tree, graph_.edges[at.edge].low, graph_.edges[at.edge].high);
        if (!circuit) {
          settle(found, i, tree);
          return true;
        }
        for (const std::uint32_t edge : *circuit) {
          if (seen[tree][edge]) continue;
          seen[tree][edge] = true;
          found.push_back({edge, tree, i});
        }
      }
    }
    return false;
  }

  /// The last edge of a sequence goes to `tree`; each other edge replaces the next.
  void settle(const std::vector<Displaced>& found, std::uint32_t last, std::uint32_t tree) {
    for (std::uint32_t i = last;; i = found[i].by) {
      const std::uint32_t left = found[i].tree;
      if (left != kUnset) remove(left, found[i].edge);
      insert(tree, found[i].edge);
      if (left == kUnset) {
        ++used_[found[i].edge];
        return;
      }
      tree = left;
    }
  }

  const PackedGraph& graph_;
  std::uint32_t frame_;
  /// By tree.
  std::vector<std::vector<std::uint32_t>> edges_;
  std::vector<std::vector<bool>> holds_;
  /// By edge: trees that have it.
  std::vector<std::uint32_t> used_;
  std::vector<std::uint32_t> reached_;
  std::vector<NodeId> queue_;
};

/// A spanning tree with a root.
struct PackedTree {
  NodeId root = 0;
  /// By node: the edge to the parent, kUnset at the root; and the steps from the root.
  std::vector<std::uint32_t> up;
  std::vector<std::uint32_t> depth;
};

/// Trees that become lower.
class Descent {
 public:
  Descent(const PackedGraph& graph, std::uint32_t frame, const Forests& forests,
          const std::vector<NodeId>& roots)
      : graph_(graph), frame_(frame), used_(graph.edges.size(), 0) {
    for (std::size_t i = 0; i < forests.edges().size(); ++i) {
      const std::vector<std::uint32_t>& edges = forests.edges()[i];
      std::vector<std::vector<std::uint32_t>> at(graph.nodes());
      for (const std::uint32_t edge : edges) {
        ++used_[edge];
        at[graph.edges[edge].low].push_back(edge);
        at[graph.edges[edge].high].push_back(edge);
      }
      PackedTree& tree = trees_.emplace_back();
      tree.root = roots[i];
      tree.up.assign(graph.nodes(), kUnset);
      tree.depth.assign(graph.nodes(), 0);
      std::vector<NodeId> order{tree.root};
      for (std::size_t n = 0; n < order.size(); ++n) {
        for (const std::uint32_t edge : at[order[n]]) {
          if (edge == tree.up[order[n]]) continue;
          const NodeId child = graph.other(edge, order[n]);
          tree.up[child] = edge;
          tree.depth[child] = tree.depth[order[n]] + graph.edges[edge].period;
          order.push_back(child);
        }
      }
    }
  }

  /// From node to node in an order that `random` makes, or in that of their numbers.
  std::vector<PackedTree> run(SplitMix64& random, bool in_order) {
    std::vector<std::pair<std::size_t, NodeId>> places;
    for (std::size_t tree = 0; tree < trees_.size(); ++tree) {
      for (const NodeId node : graph_.live) places.emplace_back(tree, node);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = places.size(); !in_order && i > 1; --i) {
        std::swap(places[i - 1], places[random.below(i)]);
      }
      for (const auto& [tree, node] : places) {
        for (const std::uint32_t edge : graph_.at[node]) changed |= try_move(tree, node, edge);
      }
    }
    return trees_;
  }

  /// Makes the node in the middle of each tree its root; false if they are.
  bool centre() {
    bool changed = false;
    for (PackedTree& tree : trees_) {
      const NodeId before = tree.root;
      // A deepest node is one end of a longest path, whose middle is the tree's.
      reroot(tree, deepest(tree));
      const NodeId far = deepest(tree);
      NodeId middle = far;
      while (2 * tree.depth[middle] > tree.depth[far] && middle != tree.root) {
        const NodeId above = parent(tree, middle);
        // The farther half decides.
        if (tree.depth[middle] <= tree.depth[far] - tree.depth[above]) break;
        middle = above;
      }
      changed |= middle != before;
      reroot(tree, middle);
    }
    return changed;
  }

 private:
  [[nodiscard]] NodeId deepest(const PackedTree& tree) const {
    return *std::max_element(graph_.live.begin(), graph_.live.end(),
                             [&](NodeId a, NodeId b) { return tree.depth[a] < tree.depth[b]; });
  }
  void reroot(PackedTree& tree, NodeId root) const {
    std::uint32_t above = kUnset;
    for (NodeId node = root; node != kNoNode;) {
      const std::uint32_t edge = std::exchange(tree.up[node], above);
      node = edge == kUnset ? kNoNode : graph_.other(edge, node);
      above = edge;
    }
    tree.root = root;
    std::vector<NodeId> order{root};
    tree.depth[root] = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (const std::uint32_t edge : graph_.at[order[i]]) {
        const NodeId child = graph_.other(edge, order[i]);
        if (tree.up[child] != edge || edge == tree.up[order[i]]) continue;
        tree.depth[child] = tree.depth[order[i]] + graph_.edges[edge].period;
        order.push_back(child);
      }
    }
  }
  [[nodiscard]] NodeId parent(const PackedTree& tree, NodeId node) const {
    return graph_.other(tree.up[node], node);
  }
  [[nodiscard]] bool is_below(const PackedTree& tree, NodeId node, NodeId top) const {
    while (tree.depth[node] > tree.depth[top]) node = parent(tree, node);
    return node == top;
  }
  static std::int64_t fourth(std::int64_t x) { return x * x * x * x; }

  /// The change of the sum of the fourth powers when `node` is linked by `edge`; empty if the
  /// result is not a tree.
  std::optional<std::int64_t> change(const PackedTree& tree, NodeId node, std::uint32_t edge) {
    if (node == tree.root || edge == tree.up[node]) return std::nullopt;
    const NodeId above = graph_.other(edge, node);
    if (is_below(tree, above, node)) return std::nullopt;
    const auto by = static_cast<std::int64_t>(tree.depth[above] + graph_.edges[edge].period) -
                    static_cast<std::int64_t>(tree.depth[node]);
    collect(tree, node);
    std::int64_t sum = 0;
    for (const NodeId at : below_) {
      const auto depth = static_cast<std::int64_t>(tree.depth[at]);
      sum += fourth(depth + by) - fourth(depth);
    }
    return sum;
  }
  /// The nodes of a subtree, into below_.
  void collect(const PackedTree& tree, NodeId top) {
    below_.assign(1, top);
    for (std::size_t i = 0; i < below_.size(); ++i) {
      for (const std::uint32_t edge : graph_.at[below_[i]]) {
        const NodeId child = graph_.other(edge, below_[i]);
        if (tree.up[child] == edge && edge != tree.up[below_[i]]) below_.push_back(child);
      }
    }
  }
  void link(PackedTree& tree, NodeId node, std::uint32_t edge) {
    collect(tree, node);
    --used_[tree.up[node]];
    ++used_[edge];
    const std::uint32_t depth = tree.depth[graph_.other(edge, node)] + graph_.edges[edge].period;
    const std::uint32_t old = tree.depth[node];
    tree.up[node] = edge;
    for (const NodeId at : below_) tree.depth[at] = tree.depth[at] - old + depth;
  }

  /// Links a node of a tree by another edge where that lowers the sum.
  bool try_move(std::size_t number, NodeId node, std::uint32_t edge) {
    PackedTree& tree = trees_[number];
    const auto gain = change(tree, node, edge);
    if (!gain) return false;
    if (used_[edge] < graph_.room(edge, frame_)) {
      if (*gain >= 0) return false;
      link(tree, node, edge);
      return true;
    }
    const std::uint32_t given_up = tree.up[node];
    for (PackedTree& other : trees_) {
      if (&other == &tree) continue;
      const NodeId end = other.up[graph_.edges[edge].low] == edge    ? graph_.edges[edge].low
                         : other.up[graph_.edges[edge].high] == edge ? graph_.edges[edge].high
                                                                     : kNoNode;
      if (end == kNoNode) continue;
      std::uint32_t best = kUnset;
      std::int64_t least = -*gain;
      for (const std::uint32_t instead : graph_.at[end]) {
        const bool is_full = used_[instead] == graph_.room(instead, frame_);
        if (instead == edge || (is_full && instead != given_up)) continue;
        const auto loss = change(other, end, instead);
        if (!loss || *loss >= least) continue;
        best = instead;
        least = *loss;
      }
      if (best == kUnset) continue;
      link(other, end, best);
      link(tree, node, edge);
      return true;
    }
    return false;
  }

  const PackedGraph& graph_;
  std::uint32_t frame_;
  std::vector<std::uint32_t> used_;
  std::vector<PackedTree> trees_;
  std::vector<NodeId> below_;
};

/// The steps of all links of all trees.
class TreeSteps {
 public:
  TreeSteps(const PackedGraph& graph, const Topology& topology, std::uint32_t frame,
            const std::vector<PackedTree>& trees, SplitMix64& random, bool in_order)
      : graph_(graph), topology_(topology), frame_(frame), trees_(trees), turn_(trees.size(), 0) {
    for (std::uint32_t& turn : turn_) {
      if (!in_order) turn = static_cast<std::uint32_t>(random.below(frame));
    }
    for (const PackedTree& tree : trees) {
      std::vector<NodeId> order = graph.live;
      std::stable_sort(order.begin(), order.end(),
                       [&](NodeId a, NodeId b) { return tree.depth[a] < tree.depth[b]; });
      std::vector<std::uint32_t>& height = height_.emplace_back(graph.nodes(), 0);
      std::vector<std::vector<NodeId>>& children = children_.emplace_back(graph.nodes());
      for (auto node = order.rbegin(); node != order.rend(); ++node) {
        if (*node == tree.root) continue;
        const NodeId above = graph.other(tree.up[*node], *node);
        height[above] = std::max(height[above], height[*node] + graph.edges[tree.up[*node]].period);
        children[above].push_back(*node);
      }
    }
    place();
    best_ = finished();
    // Turn by turn, as long as that ends earlier.
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t& turn : turn_) {
        const std::uint32_t old = turn;
        std::uint32_t kept = old;
        for (std::uint32_t other = 0; other < frame_; ++other) {
          if (other == old) continue;
          turn = other;
          place();
          const Figure figure = finished();
          if (figure >= best_) continue;
          best_ = figure;
          kept = other;
          changed = true;
        }
        turn = kept;
      }
    }
    place();
  }

  /// The last of the streams' first words, then their sum: when they are done.
  using Figure = std::pair<std::uint64_t, std::uint64_t>;
  [[nodiscard]] Figure figure() const { return best_; }

  [[nodiscard]] PackedTrees program(std::uint64_t words) const {
    PackedTrees made(graph_.nodes(), frame_, static_cast<std::uint32_t>(trees_.size()), words);
    for (std::uint32_t t = 0; t < trees_.size(); ++t) {
      const std::uint32_t root_step = done_[t];
      for (const NodeId node : graph_.live) {
        const bool root = node == trees_[t].root;
        made.at(node, t) = {root ? kTreeRoot : graph_.port(trees_[t].up[node], node),
                            root ? root_step : root_step - before_[t][node],
                            root ? 0 : root_step + behind_[t][node],
                            root ? 1 : graph_.edges[trees_[t].up[node]].period};
      }
    }
    return made;
  }

 private:
  /// A link whose parent's step is known.
  struct Ready {
    std::uint32_t urgency;
    std::uint32_t tree;
    NodeId node;
    bool down;
    /// The parent's step, in steps before (down: after) the root's; the least for this link.
    std::uint32_t least;

    bool operator<(const Ready& other) const {
      if (urgency != other.urgency) return urgency < other.urgency;
      if (tree != other.tree) return tree > other.tree;
      if (node != other.node) return node > other.node;
      return down > other.down;
    }
  };

  void offer_children(std::priority_queue<Ready>& ready, std::uint32_t tree, NodeId node, bool down,
                      std::uint32_t least) const {
    for (const NodeId child : children_[tree][node]) {
      // A transfer up ends before the parent's begins, or with the root's step.
      const std::uint32_t period = graph_.edges[trees_[tree].up[child]].period;
      const std::uint32_t start = down ? least : least + period - 1;
      ready.push({start + height_[tree][child], tree, child, down, start});
    }
  }

  /// Deals free steps, given the turns of the frame in which totals are ready.
  void place() {
    const std::size_t trees = trees_.size();
    std::vector<bool> taken(topology_.link_slots() * frame_, false);
    // Transfers of a slow link begin whole periods after its first one.
    std::vector<std::uint32_t> phase(topology_.link_slots(), kUnset);
    before_.assign(trees, std::vector<std::uint32_t>(graph_.nodes(), 0));
    behind_ = before_;
    std::vector<std::uint32_t> first(trees, 0);
    std::vector<std::uint32_t> last(trees, 0);
    std::priority_queue<Ready> ready;
    for (std::uint32_t t = 0; t < trees; ++t) {
      offer_children(ready, t, trees_[t].root, false, 0);
      offer_children(ready, t, trees_[t].root, true, 1);
    }
    while (!ready.empty()) {
      const Ready at = ready.top();
      ready.pop();
      const PackedTree& tree = trees_[at.tree];
      const NodeId above = graph_.other(tree.up[at.node], at.node);
      const LinkId link = at.down ? topology_.link(above, graph_.port(tree.up[at.node], above))
                                  : topology_.link(at.node, graph_.port(tree.up[at.node], at.node));
      std::uint32_t offset = at.least;
      const std::uint32_t period = graph_.edges[tree.up[at.node]].period;
      const auto is_free = [&](std::uint32_t step) {
        if (phase[link] == kUnset) return true;
        const std::uint32_t after = (step + frame_ - phase[link]) % frame_;
        const bool fits = after % period == 0 && after / period < frame_ / period;
        return fits && !taken[std::size_t{link} * frame_ + step];
      };
      // A link has room for the trees that use it one way, so one of `frame` steps in a row is
      // free.
      while (!is_free(slot(at.tree, offset, at.down))) ++offset;
      const std::uint32_t taken_step = slot(at.tree, offset, at.down);
      if (phase[link] == kUnset) phase[link] = taken_step;
      taken[std::size_t{link} * frame_ + taken_step] = true;
      (at.down ? behind_ : before_)[at.tree][at.node] = offset;
      std::uint32_t& end = (at.down ? last : first)[at.tree];
      end = std::max(end, at.down ? offset + period - 1 : offset);
      offer_children(ready, at.tree, at.node, at.down, offset + (at.down ? period : 1));
    }
    done_.assign(trees, 0);
    ends_.assign(trees, 0);
    for (std::uint32_t t = 0; t < trees; ++t) {
      // The first step is 1 at the earliest, and the root's in its turn.
      done_[t] = first[t] + 1;
      done_[t] += (turn_[t] + frame_ - done_[t] % frame_) % frame_;
      ends_[t] = done_[t] + last[t];
    }
  }
  [[nodiscard]] std::uint32_t slot(std::uint32_t tree, std::uint32_t offset, bool down) const {
    const std::uint32_t shift = offset % frame_;
    return (turn_[tree] + (down ? shift : frame_ - shift)) % frame_;
  }
  [[nodiscard]] Figure finished() const {
    return {*std::max_element(ends_.begin(), ends_.end()),
            std::accumulate(ends_.begin(), ends_.end(), std::uint64_t{0})};
  }

  const PackedGraph& graph_;
  const Topology& topology_;
  std::uint32_t frame_;
  const std::vector<PackedTree>& trees_;
  /// By tree: the root's step modulo the frame.
  std::vector<std::uint32_t> turn_;
  /// By tree and node: links on the longest way down to a leaf, and children.
  std::vector<std::vector<std::uint32_t>> height_;
  std::vector<std::vector<std::vector<NodeId>>> children_;
  /// By tree and node: steps from the send to the parent to the root's step, and from there to the
  /// parent's send.
  std::vector<std::vector<std::uint32_t>> before_;
  std::vector<std::vector<std::uint32_t>> behind_;
  /// By tree: the root's step, and the step in which every node has the first total.
  std::vector<std::uint32_t> done_;
  std::vector<std::uint64_t> ends_;
  Figure best_;
};

/// The middle of a side, then 1 below it, 1 above, 2 below, .., round its ends.
std::uint32_t from_middle(std::uint32_t side, std::uint32_t number) {
  const std::uint32_t away = (number + 1) / 2 % side;
  return (side / 2 + (number % 2 != 0 ? side - away : away)) % side;
}

/// How trees begin.
enum class Beginning { kCombs, kCombsFromTheMiddle, kNothing };

/// Offers a comb's edges: the spine along `spine`, then the teeth from the borders inwards.
void offer_comb(const Topology& topology, const PackedGraph& graph, int spine, std::uint32_t place,
                std::size_t tree, Forests& forests) {
  const int teeth = 1 - spine;
  const auto coordinate = [&](NodeId node, int dim) {
    return topology.coordinates(node)[static_cast<std::size_t>(dim)];
  };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
  for (std::uint32_t edge = 0; edge < graph.edges.size(); ++edge) {
    const MeshEdge& at = graph.edges[edge];
    const int dim = dimension_of(at.port);
    if (dim == spine) {
      if (coordinate(at.low, teeth) == place) forests.offer(tree, edge);
      continue;
    }
    const std::uint32_t row = coordinate(at.low, spine);
    order.emplace_back(std::min(row, topology.side(spine) - 1 - row), edge);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [border, edge] : order) forests.offer(tree, edge);
}

/// There are edges for no more, neither all together nor at any one node.
std::size_t most_trees(const PackedGraph& graph, std::uint32_t frame) {
  // Every edge is at two nodes.
  std::size_t of_all = 0;
  std::size_t least = ~std::size_t{0};
  for (const NodeId node : graph.live) {
    std::size_t of_node = 0;
    for (const std::uint32_t edge : graph.at[node]) of_node += graph.room(edge, frame);
    of_all += of_node;
    least = std::min(least, of_node);
  }
  return std::min(of_all / 2 / (graph.live.size() - 1), least);
}

}  // namespace

std::uint64_t packed_trees(const Topology& topology, std::uint32_t frame) {
  return most_trees(PackedGraph(topology), frame);
}

PackedTrees packed_program(const Topology& topology, std::uint32_t frame, std::uint64_t words) {
  const PackedGraph graph(topology);
  std::size_t trees = most_trees(graph, frame);
  Coordinates middle{};
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    middle[static_cast<std::size_t>(dim)] = topology.side(dim) / 2;
  }
  if (!topology.is_healthy()) {
    middle = topology.coordinates(live_middle(topology));
  }
  const bool is_plain = topology.is_healthy() && topology.has_equal_links();
  if (!is_plain) {
    // Some cut may have room for fewer; one there always is.
    while (!Forests(graph, frame, trees).complete()) --trees;
  }
  const bool moves_roots = !topology.has_equal_links();
  std::size_t trials = std::max<std::size_t>(1, kTrialWork / (graph.nodes() * trees));
  if (moves_roots) {
    trials = std::max(trials, kUnequalTrialWork / (graph.nodes() * trees * trees));
  }
  std::optional<std::pair<TreeSteps::Figure, PackedTrees>> best;
  for (const Beginning beginning :
       {Beginning::kCombs, Beginning::kCombsFromTheMiddle, Beginning::kNothing}) {
    const bool combs = topology.dimensions() == 2 && is_plain;
    if (!combs && beginning != Beginning::kNothing) continue;
    Forests forests(graph, frame, trees);
    std::vector<NodeId> roots(trees, topology.node(middle));
    if (beginning != Beginning::kNothing) {
      for (std::size_t tree = 0; tree < trees / 2 * 2; ++tree) {
        const int teeth = tree % 2 == 0 ? 0 : 1;
        const std::uint32_t place =
            from_middle(topology.side(teeth), static_cast<std::uint32_t>(tree / 2));
        offer_comb(topology, graph, 1 - teeth, place, tree, forests);
        if (beginning != Beginning::kCombs) continue;
        Coordinates root = middle;
        root[static_cast<std::size_t>(teeth)] = place;
        roots[tree] = topology.node(root);
      }
    }
    if (!forests.complete()) throw std::logic_error("the network has no room for this many trees");
    SplitMix64 random(1);
    for (std::size_t trial = 0; trial < trials; ++trial) {
      Descent descent(graph, frame, forests, roots);
      std::vector<PackedTree> low = descent.run(random, trial == 0);
      for (int round = 0; moves_roots && round < kMostCentrings && descent.centre(); ++round) {
        low = descent.run(random, trial == 0);
      }
      const TreeSteps steps(graph, topology, frame, low, random, trial == 0);
      if (best && steps.figure() >= best->first) continue;
      best.emplace(steps.figure(), steps.program(words));
    }
  }
  return std::move(best->second);
}

}  // namespace gossamer
