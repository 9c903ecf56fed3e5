// SPDX-License-Identifier: Apache-2.0
/// Pieces that network interfaces write, combined ones above all; and counts.
#include <algorithm>
#include <vector>

#include "gossamer/sim/contribution.hpp"
#include "gossamer/topology/rotated.hpp"
#include "judge_cases.hpp"

namespace gossamer {

namespace {

/// Numbers of pieces that there are, those of an all-to-all from a node to itself included.
std::uint64_t piece_numbers(const Judged& judged) {
  const Demand& demand = judged.demand;
  const std::uint64_t nodes = judged.topology.nodes();
  if (demand.combines() || demand.from == Origin::kRoot) {
    return nodes / demand.members(nodes) * demand.pieces;
  }
  return nodes * demand.pieces * (demand.is_personal() ? nodes : 1);
}

/// (node, piece) pairs of a demand's results: every member's, or those of one node per piece.
std::uint64_t wanted_words(const Judged& judged) {
  const bool all = judged.demand.to == Destination::kEveryNode;
  return (all ? judged.demand.members(judged.topology.nodes()) : 1) * piece_numbers(judged);
}

/// Words as the network interfaces write them: those of a vector, or copies that a program hands
/// over.
class WrittenCase final : public Judge::Case {
 public:
  explicit WrittenCase(const Judged& judged)
      : topology_(judged.topology),
        nodes_(topology_.nodes()),
        demand_(judged.demand),
        layout_(topology_, demand_.groups),
        share_(std::max<std::uint64_t>(demand_.pieces / layout_.members(), 1)),
        total_(piece_numbers(judged), 0),
        terms_(wanted_words(judged), 0) {
    for (PacketId piece = 0; piece < total_.size(); ++piece) missing_ += wanted_by(piece);
    if (!demand_.combines()) {
      begin_with_copies();
      return;
    }
    const std::vector<DemandSource> sources = demand_.sources_in(judged.topology);
    contributors_ = static_cast<std::uint32_t>(sources.size() / layout_.groups());
    for (const DemandSource& source : sources) {
      const NodeId rank = layout_.rank(source.node);
      for (PacketId word = 0; word < demand_.pieces; ++word) {
        total_[number_of(layout_.group(source.node), word)] +=
            contribution(rank, word, demand_.pieces);
      }
    }
  }

  bool on_links(const LinkView& view) override {
    for (const PacketId piece : view.packets) {
      // A broken link's word is not a piece.
      if (piece != kNoPacket && piece != kGarbage && piece >= total_.size()) ++misplaced_;
    }
    for (const Result& result : view.results) {
      const std::size_t index =
          result.packet < total_.size() ? word_of(result.node, result.packet) : kNoWord;
      if (index == kNoWord) continue;
      const bool right = result.value == total_[result.packet] && result.terms == contributors_;
      if (terms_[index] == kRight) ++missing_;
      terms_[index] = right ? kRight : result.terms;
      if (!right) continue;
      --missing_;
      if (missing_ != 0) continue;
      // Interfaces write at the end of the step before.
      completion_step_ = view.step - 1;
      completion_cycle_ = view.cycle;
      for (std::size_t i = 0; i < view.deliveries.size(); ++i) {
        completion_step_ = i == 0
                               ? view.deliveries[0].step
                               : std::max<std::uint64_t>(completion_step_, view.deliveries[i].step);
      }
    }
    // By cut-through all planned sends are executed.
    return view.packets.empty() || missing_ != 0;
  }

  [[nodiscard]] std::uint64_t missing(NodeId node) const override {
    std::uint64_t count = 0;
    for (PacketId piece = 0; piece < total_.size(); ++piece) {
      const std::size_t index = word_of(node, piece);
      if (index != kNoWord && terms_[index] != kRight) ++count;
    }
    return count;
  }

  [[nodiscard]] std::uint64_t duplicates() const override {
    std::uint64_t count = 0;
    for (const std::uint32_t terms : terms_) {
      if (terms == kRight) continue;
      // The right number of contributions, but not the right ones: at least one occurs twice.
      if (terms >= contributors_) count += std::max(terms - contributors_, 1U);
    }
    return count;
  }

 private:
  static constexpr std::size_t kNoWord = ~std::size_t{0};
  static constexpr std::uint32_t kRight = ~std::uint32_t{0};

  /// A copy is right when it is its origin's word; nodes that have it from the start need no copy.
  void begin_with_copies() {
    contributors_ = 1;
    for (PacketId piece = 0; piece < total_.size(); ++piece) {
      const NodeId origin = origin_of(piece);
      total_[piece] = contribution(layout_.rank(origin), number_in_group(piece), demand_.pieces);
      const std::size_t index = word_of(origin, piece);
      if (index == kNoWord) continue;
      terms_[index] = kRight;
      --missing_;
    }
  }

  /// The number in the network of a combined word of a group.
  [[nodiscard]] PacketId number_of(NodeId group, PacketId word) const {
    if (!demand_.numbers_by_owner()) return group * demand_.pieces + word;
    return layout_.node(group, static_cast<NodeId>(word / share_)) * share_ + word % share_;
  }
  /// A copied piece's number where the group is all there is.
  [[nodiscard]] PacketId number_in_group(PacketId piece) const {
    const PacketId last = piece % demand_.pieces;
    if (demand_.from == Origin::kRoot) return last;
    PacketId rest = layout_.rank(origin_of(piece));
    if (demand_.is_personal())
      rest = rest * layout_.members() + layout_.rank(destination_of(piece));
    return rest * demand_.pieces + last;
  }
  /// The node that has a copied piece from the start.
  [[nodiscard]] NodeId origin_of(PacketId piece) const {
    if (demand_.from == Origin::kRoot) {
      return layout_.node(static_cast<NodeId>(piece / demand_.pieces), demand_.root);
    }
    return static_cast<NodeId>(piece / (total_.size() / nodes_));
  }
  [[nodiscard]] NodeId destination_of(PacketId piece) const {
    return static_cast<NodeId>(piece / demand_.pieces % nodes_);
  }
  [[nodiscard]] NodeId group_of(PacketId piece) const {
    if (!demand_.combines()) return layout_.group(origin_of(piece));
    return demand_.numbers_by_owner() ? layout_.group(static_cast<NodeId>(piece / share_))
                                      : static_cast<NodeId>(piece / demand_.pieces);
  }

  /// Nodes that must end with the piece, including its origin. Dead nodes require nothing, and
  /// their pieces exist nowhere.
  [[nodiscard]] std::uint64_t wanted_by(PacketId piece) const {
    if (!demand_.combines() && !topology_.has_core(origin_of(piece))) return 0;
    switch (demand_.to) {
      case Destination::kOwner:
        return topology_.has_core(static_cast<NodeId>(piece / share_)) ? 1U : 0U;
      case Destination::kRoot:
        return 1;
      case Destination::kEachNode:
      case Destination::kEachSource:
        return is_wanted_at(destination_of(piece), piece) ? 1U : 0U;
      default:
        return demand_.members(topology_.cores());
    }
  }

  /// A personal piece for the node exists.
  [[nodiscard]] bool is_wanted_at(NodeId node, PacketId piece) const {
    return topology_.has_core(node) && group_of(piece) == layout_.group(node) &&
           (demand_.to != Destination::kEachSource || demand_.source_pieces(node) != 0);
  }

  /// Index of the node's word; kNoWord when it need not have the piece.
  [[nodiscard]] std::size_t word_of(NodeId node, PacketId piece) const {
    if (!topology_.has_core(node)) return kNoWord;
    if (!demand_.combines() && !topology_.has_core(origin_of(piece))) return kNoWord;
    switch (demand_.to) {
      case Destination::kOwner:
        return piece / share_ == node ? piece : kNoWord;
      case Destination::kRoot:
        return node == layout_.node(group_of(piece), demand_.root) ? piece : kNoWord;
      case Destination::kEachNode:
      case Destination::kEachSource:
        return destination_of(piece) == node && is_wanted_at(node, piece) ? piece : kNoWord;
      default:
        if (group_of(piece) != layout_.group(node)) return kNoWord;
        return layout_.rank(node) * total_.size() + piece;
    }
  }

  Topology topology_;
  std::uint64_t nodes_;
  Demand demand_;
  GroupLayout layout_;
  /// Words that each member owns, where they are numbered by owner.
  std::uint64_t share_;
  std::uint32_t contributors_ = 0;
  /// By piece: the sum of all contributions.
  std::vector<std::uint64_t> total_;
  /// By wanted word: kRight, or the contributions that the wrong one holds (0: not written yet).
  std::vector<std::uint32_t> terms_;
};

/// The prefix results of every node.
class CountsCase final : public Judge::Case {
 public:
  explicit CountsCase(const Judged& judged)
      : topology_(judged.topology),
        demand_(judged.demand),
        wrong_(topology_.nodes(), static_cast<std::uint32_t>(demand_.pieces)) {
    missing_ = topology_.nodes() * demand_.pieces;
  }

  bool on_links(const LinkView& view) override {
    completion_step_ = view.step;
    return true;
  }

  void check_results(const Engine& engine) override {
    std::vector<std::uint32_t> count(topology_.nodes(), 0);
    for (const DemandSource& source : demand_.sources) count[source.node] = source.pieces;
    std::uint32_t total = 0;
    for (const DemandSource& source : demand_.sources) total += source.pieces;
    for (int order = 0; order < static_cast<int>(demand_.pieces); ++order) {
      std::uint32_t before = 0;
      for (NodeId rotated = 0; rotated < topology_.nodes(); ++rotated) {
        const NodeId node = rotated_node(topology_, rotated, order);
        if (engine.prefix(order, node) == PrefixResult{before, total}) {
          --wrong_[node];
          --missing_;
        }
        before += count[node];
      }
    }
  }

  [[nodiscard]] std::uint64_t missing(NodeId node) const override { return wrong_[node]; }

 private:
  Topology topology_;
  Demand demand_;
  /// By node: orders in which the result is missing or wrong.
  std::vector<std::uint32_t> wrong_;
};

}  // namespace

std::unique_ptr<Judge::Case> judge_written(const Judged& judged) {
  return std::make_unique<WrittenCase>(judged);
}

std::uint64_t written_memory_bytes(const Judged& judged) {
  return wanted_words(judged) * sizeof(std::uint32_t) +
         piece_numbers(judged) * sizeof(std::uint64_t);
}

std::unique_ptr<Judge::Case> judge_counts(const Judged& judged) {
  return std::make_unique<CountsCase>(judged);
}

}  // namespace gossamer
