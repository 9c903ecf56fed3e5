// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/reduce/cores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <vector>

#include "gossamer/bounds/cores.hpp"
#include "gossamer/bounds/reductions.hpp"
#include "gossamer/machines/timetable/builder.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// Places in which a node holds something of a word.
enum class Held : std::uint8_t {
  /// Its sum so far.
  kSum,
  /// The messages that it sends on towards + and towards -.
  kOnward,
  kBackward,
  kNothing,
};
constexpr std::uint64_t kHeldPerWord = 3;
constexpr Held held_towards(bool plus) { return plus ? Held::kOnward : Held::kBackward; }

/// A node's place in the cores of one ring.
enum class CoreNode : std::uint8_t { kNone, kSingle, kLeft, kRight };

/// A hop along a ring: nodes are the coordinates of a word whose blocks begin at 0.
struct RingHop {
  /// From 1 within its stage.
  std::uint32_t step = 1;
  std::uint32_t from = 0;
  bool plus = true;
  Held sent = Held::kSum;
  /// The receiver combines the arrival with this content, and puts the result there.
  Held with = Held::kNothing;
  Held to = Held::kSum;
  /// The receiver has the total of the ring.
  bool completes = false;
};

/// The blocks of a ring, their cores, and what a ring does in the first and in the last stage.
class CoresRing {
 public:
  CoresRing(std::uint32_t side, const bounds::CoresForm& form)
      : side_(side), form_(form), nodes_(side, CoreNode::kNone), block_of_(side, kNoBlock) {
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
    reduce();
    gather();
  }

  [[nodiscard]] const std::vector<RingHop>& reduce_hops() const { return reduce_; }
  [[nodiscard]] const std::vector<RingHop>& gather_hops() const { return gather_; }
  [[nodiscard]] CoreNode at(std::uint32_t place) const { return nodes_[place]; }
  /// Core nodes; a word whose blocks are one has its total there before the last stage.
  [[nodiscard]] std::uint64_t core_nodes() const {
    std::uint64_t count = 0;
    for (const Block& block : blocks_) count += block.left == block.right ? 1U : 2U;
    return count;
  }
  [[nodiscard]] bool is_one_block() const { return blocks_.size() == 1; }

 private:
  static constexpr std::uint32_t kNoBlock = ~std::uint32_t{0};
  struct Block {
    std::uint32_t start = 0;
    std::uint32_t size = 0;
    /// The nodes of its core.
    std::uint32_t left = 0;
    std::uint32_t right = 0;
  };
  /// Blocks whose sums a content has, by number.
  using Blocks = std::vector<bool>;

  [[nodiscard]] std::uint32_t next(std::uint32_t node, bool plus) const {
    return plus ? (node + 1) % side_ : (node + side_ - 1) % side_;
  }

  /// In each block partial sums grow from both ends, and meet in the last step.
  void reduce() {
    for (const Block& block : blocks_) {
      for (const bool plus : {true, false}) {
        std::uint32_t node = plus ? block.start : block.start + block.size - 1;
        const std::uint32_t hops = plus ? block.right - node : node - block.left;
        for (std::uint32_t i = 0; i < hops; ++i) {
          reduce_.push_back({form_.reduce_steps - hops + 1 + i, node, plus, Held::kSum, Held::kSum,
                             Held::kSum, is_one_block() && i + 1 == hops});
          node = next(node, plus);
        }
      }
    }
  }

  static bool is_all(const Blocks& blocks) {
    return std::find(blocks.begin(), blocks.end(), false) == blocks.end();
  }
  static bool meet(const Blocks& a, const Blocks& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] && b[i]) return true;
    }
    return false;
  }
  static Blocks joined(Blocks a, const Blocks& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = a[i] || b[i];
    return a;
  }
  /// Together they are the total.
  static bool complete(const Blocks& a, const Blocks& b) {
    return !a.empty() && !b.empty() && !meet(a, b) && is_all(joined(a, b));
  }

  struct Arrival {
    std::uint32_t hop = 0;
    std::uint32_t node = 0;
    bool plus = true;
    Blocks blocks;
  };

  /// Each core sends its sum both ways. A message takes up the sums of the cores that it passes, so
  /// the last message of each direction has everything that a node needs from that side. Where the
  /// two meet they make the total, which replaces the message.
  void gather() {
    onward_.assign(side_, {});
    backward_.assign(side_, {});
    has_total_.assign(side_, false);
    for (std::uint32_t node = 0; node < side_; ++node) {
      has_total_[node] = is_one_block() && nodes_[node] != CoreNode::kNone;
    }
    for (std::uint32_t step = 1; step <= form_.gather_steps; ++step) {
      std::vector<Arrival> arrivals;
      for (const Block& block : blocks_) {
        const std::uint32_t others = side_ - (block.right - block.left + 1);
        for (const bool plus : {true, false}) {
          const std::uint32_t reach = plus ? (others + 1) / 2 : others / 2;
          if (step > reach) continue;
          const std::uint32_t from =
              plus ? (block.right + step - 1) % side_ : (block.left + side_ - (step - 1)) % side_;
          const Held sent = step == 1 ? Held::kSum : held_towards(plus);
          gather_.push_back({step, from, plus, sent, Held::kNothing, held_towards(plus), false});
          arrivals.push_back({static_cast<std::uint32_t>(gather_.size() - 1), next(from, plus),
                              plus, step == 1 ? own(from) : towards(plus)[from]});
        }
      }
      // Messages towards + come in by the lower port.
      std::stable_sort(arrivals.begin(), arrivals.end(),
                       [](const Arrival& a, const Arrival& b) { return a.plus && !b.plus; });
      const auto at = [&](std::uint32_t node, bool plus) -> const Blocks* {
        for (const Arrival& other : arrivals) {
          if (other.node == node && other.plus == plus) return &other.blocks;
        }
        return nullptr;
      };
      for (const Arrival& arrival : arrivals) receive(arrival, at);
    }
    if (std::find(has_total_.begin(), has_total_.end(), false) != has_total_.end()) {
      throw std::logic_error("cores: a node of a ring gets no total");
    }
  }

  [[nodiscard]] Blocks own(std::uint32_t node) const {
    if (block_of_[node] == kNoBlock) return {};
    Blocks blocks(blocks_.size(), false);
    blocks[block_of_[node]] = true;
    return blocks;
  }
  std::vector<Blocks>& towards(bool plus) { return plus ? onward_ : backward_; }

  void receive(const Arrival& arrival, const auto& at) {
    RingHop& hop = gather_[arrival.hop];
    const std::uint32_t node = arrival.node;
    const Blocks sum = own(node);
    const Blocks& other = towards(!arrival.plus)[node];
    Blocks& place = towards(arrival.plus)[node];
    if (is_all(arrival.blocks)) {
      place = arrival.blocks;
      return finish(node, hop);
    }
    for (const Held held : {Held::kSum, held_towards(!arrival.plus)}) {
      const Blocks& with = held == Held::kSum ? sum : other;
      if (!complete(arrival.blocks, with)) continue;
      hop.with = held;
      place = joined(arrival.blocks, with);
      return finish(node, hop);
    }
    const bool takes_up = !sum.empty() && !meet(sum, arrival.blocks) && !meets_rest(arrival, at);
    if (takes_up) hop.with = Held::kSum;
    place = takes_up ? joined(arrival.blocks, sum) : arrival.blocks;
  }

  /// In the same step the rest of the total comes from the other side, with the core's own sum, to
  /// this node or to the core's other one; that one takes the sum up.
  [[nodiscard]] bool meets_rest(const Arrival& arrival, const auto& at) const {
    if (arrival.plus) {
      const Blocks* back = at(arrival.node, false);
      return back != nullptr && complete(arrival.blocks, *back);
    }
    const Block& block = blocks_[block_of_[arrival.node]];
    if (block.left == block.right || arrival.node != block.right) return false;
    const Blocks* forth = at(block.left, true);
    return forth != nullptr && complete(joined(arrival.blocks, own(arrival.node)), *forth);
  }

  void finish(std::uint32_t node, RingHop& hop) {
    hop.completes = !has_total_[node];
    has_total_[node] = true;
  }

  std::uint32_t side_;
  const bounds::CoresForm& form_;
  std::vector<CoreNode> nodes_;
  std::vector<std::uint32_t> block_of_;
  std::vector<Block> blocks_;
  std::vector<RingHop> reduce_;
  std::vector<RingHop> gather_;
  /// By node, while gather() runs: the last message of each direction, as it is sent on.
  std::vector<Blocks> onward_;
  std::vector<Blocks> backward_;
  std::vector<bool> has_total_;
};

/// Writes the moves of all words.
class CoresPlanner {
 public:
  CoresPlanner(const Topology& topology, std::uint32_t words)
      : topology_(topology),
        words_(words),
        d_(static_cast<std::uint32_t>(topology.dimensions())),
        n_(topology.side(0)),
        form_(bounds::cores_form(n_, (words + d_ - 1) / d_)),
        ring_(n_, form_),
        builder_(topology.nodes(), std::uint64_t{topology.nodes()} * words * kHeldPerWord) {}

  /// All links crossed.
  [[nodiscard]] std::uint64_t sends() const {
    const std::uint64_t rings = topology_.nodes() / n_;
    const std::uint64_t along_lines = n_ % 2 == 0 ? n_ / 2 : n_;
    std::uint64_t per_word = rings * (ring_.reduce_hops().size() + ring_.gather_hops().size());
    if (d_ > 1) {
      per_word += (d_ - 1) * (rings / n_) * ring_.core_nodes() * 2 * along_lines * (n_ / 2);
    }
    return per_word * words_;
  }

  TimetableProgram program() {
    for (std::uint32_t word = 0; word < words_; ++word) {
      for (NodeId node = 0; node < topology_.nodes(); ++node) {
        builder_.start_with(held(node, word, Held::kSum), word);
      }
      add(word);
    }
    return builder_.program(topology_, words_, DeliveryRule::kMarked);
  }

 private:
  [[nodiscard]] std::uint64_t held(NodeId node, std::uint32_t word, Held place) const {
    if (place == Held::kNothing) return TimetableMove::kNowhere;
    return (std::uint64_t{node} * words_ + word) * kHeldPerWord + static_cast<std::uint64_t>(place);
  }

  void add(std::uint32_t word) {
    const std::uint32_t dim = word % d_;
    const std::uint32_t shift = word / d_;
    add_ring(word, dim, shift, 0, ring_.reduce_hops(), d_ == 1);
    std::uint32_t before = form_.reduce_steps;
    for (std::uint32_t i = 1; i < d_; ++i) {
      const bool completes = i + 1 == d_ && ring_.is_one_block();
      add_lines(word, dim, (dim + i) % d_, shift, before, completes);
      before += n_ / 2;
    }
    add_ring(word, dim, shift, before, ring_.gather_hops(), true);
  }

  /// The first and the last stage.
  void add_ring(std::uint32_t word, std::uint32_t dim, std::uint32_t shift, std::uint32_t before,
                const std::vector<RingHop>& hops, bool completes) {
    for (NodeWalk walk(topology_); !walk.done(); walk.next()) {
      if (walk.coordinates()[dim] != 0) continue;
      Coordinates at = walk.coordinates();
      for (const RingHop& hop : hops) {
        at[dim] = (hop.from + shift) % n_;
        TimetableMove move = TimetableMove::across(topology_, topology_.node(at),
                                                   make_port(static_cast<int>(dim), hop.plus));
        move.step = before + hop.step;
        move.from = held(move.from_rom, word, hop.sent);
        move.to = held(move.to_rom, word, hop.to);
        move.combines = hop.with == hop.to;
        if (!move.combines) move.with = held(move.to_rom, word, hop.with);
        move.delivers = completes && hop.completes;
        builder_.add(move);
      }
    }
  }

  /// A line of core nodes. Messages grow from node to node; towards + they begin at all nodes of an
  /// odd line, and on an even one at every other node, where the messages towards - of the line's
  /// other half begin.
  void add_lines(std::uint32_t word, std::uint32_t core_dim, std::uint32_t dim, std::uint32_t shift,
                 std::uint32_t before, bool completes) {
    const std::uint32_t reach = n_ / 2;
    const bool odd = n_ % 2 != 0;
    for (NodeWalk walk(topology_); !walk.done(); walk.next()) {
      const CoreNode core = ring_.at((walk.coordinates()[core_dim] + n_ - shift % n_) % n_);
      if (core == CoreNode::kNone) continue;
      const std::uint32_t first = core == CoreNode::kRight ? 1 : 0;
      const std::uint32_t x = walk.coordinates()[dim];
      for (std::uint32_t step = 1; step <= reach; ++step) {
        for (const bool plus : {true, false}) {
          // The node where this message began.
          const std::uint32_t began = plus ? x + 2 * n_ - (step - 1) : x + step - 1;
          const std::uint32_t begins = plus ? first : first + 1;
          if (!odd && (began + begins) % 2 != 0) continue;
          // The receiver's last arrival of this direction.
          const bool is_last = odd ? step == reach : step + 2 > reach;
          TimetableMove move =
              TimetableMove::across(topology_, walk.node(), make_port(static_cast<int>(dim), plus));
          move.step = before + step;
          const bool grown = step > 1 && (odd || step < reach);
          move.from = held(move.from_rom, word, grown ? held_towards(plus) : Held::kSum);
          move.to = held(move.to_rom, word, is_last ? Held::kSum : held_towards(plus));
          move.combines = is_last;
          if (!is_last) move.with = held(move.to_rom, word, Held::kSum);
          move.delivers = completes && step == reach;
          builder_.add(move);
        }
      }
    }
  }

  const Topology& topology_;
  std::uint32_t words_;
  std::uint32_t d_;
  std::uint32_t n_;
  bounds::CoresForm form_;
  CoresRing ring_;
  TimetableBuilder builder_;
};

void check_cores(const Topology& topology, const CoresOptions& options) {
  const auto& sides = topology.sides();
  const std::uint32_t n = sides.front();
  if (!topology.is_torus() || !topology.is_healthy() || n < 3 ||
      std::any_of(sides.begin(), sides.end(), [n](std::uint32_t side) { return side != n; })) {
    throw InfeasibleError(
        fmt::format("cores: needs a torus with equal sides of 3 or more; nearest feasible: {}",
                    topology.is_torus() ? "equal sides, or --algorithm scheduled"
                                        : "--topology torus, or --algorithm tree"));
  }
  if (!is_associative(options.operation)) {
    throw InfeasibleError(fmt::format(
        "cores: nodes combine in different orders, and a {} depends on it; nearest feasible: "
        "--algorithm rings, or --operation {}",
        combining_text(options.operation), any_order(options.operation)));
  }
  const std::uint64_t most = sides.size() * std::uint64_t{n};
  if (options.words > most) {
    throw InfeasibleError(fmt::format(
        "cores: {} words, these sides carry {}; nearest feasible: --words {}, or --algorithm "
        "scheduled",
        options.words, most, most));
  }
}

}  // namespace

Plan plan_cores(const Topology& topology, const CoresOptions& options) {
  check_cores(topology, options);
  const auto words = static_cast<std::uint32_t>(options.words);
  CoresPlanner planner(topology, words);
  if (planner.sends() > kMostTimetableMoves) {
    throw InfeasibleError(fmt::format(
        "cores: {} words at {} nodes are {} sends, timetables have {}; nearest feasible: fewer "
        "--words, or --algorithm rings",
        words, topology.nodes(), planner.sends(), kMostTimetableMoves));
  }
  TimetableProgram program = planner.program();
  const std::uint32_t slots = program.slots();
  Plan plan{topology,
            "all-reduce",
            "cores",
            {{"words", std::int64_t{words}}},
            Demand::combined(Destination::kEveryNode, options.operation, words),
            std::move(program),
            {}};
  plan.expected.analytic_steps = bounds::cores_steps(
      topology.side(0), static_cast<std::uint32_t>(topology.dimensions()), words);
  plan.expected.analytic_cycles = plan.expected.analytic_steps;
  plan.expected.lower_bound_steps = bounds::lower_bound(topology, plan.demand);
  plan.expected.queue_depth = slots;
  return plan;
}

}  // namespace gossamer
