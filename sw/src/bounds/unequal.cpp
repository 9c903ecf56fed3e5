// SPDX-License-Identifier: Apache-2.0
#include "gossamer/bounds/unequal.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "gossamer/util/checked.hpp"

namespace gossamer::bounds {

namespace {

/// Boxes that are examined; if there are more, only those at the lower border of every axis.
constexpr std::uint64_t kMostBoxes = std::uint64_t{1} << 22U;
/// On longer axes only the intervals at the lower border are examined.
constexpr std::uint32_t kLongestAxis = 256;
/// Nodes up to which every node's arrivals are examined.
constexpr NodeId kMostEndsExamined = 1U << 16U;

/// One axis: the periods of its links. Link x joins coordinates x and x + 1, modulo the side.
class PeriodAxis {
 public:
  PeriodAxis(const Topology& topology, int dim)
      : side_(topology.side(dim)), wraps_(topology.wraps(dim)) {
    const std::uint32_t links = wraps_ ? side_ : side_ - 1;
    for (std::uint32_t x = 0; x < links; ++x) {
      links_.push_back(topology.period(x * topology.stride(dim), make_port(dim, true)));
    }
    before_.assign(1, 0);
    // Twice around, so that an interval never wraps.
    for (std::uint32_t i = 0; i < 2 * side_; ++i) {
      before_.push_back(before_.back() + (i % side_ < links_.size() ? links_[i % side_] : 0));
    }
  }

  [[nodiscard]] std::uint32_t side() const { return side_; }
  [[nodiscard]] bool wraps() const { return wraps_; }
  [[nodiscard]] const std::vector<std::uint32_t>& links() const { return links_; }
  /// Distance from coordinate `from` to `from` + `hops` in positive direction.
  [[nodiscard]] std::uint64_t along(std::uint32_t from, std::uint32_t hops) const {
    return before_[from + hops] - before_[from];
  }
  /// The largest distance from a coordinate on the whole axis.
  [[nodiscard]] std::uint64_t farthest(std::uint32_t from) const {
    if (!wraps_) return std::max(before_[from], along(from, side_ - 1 - from));
    const std::uint64_t around = along(0, side_);
    std::uint64_t most = 0;
    for (std::uint32_t hops = 1; hops < side_; ++hops) {
      const std::uint64_t there = along(from, hops);
      most = std::max(most, std::min(there, around - there));
    }
    return most;
  }

 private:
  std::uint32_t side_;
  bool wraps_;
  std::vector<std::uint32_t> links_;
  std::vector<std::uint64_t> before_;
};

std::vector<PeriodAxis> axes_of(const Topology& topology) {
  std::vector<PeriodAxis> axes;
  for (int dim = 0; dim < topology.dimensions(); ++dim) axes.emplace_back(topology, dim);
  return axes;
}

/// An interval of an axis, as a side of a box.
struct Interval {
  std::uint32_t first = 0;
  std::uint32_t length = 0;
  /// Periods of the arcs that enter at its lower and its upper end; 0: none.
  std::uint32_t below = 0;
  std::uint32_t above = 0;
};

/// The intervals of an axis, except those that look the same as another one from inside.
std::vector<Interval> intervals_of(const PeriodAxis& axis, bool all) {
  std::vector<Interval> intervals;
  std::set<std::vector<std::uint32_t>> known;
  all = all && axis.side() <= kLongestAxis;
  for (std::uint32_t length = 1; length <= axis.side(); ++length) {
    const bool whole = length == axis.side();
    for (std::uint32_t first = 0; first < axis.side(); ++first) {
      if ((!axis.wraps() || whole) && first + length > axis.side()) break;
      if (!all && first != 0) break;
      Interval interval{first, length, 0, 0};
      if (!whole && (axis.wraps() || first > 0)) {
        interval.below = axis.links()[(first + axis.side() - 1) % axis.side()];
      }
      if (!whole && (axis.wraps() || first + length < axis.side())) {
        interval.above = axis.links()[(first + length - 1) % axis.side()];
      }
      if (!all) {
        intervals.push_back(interval);
        continue;
      }
      std::vector<std::uint32_t> look{length, interval.below, interval.above};
      for (std::uint32_t i = 0; i + 1 < length; ++i) {
        look.push_back(axis.links()[(first + i) % axis.side()]);
      }
      if (known.insert(std::move(look)).second) intervals.push_back(interval);
    }
  }
  return intervals;
}

/// Arcs of one period and one distance x_e, with their number.
struct Entry {
  std::uint64_t period;
  std::uint64_t inside;
  std::uint64_t count;
};

/// The least T for which `arrived(T)`, which ascends, reaches `wanted`; a T that is large enough
/// is known.
template <typename Arrived>
std::uint64_t least_steps(std::uint64_t low, std::uint64_t high, std::uint64_t wanted,
                          const Arrived& arrived) {
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (arrived(middle) >= wanted) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// All boxes of a network, each a list of indices into the axes' intervals.
class BoxSearch {
 public:
  BoxSearch(const Topology& topology, std::uint64_t k)
      : topology_(topology), k_(k), axes_(axes_of(topology)) {
    std::uint64_t boxes = 1;
    for (const PeriodAxis& axis : axes_) {
      intervals_.push_back(intervals_of(axis, true));
      boxes *= std::min<std::uint64_t>(intervals_.back().size(), kMostBoxes);
      boxes = std::min(boxes, kMostBoxes + 1);
    }
    if (boxes > kMostBoxes) {
      for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
        intervals_[axis] = intervals_of(axes_[axis], false);
      }
    }
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      eccentricities_.emplace_back(intervals_[axis].size());
    }
  }

  std::uint64_t bound() {
    best_ = unequal_diameter(topology_);
    for_each_box([this](const std::vector<const Interval*>& box) { cut(box); });
    for_each_box([this](const std::vector<const Interval*>& box) { entry(box); });
    return best_;
  }

 private:
  template <typename Visit>
  void for_each_box(Visit visit) const {
    std::vector<std::size_t> at(axes_.size(), 0);
    std::vector<const Interval*> box;
    while (true) {
      box.clear();
      for (std::size_t axis = 0; axis < at.size(); ++axis) {
        box.push_back(&intervals_[axis][at[axis]]);
      }
      visit(box);
      std::size_t axis = 0;
      while (axis < at.size() && ++at[axis] == intervals_[axis].size()) at[axis++] = 0;
      if (axis == at.size()) return;
    }
  }

  static std::uint64_t volume(const std::vector<const Interval*>& box) {
    std::uint64_t nodes = 1;
    for (const Interval* side : box) nodes *= side->length;
    return nodes;
  }
  /// Packets that have to enter.
  [[nodiscard]] std::uint64_t wanted(const std::vector<const Interval*>& box) const {
    return k_ * (topology_.nodes() - volume(box));
  }
  /// Calls visit(period, count, axis, interval, below) for each face that arcs enter.
  template <typename Visit>
  static void for_each_face(const std::vector<const Interval*>& box, Visit visit) {
    const std::uint64_t nodes = volume(box);
    for (std::size_t axis = 0; axis < box.size(); ++axis) {
      const Interval& side = *box[axis];
      if (side.below != 0) visit(side.below, nodes / side.length, axis, true);
      if (side.above != 0) visit(side.above, nodes / side.length, axis, false);
    }
  }
  /// Packets per step, at most.
  static double rate(const std::vector<const Interval*>& box) {
    double rate = 0;
    for_each_face(box, [&](std::uint64_t period, std::uint64_t count, std::size_t, bool) {
      rate += static_cast<double>(count) / static_cast<double>(period);
    });
    return rate;
  }

  void cut(const std::vector<const Interval*>& box) {
    const std::uint64_t packets = wanted(box);
    if (packets == 0) return;
    const double steps = static_cast<double>(packets) / rate(box);
    largest_fraction_ = std::max(largest_fraction_, steps);
    const auto high = static_cast<std::uint64_t>(steps) + kMaxLinkPeriod + 1;
    if (high <= best_) return;
    best_ = least_steps(best_, high, packets, [&box](std::uint64_t time) {
      std::uint64_t arrived = 0;
      for_each_face(box, [&](std::uint64_t period, std::uint64_t count, std::size_t, bool) {
        arrived += count * (time / period);
      });
      return arrived;
    });
  }

  void entry(const std::vector<const Interval*>& box) {
    // Others are never the largest (docs/chiplets.md).
    constexpr double kWorthwhile = 0.8;
    const std::uint64_t packets = wanted(box);
    if (packets == 0) return;
    const double fraction = static_cast<double>(packets) / rate(box);
    if (fraction < kWorthwhile * largest_fraction_) return;
    const std::vector<Entry> entries = entries_of(box);
    std::uint64_t farthest = 0;
    for (const Entry& each : entries) farthest = std::max(farthest, each.inside);
    const std::uint64_t high = static_cast<std::uint64_t>(fraction) + kMaxLinkPeriod + 1 + farthest;
    if (high <= best_) return;
    best_ = least_steps(best_, high, 2 * packets, [&entries](std::uint64_t time) {
      std::uint64_t arrived = 0;
      for (const Entry& each : entries) {
        const std::uint64_t once = time > each.inside ? (time - each.inside) / each.period : 0;
        arrived += each.count * (time / each.period + once);
      }
      return arrived;
    });
  }

  /// By distance, the number of the interval's coordinates from which it is the largest inside.
  using Distances = std::map<std::uint64_t, std::uint64_t>;
  const Distances& eccentricities(std::size_t axis, const Interval& side) {
    const auto index = static_cast<std::size_t>(&side - intervals_[axis].data());
    Distances& known = eccentricities_[axis][index];
    if (!known.empty()) return known;
    for (std::uint32_t i = 0; i < side.length; ++i) {
      const bool whole = side.length == axes_[axis].side();
      const std::uint64_t farthest =
          whole ? axes_[axis].farthest(i)
                : std::max(axes_[axis].along(side.first, i),
                           axes_[axis].along(side.first + i, side.length - 1 - i));
      ++known[farthest];
    }
    return known;
  }

  std::vector<Entry> entries_of(const std::vector<const Interval*>& box) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> counts;
    for_each_face(box, [&](std::uint64_t period, std::uint64_t, std::size_t face, bool) {
      const Interval& across = *box[face];
      Distances sums{{axes_[face].along(across.first, across.length - 1), 1}};
      for (std::size_t axis = 0; axis < box.size(); ++axis) {
        if (axis == face || box[axis]->length == 1) continue;
        Distances more;
        for (const auto& [sum, count] : sums) {
          for (const auto& [distance, times] : eccentricities(axis, *box[axis])) {
            more[sum + distance] += count * times;
          }
        }
        sums = std::move(more);
      }
      for (const auto& [sum, count] : sums) counts[{period, sum}] += count;
    });
    std::vector<Entry> entries;
    for (const auto& [key, count] : counts) entries.push_back({key.first, key.second, count});
    return entries;
  }

  const Topology& topology_;
  std::uint64_t k_;
  std::vector<PeriodAxis> axes_;
  /// By axis.
  std::vector<std::vector<Interval>> intervals_;
  std::vector<std::vector<Distances>> eccentricities_;
  std::uint64_t best_ = 0;
  double largest_fraction_ = 0;
};

}  // namespace

std::uint64_t unequal_diameter(const Topology& topology) {
  std::uint64_t sum = 0;
  for (const PeriodAxis& axis : axes_of(topology)) {
    std::uint64_t most = 0;
    for (std::uint32_t x = 0; x < axis.side(); ++x) most = std::max(most, axis.farthest(x));
    sum += most;
  }
  return sum;
}

std::uint64_t unequal_gather_bound(const Topology& topology, std::uint64_t k) {
  (void)checked_product("packets that all nodes receive", k,
                        std::uint64_t{topology.nodes()} * 2 * kMaxLinkPeriod);
  return BoxSearch(topology, k).bound();
}

std::uint64_t unequal_all_reduce_bound(const Topology& topology, std::uint64_t words) {
  const std::uint64_t most = checked_product("hops of all words", words,
                                             std::uint64_t{topology.nodes()} * 2 * kMaxLinkPeriod) +
                             unequal_diameter(topology);
  const std::vector<PeriodAxis> axes = axes_of(topology);
  const auto& chiplets = topology.link_periods().chiplets;
  std::uint64_t best = unequal_diameter(topology);
  // Sides of the parts: 1, the chiplet's, the whole.
  constexpr std::size_t kChoices = 3;
  std::vector<std::size_t> choice(axes.size(), 0);
  while (true) {
    std::map<std::uint64_t, std::uint64_t> links;
    std::uint64_t parts = 1;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const std::uint32_t side = axes[axis].side();
      const std::uint32_t chiplet = chiplets.empty() ? side : chiplets[axis];
      const std::uint32_t part = std::array{1U, chiplet, side}[choice[axis]];
      parts *= side / part;
      if (part == side) continue;
      for (std::uint32_t x = 0; x < axes[axis].links().size(); ++x) {
        if ((x + 1) % part == 0) links[axes[axis].links()[x]] += topology.nodes() / side;
      }
    }
    if (parts > 1) {
      best = least_steps(best, std::max(best, most), words * (parts - 1), [&](std::uint64_t time) {
        std::uint64_t sum = 0;
        for (const auto& [period, count] : links) sum += count * (time / period);
        return sum;
      });
    }
    std::size_t axis = 0;
    while (axis < axes.size() && ++choice[axis] == kChoices) choice[axis++] = 0;
    if (axis == axes.size()) break;
  }
  std::vector<std::vector<std::uint64_t>> farthest;
  for (const PeriodAxis& axis : axes) {
    farthest.emplace_back();
    for (std::uint32_t x = 0; x < axis.side(); ++x) farthest.back().push_back(axis.farthest(x));
  }
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    if (walk.node() == kMostEndsExamined) break;
    std::uint64_t distance = 0;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      distance += farthest[axis][walk.coordinates()[axis]];
    }
    best = least_steps(std::max(best, distance), std::max(best, distance) + most, words,
                       [&](std::uint64_t time) {
                         std::uint64_t sum = 0;
                         for (const Port port : all_ports(topology.ports())) {
                           if (walk.beyond(port) == kNoNode) continue;
                           const std::uint64_t period = topology.period(walk.node(), port);
                           sum += (time - distance) / period + 1;
                         }
                         return sum;
                       });
  }
  return best;
}

}  // namespace gossamer::bounds
