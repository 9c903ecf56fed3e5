// SPDX-License-Identifier: Apache-2.0
#include "gossamer/bounds/groups.hpp"

#include <algorithm>
#include <vector>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/util/checked.hpp"

namespace gossamer::bounds {

namespace {

/// One dimension along which groups have several members.
struct Axis {
  std::uint64_t size;
  std::uint64_t stride;
  bool closed;
  bool wraps;
  /// Members between the farthest two, or between the root and the member farthest from it.
  std::uint64_t farthest;

  /// Links over which a line of members can be entered.
  [[nodiscard]] std::uint64_t ways() const { return closed ? 2 : 1; }
  /// The first contribution from beyond the border of a box of stride nodes.
  [[nodiscard]] std::uint64_t near() const { return stride * farthest - stride + 1; }
};

/// The quantities of theorems 1 to 3 for one set of axes. Links per node of a box are fractions,
/// whose common denominator is the product of all strides.
struct AxisSet {
  /// Product of the sizes: boxes.
  std::uint64_t boxes = 1;
  /// sigma and sigma', times the denominator.
  std::uint64_t ways = 0;
  std::uint64_t ways_of_root = 0;
  /// Links between boxes, times the denominator.
  std::uint64_t links = 0;
  std::uint64_t near = 0;
};

class Groupwise {
 public:
  Groupwise(const Topology& topology, const Demand& demand)
      : demand_(demand), members_(demand.groups->members()) {
    const Groups& groups = *demand.groups;
    const bool rooted = demand.from == Origin::kRoot || demand.to == Destination::kRoot;
    NodeId rest = demand.root;
    for (std::size_t i = 0; i < groups.shape.size(); ++i) {
      const std::uint32_t size = groups.shape[i];
      const std::uint64_t at = rest % size;
      rest /= size;
      if (size == 1) continue;
      const int dim = static_cast<int>(i);
      const bool closed = is_closed(topology, groups, dim);
      const std::uint64_t last = size - std::uint64_t{1};
      const std::uint64_t farthest = closed ? size / 2 : rooted ? std::max(at, last - at) : last;
      axes_.push_back({size, groups.stride[i], closed, topology.wraps(dim), farthest});
      strides_ *= groups.stride[i];
    }
  }

  [[nodiscard]] std::uint64_t bound() const {
    std::uint64_t steps = 0;
    for (const Axis& axis : axes_) steps += axis.stride * axis.farthest;
    if (demand_.is_personal()) {
      for (const Axis& axis : axes_) steps = std::max(steps, exchange(axis));
      return steps;
    }
    for (std::uint32_t set = 1; set < (1U << axes_.size()); ++set) {
      steps = std::max(steps, of_set(set_of(set)));
    }
    const bool rooted = demand_.from == Origin::kRoot || demand_.to == Destination::kRoot;
    return rooted ? std::max(steps, into_farthest()) : steps;
  }

 private:
  [[nodiscard]] AxisSet set_of(std::uint32_t bits) const {
    AxisSet set;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      if (((bits >> i) & 1U) == 0) continue;
      const Axis& axis = axes_[i];
      const std::uint64_t share = strides_ / axis.stride;
      set.boxes *= axis.size;
      set.ways += axis.ways() * share;
      set.ways_of_root += (axis.wraps ? 2 : 1) * share;
      set.links += 2 * (members_ / axis.size) * (axis.size - 2 + axis.ways()) * share;
      set.near += axis.near();
    }
    return set;
  }

  [[nodiscard]] std::uint64_t of_set(const AxisSet& set) const {
    const std::uint64_t words = demand_.pieces;
    const std::uint64_t others = set.boxes - 1;
    const std::uint64_t each = members_ / set.boxes;
    const auto over = [this](std::string_view what, std::uint64_t packets, std::uint64_t boxes,
                             std::uint64_t links) {
      return ceil_div(checked_product(what, packets, boxes, strides_), links);
    };
    // Theorem 3.
    if (demand_.from == Origin::kRoot || demand_.to == Destination::kRoot) {
      return set.near - 1 + over("words for a box", words, 1, each * set.ways_of_root);
    }
    // Theorem 1.
    if (!demand_.combines()) return over("packets for a box", words, others, set.ways);
    if (demand_.to == Destination::kOwner) {
      return over("sums of a box", words / members_, others, set.ways);
    }
    // Theorem 2.
    return std::max(over("hops of all words", 2 * words, others, set.links),
                    set.near - 1 + over("words of a box", words, 1, each * set.ways));
  }

  /// Theorem 4.
  [[nodiscard]] std::uint64_t exchange(const Axis& axis) const {
    return ceil_div(checked_product("packets across the middle", demand_.pieces, axis.stride,
                                    members_ / axis.size, axis.size * axis.size / 4),
                    axis.ways());
  }

  /// Theorem 3, of stride 1 on rings: the least T in which the links into the farthest member bring
  /// all words.
  [[nodiscard]] std::uint64_t into_farthest() const {
    if (strides_ != 1 ||
        !std::all_of(axes_.begin(), axes_.end(), [](const Axis& axis) { return axis.closed; })) {
      return 0;
    }
    std::uint64_t distance = 0;
    for (const Axis& axis : axes_) distance += axis.farthest;
    std::vector<std::uint64_t> senders;
    for (const Axis& axis : axes_) {
      for (const std::uint64_t at : {axis.farthest - 1, axis.farthest + 1}) {
        senders.push_back(distance - axis.farthest + std::min(at, axis.size - at));
      }
    }
    std::sort(senders.begin(), senders.end());
    // The first i senders bring i T - sum words.
    std::uint64_t best = ~std::uint64_t{0};
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < senders.size(); ++i) {
      sum += senders[i];
      best = std::min(best, ceil_div(demand_.pieces + sum, i + 1));
    }
    return best;
  }

  const Demand& demand_;
  std::uint64_t members_;
  std::vector<Axis> axes_;
  std::uint64_t strides_ = 1;
};

}  // namespace

std::uint64_t group_lower_bound(const Topology& topology, const Demand& demand) {
  return Groupwise(topology, demand).bound();
}

}  // namespace gossamer::bounds
