// SPDX-License-Identifier: Apache-2.0
#include "gossamer/bounds/cuts.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/topology/live_tree.hpp"

namespace gossamer::bounds {

namespace {

constexpr std::uint32_t kMostForCuts = 1024;
/// Intervals, and as many balls, that are improved.
constexpr std::size_t kMostStarts = 4;

/// A set of live nodes, and the arcs across its boundary.
class Cut {
 public:
  /// The empty set.
  explicit Cut(const Topology& topology) : topology_(&topology), inside_(topology.nodes(), false) {}

  /// Packets of an all-to-all of one a pair that cross in one direction, and the arcs of the
  /// direction that has fewer.
  struct Load {
    std::uint64_t packets = 0;
    std::uint64_t arcs = 1;

    /// Fewer packets per arc.
    bool operator<(const Load& other) const { return packets * other.arcs < other.packets * arcs; }
  };
  [[nodiscard]] Load load() const { return load_of(counts_); }
  /// With the node on the other side.
  [[nodiscard]] Load load_with_moved(NodeId node) const { return load_of(with_moved(node)); }
  void move(NodeId node) {
    counts_ = with_moved(node);
    inside_[node] = !inside_[node];
  }

 private:
  struct Counts {
    std::uint64_t cores = 0;
    std::uint64_t arcs_out = 0;
    std::uint64_t arcs_in = 0;
  };

  [[nodiscard]] Load load_of(const Counts& counts) const {
    // All of the nodes, or no nodes: no packet crosses.
    const std::uint64_t arcs = std::min(counts.arcs_out, counts.arcs_in);
    if (arcs == 0) return {};
    return {counts.cores * (topology_->cores() - counts.cores), arcs};
  }
  [[nodiscard]] Counts with_moved(NodeId node) const {
    Counts counts = counts_;
    const bool leaves = inside_[node];
    if (topology_->has_core(node)) counts.cores += leaves ? std::uint64_t{0} - 1 : 1;
    for (const Port port : all_ports(topology_->ports())) {
      const NodeId to = topology_->neighbor(node, port);
      const NodeId from = topology_->sender(node, port);
      // An arc to or from its own side is in the boundary from now on, one across it no more.
      if (to != kNoNode) {
        if (leaves) (inside_[to] ? ++counts.arcs_in : --counts.arcs_out);
        if (!leaves) (inside_[to] ? --counts.arcs_in : ++counts.arcs_out);
      }
      if (from != kNoNode) {
        if (leaves) (inside_[from] ? ++counts.arcs_out : --counts.arcs_in);
        if (!leaves) (inside_[from] ? --counts.arcs_out : ++counts.arcs_in);
      }
    }
    return counts;
  }

  const Topology* topology_;
  std::vector<bool> inside_;
  Counts counts_;
};

/// The best few of many.
class Starts {
 public:
  void offer(const Cut& cut) {
    const auto place = std::find_if(best_.begin(), best_.end(),
                                    [&](const Cut& other) { return other.load() < cut.load(); });
    if (place == best_.end() && best_.size() == kMostStarts) return;
    best_.insert(place, cut);
    if (best_.size() > kMostStarts) best_.pop_back();
  }
  [[nodiscard]] const std::vector<Cut>& best() const { return best_; }

 private:
  std::vector<Cut> best_;
};

class CutSearch {
 public:
  explicit CutSearch(const Topology& topology) : topology_(topology) {
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      if (topology.is_live(node)) live_.push_back(node);
    }
  }

  Cut::Load run() {
    Starts intervals;
    for (int dim = 0; dim < topology_.dimensions(); ++dim) offer_intervals(dim, intervals);
    Starts balls;
    for (const NodeId center : live_) offer_ball(center, balls);
    Cut::Load most;
    for (const Starts* starts : {&intervals, &balls}) {
      for (const Cut& start : starts->best()) most = std::max(most, improved(start));
    }
    return most;
  }

 private:
  void offer_intervals(int dim, Starts& starts) const {
    const std::uint32_t side = topology_.side(dim);
    const std::uint32_t stride = topology_.stride(dim);
    for (std::uint32_t first = 0; first < side; ++first) {
      Cut cut(topology_);
      for (std::uint32_t last = first; last < side; ++last) {
        for (const NodeId node : live_) {
          if (node / stride % side == last) cut.move(node);
        }
        starts.offer(cut);
      }
    }
  }

  /// Offers the ball around the node that takes longest.
  void offer_ball(NodeId center, Starts& starts) const {
    Cut ball(topology_);
    Cut best = ball;
    for (const NodeId node : live_tree(topology_, center, TreeLinks::kOutward).order) {
      ball.move(node);
      if (best.load() < ball.load()) best = ball;
    }
    starts.offer(best);
  }

  /// Moves each node once, the best first even if it makes the set worse, and continues from the
  /// best set on the way, as long as it improves on the previous one.
  [[nodiscard]] Cut::Load improved(Cut best) const {
    while (true) {
      Cut cut = best;
      std::vector<NodeId> left = live_;
      bool better = false;
      while (left.size() > 1) {
        auto next = left.begin();
        Cut::Load most = cut.load_with_moved(*next);
        for (auto node = left.begin() + 1; node != left.end(); ++node) {
          const Cut::Load load = cut.load_with_moved(*node);
          if (!(most < load)) continue;
          most = load;
          next = node;
        }
        cut.move(*next);
        left.erase(next);
        if (!(best.load() < cut.load())) continue;
        best = cut;
        better = true;
      }
      if (!better) return best.load();
    }
  }

  const Topology& topology_;
  std::vector<NodeId> live_;
};

}  // namespace

std::uint64_t cut_steps(const Topology& topology, std::uint64_t packets) {
  if (topology.live_nodes() > kMostForCuts) return 0;
  const Cut::Load load = CutSearch(topology).run();
  return ceil_div(packets * load.packets, load.arcs);
}

}  // namespace gossamer::bounds
