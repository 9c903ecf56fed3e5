// SPDX-License-Identifier: Apache-2.0
#include "ring_stages.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace gossamer {

namespace {

constexpr std::uint32_t kNoBlock = ~std::uint32_t{0};

/// Parts of the ring's total that a content has: `count` of them from `first` on, in the order of
/// the ring. Parts are numbered from the period of the node that has them.
struct Parts {
  std::uint32_t first = 0;
  std::uint32_t count = 0;

  bool operator==(const Parts&) const = default;
};

/// A message starts in step 1 and moves in every step.
struct RingMessage {
  std::uint32_t from = 0;
  bool plus = true;
  /// Its hops.
  std::uint32_t reach = 0;
};

/// Messages that give every node the total of the ring. A message takes up the sums of the nodes
/// that it passes, so the last message of each direction has everything that a node needs from that
/// side. Where the two meet they make the total, which replaces the message.
///
/// Nodes and messages may be those of one period of the ring: the others do the same.
class RingSharing {
 public:
  /// `own`: by node of the period, the parts that it holds at first; none where it holds nothing.
  /// The ring has `parts` of them, `parts_of_period` in each period.
  RingSharing(std::vector<Parts> own, std::vector<RingMessage> messages, std::uint32_t parts,
              std::uint32_t parts_of_period, bool plus_first)
      : plus_first_(plus_first),
        nodes_(static_cast<std::uint32_t>(own.size())),
        parts_(parts),
        shift_(parts_of_period % parts),
        own_(std::move(own)),
        messages_(std::move(messages)),
        towards_{std::vector<Parts>(nodes_), std::vector<Parts>(nodes_)} {
    stage_.sum.assign(nodes_, Held::kNothing);
    for (std::uint32_t node = 0; node < nodes_; ++node) {
      if (is_all(own_[node])) stage_.sum[node] = Held::kSum;
    }
    for (const RingMessage& message : messages_) {
      stage_.steps = std::max(stage_.steps, message.reach);
    }
  }

  RingStage run() {
    for (std::uint32_t step = 1; step <= stage_.steps; ++step) {
      std::vector<Arrival> arrivals;
      for (const RingMessage& message : messages_) {
        if (step > message.reach) continue;
        const std::uint32_t before = (step - 1) % nodes_;
        const std::uint32_t from =
            (message.from + (message.plus ? before : nodes_ - before)) % nodes_;
        const Held sent = step == 1 ? Held::kSum : held_towards(message.plus);
        stage_.hops.push_back(
            {step, from, message.plus, sent, Held::kNothing, held_towards(message.plus), false});
        const Parts& parts = step == 1 ? own_[from] : towards_[message.plus ? 1 : 0][from];
        arrivals.push_back({stage_.hops.size() - 1, next(from, message.plus), message.plus,
                            seen_after(parts, from, message.plus)});
      }
      std::stable_sort(arrivals.begin(), arrivals.end(), [this](const auto& a, const auto& b) {
        return is_first(a) && !is_first(b);
      });
      for (const Arrival& arrival : arrivals) receive(arrival, arrivals);
    }
    const auto& sums = stage_.sum;
    if (std::find(sums.begin(), sums.end(), Held::kNothing) != sums.end()) {
      throw std::logic_error("a node of a ring gets no total");
    }
    return std::move(stage_);
  }

 private:
  struct Arrival {
    std::size_t hop = 0;
    std::uint32_t node = 0;
    bool plus = true;
    Parts parts;
  };

  [[nodiscard]] std::uint32_t next(std::uint32_t node, bool plus) const {
    return plus ? (node + 1) % nodes_ : (node + nodes_ - 1) % nodes_;
  }
  /// The parts of node `from`, as its neighbour numbers them.
  [[nodiscard]] Parts seen_after(Parts parts, std::uint32_t from, bool plus) const {
    if (plus && from + 1 == nodes_) parts.first = (parts.first + parts_ - shift_) % parts_;
    if (!plus && from == 0) parts.first = (parts.first + shift_) % parts_;
    return parts;
  }

  [[nodiscard]] bool is_all(const Parts& parts) const { return parts.count == parts_; }
  [[nodiscard]] bool meet(const Parts& a, const Parts& b) const {
    const std::uint32_t from_a = (b.first + parts_ - a.first) % parts_;
    const std::uint32_t from_b = (a.first + parts_ - b.first) % parts_;
    return a.count != 0 && b.count != 0 && (from_a < a.count || from_b < b.count);
  }
  /// Of parts that do not meet. They are neighbours: contents come from one side, node by node.
  [[nodiscard]] Parts both_of(const Parts& a, const Parts& b) const {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    const bool a_first = (a.first + a.count) % parts_ == b.first;
    if (!a_first && (b.first + b.count) % parts_ != a.first) {
      throw std::logic_error("parts of a ring are not neighbours");
    }
    return {a_first ? a.first : b.first, a.count + b.count};
  }
  /// Together they are the total.
  [[nodiscard]] bool complete(const Parts& a, const Parts& b) const {
    return a.count != 0 && b.count != 0 && !meet(a, b) && a.count + b.count == parts_;
  }

  [[nodiscard]] bool is_first(const Arrival& arrival) const { return arrival.plus == plus_first_; }

  void receive(const Arrival& arrival, const std::vector<Arrival>& all) {
    RingHop& hop = stage_.hops[arrival.hop];
    const std::uint32_t node = arrival.node;
    const Parts& sum = own_[node];
    const Parts& other = towards_[arrival.plus ? 0 : 1][node];
    Parts& place = towards_[arrival.plus ? 1 : 0][node];
    if (is_all(arrival.parts)) {
      place = arrival.parts;
      return finish(node, hop);
    }
    for (const Held held : {Held::kSum, held_towards(!arrival.plus)}) {
      const Parts& with = held == Held::kSum ? sum : other;
      if (!complete(arrival.parts, with)) continue;
      hop.with = held;
      place = both_of(arrival.parts, with);
      return finish(node, hop);
    }
    const bool takes_up = sum.count != 0 && !meet(sum, arrival.parts) && !meets_rest(arrival, all);
    if (takes_up) hop.with = Held::kSum;
    place = takes_up ? both_of(arrival.parts, sum) : arrival.parts;
  }

  /// In the same step the rest of the total comes from the other side, with the node's own sum, to
  /// this node, or to the one that has the same sum; that one takes the sum up.
  [[nodiscard]] bool meets_rest(const Arrival& arrival, const std::vector<Arrival>& all) const {
    const auto at = [&all](std::uint32_t node, bool plus) -> const Parts* {
      for (const Arrival& other : all) {
        if (other.node == node && other.plus == plus) return &other.parts;
      }
      return nullptr;
    };
    if (is_first(arrival)) {
      const Parts* other = at(arrival.node, !arrival.plus);
      return other != nullptr && complete(arrival.parts, *other);
    }
    const std::uint32_t twin = next(arrival.node, arrival.plus);
    if (own_[twin] != seen_after(own_[arrival.node], arrival.node, arrival.plus)) return false;
    const Parts* other = at(twin, !arrival.plus);
    const Parts grown = both_of(arrival.parts, own_[arrival.node]);
    return other != nullptr && complete(seen_after(grown, arrival.node, arrival.plus), *other);
  }

  void finish(std::uint32_t node, RingHop& hop) {
    if (stage_.sum[node] != Held::kNothing) return;
    hop.completes = true;
    stage_.sum[node] = hop.to;
  }

  bool plus_first_;
  std::uint32_t nodes_;
  std::uint32_t parts_;
  std::uint32_t shift_;
  std::vector<Parts> own_;
  std::vector<RingMessage> messages_;
  /// By direction (1: towards +) and node, the last message of the direction as it is sent on.
  std::array<std::vector<Parts>, 2> towards_;
  RingStage stage_;
};

}  // namespace

RingBlocks::RingBlocks(const bounds::CoresForm& form) : reduce_steps_(form.reduce_steps) {
  for (const std::uint32_t size : form.sizes) side_ += size;
  nodes_.assign(side_, CoreNode::kNone);
  block_of_.assign(side_, kNoBlock);
  std::uint32_t start = 0;
  for (const std::uint32_t size : form.sizes) {
    const std::uint32_t right = start + size / 2;
    const std::uint32_t left = form.is_pair(size) ? right - 1 : right;
    nodes_[left] = CoreNode::kLeft;
    nodes_[right] = left == right ? CoreNode::kSingle : CoreNode::kRight;
    block_of_[left] = block_of_[right] = static_cast<std::uint32_t>(blocks_.size());
    blocks_.push_back({start, size, left, right});
    start += size;
  }
}

std::uint64_t RingBlocks::core_nodes() const {
  std::uint64_t count = 0;
  for (const Block& block : blocks_) count += block.left == block.right ? 1U : 2U;
  return count;
}

RingStage RingBlocks::to_cores() const {
  RingStage stage{{}, std::vector<Held>(side_, Held::kNothing), reduce_steps_};
  for (const Block& block : blocks_) {
    for (const bool plus : {true, false}) {
      std::uint32_t node = plus ? block.start : block.start + block.size - 1;
      const std::uint32_t hops = plus ? block.right - node : node - block.left;
      for (std::uint32_t i = 0; i < hops; ++i) {
        stage.hops.push_back({reduce_steps_ - hops + 1 + i, node, plus, Held::kSum, Held::kSum,
                              Held::kSum, is_one_block() && i + 1 == hops});
        node = plus ? (node + 1) % side_ : (node + side_ - 1) % side_;
      }
    }
    stage.sum[block.left] = stage.sum[block.right] = Held::kSum;
  }
  return stage;
}

RingStage RingBlocks::from_cores(bool plus_first) const {
  return share(blocks_.size(), plus_first);
}

RingStage RingBlocks::from_cores_of_first(bool plus_first) const { return share(1, plus_first); }

RingStage RingBlocks::share(std::size_t count, bool plus_first) const {
  const Block& last = blocks_[count - 1];
  std::vector<Parts> own(last.start + last.size);
  for (std::uint32_t node = 0; node < own.size(); ++node) {
    if (block_of_[node] != kNoBlock) own[node] = {block_of_[node], 1};
  }
  std::vector<RingMessage> messages;
  for (std::size_t i = 0; i < count; ++i) {
    const Block& block = blocks_[i];
    const std::uint32_t others = side_ - (block.right - block.left + 1);
    messages.push_back({block.right, true, (others + 1) / 2});
    messages.push_back({block.left, false, others / 2});
  }
  return RingSharing(std::move(own), std::move(messages),
                     static_cast<std::uint32_t>(blocks_.size()), static_cast<std::uint32_t>(count),
                     plus_first)
      .run();
}

RingStage RingBlocks::along_lines(bool plus_first) const {
  std::vector<Parts> own(side_);
  for (std::uint32_t node = 0; node < side_; ++node) own[node] = {node, 1};
  std::vector<RingMessage> messages;
  for (const Block& block : blocks_) {
    const std::uint32_t others = side_ - block.size;
    messages.push_back({block.start, true, block.size - 1 + (others + 1) / 2});
    messages.push_back({block.start + block.size - 1, false, block.size - 1 + others / 2});
  }
  return RingSharing(std::move(own), std::move(messages), side_, side_, plus_first).run();
}

}  // namespace gossamer
