// SPDX-License-Identifier: Apache-2.0
/// R closed one-way walks, pairwise without a common arc, each through all live nodes. The state is
/// a colouring of arcs in which every node has one in- and one out-arc of each colour (two where a
/// colour has to visit it twice), so each colour falls into closed walks; moves exchange two
/// colours, or a colour and the unused arcs, along an alternating cycle, and the energy counts the
/// walks. Source: docs/spec/faults.md, section 5.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "gossamer/collectives/all_gather/degraded.hpp"
#include "gossamer/util/random.hpp"

namespace gossamer {

namespace {

/// Limit on the node visits of all moves: about four seconds, three times the need of any walks
/// found (docs/spec/faults.md, section 10, and 400 random networks).
constexpr std::uint64_t kMostVisits = std::uint64_t{1} << 28U;
constexpr std::uint64_t kMovesPerNode = 400;
constexpr int kMostColourings = 3000;
constexpr double kHottestWalks = 0.9;
constexpr double kColdestWalks = 0.18;

class WalkSearch {
 public:
  WalkSearch(const Topology& topology, std::size_t walks, std::uint64_t seed)
      : topology_(topology), walks_(walks), random_(seed) {
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      if (topology.is_live(node)) live_.push_back(node);
      for (const Port port : all_ports(topology.ports())) {
        const NodeId to = topology.neighbor(node, port);
        if (to != kNoNode) arcs_.push_back({node, to, port});
      }
    }
    out_.resize(topology.nodes());
    in_.resize(topology.nodes());
    for (std::uint32_t a = 0; a < arcs_.size(); ++a) {
      out_[arcs_[a].from].push_back(a);
      in_[arcs_[a].to].push_back(a);
    }
  }

  std::vector<StreamLine> find() {
    std::uint64_t visits = 0;
    for (int start = 0; visits < kMostVisits && start < kMostColourings; ++start) {
      if (!choose_doubles()) return {};
      if (!colour()) continue;
      const std::uint64_t moves = kMovesPerNode * live_.size();
      std::size_t pieces = 0;
      std::vector<std::size_t> parts(walks_);
      for (std::size_t c = 0; c < walks_; ++c) pieces += parts[c] = parts_of(c);
      for (std::uint64_t i = 0; i < moves && pieces > walks_; ++i) {
        const double heat =
            kHottestWalks * std::pow(kColdestWalks / kHottestWalks,
                                     static_cast<double>(i) / static_cast<double>(moves));
        visits += live_.size();
        const std::uint32_t first = random_.below(static_cast<std::uint32_t>(arcs_.size()));
        const std::size_t a = colour_[first];
        const std::size_t b = random_.below(static_cast<std::uint32_t>(walks_ + 1));
        if (a == b || !alternate(first, b)) continue;
        std::size_t then = pieces;
        std::vector<std::size_t> now = parts;
        for (const std::size_t c : {a, b}) {
          if (c == walks_) continue;
          now[c] = parts_of(c);
          then += now[c] - parts[c];
        }
        const double rise = static_cast<double>(then) - static_cast<double>(pieces);
        if (rise <= 0 || random_.unit() < std::exp(-rise / heat)) {
          pieces = then;
          parts = now;
        } else {
          for (std::size_t e = 0; e < cycle_.size(); ++e) {
            colour_[cycle_[e]] = static_cast<std::uint8_t>(e % 2 == 0 ? a : b);
          }
        }
      }
      if (pieces == walks_) return tours();
    }
    return {};
  }

 private:
  struct Arc {
    NodeId from;
    NodeId to;
    Port port;
  };

  /// Where the live nodes have two colours and one is poorer, each walk has to visit that many of
  /// its nodes twice, nodes with arcs to spare. False when there are not enough.
  bool choose_doubles() {
    twice_.assign(walks_, std::vector<bool>(topology_.nodes(), false));
    bool coloured = true;
    for (int dim = 0; dim < topology_.dimensions(); ++dim) {
      coloured = coloured && !(topology_.wraps(dim) && topology_.side(dim) % 2 != 0);
    }
    if (!coloured) return true;
    const auto is_odd = [this](NodeId node) {
      const Coordinates at = topology_.coordinates(node);
      return std::accumulate(at.begin(), at.end(), 0U) % 2 != 0;
    };
    const auto odd = static_cast<std::size_t>(std::count_if(live_.begin(), live_.end(), is_odd));
    const std::size_t even = live_.size() - odd;
    const bool poorer_is_odd = odd < even;
    const std::size_t each = poorer_is_odd ? even - odd : odd - even;
    std::vector<std::size_t> spare(topology_.nodes(), 0);
    std::vector<NodeId> poorer;
    for (const NodeId node : live_) {
      const std::size_t arcs = std::min(out_[node].size(), in_[node].size());
      if (is_odd(node) != poorer_is_odd || arcs <= walks_) continue;
      spare[node] = arcs - walks_;
      poorer.push_back(node);
    }
    for (std::size_t i = poorer.size(); i > 1; --i) {
      std::swap(poorer[i - 1], poorer[random_.below(static_cast<std::uint32_t>(i))]);
    }
    for (std::size_t c = 0; c < walks_; ++c) {
      std::size_t chosen = 0;
      for (const NodeId node : poorer) {
        if (chosen == each) break;
        if (spare[node] == 0) continue;
        --spare[node];
        twice_[c][node] = true;
        ++chosen;
      }
      if (chosen < each) return false;
    }
    return true;
  }

  [[nodiscard]] std::size_t visits(std::size_t c, NodeId node) const {
    return twice_[c][node] ? 2 : 1;
  }

  /// Matchings: first as many arcs as all walks need, then of these the ones of each colour.
  bool colour() {
    const auto unused = static_cast<std::uint8_t>(walks_);
    colour_.assign(arcs_.size(), unused);
    for (auto& arcs : out_) {
      for (std::size_t i = arcs.size(); i > 1; --i) {
        std::swap(arcs[i - 1], arcs[random_.below(static_cast<std::uint32_t>(i))]);
      }
    }
    const auto needed = [this](NodeId node) {
      std::size_t all = 0;
      for (std::size_t c = 0; c < walks_; ++c) all += visits(c, node);
      return all;
    };
    std::vector<bool> free(arcs_.size(), true);
    std::vector<bool> taken;
    if (!match(free, needed, taken)) return false;
    free = taken;
    for (std::size_t c = 0; c < walks_; ++c) {
      if (!match(
              free, [&](NodeId node) { return visits(c, node); }, taken))
        return false;
      for (std::size_t a = 0; a < arcs_.size(); ++a) {
        if (!taken[a]) continue;
        colour_[a] = static_cast<std::uint8_t>(c);
        free[a] = false;
      }
    }
    return true;
  }

  /// Takes free arcs so that every live node has as many out- and in-arcs as it needs.
  template <typename Needed>
  bool match(const std::vector<bool>& free, Needed needed, std::vector<bool>& taken) {
    taken.assign(arcs_.size(), false);
    std::vector<std::size_t> arrivals(topology_.nodes(), 0);
    for (const NodeId node : live_) {
      for (std::size_t n = needed(node); n > 0; --n) {
        // Breadth first from this sender to a receiver that still needs one.
        // By receiver: the free arc that would bring it one; by sender: the taken one that it would
        // give up for that.
        constexpr std::uint32_t kNoArc = ~std::uint32_t{0};
        std::vector<std::uint32_t> came_by(topology_.nodes(), kNoArc);
        std::vector<std::uint32_t> gives_up(topology_.nodes(), kNoArc);
        std::vector<NodeId> senders = {node};
        NodeId end = kNoNode;
        for (std::size_t i = 0; i < senders.size() && end == kNoNode; ++i) {
          for (const std::uint32_t a : out_[senders[i]]) {
            const NodeId to = arcs_[a].to;
            if (!free[a] || taken[a] || came_by[to] != kNoArc) continue;
            came_by[to] = a;
            if (arrivals[to] < needed(to)) {
              end = to;
              break;
            }
            for (const std::uint32_t b : in_[to]) {
              const NodeId sender = arcs_[b].from;
              if (!taken[b] || sender == node || gives_up[sender] != kNoArc) continue;
              gives_up[sender] = b;
              senders.push_back(sender);
            }
          }
        }
        if (end == kNoNode) return false;
        ++arrivals[end];
        for (NodeId at = end;;) {
          const std::uint32_t arc = came_by[at];
          taken[arc] = true;
          if (arcs_[arc].from == node) break;
          const std::uint32_t given = gives_up[arcs_[arc].from];
          taken[given] = false;
          at = arcs_[given].to;
        }
      }
    }
    return true;
  }

  /// Exchanges the colour of arc `first` with colour b along an alternating cycle; returns false
  /// without changes if the cycle does not end.
  bool alternate(std::uint32_t first, std::size_t b) {
    const std::size_t a = colour_[first];
    cycle_.clear();
    std::uint32_t arc = first;
    const auto pick = [this](const std::vector<std::uint32_t>& arcs, std::size_t colour) {
      std::uint32_t found = ~std::uint32_t{0};
      std::uint32_t count = 0;
      for (const std::uint32_t one : arcs) {
        if (colour_[one] == colour && random_.below(++count) == 0) found = one;
      }
      return found;
    };
    while (true) {
      if (std::find(cycle_.begin(), cycle_.end(), arc) != cycle_.end()) return false;
      cycle_.push_back(arc);
      const std::uint32_t other = pick(in_[arcs_[arc].to], b);
      if (other == ~std::uint32_t{0} ||
          std::find(cycle_.begin(), cycle_.end(), other) != cycle_.end()) {
        return false;
      }
      cycle_.push_back(other);
      const NodeId sender = arcs_[other].from;
      // Back at a sender that has been left before: the cycle begins there.
      for (std::size_t i = 0; i < cycle_.size(); i += 2) {
        if (arcs_[cycle_[i]].from != sender) continue;
        cycle_.erase(cycle_.begin(), cycle_.begin() + static_cast<std::ptrdiff_t>(i));
        for (std::size_t e = 0; e < cycle_.size(); ++e) {
          colour_[cycle_[e]] = static_cast<std::uint8_t>(e % 2 == 0 ? b : a);
        }
        return true;
      }
      arc = pick(out_[sender], a);
      if (arc == ~std::uint32_t{0}) return false;
    }
  }

  /// Closed walks of a colour, those that meet at a node as one.
  std::size_t parts_of(std::size_t c) {
    parent_.resize(topology_.nodes());
    std::iota(parent_.begin(), parent_.end(), 0U);
    std::size_t parts = live_.size();
    const auto find = [this](NodeId at) {
      while (parent_[at] != at) at = parent_[at] = parent_[parent_[at]];
      return at;
    };
    for (std::size_t i = 0; i < arcs_.size(); ++i) {
      if (colour_[i] != c) continue;
      const NodeId a = find(arcs_[i].from);
      const NodeId b = find(arcs_[i].to);
      if (a == b) continue;
      parent_[a] = b;
      --parts;
    }
    return parts;
  }

  /// Euler's tour of each colour.
  [[nodiscard]] std::vector<StreamLine> tours() const {
    std::vector<StreamLine> lines;
    for (std::size_t c = 0; c < walks_; ++c) {
      std::vector<bool> left(arcs_.size());
      for (std::size_t a = 0; a < arcs_.size(); ++a) left[a] = colour_[a] == c;
      std::vector<std::pair<NodeId, Port>> path = {{live_.front(), Port{0}}};
      std::vector<std::pair<NodeId, Port>> reversed;
      while (!path.empty()) {
        const NodeId node = path.back().first;
        const auto next = std::find_if(out_[node].begin(), out_[node].end(),
                                       [&left](std::uint32_t a) { return left[a]; });
        if (next == out_[node].end()) {
          reversed.push_back(path.back());
          path.pop_back();
          continue;
        }
        left[*next] = false;
        path.emplace_back(arcs_[*next].to, arcs_[*next].port);
      }
      StreamLine line;
      line.kind = LineKind::kOneWay;
      for (std::size_t i = reversed.size() - 1; i > 0; --i) {
        line.nodes.push_back(reversed[i].first);
        line.out.push_back(reversed[i - 1].second);
      }
      lines.push_back(std::move(line));
    }
    return lines;
  }

  const Topology& topology_;
  std::size_t walks_;
  Random random_;
  std::vector<NodeId> live_;
  std::vector<Arc> arcs_;
  std::vector<std::vector<std::uint32_t>> out_;
  std::vector<std::vector<std::uint32_t>> in_;
  /// By arc: its walk, or the number of walks.
  std::vector<std::uint8_t> colour_;
  /// By walk and node.
  std::vector<std::vector<bool>> twice_;
  /// The alternating cycle last exchanged.
  std::vector<std::uint32_t> cycle_;
  std::vector<NodeId> parent_;
};

}  // namespace

std::vector<StreamLine> closed_walks(const Topology& topology, std::size_t walks,
                                     std::uint64_t seed) {
  return WalkSearch(topology, walks, seed).find();
}

}  // namespace gossamer
