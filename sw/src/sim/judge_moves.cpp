// SPDX-License-Identifier: Apache-2.0
/// Pieces that travel to one node each: where they are.
#include <utility>
#include <vector>

#include "judge_cases.hpp"

namespace gossamer {

namespace {

constexpr std::uint32_t kNoIndex = ~std::uint32_t{0};

class MovesCase final : public Judge::Case {
 public:
  explicit MovesCase(const Judged& judged)
      : topology_(judged.topology),
        demand_(judged.demand),
        listed_(demand_.sources_in(topology_)),
        index_of_(topology_.nodes(), kNoIndex) {
    const GroupLayout layout(topology_, demand_.groups);
    for (std::size_t i = 0; i < listed_.size(); ++i) {
      index_of_[listed_[i].node] = static_cast<std::uint32_t>(i);
    }
    at_.assign(listed_.size() * per_listed(), kNoNode);
    for (std::size_t index = 0; index < at_.size(); ++index) {
      const NodeId origin = origin_of(index);
      const bool exists =
          !demand_.is_personal() ||
          (origin != goal_of(index) && layout.group(origin) == layout.group(goal_of(index)));
      if (exists) at_[index] = origin;
      if (exists && origin != goal_of(index)) ++missing_;
    }
  }

  bool on_links(const LinkView& view) override {
    // All sends of a step go out before any of its arrivals counts.
    arrivals_.clear();
    for_each_send(topology_, view, [&](NodeId from, NodeId to, PacketId packet, std::size_t) {
      const std::size_t index = index_of(packet);
      if (index >= at_.size() || at_[index] != from || to == kNoNode) {
        ++misplaced_;
        return;
      }
      arrivals_.emplace_back(index, to);
    });
    for (const auto& [index, node] : arrivals_) {
      const NodeId goal = goal_of(index);
      if (at_[index] == goal) ++missing_;
      at_[index] = node;
      if (node != goal) continue;
      --missing_;
      completion_step_ = view.step;
    }
    if (!demand_.is_ranked()) return missing_ != 0;
    completion_step_ = view.step;
    return true;
  }

  [[nodiscard]] std::uint64_t missing(NodeId node) const override {
    std::uint64_t count = 0;
    for (std::size_t index = 0; index < at_.size(); ++index) {
      if (at_[index] != kNoNode && goal_of(index) == node && at_[index] != node) ++count;
    }
    return count;
  }

  [[nodiscard]] NodeId location(PacketId piece) const override { return at_.at(index_of(piece)); }

 private:
  /// Pieces of a listed node: of a source, or of a gatherer.
  [[nodiscard]] std::uint64_t per_listed() const {
    return demand_.is_personal() ? topology_.nodes() * demand_.pieces : demand_.pieces;
  }
  [[nodiscard]] bool gathers() const { return demand_.to == Destination::kEachSource; }
  /// The node at the other end of a personal piece.
  [[nodiscard]] NodeId other_of(std::size_t index) const {
    return static_cast<NodeId>(index % per_listed() / demand_.pieces);
  }
  [[nodiscard]] NodeId origin_of(std::size_t index) const {
    return gathers() ? other_of(index) : listed_[index / per_listed()].node;
  }
  [[nodiscard]] NodeId goal_of(std::size_t index) const {
    const std::size_t i = index / per_listed();
    switch (demand_.to) {
      case Destination::kRankedNode:
        return static_cast<NodeId>(i);
      case Destination::kTarget:
        return demand_.targets[i];
      case Destination::kEachSource:
        return listed_[i].node;
      default:
        return other_of(index);
    }
  }
  /// Index of a piece; at_.size() or more if no piece has this number.
  [[nodiscard]] std::size_t index_of(PacketId packet) const {
    const PacketId last = packet % demand_.pieces;
    PacketId listed = packet / demand_.pieces;
    PacketId other = 0;
    if (demand_.is_personal()) {
      other = listed % topology_.nodes();
      listed /= topology_.nodes();
      if (gathers()) std::swap(listed, other);
    }
    if (listed >= index_of_.size() || other >= topology_.nodes() || index_of_[listed] == kNoIndex) {
      return at_.size();
    }
    return index_of_[listed] * per_listed() + other * demand_.pieces + last;
  }

  Topology topology_;
  Demand demand_;
  /// Sources, or gatherers; by node, its place among them.
  std::vector<DemandSource> listed_;
  std::vector<std::uint32_t> index_of_;
  /// By piece, in order of listed node, other node and number; kNoNode for one that does not exist.
  std::vector<NodeId> at_;
  std::vector<std::pair<std::size_t, NodeId>> arrivals_;
};

}  // namespace

std::unique_ptr<Judge::Case> judge_moves(const Judged& judged) {
  return std::make_unique<MovesCase>(judged);
}

std::uint64_t moves_memory_bytes(const Judged& judged) {
  const Demand& demand = judged.demand;
  const bool all = demand.from == Origin::kEveryNode && demand.to == Destination::kEachNode;
  const std::uint64_t nodes = judged.topology.nodes();
  const std::uint64_t listed = all ? nodes : demand.sources.size();
  return listed * (demand.is_personal() ? nodes : 1) * demand.pieces * sizeof(NodeId);
}

}  // namespace gossamer
