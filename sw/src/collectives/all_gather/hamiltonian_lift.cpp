// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/hamiltonian_lift.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>

#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer {

/// Chooses the squares of a CycleLift. Works in positions of the first cycle, "edge i" being its
/// link from i to i + 1; docs/algorithms/hamiltonian.md uses the same words.
///
/// Roles of the edges: cut (no square), solitary (the only square of the first cycle in one of the
/// gaps 2 .. layers-2), and all others, which alternate between gaps 0 and 1 around the cycle.
class CycleLift::Search {
 public:
  /// `origin` becomes position 0.
  Search(std::span<const std::uint32_t> second, std::uint32_t layers, std::uint32_t origin)
      : nodes_(static_cast<std::uint32_t>(second.size())),
        layers_(layers),
        origin_(origin),
        second_(second.size()),
        place_(second.size()),
        cut_(second.size(), false),
        first_gap_(second.size(), kNone),
        second_gap_(second.size(), kNone) {
    for (std::uint32_t j = 0; j < nodes_; ++j) {
      second_[j] = second[j] >= origin ? second[j] - origin : second[j] + nodes_ - origin;
      place_[second_[j]] = j;
    }
  }

  /// N odd: all squares exchange cycle 2 with another one.
  bool choose_odd() {
    cut_run(0, layers_ - 2);
    // The gap that the first cycle uses most, 0, takes the square of a single column whose
    // partner gets room by the last cut: at most one edge remains there, and that one in gap 1.
    std::uint32_t column = 1;
    while (is_single(follower(column))) ++column;
    const std::uint32_t partner = follower(column);
    const std::uint32_t last_cut = partner == 0 ? nodes_ - 1 : partner;
    cut_[last_cut] = true;
    second_gap_[place_[column]] = 0;
    std::vector<std::uint32_t> pool;
    for (std::uint32_t edge = 0; edge < nodes_; ++edge) {
      if (!cut_[edge]) pool.push_back(edge);
    }
    if (!place_solitary(std::move(pool))) return false;
    alternate(0);
    if (partner != 0 && first_gap_[partner - 1] == 0) alternate(1);
    return close_second_cycle(last_cut, kNone);
  }

  /// N even: the square at `link` of the second cycle, which starts at position 0, exchanges cycles
  /// 0 and 1 and turns a part of cycle 0 around. Both its ends have an edge in gap 0.
  bool choose_even(std::uint32_t link) {
    const std::uint32_t other = follower(0);
    if (other == 1 || other == nodes_ - 1) return false;
    // Two arcs of edges, between edge 0 and edge `other`; the longer one takes the run of cuts.
    const bool run_in_first = other - 1 >= nodes_ - other - 1;
    const std::uint32_t run = run_in_first ? 1 : other + 1;
    cut_run(run, layers_ - 3);
    const std::uint32_t kept_in_first = run_in_first ? layers_ - 1 : 1;
    const std::uint32_t kept_in_second = run_in_first ? other + 1 : other + layers_ - 1;
    std::vector<std::uint32_t> pool;
    for (std::uint32_t edge = 1; edge < nodes_; ++edge) {
      if (!cut_[edge] && edge != other && edge != kept_in_first && edge != kept_in_second) {
        pool.push_back(edge);
      }
    }
    if (!place_solitary(std::move(pool))) return false;
    // Exactly one arc has an even number of edges left to alternate; the last cut makes it odd, so
    // that edges 0 and `other` are in the same gap.
    std::uint32_t left_in_first = 0;
    for (std::uint32_t edge = 1; edge < other; ++edge) {
      if (!cut_[edge] && first_gap_[edge] == kNone) ++left_in_first;
    }
    const std::uint32_t last_cut = left_in_first % 2 == 0 ? kept_in_first : kept_in_second;
    cut_[last_cut] = true;
    alternate(0);
    second_gap_[link] = 0;
    return close_second_cycle(last_cut, link);
  }

  /// The gaps of the first cycle's edges in the caller's positions.
  [[nodiscard]] std::vector<std::uint32_t> first_gaps() const {
    std::vector<std::uint32_t> gaps(nodes_);
    for (std::uint32_t i = 0; i < nodes_; ++i) gaps[(i + origin_) % nodes_] = first_gap_[i];
    return gaps;
  }
  [[nodiscard]] const std::vector<std::uint32_t>& second_gaps() const { return second_gap_; }

 private:
  /// The next column on the second cycle.
  [[nodiscard]] std::uint32_t follower(std::uint32_t column) const {
    const std::uint32_t j = place_[column] + 1;
    return second_[j == nodes_ ? 0 : j];
  }
  [[nodiscard]] bool is_single(std::uint32_t column) const {
    return column >= first_single_ && column < first_single_ + singles_;
  }

  /// Cuts edges run .. run + singles, which leaves the columns run + 1 .. run + singles without
  /// edges.
  void cut_run(std::uint32_t run, std::uint32_t singles) {
    first_single_ = run + 1;
    singles_ = singles;
    for (std::uint32_t edge = run; edge <= run + singles; ++edge) cut_[edge] = true;
  }

  /// Whether the first cycle's square at `edge` may share the gap of the second cycle's square that
  /// leads from a single column to `target`.
  [[nodiscard]] bool apart(std::uint32_t edge, std::uint32_t target) const {
    const std::uint32_t before = target == 0 ? nodes_ - 1 : target - 1;
    return is_single(target) || (edge != target && edge != before);
  }

  /// Gives each gap 2 .. layers-2 one single column without a gap yet and one edge of the pool.
  bool place_solitary(std::vector<std::uint32_t> pool) {
    struct Placed {
      std::uint32_t target;
      std::uint32_t edge;
    };
    std::vector<Placed> placed;
    std::uint32_t column = first_single_;
    for (std::uint32_t gap = 2; gap + 2 <= layers_; ++gap, ++column) {
      if (second_gap_[place_[column]] != kNone) ++column;
      second_gap_[place_[column]] = gap;
      const std::uint32_t target = follower(column);
      // A target excludes two edges, so three candidates are enough.
      const std::size_t tries = std::min<std::size_t>(3, pool.size());
      const auto fits = std::find_if(pool.end() - static_cast<std::ptrdiff_t>(tries), pool.end(),
                                     [&](std::uint32_t edge) { return apart(edge, target); });
      if (fits != pool.end()) {
        placed.push_back({target, *fits});
        *fits = pool.back();
        pool.pop_back();
        continue;
      }
      // Fewer than three left: take the edge of an earlier gap that can do with one of them.
      bool done = false;
      for (std::size_t k = 0; k < placed.size() && !done; ++k) {
        if (!apart(placed[k].edge, target)) continue;
        for (std::uint32_t& edge : pool) {
          if (!apart(edge, placed[k].target)) continue;
          placed.push_back({target, placed[k].edge});
          placed[k].edge = edge;
          edge = pool.back();
          pool.pop_back();
          done = true;
          break;
        }
      }
      if (!done) return false;
    }
    for (std::size_t k = 0; k < placed.size(); ++k) {
      first_gap_[placed[k].edge] = static_cast<std::uint32_t>(k + 2);
    }
    return true;
  }

  /// Gives the edges that are neither cut nor solitary the gaps 0 and 1 in turn, `start` first.
  void alternate(std::uint32_t start) {
    std::uint32_t gap = start;
    for (std::uint32_t edge = 0; edge < nodes_; ++edge) {
      if (cut_[edge] || (first_gap_[edge] != kNone && first_gap_[edge] >= 2)) continue;
      first_gap_[edge] = gap;
      gap = 1 - gap;
    }
  }

  /// The columns hang together in two parts, one on each side of the last cut; single columns
  /// belong to the part that the second cycle reaches from them. Joins the parts by a square of the
  /// second cycle, other than `taken`, between the last layer and layer 0.
  bool close_second_cycle(std::uint32_t last_cut, std::uint32_t taken) {
    const std::uint32_t start = first_single_ + singles_;
    const auto from_start = [&](std::uint32_t column) {
      return column >= start ? column - start : column + nodes_ - start;
    };
    const auto part_of = [&](std::uint32_t column) {
      return from_start(column) <= from_start(last_cut);
    };
    // Single columns add nothing: between two others on the second cycle, the change of part is at
    // the link that leaves the last column that is not single.
    std::uint32_t j = 0;
    while (is_single(second_[j])) ++j;
    bool part = part_of(second_[j]);
    for (std::uint32_t back = 0; back < nodes_; ++back) {
      j = j == 0 ? nodes_ - 1 : j - 1;
      if (is_single(second_[j])) continue;
      const bool here = part_of(second_[j]);
      if (here != part && j != taken) {
        second_gap_[j] = layers_ - 1;
        return true;
      }
      part = here;
    }
    return false;
  }

  std::uint32_t nodes_;
  std::uint32_t layers_;
  std::uint32_t origin_;
  /// The second cycle in positions, and each position's place on it.
  std::vector<std::uint32_t> second_;
  std::vector<std::uint32_t> place_;
  std::vector<bool> cut_;
  std::vector<std::uint32_t> first_gap_;
  std::vector<std::uint32_t> second_gap_;
  std::uint32_t first_single_ = 0;
  std::uint32_t singles_ = 0;
};

CycleLift::CycleLift(std::span<const std::uint32_t> second, std::uint32_t layers)
    : nodes_(static_cast<std::uint32_t>(second.size())), layers_(layers) {
  const auto take = [this](const Search& search) {
    first_gap_ = search.first_gaps();
    second_gap_ = search.second_gaps();
  };
  if (layers_ == 2) {
    // Cycles 0 and 2 alternate along the first cycle and change layers at every node, at even
    // positions the other way than at odd ones. A link of the second cycle between two even or two
    // odd positions therefore joins its two layers and leaves cycle 2 in one piece.
    second_gap_.assign(nodes_, kNone);
    for (std::uint32_t j = 0; j < nodes_ && nodes_ % 2 == 0; ++j) {
      if ((second[j] + second[j + 1 == nodes_ ? 0 : j + 1]) % 2 != 0) continue;
      second_gap_[j] = 1;
      return;
    }
    throw std::logic_error("cycle lift: two layers need an even, not bipartite base");
  }
  if (!serves(nodes_, layers_, false)) throw std::logic_error("cycle lift: too few nodes a layer");
  if (nodes_ % 2 != 0) {
    Search search(second, layers, 0);
    if (!search.choose_odd()) throw std::logic_error("cycle lift: no squares for odd N");
    take(search);
    return;
  }
  // The first link that is not parallel to one of the first cycle will do, except perhaps when N =
  // 2 * layers = 8.
  for (std::uint32_t link = 0; link < nodes_; ++link) {
    Search search(second, layers, second[link]);
    if (search.choose_even(link)) {
      turning_ = link;
      take(search);
      return;
    }
  }
  throw std::logic_error("cycle lift: no squares for even N");
}

namespace {

/// A torus over some of the dimensions, in ascending order, with its Hamiltonian cycles.
struct Factor {
  std::uint32_t nodes = 0;
  /// Cycles, equal to the dimensions; twice as many ports.
  int cycles = 0;
  /// 2 * cycle + 1 for the port that leads on along its cycle, 2 * cycle for the one that leads
  /// back; node-major. Before orient() 2 * cycle for both.
  std::vector<std::uint8_t> sides;
  /// Place of a node on a cycle: positions[cycle * nodes + node].
  std::vector<std::uint32_t> positions;

  [[nodiscard]] const std::uint32_t* positions_on(int cycle) const {
    return positions.data() + static_cast<std::size_t>(cycle) * nodes;
  }
  /// The nodes of a cycle in order.
  [[nodiscard]] std::vector<std::uint32_t> order_of(int cycle) const {
    std::vector<std::uint32_t> order(nodes);
    const std::uint32_t* position = positions_on(cycle);
    for (std::uint32_t node = 0; node < nodes; ++node) order[position[node]] = node;
    return order;
  }
};

/// Walks every cycle once, from node 0.
void orient(Factor& factor, const Topology& torus) {
  const auto ports = static_cast<std::size_t>(torus.ports());
  factor.positions.resize(static_cast<std::size_t>(factor.cycles) * factor.nodes);
  for (int cycle = 0; cycle < factor.cycles; ++cycle) {
    std::uint32_t* position =
        factor.positions.data() + static_cast<std::size_t>(cycle) * factor.nodes;
    const auto leave = [&](NodeId node, int except) {
      std::uint8_t* sides = factor.sides.data() + std::size_t{node} * ports;
      for (std::size_t port = 0; port < ports; ++port) {
        if (sides[port] == 2 * cycle && static_cast<int>(port) != except) {
          sides[port] = static_cast<std::uint8_t>(2 * cycle + 1);
          return static_cast<Port>(port);
        }
      }
      throw std::logic_error("hamiltonian: a factor's cycle breaks off");
    };
    NodeId node = 0;
    std::uint32_t at = 0;
    int came_by = -1;
    do {
      position[node] = at++;
      const Port out = leave(node, came_by);
      node = torus.neighbor(node, out);
      came_by = opposite(out);
    } while (node != 0);
    if (at != factor.nodes) throw std::logic_error("hamiltonian: a factor's cycle is too short");
  }
}

/// The cycle of every port of a product of two factors, node by node.
class Product {
 public:
  /// `large` has at least as many cycles as `small`, at most twice as many.
  Product(const Factor& large, const Factor& small) : large_(&large), small_(&small) {
    const int lifts = large.cycles - small.cycles;
    for (int k = 0; k < lifts; ++k) lifts_.push_back(make_lift(2 * k, 2 * k + 1, k));
    for (int k = lifts; k < small.cycles; ++k) {
      pairs_.push_back({HamiltonianPair(large.nodes, small.nodes), large.positions_on(lifts + k),
                        small.positions_on(k)});
    }
  }

  /// Writes the cycles of the large factor's ports, then of the small one's, of the node that is
  /// `in_large` and `in_small`.
  void cycles(std::uint32_t in_large, std::uint32_t in_small, std::uint8_t* large_ports,
              std::uint8_t* small_ports) const {
    // By sides: what a link on, or back, along each factor cycle belongs to.
    std::array<std::uint8_t, kMaxPorts> on_large{};
    std::array<std::uint8_t, kMaxPorts> on_small{};
    std::uint8_t base = 0;
    std::size_t l = 0;
    std::size_t s = 0;
    const auto add = [](std::uint8_t a, std::uint8_t b) {
      return static_cast<std::uint8_t>(a + b);
    };
    for (const Lift& lift : lifts_) {
      const std::uint32_t i = lift.first[in_large];
      const std::uint32_t j = lift.second[in_large];
      const std::uint32_t z = lift.layer[in_small];
      const std::uint32_t below = z == 0 ? small_->nodes - 1 : z - 1;
      on_large[l++] = add(base, lift.squares.first_link(before(i), z));
      on_large[l++] = add(base, lift.squares.first_link(i, z));
      on_large[l++] = add(base, lift.squares.second_link(before(j), z));
      on_large[l++] = add(base, lift.squares.second_link(j, z));
      on_small[s++] = add(base, lift.squares.layer_link(i, j, below));
      on_small[s++] = add(base, lift.squares.layer_link(i, j, z));
      base = add(base, 3);
    }
    for (const Pair& pair : pairs_) {
      const auto colours = pair.squares.cycles(pair.x[in_large], pair.y[in_small]);
      on_large[l++] = add(base, colours[0]);
      on_large[l++] = add(base, colours[1]);
      on_small[s++] = add(base, colours[2]);
      on_small[s++] = add(base, colours[3]);
      base = add(base, 2);
    }
    const std::uint8_t* sides = large_->sides.data() + std::size_t{in_large} * l;
    for (std::size_t port = 0; port < l; ++port) large_ports[port] = on_large[sides[port]];
    sides = small_->sides.data() + std::size_t{in_small} * s;
    for (std::size_t port = 0; port < s; ++port) small_ports[port] = on_small[sides[port]];
  }

 private:
  struct Lift {
    CycleLift squares;
    const std::uint32_t* first;
    const std::uint32_t* second;
    const std::uint32_t* layer;
  };
  struct Pair {
    HamiltonianPair squares;
    const std::uint32_t* x;
    const std::uint32_t* y;
  };

  [[nodiscard]] Lift make_lift(int first, int second, int layer) const {
    const std::uint32_t* position = large_->positions_on(first);
    std::vector<std::uint32_t> order = large_->order_of(second);
    for (std::uint32_t& node : order) node = position[node];
    return {CycleLift(order, small_->nodes), position, large_->positions_on(second),
            small_->positions_on(layer)};
  }
  [[nodiscard]] std::uint32_t before(std::uint32_t i) const {
    return i == 0 ? large_->nodes - 1 : i - 1;
  }

  const Factor* large_;
  const Factor* small_;
  std::vector<Lift> lifts_;
  std::vector<Pair> pairs_;
};

/// How a torus falls into factors: for each set of dimensions (a bit mask) the larger part, 0 where
/// the cycles come without a split, kNoWay where this program has none.
class Splits {
 public:
  explicit Splits(const Topology& torus) : large_(std::size_t{1} << torus.dimensions(), kNoWay) {
    const auto sets = static_cast<std::uint32_t>(large_.size());
    std::vector<std::uint64_t> nodes(sets, 1);
    for (int dim = 0; dim < torus.dimensions(); ++dim) {
      if (torus.side(dim) % 2 != 0) odd_sides_ |= 1U << dim;
    }
    for (std::uint32_t set = 1; set < sets; ++set) {
      const auto lowest = torus.side(std::countr_zero(set));
      const std::uint32_t rest = set & (set - 1);
      nodes[set] = nodes[rest] * lowest;
      const int count = std::popcount(set);
      if (count == 1) {
        if (lowest >= 3) large_[set] = 0;
      } else if (count == 2) {
        const std::uint64_t other = nodes[rest];
        if (std::min<std::uint64_t>(lowest, other) >= 3 || nodes[set] % 4 == 0) large_[set] = 0;
      } else {
        large_[set] = best(set, nodes);
      }
    }
  }

  [[nodiscard]] bool possible(std::uint32_t set) const { return large_[set] != kNoWay; }
  [[nodiscard]] std::uint32_t large_part(std::uint32_t set) const { return large_[set]; }

 private:
  static constexpr std::uint32_t kNoWay = ~std::uint32_t{0};

  /// Of the splits that work: the fewest lifts, then the fewest nodes in the large part, which have
  /// to be walked.
  [[nodiscard]] std::uint32_t best(std::uint32_t set,
                                   const std::vector<std::uint64_t>& nodes) const {
    std::uint32_t found = kNoWay;
    for (std::uint32_t large = (set - 1) & set; large != 0; large = (large - 1) & set) {
      const std::uint32_t small = set ^ large;
      const int lifts = std::popcount(large) - std::popcount(small);
      if (lifts < 0 || lifts > std::popcount(small)) continue;
      // A ring of 2 is no factor but under a lift.
      if (!possible(large) || !(possible(small) || nodes[small] == 2)) continue;
      const bool bipartite = (large & odd_sides_) == 0;
      if (lifts > 0 && !CycleLift::serves(nodes[large], nodes[small], bipartite)) continue;
      if (found != kNoWay) {
        const int fewest = std::popcount(found) - std::popcount(set ^ found);
        if (lifts > fewest || (lifts == fewest && nodes[large] >= nodes[found])) continue;
      }
      found = large;
    }
    return found;
  }

  /// The dimensions with odd sides, as a bit mask.
  std::uint32_t odd_sides_ = 0;
  std::vector<std::uint32_t> large_;
};

/// Builds the cycles of sets of dimensions from those of their parts.
class Builder {
 public:
  explicit Builder(const Topology& torus) : torus_(&torus), splits_(torus) {}

  [[nodiscard]] bool possible() const { return splits_.possible(all()); }
  [[nodiscard]] std::uint32_t all() const { return (1U << torus_->dimensions()) - 1; }

  /// The cycle of each port of the torus over the set's dimensions, node-major, times `scale`.
  [[nodiscard]] std::vector<std::uint8_t> cycles(std::uint32_t set, std::uint8_t scale) const {
    const std::vector<std::uint32_t> sides = sides_of(set);
    if (sides.size() <= 2) return small_case(sides, scale);
    const std::uint32_t large_set = splits_.large_part(set);
    const Factor large = factor(large_set);
    const Factor small = factor(set ^ large_set);
    const Product product(large, small);

    // For each dimension of the set: whether it is the large factor's, its ports there, its stride.
    struct Digit {
      bool in_large;
      std::size_t ports;
      std::uint32_t stride;
    };
    std::vector<Digit> digits;
    std::array<std::size_t, 2> ports{};
    std::array<std::uint32_t, 2> stride{1, 1};
    std::uint32_t nodes = 1;
    for (std::uint32_t rest = set, k = 0; rest != 0; rest &= rest - 1, ++k) {
      const bool in_large = ((large_set >> std::countr_zero(rest)) & 1U) != 0;
      digits.push_back({in_large, ports[in_large], stride[in_large]});
      ports[in_large] += 2;
      stride[in_large] *= sides[k];
      nodes *= sides[k];
    }

    std::vector<std::uint8_t> result(std::size_t{nodes} * 2 * sides.size());
    std::uint8_t* out = result.data();
    std::array<std::uint32_t, kMaxDimensions> at{};
    // The node's number in the small [0] and in the large [1] factor.
    std::array<std::uint32_t, 2> in{};
    std::array<std::array<std::uint8_t, kMaxPorts>, 2> found{};
    for (std::uint32_t node = 0; node < nodes; ++node) {
      product.cycles(in[1], in[0], found[1].data(), found[0].data());
      for (const Digit& digit : digits) {
        *out++ = static_cast<std::uint8_t>(scale * found[digit.in_large][digit.ports]);
        *out++ = static_cast<std::uint8_t>(scale * found[digit.in_large][digit.ports + 1]);
      }
      for (std::size_t k = 0; k < digits.size(); ++k) {
        in[digits[k].in_large] += digits[k].stride;
        if (++at[k] < sides[k]) break;
        in[digits[k].in_large] -= digits[k].stride * sides[k];
        at[k] = 0;
      }
    }
    return result;
  }

 private:
  [[nodiscard]] std::vector<std::uint32_t> sides_of(std::uint32_t set) const {
    std::vector<std::uint32_t> sides;
    for (; set != 0; set &= set - 1) sides.push_back(torus_->side(std::countr_zero(set)));
    return sides;
  }

  /// One dimension: the ring. Two: the closed form.
  [[nodiscard]] static std::vector<std::uint8_t> small_case(const std::vector<std::uint32_t>& sides,
                                                            std::uint8_t scale) {
    HamiltonianDecomposition cycles = hamiltonian_decomposition(Topology::torus(sides));
    for (std::uint8_t& cycle : cycles) cycle = static_cast<std::uint8_t>(cycle * scale);
    return cycles;
  }

  [[nodiscard]] Factor factor(std::uint32_t set) const {
    const Topology torus = Topology::torus(sides_of(set));
    Factor factor;
    factor.nodes = torus.nodes();
    factor.cycles = torus.dimensions();
    factor.sides = cycles(set, 2);
    orient(factor, torus);
    return factor;
  }

  const Topology* torus_;
  Splits splits_;
};

}  // namespace

HamiltonianDecomposition lifted_decomposition(const Topology& torus) {
  const Builder builder(torus);
  if (!builder.possible()) {
    std::vector<std::uint32_t> nearest = torus.sides();
    std::replace(nearest.begin(), nearest.end(), 2U, 3U);
    throw InfeasibleError(fmt::format(
        "hamiltonian: no construction is known for the sides of 2 in {}: it requires a split "
        "into 2-D tori, none of them 2 x odd, that carry the other sides; nearest feasible: {}",
        torus.dims_text(), joined(nearest, "x")));
  }
  return builder.cycles(builder.all(), 1);
}

}  // namespace gossamer
