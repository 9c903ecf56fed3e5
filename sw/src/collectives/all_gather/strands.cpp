// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/strands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "cycle_cover.hpp"
#include "feed_table.hpp"
#include "gossamer/bounds/gossip.hpp"
#include "gossamer/bounds/one_packet.hpp"
#include "gossamer/collectives/all_gather/hamiltonian.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"

namespace gossamer {

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// The torus as a ring of columns times rows: `across` is a Hamiltonian cycle of all dimensions but
/// `vertical`.
struct Cylinder {
  int vertical = 0;
  std::uint32_t rows = 0;
  std::uint32_t stride = 0;
  /// Node id of each column's cell in row 0.
  std::vector<NodeId> base;
  /// Port from each column to the next of the ring.
  std::vector<Port> right;

  [[nodiscard]] std::uint32_t columns() const { return static_cast<std::uint32_t>(base.size()); }
  [[nodiscard]] NodeId node(std::uint32_t column, std::uint32_t row) const {
    return base[column] + row * stride;
  }
};

/// A Hamiltonian cycle of the torus over the dimensions in `dims`: the ports to take from the node
/// with coordinates 0. One dimension at a time is added to the cycle so far by a Hamiltonian cycle
/// of the 2-D torus (cycle so far) x (new dimension); `which` picks one of that torus's two.
std::vector<Port> hamiltonian_walk(const Topology& topology, const std::vector<int>& dims,
                                   std::uint8_t which) {
  std::vector<Port> walk(topology.side(dims[0]), make_port(dims[0], true));
  for (std::size_t i = 1; i < dims.size(); ++i) {
    const auto length = static_cast<std::uint32_t>(walk.size());
    const std::uint32_t side = topology.side(dims[i]);
    const HamiltonianPair pair(length, side);
    std::vector<Port> longer;
    longer.reserve(std::size_t{length} * side);
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    int came_from = -1;
    do {
      const auto cycles = pair.cycles(x, y);
      int out = 0;
      while (cycles[static_cast<std::size_t>(out)] != which || out == came_from) ++out;
      // Ports of the pair's torus: x-, x+ along the walk so far, y-, y+ in the new dimension.
      if (out == 0) {
        x = x == 0 ? length - 1 : x - 1;
        longer.push_back(opposite(walk[x]));
      } else if (out == 1) {
        longer.push_back(walk[x]);
        x = x + 1 == length ? 0 : x + 1;
      } else if (out == 2) {
        y = y == 0 ? side - 1 : y - 1;
        longer.push_back(make_port(dims[i], false));
      } else {
        y = y + 1 == side ? 0 : y + 1;
        longer.push_back(make_port(dims[i], true));
      }
      came_from = out ^ 1;
    } while (x != 0 || y != 0);
    walk = std::move(longer);
  }
  return walk;
}

Cylinder make_cylinder(const Topology& topology, int vertical, std::uint8_t which) {
  Cylinder cylinder;
  cylinder.vertical = vertical;
  cylinder.rows = topology.side(vertical);
  cylinder.stride = topology.stride(vertical);
  std::vector<int> dims;
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    if (dim != vertical) dims.push_back(dim);
  }
  // The longest first: the pair of cycles requires it, and the snake gets fewer bends.
  std::stable_sort(dims.begin(), dims.end(),
                   [&](int a, int b) { return topology.side(a) > topology.side(b); });
  cylinder.right = hamiltonian_walk(topology, dims, which);
  NodeId node = 0;
  for (const Port port : cylinder.right) {
    cylinder.base.push_back(node);
    node = topology.neighbor(node, port);
  }
  return cylinder;
}

/// A hole's move in a row: it is swapped with the strand on its right or left. In a double move the
/// two strands on its left move up one after the other, and the hole moves two columns left.
enum class Move : std::uint8_t { kRight, kLeft, kDoubleLeft };

/// The holes' way up the rows.
struct Holes {
  /// Columns of the holes in row 0.
  std::vector<std::uint32_t> start;
  /// [hole * rows + row].
  std::vector<Move> moves;
  /// Double moves among them.
  std::uint32_t doubles = 0;
};

/// s directed cycles through all nodes; disjoint except at nodes where a double move lets two
/// cycles touch.
struct Strands {
  /// Per node.
  std::vector<Visit> visit;
  /// The second visits, by node, ascending; empty without double moves.
  std::vector<std::pair<NodeId, Visit>> touches;
  /// Visits of each cycle.
  std::vector<std::uint32_t> length;
  /// The longest.
  std::uint32_t longest = 0;

  /// The node's second visit; nullptr without one.
  [[nodiscard]] const Visit* second(NodeId node) const {
    for (const auto& [touched, visit_of] : touches) {
      if (touched == node) return &visit_of;
    }
    return nullptr;
  }
  /// The visit of the cycle to the node; nullptr if it does not pass.
  [[nodiscard]] const Visit* find(NodeId node, std::uint32_t cycle) const {
    if (visit[node].cycle == cycle) return &visit[node];
    const Visit* other = touches.empty() ? nullptr : second(node);
    return other != nullptr && other->cycle == cycle ? other : nullptr;
  }
};

/// Lays the strands. Empty when two holes meet or need the same strand, when the strands do not
/// close into exactly `count` cycles, or when a cycle touches itself.
std::optional<Strands> lay_strands(const Topology& topology, const Cylinder& cylinder,
                                   const Holes& holes, std::uint32_t count) {
  const std::uint32_t columns = cylinder.columns();
  const std::uint32_t rows = cylinder.rows;
  const auto h = static_cast<std::uint32_t>(holes.start.size());
  Strands strands;
  const Port up = make_port(cylinder.vertical, true);
  const Port down = make_port(cylinder.vertical, false);
  strands.visit.assign(topology.nodes(), {kNoCycle, down, up, 0});
  std::vector<std::uint32_t> at = holes.start;
  enum : std::uint8_t { kStrand, kHole, kServing };
  std::vector<std::uint8_t> state(columns);
  for (std::uint32_t row = 0; row < rows; ++row) {
    std::fill(state.begin(), state.end(), std::uint8_t{kStrand});
    for (const std::uint32_t column : at) {
      if (state[column] == kHole) return std::nullopt;
      state[column] = kHole;
    }
    for (std::uint32_t z = 0; z < h; ++z) {
      const std::uint32_t column = at[z];
      const Move move = holes.moves[std::size_t{z} * rows + row];
      const bool left = move != Move::kRight;
      const std::uint32_t beside = left ? (column + columns - 1) % columns : (column + 1) % columns;
      if (state[beside] != kStrand) return std::nullopt;
      state[beside] = kServing;
      const Port towards = left ? cylinder.right[beside] : opposite(cylinder.right[column]);
      strands.visit[cylinder.node(beside, row)].out = towards;
      strands.visit[cylinder.node(column, row)].in = opposite(towards);
      at[z] = beside;
      if (move != Move::kDoubleLeft) continue;
      // The next strand follows into the free column: it enters sideways and goes up where the
      // first one came from below and went sideways.
      const std::uint32_t further = (beside + columns - 1) % columns;
      if (state[further] != kStrand) return std::nullopt;
      state[further] = kServing;
      const Port follows = cylinder.right[further];
      strands.visit[cylinder.node(further, row)].out = follows;
      strands.touches.push_back({cylinder.node(beside, row), {kNoCycle, opposite(follows), up, 0}});
      at[z] = further;
    }
  }
  std::sort(at.begin(), at.end());
  std::vector<std::uint32_t> start = holes.start;
  std::sort(start.begin(), start.end());
  if (at != start) return std::nullopt;

  // Every cycle climbs: it enters some node of row 0 from below.
  for (std::uint32_t column = 0; column < columns; ++column) {
    NodeId node = cylinder.node(column, 0);
    Visit* visit = &strands.visit[node];
    if (visit->cycle != kNoCycle || visit->in != down) continue;
    if (strands.length.size() == count) return std::nullopt;
    const auto cycle = static_cast<std::uint8_t>(strands.length.size());
    std::uint32_t length = 0;
    do {
      visit->cycle = cycle;
      visit->position = length++;
      const Port in = opposite(visit->out);
      node = topology.neighbor(node, visit->out);
      visit = &strands.visit[node];
      if (visit->in == in) continue;
      for (auto& [touched, other] : strands.touches) {
        if (touched == node) visit = &other;
      }
    } while (visit->cycle == kNoCycle);
    strands.length.push_back(length);
  }
  if (strands.length.size() != count) return std::nullopt;
  for (const auto& [touched, visit] : strands.touches) {
    if (strands.visit[touched].cycle == visit.cycle) return std::nullopt;
  }
  strands.longest = *std::max_element(strands.length.begin(), strands.length.end());
  return strands;
}

/// Double moves that the parities require. A hole moves by one column in every row, so its path has
/// the parity of the rows. The paths of the h / gcd(h, s) holes that follow each other at distance
/// s add up to s C / gcd(h, s); where that does not fit, one of these holes has to make a double
/// move. (Without double moves the cycles are disjoint, hence parallel, hence of lengths of one
/// parity: an odd number of nodes would have no cycles.)
std::uint32_t needed_doubles(std::uint32_t columns, std::uint32_t rows, std::uint32_t s,
                             std::uint32_t h) {
  const std::uint32_t common = std::gcd(h, s);
  const std::uint64_t way = std::uint64_t{s} / common * columns + std::uint64_t{h} / common * rows;
  return way % 2 == 0 ? 0 : common;
}

/// Numbers of holes for which the strands can close into s cycles: C - h a multiple of s, room to
/// move s C columns in R rows, and holes at least two apart.
std::vector<std::uint32_t> hole_counts(std::uint32_t columns, std::uint32_t rows, std::uint32_t s) {
  std::vector<std::uint32_t> counts;
  for (std::uint32_t h = columns % s == 0 ? s : columns % s; 2 * h <= columns; h += s) {
    if (std::uint64_t{s} * columns <= std::uint64_t{h} * rows) counts.push_back(h);
  }
  return counts;
}

/// How random_holes places the holes.
enum class Spacing {
  /// As evenly as parity allows.
  kPlain,
  /// Evenly except for one or two columns, parity first.
  kShaken,
  /// As evenly as can be; holes with the wrong parity make a double move.
  kEven,
};

/// Holes nearly evenly spaced, their left and right rows in nearly the same order. lay_strands
/// reports positions that do not work.
std::optional<Holes> random_holes(std::uint32_t columns, std::uint32_t rows, std::uint32_t s,
                                  std::uint32_t h, Spacing spacing, Random& random) {
  const bool plain = spacing == Spacing::kPlain;
  Holes holes;
  holes.start.assign(h, 0);
  // A hole ends where the hole s places before it started: their distance has the parity of the
  // rows. Going from hole to hole in steps of s the parities follow from the first one's; a turn
  // around the ring adds the columns. Where this does not close, the first hole gets a double move.
  const std::uint32_t offset = plain ? 0 : random.below(columns);
  for (std::uint32_t first = 0; first < std::gcd(h, s); ++first) {
    std::uint32_t parity = plain ? (first * columns / h) % 2 : random.below(2);
    std::uint32_t z = first;
    do {
      const std::uint32_t even = (z * columns + offset) / h;
      const bool off = spacing != Spacing::kEven && even % 2 != parity;
      std::uint32_t at = even + columns;
      if (off) at += plain || random.below(2) != 0 ? 1 : columns - 1;
      if (spacing == Spacing::kShaken && !off && random.below(4) == 0) {
        at += random.below(2) != 0 ? 2 : columns - 2;
      }
      holes.start[z] = at;
      parity = (parity + rows + (z + s) / h * columns) % 2;
      z = (z + s) % h;
    } while (z != first);
  }
  for (std::uint32_t z = 0; z < h; ++z) {
    const std::uint32_t next = z + 1 < h ? holes.start[z + 1] : holes.start[0] + columns;
    if (next < holes.start[z] + 2) return std::nullopt;
  }
  // Rows in bit-reversed order spread any number of right moves evenly over the height.
  const int bits = static_cast<int>(std::bit_width(rows - 1));
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < (1U << bits); ++i) {
    std::uint32_t reversed = 0;
    for (int bit = 0; bit < bits; ++bit) reversed |= ((i >> bit) & 1U) << (bits - 1 - bit);
    if (reversed < rows) order.push_back(reversed);
  }
  // The cycles' lengths depend on which strands serve a right move: starting the order elsewhere,
  // for all holes or for each, changes them.
  const std::uint32_t spread = plain ? 0 : random.below(3);
  const std::uint32_t common = spread == 0 ? 0 : random.below(rows);
  holes.moves.assign(std::size_t{h} * rows, Move::kLeft);
  for (std::uint32_t z = 0; z < h; ++z) {
    const std::uint32_t turn = spread == 2 ? random.below(rows) : common;
    // The way left to the start of the hole s places before, turns of the ring included.
    const std::uint32_t before = (z + h * s - s) % h;
    const std::uint32_t turns = (s + h - 1 - z) / h;
    std::int64_t way = std::int64_t{turns} * columns + holes.start[z] -
                       static_cast<std::int64_t>(holes.start[before]);
    const bool twice = (rows - way) % 2 != 0;
    if (twice) --way;
    if (way > rows || way < -std::int64_t{rows} + 2) return std::nullopt;
    const std::int64_t rights = (rows - way) / 2;
    const auto move = [&](std::int64_t i) -> Move& {
      const std::uint32_t row = (order[static_cast<std::size_t>(i)] + turn) % rows;
      return holes.moves[std::size_t{z} * rows + row];
    };
    for (std::int64_t i = 0; i < rights; ++i) move(i) = Move::kRight;
    if (twice) {
      const auto lefts = static_cast<std::uint32_t>(rows - rights);
      move(rights + random.below(lefts)) = Move::kDoubleLeft;
      ++holes.doubles;
    }
  }
  for (std::uint32_t& column : holes.start) column %= columns;
  return holes;
}

/// Relaying of streams between nodes. State: for every node and stream the input port that brings
/// it; a node's own stream comes from its predecessor, the others take the remaining in-ports in
/// some order. depth(v, c): hops from the nearest node of cycle c along those links.
class HandOn {
 public:
  HandOn(const Topology& topology, const Strands& strands, Random& random)
      : topology_(topology),
        strands_(strands),
        random_(random),
        streams_(static_cast<std::uint32_t>(topology.ports())),
        neighbor_(topology.link_slots()),
        brings_(topology.link_slots()),
        feeds_(topology.link_slots()),
        depth_(topology.link_slots(), kEndless),
        bad_at_(topology.link_slots(), kNone),
        queue_(topology.nodes()),
        second_(topology.nodes(), nullptr),
        owned_(topology.nodes()) {
    for (const auto& [node, visit] : strands.touches) {
      second_[node] = &visit;
      owned_[node] = 1U << visit.cycle;
    }
    for (NodeWalk walk(topology); !walk.done(); walk.next()) {
      owned_[walk.node()] |= 1U << strands.visit[walk.node()].cycle;
      for (std::uint32_t p = 0; p < streams_; ++p) {
        neighbor_[slot(walk.node(), p)] = walk.neighbor(static_cast<Port>(p));
      }
    }
  }

  /// Searches for depths of at most `limit`, `moves` annealing moves at the most; true on success.
  bool search(std::uint32_t limit, std::uint64_t moves, const Progress& progress) {
    limit_ = limit;
    start();
    sweep();
    cost_ = 0;
    bad_.clear();
    std::fill(bad_at_.begin(), bad_at_.end(), kNone);
    for (std::uint32_t s = 0; s < depth_.size(); ++s) {
      if (depth_[s] > limit_) add_bad(s);
      cost_ += price(depth_[s]);
    }
    constexpr std::uint64_t kReport = 1 << 16;
    for (std::uint64_t move = 0; move < moves && !bad_.empty(); ++move) {
      if (progress && move % kReport == 0) progress("strands: hand-on", move, moves);
      const double temperature =
          kHot * std::pow(kCold / kHot, static_cast<double>(move) / static_cast<double>(moves));
      step(temperature);
    }
    return bad_.empty();
  }

  /// In-port that brings stream c to the node.
  [[nodiscard]] Port brings(NodeId node, std::uint32_t c) const { return brings_[slot(node, c)]; }
  [[nodiscard]] std::uint8_t depth(NodeId node, std::uint32_t c) const {
    return depth_[slot(node, c)];
  }

 private:
  /// Depth of a stream that circulates and never meets its cycle.
  static constexpr std::uint8_t kEndless = 50;
  static constexpr double kHot = 1.5;
  static constexpr double kCold = 0.15;

  [[nodiscard]] std::uint32_t slot(NodeId node, std::uint32_t i) const {
    return node * streams_ + i;
  }
  /// True when cycle c passes the node.
  [[nodiscard]] bool owns(NodeId node, std::uint32_t c) const {
    return ((owned_[node] >> c) & 1U) != 0;
  }
  [[nodiscard]] std::int64_t price(std::uint8_t depth) const {
    const std::int64_t over = std::int64_t{depth} - limit_;
    return over > 0 ? over * over : 0;
  }

  void add_bad(std::uint32_t s) {
    bad_at_[s] = static_cast<std::uint32_t>(bad_.size());
    bad_.push_back(s);
  }
  void set_depth(std::uint32_t s, std::uint8_t depth) {
    cost_ += price(depth) - price(depth_[s]);
    const bool was_bad = depth_[s] > limit_;
    depth_[s] = depth;
    if (was_bad == (depth > limit_)) return;
    if (!was_bad) {
      add_bad(s);
      return;
    }
    const std::uint32_t hole = bad_at_[s];
    bad_[hole] = bad_.back();
    bad_at_[bad_[hole]] = hole;
    bad_.pop_back();
    bad_at_[s] = kNone;
  }

  /// Every stream that a neighbour's cycle offers is taken from there, the others from the in-ports
  /// left over.
  void start() {
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      std::uint32_t free = (1U << streams_) - 1;
      std::uint32_t lacking = free;
      for (const Visit* visit : {&strands_.visit[node], second_[node]}) {
        if (visit == nullptr) continue;
        brings_[slot(node, visit->cycle)] = visit->in;
        free &= ~(1U << visit->in);
        lacking &= ~(1U << visit->cycle);
      }
      const std::uint32_t turn = random_.below(streams_);
      for (std::uint32_t i = 0; i < streams_; ++i) {
        const std::uint32_t p = (i + turn) % streams_;
        if (((free >> p) & 1U) == 0) continue;
        const std::uint32_t c = strands_.visit[neighbor_[slot(node, p)]].cycle;
        if (((lacking >> c) & 1U) == 0) continue;
        brings_[slot(node, c)] = static_cast<Port>(p);
        free &= ~(1U << p);
        lacking &= ~(1U << c);
      }
      while (lacking != 0) {
        const auto c = static_cast<std::uint32_t>(std::countr_zero(lacking));
        brings_[slot(node, c)] = static_cast<Port>(std::countr_zero(free));
        lacking &= lacking - 1;
        free &= free - 1;
      }
    }
  }

  /// Depths from the present feeds.
  void sweep() {
    std::vector<std::uint32_t> path;
    constexpr std::uint8_t kOpen = 0xff;
    constexpr std::uint8_t kOnPath = 0xfe;
    std::ranges::fill(feeds_, 0);
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      for (std::uint32_t c = 0; c < streams_; ++c) {
        depth_[slot(node, c)] = owns(node, c) ? std::uint8_t{0} : kOpen;
        if (!owns(node, c)) toggle_feed(node, c);
      }
    }
    for (NodeId first = 0; first < topology_.nodes(); ++first) {
      for (std::uint32_t c = 0; c < streams_; ++c) {
        NodeId node = first;
        path.clear();
        while (depth_[slot(node, c)] == kOpen) {
          depth_[slot(node, c)] = kOnPath;
          path.push_back(slot(node, c));
          node = parent(node, c);
        }
        std::uint8_t depth = depth_[slot(node, c)];
        if (depth == kOnPath) depth = kEndless;
        for (; !path.empty(); path.pop_back()) {
          if (depth < kEndless) ++depth;
          depth_[path.back()] = depth;
        }
      }
    }
  }

  [[nodiscard]] NodeId parent(NodeId node, std::uint32_t c) const {
    return neighbor_[slot(node, brings_[slot(node, c)])];
  }

  /// Depths of (node, c) and of everything that hangs on it, after its feed has changed.
  void update(NodeId node, std::uint32_t c) {
    const std::uint8_t before = depth_[slot(node, c)];
    NodeId above = parent(node, c);
    std::uint8_t depth = depth_[slot(above, c)];
    if (depth < kEndless) {
      // A feed that hangs on the node closes a circle; it is as much deeper as it is away.
      for (std::uint8_t up = before; up < depth; ++up) above = parent(above, c);
      depth = above == node ? kEndless : static_cast<std::uint8_t>(depth + 1);
    }
    queue_[0] = node;
    set_depth(slot(node, c), depth);
    for (std::size_t i = 0, end = 1; i < end; ++i) {
      const NodeId at = queue_[i];
      const std::uint8_t here = depth_[slot(at, c)];
      const std::uint8_t next = here < kEndless ? static_cast<std::uint8_t>(here + 1) : kEndless;
      for (std::uint32_t left = feeds_[slot(at, c)]; left != 0; left &= left - 1) {
        const NodeId child =
            neighbor_[slot(at, static_cast<std::uint32_t>(std::countr_zero(left)))];
        if (child == node) continue;
        // Members of one circle all hang on each other: each is visited once.
        if (depth_[slot(child, c)] == next) continue;
        set_depth(slot(child, c), next);
        queue_[end++] = child;
      }
    }
  }

  /// Adds the node to the nodes that have stream c from its feed, or removes it.
  void toggle_feed(NodeId node, std::uint32_t c) {
    feeds_[slot(parent(node, c), c)] ^= 1U << opposite(brings_[slot(node, c)]);
  }

  void swap_streams(NodeId node, std::uint32_t a, std::uint32_t b) {
    for (const std::uint32_t c : {a, b}) toggle_feed(node, c);
    std::swap(brings_[slot(node, a)], brings_[slot(node, b)]);
    for (const std::uint32_t c : {a, b}) toggle_feed(node, c);
    update(node, a);
    update(node, b);
  }

  /// One annealing move on the path of a too deep stream.
  void step(double temperature) {
    const std::uint32_t s = bad_[random_.below(static_cast<std::uint32_t>(bad_.size()))];
    std::uint32_t a = s % streams_;
    NodeId node = s / streams_;
    for (std::uint32_t up = random_.below(limit_ + 1); up > 0; --up) {
      const NodeId above = parent(node, a);
      if (owns(above, a)) break;
      node = above;
    }
    std::uint32_t b = a;
    while (b == a || owns(node, b)) b = random_.below(streams_);
    const std::int64_t before = cost_;
    swap_streams(node, a, b);
    const std::int64_t more = cost_ - before;
    if (more > 0 && random_.unit() >= std::exp(-static_cast<double>(more) / temperature)) {
      swap_streams(node, a, b);
    }
  }

  const Topology& topology_;
  const Strands& strands_;
  Random& random_;
  /// 2d, the number of cycles, streams and ports.
  std::uint32_t streams_;
  std::vector<NodeId> neighbor_;
  /// [node, stream]: in-port.
  std::vector<Port> brings_;
  /// [node, stream]: the out-ports, a bit each, whose neighbours have the stream from this node.
  std::vector<std::uint32_t> feeds_;
  /// [node, stream]: hops from the stream's cycle.
  std::vector<std::uint8_t> depth_;
  /// Slots deeper than the limit, and the index of each in that list.
  std::vector<std::uint32_t> bad_;
  std::vector<std::uint32_t> bad_at_;
  /// Nodes whose depths have changed, each once, since a node has one feed.
  std::vector<NodeId> queue_;
  /// Second visits, by node.
  std::vector<const Visit*> second_;
  /// The cycles that pass a node, as bits.
  std::vector<std::uint32_t> owned_;
  std::uint32_t limit_ = 0;
  std::int64_t cost_ = 0;
};

/// One layout of the cycles. Without holes the cycles are not strands, but built by the search.
struct Layout {
  int vertical = 0;
  std::uint32_t holes = 0;
  std::uint32_t doubles = 0;
  Strands strands;
};

/// Strands for every vertical dimension, ring of columns and number of holes where some are found.
/// With `any` only the first ones found.
std::vector<Layout> strand_layouts(const Topology& topology, Random& random, bool any) {
  // Most attempts fail within a few rows; large tori have so many valid positions that few fail.
  constexpr std::uint64_t kWork = 40'000'000;
  const std::uint64_t tries = std::clamp<std::uint64_t>(kWork / topology.nodes(), 100, 30'000);
  const auto s = static_cast<std::uint32_t>(topology.ports());
  std::vector<Layout> layouts;
  for (int vertical = 0; vertical < topology.dimensions(); ++vertical) {
    const std::uint32_t rows = topology.side(vertical);
    const std::uint32_t columns = topology.nodes() / rows;
    const std::vector<std::uint32_t> counts = hole_counts(columns, rows, s);
    if (counts.empty()) continue;
    // A ring of one dimension is unique; of more there are two Hamiltonian cycles to try.
    for (int which = 0; which < (topology.dimensions() == 2 ? 1 : 2); ++which) {
      const Cylinder cylinder = make_cylinder(topology, vertical, static_cast<std::uint8_t>(which));
      for (const std::uint32_t h : counts) {
        // A cycle climbs R (C - h) / s rows and goes once around the ring, plus some steps to and
        // fro.
        const std::uint64_t parity = std::uint64_t{rows} * ((columns - h) / s) + columns;
        const std::uint32_t visits = topology.nodes() + needed_doubles(columns, rows, s, h);
        std::uint32_t shortest = (visits + s - 1) / s;
        if (shortest % 2 != parity % 2) ++shortest;
        std::optional<Strands> best;
        std::uint32_t doubles = 0;
        for (std::uint64_t i = 0; i < tries && !(best && best->longest == shortest); ++i) {
          const Spacing spacing = i == 0       ? Spacing::kPlain
                                  : i % 4 == 3 ? Spacing::kEven
                                               : Spacing::kShaken;
          const auto holes = random_holes(columns, rows, s, h, spacing, random);
          if (!holes) continue;
          auto strands = lay_strands(topology, cylinder, *holes, s);
          if (!strands || (best && strands->longest >= best->longest)) continue;
          best = std::move(strands);
          doubles = holes->doubles;
        }
        if (!best) continue;
        layouts.push_back({vertical, h, doubles, std::move(*best)});
        if (any) return layouts;
      }
    }
  }
  return layouts;
}

/// Knitted cycles, two ways: where one has no hand-on of some depth the other may have.
std::vector<Layout> knitted_layouts(const Topology& topology, std::uint64_t seed) {
  std::vector<Layout> layouts;
  if (topology.nodes() > kMostKnittedNodes) return layouts;
  for (std::uint64_t way = 0; way < 2; ++way) {
    auto cover =
        knit_cycles(topology, static_cast<std::uint32_t>(topology.ports()), 2 * seed + way);
    if (!cover) continue;
    Layout layout;
    layout.strands.visit = std::move(cover->visit);
    layout.strands.length = std::move(cover->length);
    layout.strands.longest = std::ranges::max(layout.strands.length);
    layouts.push_back(std::move(layout));
  }
  return layouts;
}

/// The exact step at which the last node has its last packet, for one packet a node.
std::uint64_t exact_steps(const Topology& topology, const Strands& strands, const HandOn& hand_on) {
  const auto s = static_cast<std::uint32_t>(topology.ports());
  std::uint64_t steps = 0;
  std::vector<std::pair<NodeId, std::uint64_t>> early;
  std::vector<NodeId> source(s);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    // Packets that may arrive before their own stream. On its path from its cycle a stream is led
    // by the packets of the relays, and a node where cycles touch is on two streams.
    early.clear();
    for (std::uint32_t c = 0; c < s; ++c) {
      NodeId at = node;
      for (std::uint64_t step = 1; strands.find(at, c) == nullptr; ++step) {
        at = topology.neighbor(at, hand_on.brings(at, c));
        if (strands.find(at, c) == nullptr) early.emplace_back(at, step);
      }
      source[c] = at;
    }
    for (const auto& [touched, other] : strands.touches) {
      for (const std::uint32_t c : {strands.visit[touched].cycle, other.cycle}) {
        const std::uint64_t length = strands.length[c];
        const std::uint64_t behind =
            (strands.find(source[c], c)->position + length - strands.find(touched, c)->position) %
            length;
        early.emplace_back(touched, hand_on.depth(node, c) + behind);
      }
    }
    for (std::uint32_t c = 0; c < s; ++c) {
      std::uint64_t step = std::uint64_t{hand_on.depth(node, c)} + strands.length[c] - 1;
      const auto next = [&](NodeId at) { return topology.neighbor(at, strands.find(at, c)->out); };
      NodeId last = next(source[c]);
      while (step > steps && std::any_of(early.begin(), early.end(), [&](const auto& arrival) {
               return arrival.first == last && arrival.second < step;
             })) {
        --step;
        last = next(last);
      }
      steps = std::max(steps, step);
    }
  }
  return steps;
}

/// Why no strands can be laid on the torus at all; empty when some may.
std::string hopeless(const Topology& topology) {
  if (topology.dimensions() < 2) return "at least 2 dimensions are required";
  const std::vector<std::uint32_t>& sides = topology.sides();
  if (*std::min_element(sides.begin(), sides.end()) < 3) return "no side may be 2";
  return {};
}

/// The reason and the nearest larger sides that work.
[[noreturn]] void refuse(const Topology& topology, const std::string& reason) {
  constexpr std::uint32_t kReach = 12;
  const int d = topology.dimensions();
  std::string nearest = d == 1 ? "--algorithm hamiltonian" : "a larger torus";
  for (std::uint32_t added = 1; d > 1 && added <= kReach; ++added) {
    // All ways to raise sides by `added` in one or two dimensions.
    for (int i = 0; i < d * d * static_cast<int>(added); ++i) {
      std::vector<std::uint32_t> sides = topology.sides();
      const std::uint32_t first = static_cast<std::uint32_t>(i) / static_cast<std::uint32_t>(d * d);
      sides[static_cast<std::size_t>(i % d)] += first;
      sides[static_cast<std::size_t>(i / d % d)] += added - first;
      if (std::any_of(sides.begin(), sides.end(), [](auto side) { return side > kMaxSide; }) ||
          std::accumulate(sides.begin(), sides.end(), 1.0, std::multiplies<>()) > kMaxNodes) {
        continue;
      }
      const Topology larger = Topology::torus(sides);
      if (!hopeless(larger).empty()) continue;
      Random random(1);
      if (!bounds::regular_strands_steps(larger, 1) &&
          strand_layouts(larger, random, true).empty() && knitted_layouts(larger, 1).empty()) {
        continue;
      }
      throw InfeasibleError(
          fmt::format("strands: {}; nearest feasible: {}", reason, larger.dims_text()));
    }
  }
  throw InfeasibleError(fmt::format("strands: {}; nearest feasible: {}", reason, nearest));
}

/// The regular case in closed form (conditions: bounds::regular_strands).
///
/// In class i = (column + row) mod g: class 0 steps right, all others up. Everything is the same
/// for all nodes of a class but the cycle's number, which moves by known amounts from a node to its
/// neighbours; so the hand-on is a table over classes, streams counted from the node's own. It
/// alternates between two patterns and is never deeper than 3, for every g.
Plan plan_regular(const Topology& topology, const StrandsOptions& options,
                  const bounds::RegularStrands& regular) {
  const int across = 1 - regular.vertical;
  const Port left = make_port(across, false);
  const Port right = make_port(across, true);
  const Port down = make_port(regular.vertical, false);
  const Port up = make_port(regular.vertical, true);
  const std::uint32_t g = regular.period;
  // In-ports of the streams of the own cycle and of the cycles 1, 2 and 3 further right.
  const std::array<Port, 4> stepping{down, right, left, up};
  const std::array<Port, 4> entered{left, right, down, up};
  const std::array<Port, 4> even{down, right, up, left};
  const std::array<Port, 4> odd{down, right, left, up};
  const auto brings = [&](std::uint32_t c) -> const std::array<Port, 4>& {
    if (c == 0) return stepping;
    if (c == 1) return entered;
    return c % 2 == 0 ? even : odd;
  };
  FeedTable table(topology, options.packets_per_node);
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    const std::uint32_t c = (walk.coordinates()[0] + walk.coordinates()[1]) % g;
    for (const Port out : {left, right, down, up}) {
      // Class of the receiver and how many cycles further right it is.
      const bool forward = out == right || out == up;
      const std::uint32_t there = forward ? (c + 1 == g ? 0 : c + 1) : (c == 0 ? g - 1 : c - 1);
      std::uint32_t shift = 0;
      if (out == right && c != 0) shift = 1;
      if (out == left && c != 1) shift = 3;
      if (out == up && c == 0) shift = 3;
      if (out == down && c == 1) shift = 1;
      const std::array<Port, 4>& theirs = brings(there);
      const auto wanted = static_cast<std::uint32_t>(
          std::find(theirs.begin(), theirs.end(), opposite(out)) - theirs.begin());
      table.set(walk.node(), out, {brings(c)[(wanted + shift) % 4], false});
    }
  }
  return feed_plan(topology, "strands", std::move(table), options.packets_per_node,
                   *bounds::regular_strands_steps(topology, options.packets_per_node));
}

/// Every link repeats the input port on which its sender receives the stream for its receiver.
Plan plan_searched(const Topology& topology, const StrandsOptions& options, const Layout& layout,
                   const HandOn& hand_on) {
  const std::uint32_t k = options.packets_per_node;
  FeedTable table(topology, k);
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (int c = 0; c < topology.ports(); ++c) {
      const auto stream = static_cast<std::uint32_t>(c);
      const Port in_port = hand_on.brings(walk.node(), stream);
      const NodeId sender = walk.neighbor(in_port);
      table.set(sender, opposite(in_port), {hand_on.brings(sender, stream), false});
    }
  }
  // With k packets every place of a stream is taken by a block of k.
  const std::uint64_t steps = k * exact_steps(topology, layout.strands, hand_on);
  Plan plan = feed_plan(topology, "strands", std::move(table), k, steps);
  plan.parameters["seed"] = static_cast<std::int64_t>(options.seed);
  if (layout.holes != 0) {
    plan.parameters["vertical"] = std::int64_t{layout.vertical};
    plan.parameters["holes"] = std::int64_t{layout.holes};
    plan.parameters["touching-nodes"] = std::int64_t{layout.doubles};
  }
  plan.parameters["longest-cycle"] = std::int64_t{layout.strands.longest};
  return plan;
}

/// Depths of a hand-on that are tried.
constexpr std::uint32_t kShallowest = 3;
constexpr std::uint32_t kDeepest = 12;

std::uint64_t annealing_moves(const Topology& topology) {
  return std::clamp<std::uint64_t>(2000 * std::uint64_t{topology.nodes()}, 200'000, 3'000'000) +
         std::uint64_t{20} * topology.nodes();
}

/// A plan on the strands of a layout with the first hand-on that is found. Longest cycle plus depth
/// is what counts; of equals the shallower one comes first, it is rarer, and few holes before many.
std::optional<Plan> plan_on_strands(const Topology& topology, const StrandsOptions& options,
                                    std::vector<Layout> layouts, Random& random) {
  constexpr std::size_t kMostLayouts = 4;
  std::stable_sort(layouts.begin(), layouts.end(), [](const Layout& a, const Layout& b) {
    return std::pair(a.strands.longest, a.holes) < std::pair(b.strands.longest, b.holes);
  });
  if (layouts.size() > kMostLayouts) layouts.resize(kMostLayouts);
  std::vector<std::pair<std::uint32_t, std::size_t>> attempts;
  for (std::uint32_t limit = kShallowest; limit <= kDeepest; ++limit) {
    for (std::size_t i = 0; i < layouts.size(); ++i) attempts.emplace_back(limit, i);
  }
  std::stable_sort(attempts.begin(), attempts.end(), [&](const auto& a, const auto& b) {
    return a.first + layouts[a.second].strands.longest <
           b.first + layouts[b.second].strands.longest;
  });
  for (const auto& [limit, i] : attempts) {
    HandOn hand_on(topology, layouts[i].strands, random);
    if (hand_on.search(limit, annealing_moves(topology), options.progress)) {
      return plan_searched(topology, options, layouts[i], hand_on);
    }
  }
  return std::nullopt;
}

/// A plan on knitted cycles. A hand-on that is too shallow is long in not being found, so each
/// layout's gets shallower until that happens; the best of all is taken.
std::optional<Plan> plan_on_knitted(const Topology& topology, const StrandsOptions& options,
                                    const std::vector<Layout>& layouts, Random& random) {
  std::optional<Plan> best;
  for (const Layout& layout : layouts) {
    std::unique_ptr<HandOn> found;
    for (std::uint32_t limit = kDeepest; limit >= kShallowest; --limit) {
      auto next = std::make_unique<HandOn>(topology, layout.strands, random);
      if (!next->search(limit, 2 * annealing_moves(topology), options.progress)) break;
      found = std::move(next);
    }
    if (!found) continue;
    Plan plan = plan_searched(topology, options, layout, *found);
    if (!best || plan.expected.analytic_steps < best->expected.analytic_steps) {
      best = std::move(plan);
    }
  }
  return best;
}

}  // namespace

Plan plan_strands(const Topology& topology, const StrandsOptions& options) {
  if (!topology.is_torus()) {
    throw InfeasibleError(
        "strands: the cycles need wraparound links; nearest feasible: --topology torus");
  }
  if (const auto regular = bounds::regular_strands(topology)) {
    return plan_regular(topology, options, *regular);
  }
  if (const std::string reason = hopeless(topology); !reason.empty()) refuse(topology, reason);
  Random random(options.seed);
  const std::vector<Layout> strands = strand_layouts(topology, random, false);
  std::optional<Plan> best = plan_on_strands(topology, options, strands, random);
  // The search is slower than laying strands, and has no touching nodes.
  constexpr std::uint64_t kGoodGap = 5;
  const std::uint64_t good = bounds::gossip_lower_bound(topology, 1) + kGoodGap;
  const auto steps = [&options](const Plan& plan) {
    return *plan.expected.analytic_steps / options.packets_per_node;
  };
  if (best && steps(*best) <= good) return *std::move(best);
  const std::vector<Layout> knitted = knitted_layouts(topology, options.seed);
  if (strands.empty() && knitted.empty()) {
    refuse(topology,
           fmt::format("{} cycles of nearly equal length through all nodes of {} were not found "
                       "(beyond {} nodes some side must have {} rows or more, with room to shift "
                       "and parities to match)",
                       topology.ports(), topology.dims_text(), kMostKnittedNodes,
                       2 * topology.ports()));
  }
  auto plan = plan_on_knitted(topology, options, knitted, random);
  if (plan && (!best || steps(*plan) < steps(*best))) best = std::move(plan);
  if (best) return *std::move(best);
  throw InfeasibleError(
      fmt::format("strands: no relaying within {} hops was found on {} with seed {}; nearest "
                  "feasible: another --seed",
                  kDeepest, topology.dims_text(), options.seed));
}

}  // namespace gossamer
