// SPDX-License-Identifier: Apache-2.0
/// The proof on a spanning tree of two-way links, O(P d^2). Every out-port of the tree is fed by
/// all other in-ports of the tree at its node and preloads every packet of the node. The link out
/// of a subtree of s nodes then sends in steps 1 .. k s without a gap (docs/spec/faults.md, section
/// 5), and its queue is longest when its second largest feeder runs dry.
#include <algorithm>

#include "stream_proofs.hpp"

namespace gossamer {

namespace {

/// The tree, from its first live node on.
class Tree {
 public:
  Tree(const Topology& topology, const StreamProgram& program)
      : topology_(topology), program_(program), ports_(topology.nodes()) {}

  /// False when the program is another one.
  bool find() {
    NodeId root = kNoNode;
    std::uint64_t links = 0;
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      for (const Port port : all_ports(topology_.ports())) {
        const StreamPort& at = program_.at(node, port);
        if (at.feed.empty() && at.preload.empty() && at.switch_step == 0) continue;
        if (at.switch_step != 0 || topology_.neighbor(node, port) == kNoNode) return false;
        ports_[node].insert(port);
        ++links;
      }
      if (root == kNoNode && topology_.is_live(node)) root = node;
      if (topology_.is_live(node) && !is_tree_node(node)) return false;
    }
    return links == 2 * (topology_.live_nodes() - std::uint64_t{1}) && reach_all(root);
  }

  /// The longest queue, in nodes whose packets wait there.
  [[nodiscard]] std::uint64_t longest_queue() const {
    std::uint64_t longest = 1;
    for (const NodeId node : order_) {
      for (const Port out : ports_[node]) {
        std::uint64_t all = 1;
        std::uint64_t largest = 0;
        for (const Port in : ports_[node]) {
          if (in == out) continue;
          const std::uint64_t behind = nodes_behind(node, in);
          all += behind;
          largest = std::max(largest, behind);
        }
        longest = std::max(longest, all - largest);
      }
    }
    return longest;
  }

 private:
  [[nodiscard]] bool is_tree_node(NodeId node) const {
    std::vector<bool> seen(program_.packets_per_node());
    for (const Port port : ports_[node]) {
      const StreamPort& at = program_.at(node, port);
      PortSet others = ports_[node];
      others.erase(port);
      if (at.feed != others || at.preload.size() != seen.size()) return false;
      std::fill(seen.begin(), seen.end(), false);
      for (const std::uint16_t packet : at.preload) seen[packet] = true;
      if (std::find(seen.begin(), seen.end(), false) != seen.end()) return false;
    }
    return !ports_[node].empty();
  }

  /// Traverses the tree; false when a link has no reverse, or some node is not reached.
  bool reach_all(NodeId root) {
    parent_.assign(topology_.nodes(), kNoNode);
    size_.assign(topology_.nodes(), 0);
    order_ = {root};
    parent_[root] = root;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const NodeId node = order_[i];
      for (const Port port : ports_[node]) {
        const NodeId next = topology_.neighbor(node, port);
        if (!ports_[next].contains(opposite(port))) return false;
        if (parent_[next] != kNoNode) continue;
        parent_[next] = node;
        order_.push_back(next);
      }
    }
    for (std::size_t i = order_.size(); i-- > 0;) {
      size_[order_[i]] += 1;
      if (i > 0) size_[parent_[order_[i]]] += size_[order_[i]];
    }
    return order_.size() == topology_.live_nodes();
  }

  /// Nodes of the subtree at a port.
  [[nodiscard]] std::uint64_t nodes_behind(NodeId node, Port port) const {
    const NodeId other = topology_.neighbor(node, port);
    return parent_[other] == node && other != order_.front()
               ? size_[other]
               : topology_.live_nodes() - std::uint64_t{size_[node]};
  }

  const Topology& topology_;
  const StreamProgram& program_;
  std::vector<PortSet> ports_;
  std::vector<NodeId> order_;
  std::vector<NodeId> parent_;
  std::vector<std::uint32_t> size_;
};

}  // namespace

std::optional<Verdict> prove_on_spanning_tree(const Plan& plan, std::uint64_t limit) {
  const Topology& topology = plan.topology;
  const auto& program = plan.program.as<StreamProgram>();
  if (program.frame() != 1 || !topology.faults().dead_cores.empty()) return std::nullopt;
  Tree tree(topology, program);
  if (!tree.find()) return std::nullopt;
  const std::uint64_t nodes = topology.live_nodes();
  const std::uint64_t k = program.packets_per_node();
  Verdict verdict;
  verdict.method = "spanning tree";
  verdict.complete = true;
  verdict.max_queue = k * tree.longest_queue();
  verdict.steps = k * (nodes - 1);
  // A queue longer than the buffer loses packets.
  if (*verdict.steps > limit || *verdict.max_queue > plan.expected.queue_depth) return std::nullopt;
  verdict.link_transfers = k * nodes * (nodes - 1);
  verdict.duplicates = 0;
  return verdict;
}

}  // namespace gossamer
