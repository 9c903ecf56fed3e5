// SPDX-License-Identifier: Apache-2.0
/// Closed trails by annealing in the cycle space: the state is a set of two-way links with an even
/// number at every node, a move exchanges the links of a unit square, now and then of another
/// cycle, and the energy counts parts and surplus links. A connected set has an Euler tour. Large
/// networks start from a healthy Hamiltonian cycle and anneal near the faults only. Source:
/// docs/spec/faults.md, section 5.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "gossamer/collectives/all_gather/array.hpp"
#include "gossamer/collectives/all_gather/degraded.hpp"
#include "gossamer/collectives/all_gather/hamiltonian.hpp"
#include "gossamer/topology/live_tree.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"

namespace gossamer {

namespace {

/// Networks up to this size are annealed as a whole.
constexpr std::uint32_t kMostNodesAtOnce = 600;
constexpr int kTries = 12;
/// Moves per link and attempt.
constexpr std::uint64_t kMovesPerLink = 500;
constexpr double kPartEnergy = 2.2;
constexpr double kHottest = 1.5;
constexpr double kColdest = 0.12;
/// Reach of a window around its faults.
constexpr std::uint32_t kSmallestReach = 3;
constexpr std::uint32_t kLargestReach = 9;

/// A two-way link: node * d + dimension, leaving by the positive port.
using Edge = std::uint32_t;

class Parts {
 public:
  explicit Parts(std::size_t size) : parent_(size) { reset(); }
  void reset() { std::iota(parent_.begin(), parent_.end(), 0U); }
  std::uint32_t find(std::uint32_t at) {
    while (parent_[at] != at) at = parent_[at] = parent_[parent_[at]];
    return at;
  }
  /// True when they were two parts.
  bool join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    if (a == b) return false;
    parent_[std::max(a, b)] = std::min(a, b);
    return true;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

class TrailSearch {
 public:
  TrailSearch(const Topology& topology, std::uint64_t seed)
      : topology_(topology),
        d_(static_cast<std::uint32_t>(topology.dimensions())),
        random_(seed),
        in_(std::size_t{topology.nodes()} * d_, false) {
    for (int dim = 0; dim < topology.dimensions(); ++dim) {
      two_colours_ = two_colours_ && !(topology.wraps(dim) && topology.side(dim) % 2 != 0);
    }
  }

  std::optional<StreamLine> find() {
    const bool has_cycle = start_from_cycle();
    if (topology_.live_nodes() > kMostNodesAtOnce) {
      if (!has_cycle) return std::nullopt;
      for (NodeId node = 0; node < topology_.nodes(); ++node) {
        if (is_broken(node) && !repair_near(node)) return std::nullopt;
      }
      return connected() ? std::optional(tour()) : std::nullopt;
    }
    if (!has_cycle) start_from_snake();
    std::vector<NodeId> all;
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      if (topology_.is_live(node)) all.push_back(node);
    }
    if (has_bridge() || !anneal(all)) return std::nullopt;
    return tour();
  }

 private:
  [[nodiscard]] NodeId from(Edge edge) const { return edge / d_; }
  [[nodiscard]] Port port(Edge edge) const { return make_port(static_cast<int>(edge % d_), true); }
  [[nodiscard]] NodeId to(Edge edge) const { return topology_.beyond(from(edge), port(edge)); }
  /// Both directions are alive.
  [[nodiscard]] bool exists(Edge edge) const {
    const NodeId node = from(edge);
    return topology_.neighbor(node, port(edge)) != kNoNode &&
           topology_.sender(node, port(edge)) != kNoNode;
  }
  /// The link at a node's port.
  [[nodiscard]] Edge edge_at(NodeId node, Port out) const {
    const auto dim = static_cast<std::uint32_t>(dimension_of(out));
    return (is_positive(out) ? node : topology_.beyond(node, out)) * d_ + dim;
  }

  /// A link whose two sides have no other connection: no closed trail crosses it and returns. Found
  /// by a depth-first search that records how near to its root the links of a node reach.
  [[nodiscard]] bool has_bridge() const {
    struct Visit {
      NodeId node;
      Edge came_by;
      std::uint8_t next;
    };
    std::vector<std::uint32_t> entered(topology_.nodes(), 0);
    std::vector<std::uint32_t> reach(topology_.nodes(), 0);
    std::uint32_t count = 0;
    std::vector<Visit> path;
    const auto enter = [&](NodeId node, Edge by) {
      entered[node] = reach[node] = ++count;
      path.push_back({node, by, 0});
    };
    enter(first_live(topology_), kNoNode);
    while (true) {
      Visit& at = path.back();
      if (at.next < topology_.ports()) {
        const Port out = at.next++;
        const NodeId beyond = topology_.beyond(at.node, out);
        if (beyond == kNoNode) continue;
        const Edge edge = edge_at(at.node, out);
        if (edge == at.came_by || !exists(edge)) continue;
        if (entered[beyond] == 0) {
          enter(beyond, edge);
        } else {
          reach[at.node] = std::min(reach[at.node], entered[beyond]);
        }
        continue;
      }
      const NodeId node = at.node;
      path.pop_back();
      if (path.empty()) return false;
      if (reach[node] == entered[node]) return true;
      reach[path.back().node] = std::min(reach[path.back().node], reach[node]);
    }
  }

  /// The links of a healthy Hamiltonian cycle that are still there.
  bool start_from_cycle() {
    const Topology healthy = topology_.healthy();
    const auto take = [&](auto&& is_on) {
      for (Edge edge = 0; edge < in_.size(); ++edge) in_[edge] = is_on(edge) && exists(edge);
      return true;
    };
    if (topology_.is_torus()) {
      try {
        const HamiltonianDecomposition cycles = hamiltonian_decomposition(healthy);
        return take([&](Edge edge) { return cycles[topology_.link(from(edge), port(edge))] == 0; });
      } catch (const InfeasibleError&) {
        // The mesh inside the torus may still have one.
      }
    }
    if (topology_.dimensions() < 2) return false;
    // With an odd number of nodes the cycle leaves out a corner.
    const Plan plan = plan_array(Topology::mesh(topology_.sides()), {1});
    const auto& program = plan.program.as<StreamProgram>();
    return take([&](Edge edge) { return program.code(from(edge), port(edge)) != 0; });
  }

  /// Row by row, to and fro.
  void start_from_snake() {
    Coordinates at{};
    std::array<bool, kMaxDimensions> backward{};
    while (true) {
      std::size_t dim = 0;
      while (dim < d_) {
        const bool last = backward[dim] ? at[dim] == 0 : at[dim] + 1 == topology_.sides()[dim];
        if (!last) break;
        backward[dim] = !backward[dim];
        ++dim;
      }
      if (dim == d_) return;
      const Port out = make_port(static_cast<int>(dim), !backward[dim]);
      const Edge edge = edge_at(topology_.node(at), out);
      in_[edge] = exists(edge);
      at[dim] = backward[dim] ? at[dim] - 1 : at[dim] + 1;
    }
  }

  /// True where the trail breaks off, or does not pass.
  [[nodiscard]] bool is_broken(NodeId node) const {
    const std::int64_t links = degree(node);
    return topology_.is_live(node) && (links % 2 != 0 || links == 0);
  }

  bool repair_near(NodeId centre) {
    for (std::uint32_t reach = kSmallestReach; reach <= kLargestReach; reach += 2) {
      std::vector<NodeId> window;
      std::vector<bool> seen(topology_.nodes(), false);
      // The box, by steps within it.
      Coordinates middle = topology_.coordinates(centre);
      std::vector<NodeId> front = {centre};
      seen[centre] = true;
      while (!front.empty()) {
        const NodeId node = front.back();
        front.pop_back();
        if (topology_.is_live(node)) window.push_back(node);
        for (const Port port : all_ports(topology_.ports())) {
          const NodeId next = topology_.beyond(node, port);
          if (next == kNoNode || seen[next]) continue;
          const Coordinates at = topology_.coordinates(next);
          bool inside = true;
          for (std::uint32_t i = 0; i < d_; ++i) {
            const std::uint32_t side = topology_.sides()[i];
            const std::uint32_t straight =
                at[i] > middle[i] ? at[i] - middle[i] : middle[i] - at[i];
            const std::uint32_t apart = topology_.wraps(static_cast<int>(i))
                                            ? std::min(straight, side - straight)
                                            : straight;
            inside = inside && apart <= reach;
          }
          if (!inside) continue;
          seen[next] = true;
          front.push_back(next);
        }
      }
      std::sort(window.begin(), window.end());
      const std::vector<bool> before = in_;
      if (anneal(window)) return true;
      in_ = before;
    }
    return false;
  }

  /// The free links of a search: both ends among its nodes.
  struct Region {
    std::vector<NodeId> nodes;
    std::vector<Edge> edges;
    /// Nodes that links outside join already, as pairs of indices.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> outside;
    std::vector<std::uint32_t> end_a;
    std::vector<std::uint32_t> end_b;
    /// Sets of free links, even at every node: indices of edges.
    std::vector<std::vector<std::uint32_t>> moves;
  };

  Region region_of(const std::vector<NodeId>& nodes) {
    Region region;
    region.nodes = nodes;
    std::vector<std::uint32_t> index(topology_.nodes(), kNoNode);
    for (std::uint32_t i = 0; i < nodes.size(); ++i) index[nodes[i]] = i;
    std::vector<std::uint32_t> edge_index(in_.size(), kNoNode);
    for (const NodeId node : nodes) {
      for (std::uint32_t dim = 0; dim < d_; ++dim) {
        const Edge edge = node * d_ + dim;
        if (!exists(edge) || index[to(edge)] == kNoNode) continue;
        edge_index[edge] = static_cast<std::uint32_t>(region.edges.size());
        region.edges.push_back(edge);
        region.end_a.push_back(index[node]);
        region.end_b.push_back(index[to(edge)]);
      }
    }
    if (nodes.size() != topology_.live_nodes()) {
      Parts parts(topology_.nodes());
      for (Edge edge = 0; edge < in_.size(); ++edge) {
        if (in_[edge] && edge_index[edge] == kNoNode) parts.join(from(edge), to(edge));
      }
      std::vector<std::uint32_t> first(topology_.nodes(), kNoNode);
      for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        std::uint32_t& seen = first[parts.find(nodes[i])];
        if (seen == kNoNode) seen = i;
        if (seen != i) region.outside.emplace_back(seen, i);
      }
    }
    add_moves(region, edge_index);
    return region;
  }

  void add_moves(Region& region, const std::vector<std::uint32_t>& edge_index) {
    const auto add = [&](std::initializer_list<Edge> edges) {
      std::vector<std::uint32_t> move;
      for (const Edge edge : edges) {
        if (edge >= edge_index.size() || edge_index[edge] == kNoNode) return;
        move.push_back(edge_index[edge]);
      }
      region.moves.push_back(std::move(move));
    };
    for (const NodeId node : region.nodes) {
      for (std::uint32_t a = 0; a < d_; ++a) {
        const NodeId along = topology_.beyond(node, make_port(static_cast<int>(a), true));
        if (along == kNoNode) continue;
        // Two links side by side, of a side of 2.
        if (topology_.side(static_cast<int>(a)) == 2 && node < along) {
          add({node * d_ + a, along * d_ + a});
        }
        for (std::uint32_t b = a + 1; b < d_; ++b) {
          const NodeId across = topology_.beyond(node, make_port(static_cast<int>(b), true));
          if (across == kNoNode) continue;
          add({node * d_ + a, along * d_ + b, across * d_ + a, node * d_ + b});
        }
      }
    }
    // Cycles of a spanning tree and one more link, for changes that squares cannot make.
    std::vector<std::vector<std::uint32_t>> at(region.nodes.size());
    for (std::uint32_t e = 0; e < region.edges.size(); ++e) {
      at[region.end_a[e]].push_back(e);
      at[region.end_b[e]].push_back(e);
    }
    std::vector<std::uint32_t> by(region.nodes.size(), kNoNode);
    std::vector<std::uint32_t> depth(region.nodes.size(), 0);
    std::vector<bool> seen(region.nodes.size(), false);
    std::vector<std::uint32_t> queue;
    for (std::uint32_t root = 0; root < region.nodes.size(); ++root) {
      if (seen[root]) continue;
      seen[root] = true;
      queue.assign(1, root);
      for (std::size_t i = 0; i < queue.size(); ++i) {
        for (const std::uint32_t e : at[queue[i]]) {
          const std::uint32_t next =
              region.end_a[e] == queue[i] ? region.end_b[e] : region.end_a[e];
          if (seen[next]) continue;
          seen[next] = true;
          by[next] = e;
          depth[next] = depth[queue[i]] + 1;
          queue.push_back(next);
        }
      }
    }
    fundamental_from_ = region.moves.size();
    for (std::uint32_t e = 0; e < region.edges.size(); ++e) {
      std::uint32_t a = region.end_a[e];
      std::uint32_t b = region.end_b[e];
      if (by[a] == e || by[b] == e) continue;
      std::vector<std::uint32_t> move = {e};
      while (a != b) {
        std::uint32_t& deeper = depth[a] >= depth[b] ? a : b;
        const std::uint32_t tree = by[deeper];
        if (tree == kNoNode) break;
        move.push_back(tree);
        deeper = region.end_a[tree] == deeper ? region.end_b[tree] : region.end_a[tree];
      }
      if (a == b) region.moves.push_back(std::move(move));
    }
    tree_ = by;
    order_ = depth;
  }

  /// Brings the region's nodes back to even degrees along its spanning forest; false when a part of
  /// the forest cannot be.
  bool make_even(const Region& region) {
    std::vector<bool> odd(region.nodes.size(), false);
    for (std::uint32_t i = 0; i < region.nodes.size(); ++i) {
      odd[i] = degree(region.nodes[i]) % 2 != 0;
    }
    std::vector<std::uint32_t> deepest(region.nodes.size());
    std::iota(deepest.begin(), deepest.end(), 0U);
    std::sort(deepest.begin(), deepest.end(), [this](std::uint32_t a, std::uint32_t b) {
      return order_[a] != order_[b] ? order_[a] > order_[b] : a < b;
    });
    for (const std::uint32_t node : deepest) {
      if (!odd[node]) continue;
      const std::uint32_t e = tree_[node];
      if (e == kNoNode) return false;
      in_[region.edges[e]] = !in_[region.edges[e]];
      odd[node] = false;
      const std::uint32_t above = region.end_a[e] == node ? region.end_b[e] : region.end_a[e];
      odd[above] = !odd[above];
    }
    return true;
  }

  /// Links of the trail at a node.
  [[nodiscard]] std::int64_t degree(NodeId node) const {
    std::int64_t degree = 0;
    for (const Port out : all_ports(topology_.ports())) {
      if (topology_.beyond(node, out) != kNoNode && in_[edge_at(node, out)]) ++degree;
    }
    return degree;
  }

  /// The fewest free links that can visit every node of the region, whose links to nodes outside
  /// stay. Where there are two colours, every free link has an end of each.
  [[nodiscard]] std::int64_t fewest_links(const Region& region) const {
    std::vector<std::int64_t> outside(region.nodes.size());
    for (std::size_t i = 0; i < outside.size(); ++i) outside[i] = degree(region.nodes[i]);
    for (std::size_t e = 0; e < region.edges.size(); ++e) {
      if (!in_[region.edges[e]]) continue;
      --outside[region.end_a[e]];
      --outside[region.end_b[e]];
    }
    std::array<std::int64_t, 2> ends{};
    for (std::size_t i = 0; i < outside.size(); ++i) {
      const Coordinates at = topology_.coordinates(region.nodes[i]);
      const std::size_t colour = std::accumulate(at.begin(), at.end(), 0U) % 2;
      ends[colour] += std::max<std::int64_t>(0, 2 - outside[i]);
    }
    return two_colours_ ? std::max(ends[0], ends[1]) : (ends[0] + ends[1] + 1) / 2;
  }

  /// Anneals the free links among `nodes`; true when all is connected then, with the fewest links
  /// if those are found.
  bool anneal(const std::vector<NodeId>& nodes) {
    const Region region = region_of(nodes);
    if (!make_even(region)) return false;
    if (region.moves.empty()) return connected();
    const std::size_t count = region.edges.size();
    std::vector<std::uint8_t> start(count);
    for (std::size_t e = 0; e < count; ++e) start[e] = in_[region.edges[e]] ? 1 : 0;
    const std::int64_t start_links = std::accumulate(start.begin(), start.end(), std::int64_t{0});
    const std::int64_t target = fewest_links(region);
    Parts parts(region.nodes.size());
    const auto parts_of = [&](const std::vector<std::uint8_t>& state) {
      parts.reset();
      std::size_t left = region.nodes.size();
      for (const auto& [a, b] : region.outside) left -= parts.join(a, b) ? 1U : 0U;
      for (std::size_t e = 0; e < count && left > 1; ++e) {
        if (state[e] != 0 && parts.join(region.end_a[e], region.end_b[e])) --left;
      }
      return static_cast<std::int64_t>(left);
    };
    std::vector<std::uint8_t> best;
    std::int64_t best_links = 0;
    const std::uint64_t moves = kMovesPerLink * count;
    for (int attempt = 0; attempt < kTries && (best.empty() || best_links > target); ++attempt) {
      std::vector<std::uint8_t> state = start;
      std::int64_t links = start_links;
      std::int64_t pieces = parts_of(state);
      const auto keep = [&] {
        if (pieces != 1 || (!best.empty() && links >= best_links)) return;
        best = state;
        best_links = links;
      };
      keep();
      for (std::uint64_t i = 0; i < moves && (best.empty() || best_links > target); ++i) {
        const double heat =
            kHottest *
            std::pow(kColdest / kHottest, static_cast<double>(i) / static_cast<double>(moves));
        const bool square = fundamental_from_ > 0 &&
                            (fundamental_from_ == region.moves.size() || random_.below(40) != 0);
        const std::size_t which =
            square ? random_.below(static_cast<std::uint32_t>(fundamental_from_))
                   : fundamental_from_ + random_.below(static_cast<std::uint32_t>(
                                             region.moves.size() - fundamental_from_));
        const auto& move = region.moves[which];
        std::int64_t change = 0;
        for (const std::uint32_t e : move) {
          change += state[e] != 0 ? -1 : 1;
          state[e] ^= 1U;
        }
        const auto rise_to = [&](std::int64_t pieces_then) {
          return kPartEnergy * static_cast<double>(pieces_then - pieces) +
                 static_cast<double>(change);
        };
        // Most moves would be turned down even if they left one piece: counting is the work here.
        std::optional<double> chance;
        const auto is_taken = [&](double rise) {
          if (rise <= 0) return true;
          if (!chance) chance = random_.unit();
          return *chance < std::exp(-rise / heat);
        };
        if (is_taken(rise_to(1))) {
          const std::int64_t pieces_then = parts_of(state);
          if (is_taken(rise_to(pieces_then))) {
            links += change;
            pieces = pieces_then;
            keep();
            continue;
          }
        }
        for (const std::uint32_t e : move) state[e] ^= 1U;
      }
    }
    if (best.empty()) return false;
    for (std::size_t e = 0; e < count; ++e) in_[region.edges[e]] = best[e] != 0;
    return true;
  }

  [[nodiscard]] bool connected() const {
    Parts parts(topology_.nodes());
    std::uint32_t left = topology_.live_nodes();
    for (Edge edge = 0; edge < in_.size(); ++edge) {
      if (in_[edge] && parts.join(from(edge), to(edge))) --left;
    }
    return left == 1;
  }

  /// Euler's tour of the links, by Hierholzer.
  StreamLine tour() {
    struct Step {
      NodeId node;
      Port came_by;  // out-port at the node before
    };
    std::vector<bool> left = in_;
    std::vector<std::uint8_t> next(topology_.nodes(), 0);
    const NodeId start = first_live(topology_);
    std::vector<Step> path = {{start, 0}};
    std::vector<Step> reversed;
    while (!path.empty()) {
      const NodeId node = path.back().node;
      bool went = false;
      for (std::uint8_t& p = next[node]; p < topology_.ports() && !went; ++p) {
        if (topology_.beyond(node, p) == kNoNode) continue;
        const Edge edge = edge_at(node, p);
        if (!left[edge]) continue;
        left[edge] = false;
        path.push_back({topology_.beyond(node, p), p});
        went = true;
      }
      if (went) continue;
      reversed.push_back(path.back());
      path.pop_back();
    }
    StreamLine line;
    line.kind = LineKind::kCycle;
    for (std::size_t i = reversed.size() - 1; i > 0; --i) {
      line.nodes.push_back(reversed[i].node);
      line.out.push_back(reversed[i - 1].came_by);
    }
    return line;
  }

  const Topology& topology_;
  std::uint32_t d_;
  Random random_;
  /// By link: it is part of the trail.
  std::vector<bool> in_;
  /// Every link joins nodes of two colours.
  bool two_colours_ = true;
  // Of the region last looked at: moves from here on are no squares; its spanning forest, by node
  // the link towards the root and the depth.
  std::size_t fundamental_from_ = 0;
  std::vector<std::uint32_t> tree_;
  std::vector<std::uint32_t> order_;
};

}  // namespace

std::optional<StreamLine> closed_trail(const Topology& topology, std::uint64_t seed) {
  return TrailSearch(topology, seed).find();
}

}  // namespace gossamer
