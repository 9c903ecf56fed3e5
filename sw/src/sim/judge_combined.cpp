// SPDX-License-Identifier: Apache-2.0
/// Combined pieces, and counts.
#include <vector>

#include "gossamer/sim/contribution.hpp"
#include "judge_cases.hpp"

namespace gossamer {

namespace {

/// (node, piece) pairs of a demand's results: for everybody, the root or the owners.
std::uint64_t wanted_words(const Judged& judged) {
  const bool all = judged.demand.to == Destination::kEveryNode;
  return (all ? std::uint64_t{judged.topology.nodes()} : 1) * judged.demand.pieces;
}

class CombinedCase final : public Judge::Case {
 public:
  explicit CombinedCase(const Judged& judged)
      : topology_(judged.topology),
        demand_(judged.demand),
        total_(demand_.pieces, 0),
        words_(wanted_words(judged)) {
    const std::vector<DemandSource> sources = demand_.sources_in(topology_);
    contributors_ = sources.size();
    for (const DemandSource& source : sources) {
      for (PacketId piece = 0; piece < demand_.pieces; ++piece) {
        const std::uint64_t own = contribution(source.node, piece, demand_.pieces);
        total_[piece] += own;
        const std::size_t index = word_of(source.node, piece);
        if (index != kNoWord) words_[index] = {own, 1};
      }
    }
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (!is_complete(i)) ++missing_;
    }
  }

  bool on_links(const LinkView& view) override {
    for_each_send(topology_, view, [&](NodeId, NodeId to, PacketId piece, std::size_t link) {
      if (piece >= demand_.pieces || to == kNoNode) {
        ++misplaced_;
        return;
      }
      const std::size_t index = word_of(to, piece);
      if (index == kNoWord || is_complete(index)) return;
      if (view.values[link] == total_[piece]) words_[index] = {};
      words_[index].sum += view.values[link];
      words_[index].terms += view.terms[link];
      if (!is_complete(index)) return;
      --missing_;
      completion_step_ = view.step;
    });
    return missing_ != 0;
  }

  [[nodiscard]] std::uint64_t missing(NodeId node) const override {
    std::uint64_t count = 0;
    for (PacketId piece = 0; piece < demand_.pieces; ++piece) {
      const std::size_t index = word_of(node, piece);
      if (index != kNoWord && !is_complete(index)) ++count;
    }
    return count;
  }

  [[nodiscard]] std::uint64_t duplicates() const override {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (is_complete(i) || words_[i].terms <= contributors_) continue;
      count += words_[i].terms - contributors_;
    }
    return count;
  }

 private:
  /// What has reached a node of a piece that it must have, its own contribution included.
  struct Word {
    std::uint64_t sum = 0;
    std::uint64_t terms = 0;
  };

  static constexpr std::size_t kNoWord = ~std::size_t{0};

  /// Index of the node's word; kNoWord when it need not have the piece.
  [[nodiscard]] std::size_t word_of(NodeId node, PacketId piece) const {
    switch (demand_.to) {
      case Destination::kOwner:
        return piece / (demand_.pieces / topology_.nodes()) == node ? piece : kNoWord;
      case Destination::kRoot:
        return node == demand_.root ? piece : kNoWord;
      default:
        return node * demand_.pieces + piece;
    }
  }
  [[nodiscard]] bool is_complete(std::size_t index) const {
    return words_[index].sum == total_[index % demand_.pieces];
  }

  Topology topology_;
  Demand demand_;
  std::uint64_t contributors_ = 0;
  /// By piece: the sum of all contributions.
  std::vector<std::uint64_t> total_;
  std::vector<Word> words_;
};

/// What the prefix told every node.
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
  /// By node: orders in which it was not told, or something wrong.
  std::vector<std::uint32_t> wrong_;
};

}  // namespace

std::unique_ptr<Judge::Case> judge_combined(const Judged& judged) {
  return std::make_unique<CombinedCase>(judged);
}

std::uint64_t combined_memory_bytes(const Judged& judged) {
  return (2 * wanted_words(judged) + judged.demand.pieces) * sizeof(std::uint64_t);
}

std::unique_ptr<Judge::Case> judge_counts(const Judged& judged) {
  return std::make_unique<CountsCase>(judged);
}

}  // namespace gossamer
