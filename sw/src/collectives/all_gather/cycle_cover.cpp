// SPDX-License-Identifier: Apache-2.0
#include "cycle_cover.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gossamer/util/random.hpp"

namespace gossamer {

namespace {

/// The square of `corner`, the nodes beyond its ports `along` and `across`, and the node opposite.
struct Square {
  NodeId corner;
  Port along;
  Port across;

  /// The same square with its sides exchanged.
  [[nodiscard]] Square turned() const { return {corner, across, along}; }
};

class Knitting {
 public:
  Knitting(const Topology& torus, std::uint64_t seed)
      : nodes_(torus.nodes()),
        ports_(static_cast<std::uint32_t>(torus.ports())),
        random_(seed),
        used_(nodes_, {make_port(0, false), make_port(0, true)}),
        cover_{std::vector<Visit>(nodes_), {}},
        passes_(nodes_) {
    neighbor_.reserve(torus.link_slots());
    for (NodeId node = 0; node < nodes_; ++node) {
      for (const Port port : all_ports(torus.ports())) {
        neighbor_.push_back(torus.neighbor(node, port));
      }
    }
  }

  /// Squares changed at random, beginning with the rings along x. Cycles are not numbered yet.
  void shuffle() {
    constexpr std::uint64_t kTriesNode = 200;
    for (std::uint64_t i = 0; i < kTriesNode * nodes_; ++i) {
      const Square square = draw();
      if (can_change(square)) change(square);
    }
  }

  /// Joins or splits cycles until there are `count`; false if that fails.
  bool settle(std::uint32_t count) {
    number_all();
    const std::uint64_t most_tries = 1'000'000 + std::uint64_t{1000} * nodes_;
    for (std::uint64_t i = 0; i < most_tries && cover_.length.size() != count; ++i) {
      const Square square = draw();
      if (!can_change(square)) continue;
      const bool joins = !in_one_cycle(square);
      if (joins != (cover_.length.size() > count) || (!joins && runs_alike(square))) continue;
      change(square);
      number_all();
    }
    return cover_.length.size() == count;
  }

  /// Anneals towards cycles of at most `longest` nodes, then towards short distances.
  void anneal(std::uint32_t longest) {
    constexpr double kHot = 8;
    constexpr double kCold = 0.3;
    constexpr std::uint64_t kWork = 150'000'000;
    const std::uint64_t moves = std::clamp<std::uint64_t>(kWork / nodes_, 1000, 100'000);
    Cost cost = price(longest);
    for (std::uint64_t move = 0; move < moves || (cost.first > 0 && move < 10 * moves); ++move) {
      const double cooled = std::min(1.0, static_cast<double>(move) / static_cast<double>(moves));
      const double temperature = kHot + (kCold - kHot) * cooled;
      const Square square = draw();
      if (!can_change(square)) continue;
      if (in_one_cycle(square) && !runs_alike(square)) continue;
      before_ = cover_;
      made_.clear();
      if (!rearrange(square, longest)) {
        undo();
        continue;
      }
      const Cost now = price(longest);
      const auto more = static_cast<double>(now.second - cost.second);
      if (now.first < cost.first ||
          (now.first == cost.first &&
           (more <= 0 || random_.unit() < std::exp(-more / temperature)))) {
        cost = now;
      } else {
        undo();
      }
    }
  }

  [[nodiscard]] CycleCover take() { return std::move(cover_); }

 private:
  /// Squares of the nodes too many in each cycle, and of the cycles that do not pass a node or a
  /// neighbour of it, each added up.
  using Cost = std::pair<std::int64_t, std::int64_t>;

  [[nodiscard]] NodeId beyond(NodeId node, Port port) const {
    return neighbor_[std::size_t{node} * ports_ + port];
  }
  [[nodiscard]] bool uses(NodeId node, Port port) const {
    return used_[node][0] == port || used_[node][1] == port;
  }
  void replace(NodeId node, Port old, Port port) {
    used_[node][used_[node][0] == old ? 0 : 1] = port;
  }

  Square draw() {
    const auto corner = static_cast<NodeId>(random_.below(nodes_));
    const auto along = static_cast<Port>(random_.below(ports_));
    auto across = static_cast<Port>(random_.below(ports_ - 2));
    if (dimension_of(across) >= dimension_of(along)) across = static_cast<Port>(across + 2);
    return {corner, along, across};
  }
  /// The sides `along` belong to cycles, those `across` do not.
  [[nodiscard]] bool can_change(const Square& s) const {
    return uses(s.corner, s.along) && !uses(s.corner, s.across) &&
           uses(beyond(s.corner, s.across), s.along) && !uses(beyond(s.corner, s.along), s.across);
  }
  /// Replaces the sides `along` by those `across`; turned() undoes it.
  void change(const Square& s) {
    const NodeId near = beyond(s.corner, s.along);
    const NodeId side = beyond(s.corner, s.across);
    replace(s.corner, s.along, s.across);
    replace(near, opposite(s.along), s.across);
    replace(side, s.along, opposite(s.across));
    replace(beyond(near, s.across), opposite(s.along), opposite(s.across));
  }
  [[nodiscard]] bool in_one_cycle(const Square& s) const {
    return cover_.visit[s.corner].cycle == cover_.visit[beyond(s.corner, s.across)].cycle;
  }
  /// The two sides `along` are passed in the same direction.
  [[nodiscard]] bool runs_alike(const Square& s) const {
    const NodeId side = beyond(s.corner, s.across);
    return (cover_.visit[s.corner].out == s.along) == (cover_.visit[side].out == s.along);
  }

  /// Numbers the cycle from the node on, and returns its length.
  std::uint32_t number(NodeId first, std::uint8_t cycle) {
    std::uint32_t length = 0;
    NodeId node = first;
    Port out = used_[first][0];
    do {
      cover_.visit[node].cycle = cycle;
      cover_.visit[node].out = out;
      cover_.visit[node].position = length++;
      node = beyond(node, out);
      const Port in = opposite(out);
      cover_.visit[node].in = in;
      out = used_[node][used_[node][0] == in ? 1 : 0];
    } while (node != first);
    return length;
  }
  /// Of more cycles than there are numbers the last ones share one. They look like one cycle until
  /// others, which are joined first, leave them a number each.
  void number_all() {
    for (Visit& visit : cover_.visit) visit.cycle = kNoCycle;
    cover_.length.clear();
    for (NodeId node = 0; node < nodes_; ++node) {
      if (cover_.visit[node].cycle != kNoCycle) continue;
      const std::size_t cycle = std::min<std::size_t>(cover_.length.size(), kNoCycle - 1);
      cover_.length.push_back(number(node, static_cast<std::uint8_t>(cycle)));
    }
  }

  void make(const Square& square) {
    change(square);
    made_.push_back(square);
  }
  void undo() {
    for (; !made_.empty(); made_.pop_back()) change(made_.back().turned());
    std::swap(cover_, before_);
  }

  /// Changes a square and, if that joins two cycles, a second one that splits the result into
  /// cycles of at most `longest` nodes, or of at most the longer cycle's length. Returns false
  /// without such a square.
  bool rearrange(const Square& square, std::uint32_t longest) {
    const std::uint8_t kept = cover_.visit[square.corner].cycle;
    const std::uint8_t joined = cover_.visit[beyond(square.corner, square.across)].cycle;
    const std::uint32_t most = std::max({longest, cover_.length[kept], cover_.length[joined]});
    make(square);
    const std::uint32_t length = number(square.corner, kept);
    if (kept == joined) return true;
    splits_.clear();
    NodeId node = square.corner;
    for (std::uint32_t i = 0; i < length; ++i) {
      const Port out = cover_.visit[node].out;
      const NodeId next = beyond(node, out);
      for (std::uint32_t p = 0; p < ports_; ++p) {
        const Square other{node, out, static_cast<Port>(p)};
        if (dimension_of(other.across) == dimension_of(out)) continue;
        // The side opposite is passed the other way: from next to `back` one piece closes.
        const NodeId back = beyond(next, other.across);
        if (cover_.visit[back].cycle != kept || cover_.visit[back].out != opposite(out)) continue;
        if (!can_change(other)) continue;
        const std::uint32_t piece =
            (cover_.visit[back].position + length - cover_.visit[next].position) % length + 1;
        if (std::max(piece, length - piece) <= most) splits_.push_back(other);
      }
      node = next;
    }
    if (splits_.empty()) return false;
    const Square split = splits_[random_.below(splits_.size())];
    make(split);
    cover_.length[kept] = number(split.corner, kept);
    cover_.length[joined] = number(beyond(split.corner, split.along), joined);
    return true;
  }

  [[nodiscard]] Cost price(std::uint32_t longest) {
    Cost cost{0, 0};
    for (const std::uint32_t length : cover_.length) {
      const std::int64_t over = std::max(std::int64_t{length} - longest, std::int64_t{0});
      cost.first += over * over;
    }
    for (NodeId node = 0; node < nodes_; ++node) {
      passes_[node] = std::uint64_t{1} << cover_.visit[node].cycle;
    }
    const std::uint64_t all = (std::uint64_t{1} << cover_.length.size()) - 1;
    const NodeId* neighbor = neighbor_.data();
    for (NodeId node = 0; node < nodes_; ++node, neighbor += ports_) {
      std::uint64_t absent = all & ~passes_[node];
      for (std::uint32_t p = 0; p < ports_; ++p) absent &= ~passes_[neighbor[p]];
      std::int64_t count = 0;
      for (; absent != 0; absent &= absent - 1) ++count;
      cost.second += count * count;
    }
    return cost;
  }

  std::uint32_t nodes_;
  std::uint32_t ports_;
  SplitMix64 random_;
  std::vector<NodeId> neighbor_;
  /// The ports of each node by which its cycle passes.
  std::vector<std::array<Port, 2>> used_;
  CycleCover cover_;
  /// Before the move that is being made, and the squares that it changes.
  CycleCover before_;
  std::vector<Square> made_;
  std::vector<Square> splits_;
  /// The cycles that pass each node, one bit per cycle.
  std::vector<std::uint64_t> passes_;
};

}  // namespace

std::optional<CycleCover> knit_cycles(const Topology& torus, std::uint32_t count,
                                      std::uint64_t seed) {
  Knitting knitting(torus, seed);
  knitting.shuffle();
  if (!knitting.settle(count)) return std::nullopt;
  std::uint32_t longest = (torus.nodes() + count - 1) / count;
  const auto even = [](std::uint32_t side) { return side % 2 == 0; };
  // A chessboard: every cycle is even.
  if (std::all_of(torus.sides().begin(), torus.sides().end(), even)) longest += longest % 2;
  knitting.anneal(longest);
  return knitting.take();
}

}  // namespace gossamer
