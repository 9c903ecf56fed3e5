// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/lap_cycles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <tuple>

namespace gossamer {

namespace {

/// The sides in the paper's order.
std::vector<std::uint32_t> sides_in(const std::vector<std::uint32_t>& sides,
                                    const AxisOrder& order) {
  std::vector<std::uint32_t> ordered;
  for (const int dim : order) ordered.push_back(sides[static_cast<std::size_t>(dim)]);
  return ordered;
}

/// Nearest side to `side` that is at least `least` and = `residue` mod `modulus`, ties to the
/// smaller.
std::uint32_t nearest_side(std::uint32_t side, std::uint32_t least, std::uint32_t residue,
                           std::uint32_t modulus) {
  const std::uint32_t from = std::max(side, least);
  const std::uint32_t up = from + (residue + modulus - from % modulus) % modulus;
  const std::uint32_t back = (side % modulus + modulus - residue) % modulus;
  const bool can_shrink = side >= back + least;
  return can_shrink && (back <= up - side || up > kMaxSide) ? side - back : up;
}

std::uint64_t change(std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; }

/// The nearest served sides in one axis order, and the sum of the changes.
class NearestInOrder {
 public:
  explicit NearestInOrder(std::vector<std::uint32_t> sides)
      : sides_(std::move(sides)),
        d_(static_cast<std::uint32_t>(sides_.size())),
        current_(sides_.size()) {}

  std::vector<std::uint32_t> best() {
    // n_1 = d has conditions of its own; beyond it only multiples around the given side can be
    // nearest, a larger one makes the multiples of it rarer.
    current_.back() = std::max(sides_.back(), d_);
    current_[0] = d_;
    middle_of_first_d(1, 1);
    for (std::uint32_t first = 2 * d_; first <= sides_[0] + d_; first += d_) {
      current_[0] = first;
      for (std::size_t l = 1; l + 1 < sides_.size(); ++l) {
        current_[l] = nearest_side(sides_[l], first, 0, first);
      }
      consider();
    }
    return best_;
  }
  [[nodiscard]] std::uint64_t best_change() const { return best_change_; }

 private:
  /// Chooses n_{l+1} .. n_{d-1} for n_1 = d; `k` is K_{l+1} mod d.
  void middle_of_first_d(std::size_t l, std::uint32_t k) {
    if (l + 1 >= sides_.size()) {
      if (k == 1 % d_) consider();
      return;
    }
    if (k == 0) return;
    for (std::uint32_t residue = 0; residue < d_; ++residue) {
      if ((residue + d_ - 1) * k % d_ == 0) continue;
      current_[l] = nearest_side(sides_[l], kMinSide, residue, d_);
      middle_of_first_d(l + 1, (1 + residue * k) % d_);
    }
  }

  void consider() {
    std::uint64_t sum = 0;
    std::uint64_t nodes = 1;
    for (std::size_t l = 0; l < sides_.size(); ++l) {
      sum += change(sides_[l], current_[l]);
      nodes = std::min(nodes * current_[l], kMaxNodes + 1);
    }
    if (sum >= best_change_ || nodes > kMaxNodes) return;
    best_change_ = sum;
    best_ = current_;
  }

  std::vector<std::uint32_t> sides_;
  std::uint32_t d_;
  std::vector<std::uint32_t> current_;
  std::vector<std::uint32_t> best_;
  std::uint64_t best_change_ = ~std::uint64_t{0};
};

/// Calls `visit` with every axis order that differs by more than a swap of equal sides.
template <typename Visit>
void for_each_order(const std::vector<std::uint32_t>& sides, Visit visit) {
  AxisOrder order(sides.size());
  std::iota(order.begin(), order.end(), 0);
  do {
    bool first_of_its_kind = true;
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t j = i + 1; j < order.size(); ++j) {
        const auto a = static_cast<std::size_t>(order[i]);
        const auto b = static_cast<std::size_t>(order[j]);
        if (a > b && sides[a] == sides[b]) first_of_its_kind = false;
      }
    }
    if (first_of_its_kind) visit(order);
  } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace

std::optional<std::string> lap_cycles_obstacle(std::span<const std::uint32_t> sides) {
  const auto d = static_cast<std::uint32_t>(sides.size());
  if (d < 2) return "at least two dimensions are required";
  if (sides[0] % d != 0) return fmt::format("n1 = {} is not a multiple of d = {}", sides[0], d);
  if (sides[d - 1] < d) {
    return fmt::format("n{} = {} is less than d = {}", d, sides[d - 1], d);
  }
  std::uint32_t k = 1;
  for (std::uint32_t l = 2; l < d; ++l) {
    const std::uint32_t side = sides[l - 1];
    if (sides[0] > d) {
      if (side % sides[0] == 0) continue;
      return fmt::format("n{} = {} is not a multiple of n1 = {}", l, side, sides[0]);
    }
    if (k == 0 || (side % d + d - 1) * k % d == 0) {
      return fmt::format("with n1 = d = {} the cycles revisit nodes, since K{} = {} and n{} = {}",
                         d, l, k, l, side);
    }
    k = (1 + side % d * k) % d;
  }
  if (sides[0] == d && k != 1 % d) {
    return fmt::format("with n1 = d = {} the cycles do not close, since K{} = {} is not 1 mod d", d,
                       d, k);
  }
  return std::nullopt;
}

std::vector<AxisOrder> lap_cycle_orders(const Topology& topology) {
  std::vector<AxisOrder> orders;
  for_each_order(topology.sides(), [&](const AxisOrder& order) {
    if (!lap_cycles_obstacle(sides_in(topology.sides(), order))) orders.push_back(order);
  });
  return orders;
}

std::vector<std::uint32_t> nearest_lap_cycle_sides(const Topology& topology) {
  // Change, nodes, sides: in the order of preference.
  using Candidate = std::tuple<std::uint64_t, std::uint64_t, std::vector<std::uint32_t>>;
  std::optional<Candidate> best;
  for_each_order(topology.sides(), [&](const AxisOrder& order) {
    NearestInOrder nearest(sides_in(topology.sides(), order));
    const std::vector<std::uint32_t> ordered = nearest.best();
    std::vector<std::uint32_t> sides(ordered.size());
    std::uint64_t nodes = 1;
    for (std::size_t l = 0; l < ordered.size(); ++l) {
      sides[static_cast<std::size_t>(order[l])] = ordered[l];
      nodes *= ordered[l];
    }
    Candidate candidate{nearest.best_change(), nodes, std::move(sides)};
    if (!best || candidate < *best) best = std::move(candidate);
  });
  return std::get<2>(*best);
}

LapCycles::LapCycles(const Topology& topology, AxisOrder order)
    : dimensions_(topology.dimensions()),
      position_(std::size_t{topology.nodes()} * order.size(), kOff),
      leaves_(position_.size(), 0),
      enters_(position_.size(), 0),
      home_(topology.nodes(), 0) {
  const std::vector<std::uint32_t> n = sides_in(topology.sides(), order);
  const std::size_t d = n.size();
  const std::uint32_t last = n[d - 1];
  const std::uint32_t laps = topology.nodes() / last / static_cast<std::uint32_t>(d);
  length_ = laps * (last + static_cast<std::uint32_t>(d));
  const auto positive = [&](std::size_t axis) { return make_port(order[axis], true); };
  std::vector<bool> used(topology.link_slots(), false);

  for (int cycle = 0; cycle < dimensions_; ++cycle) {
    Coordinates start{};
    start[static_cast<std::size_t>(order[0])] = static_cast<std::uint32_t>(cycle);
    NodeId node = topology.node(start);
    const NodeId first = node;
    std::uint32_t at = 0;
    Port entered = opposite(positive(d - 1));
    const auto move = [&](std::size_t axis) {
      const std::size_t here = slot(node, cycle);
      const Port out = positive(axis);
      const LinkId link = topology.link(node, out);
      if (position_[here] != kOff || used[link]) {
        throw std::logic_error("one-packet: a cycle meets itself or another one");
      }
      used[link] = true;
      position_[here] = at++;
      leaves_[here] = out;
      enters_[here] = entered;
      if (dimension_of(entered) == order[d - 1]) home_[node] = static_cast<std::uint8_t>(cycle);
      node = topology.neighbor(node, out);
      entered = opposite(out);
    };
    for (std::uint32_t lap = 1; lap <= laps; ++lap) {
      // The zigzag's kind: the largest j such that n_1/d * n_2 ... n_{j-1} divides the lap.
      std::size_t kind = 1;
      std::uint32_t block = n[0] / static_cast<std::uint32_t>(d);
      while (kind + 1 < d && lap % block == 0) block *= n[kind++];
      // Axes 1, d, 1, d, then 2, d, 3, d, ... up to the kind, then 1, d, ... 1 (d moves off axis
      // d).
      for (std::size_t t = 0; t < d; ++t) {
        if (t > 0) move(d - 1);
        move(t >= 2 && t <= kind ? t - 1 : 0);
      }
      for (std::uint32_t i = static_cast<std::uint32_t>(d) - 1; i < last; ++i) move(d - 1);
    }
    if (node != first || at != length_) {
      throw std::logic_error("one-packet: a cycle does not close");
    }
  }
}

}  // namespace gossamer
