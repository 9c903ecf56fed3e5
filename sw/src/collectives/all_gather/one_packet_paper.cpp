// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/one_packet_paper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/bounds/stream_windows.hpp"
#include "gossamer/collectives/all_gather/lap_cycles.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer {

namespace {

/// The most dimensions the plan is built for.
constexpr int kMostDimensions = 6;
constexpr Port kNoPort = 0xFF;

/// One direction of one cycle: 2 * cycle + (1 when forward).
using Stream = std::uint8_t;
constexpr std::size_t kMostStreams = 2 * std::size_t{kMostDimensions};
constexpr int cycle_of(Stream stream) { return stream / 2; }
constexpr bool is_forward(Stream stream) { return (stream & 1U) != 0; }

/// The input port by which a node off a cycle receives each of the cycle's streams.
///
/// Streams are named as in the time-independent plan; the switched plan uses the same ports. There
/// are two phases. First every (node, stream) gets a *level*, the largest number of hops by which
/// it may lie off the stream's cycle. Levels start at the distance over free links and are raised
/// where a node's streams do not match its free input ports. A supplier always has a lower level
/// than the nodes it supplies, so supply is acyclic; as levels only grow, the phase ends. Then
/// nodes choose again, in rounds, among the matchings that keep the levels: the one whose worst
/// overlap of two windows is least, first for the node alone, then for all nodes that it supplies,
/// directly or not. The first kind of round finds good places to relay from; the second repairs the
/// effects on others.
class Supply {
 public:
  Supply(const Topology& topology, const LapCycles& cycles)
      : topology_(topology),
        cycles_(cycles),
        streams_(static_cast<std::size_t>(2 * cycles.cycles())),
        port_(topology.nodes() * streams_, kNoPort),
        level_(topology.nodes() * streams_, 0) {
    measure_levels();
    while (raise_levels()) {
    }
    for (const bool selfish : {true, false}) {
      for (int round = 0; round < kMostRounds; ++round) {
        bool changed = false;
        for (NodeId node = 0; node < topology.nodes(); ++node) {
          changed = improve(node, selfish) || changed;
        }
        if (!changed) break;
      }
    }
  }

  /// The in-port by which `node` gets `stream` of a cycle that does not pass it.
  [[nodiscard]] Port port(NodeId node, Stream stream) const { return port_[slot(node, stream)]; }
  /// The neighbour that supplies it.
  [[nodiscard]] NodeId supplier(NodeId node, Stream stream) const {
    return topology_.neighbor(node, port(node, stream));
  }
  /// True when the supplier is itself off the cycle and relays the stream.
  [[nodiscard]] bool relayed(NodeId node, Stream stream) const {
    return off(supplier(node, stream), stream);
  }
  /// The last node before the cycle on the way by which `node` is supplied.
  [[nodiscard]] NodeId last_off(NodeId node, Stream stream) const {
    while (relayed(node, stream)) node = supplier(node, stream);
    return node;
  }
  /// The node on the cycle where the stream is tapped for `node`.
  [[nodiscard]] NodeId tapped(NodeId node, Stream stream) const {
    while (off(node, stream)) node = supplier(node, stream);
    return node;
  }
  /// Its position, and how many hops away it is.
  [[nodiscard]] bounds::Tap tap(NodeId node, Stream stream) const {
    std::uint64_t hops = 0;
    for (; off(node, stream); ++hops) node = supplier(node, stream);
    return {cycles_.position(node, cycle_of(stream)), hops};
  }
  [[nodiscard]] bool off(NodeId node, Stream stream) const {
    return cycles_.position(node, cycle_of(stream)) == LapCycles::kOff;
  }

 private:
  /// The worst one first, then the sum; costs add up to the worse worst and the sum of both.
  struct Cost {
    std::uint64_t worst = 0;
    std::uint64_t sum = 0;
    auto operator<=>(const Cost&) const = default;
    Cost operator+(const Cost& other) const {
      return {std::max(worst, other.worst), sum + other.sum};
    }
  };
  static constexpr int kMostRounds = 8;
  static constexpr Cost kNoCost{~std::uint64_t{0}, 0};
  struct Option {
    Port port;
    bounds::Tap tap;
    /// Cost for the stream alone: of a raised level, or of the nodes supplied in turn.
    Cost cost;
  };
  /// A node's matching under search, by stream, and the best one so far.
  struct Search {
    std::vector<int> missing;
    /// Least cost of all cycles from each index of `missing` on.
    std::vector<Cost> least;
    std::array<std::vector<Option>, kMostStreams> options;
    /// True: pairs cost the overlap of their windows; false: pairs are free.
    bool overlaps = false;
    std::array<Port, kMostStreams> current{};
    std::array<Port, kMostStreams> best{};
    Cost best_cost = kNoCost;
  };

  [[nodiscard]] std::size_t slot(NodeId node, Stream stream) const {
    return node * streams_ + stream;
  }

  /// In-ports that no cycle uses: their links carry no cycle in the other direction either.
  [[nodiscard]] PortSet free_ports(NodeId node) const {
    PortSet free = all_ports(topology_.ports());
    for (int cycle = 0; cycle < cycles_.cycles(); ++cycle) {
      if (cycles_.position(node, cycle) == LapCycles::kOff) continue;
      free.erase(cycles_.enters(node, cycle));
      free.erase(cycles_.leaves(node, cycle));
    }
    return free;
  }

  /// Levels := distance to the cycle over free links.
  void measure_levels() {
    for (std::size_t at = 0; at < streams_; at += 2) {
      const auto stream = static_cast<Stream>(at);
      std::vector<NodeId> front;
      std::vector<bool> seen(topology_.nodes(), false);
      for (NodeId node = 0; node < topology_.nodes(); ++node) {
        if (off(node, stream)) continue;
        seen[node] = true;
        front.push_back(node);
      }
      for (std::size_t i = 0; i < front.size(); ++i) {
        for (const Port port : free_ports(front[i])) {
          const NodeId next = topology_.neighbor(front[i], port);
          if (seen[next]) continue;
          seen[next] = true;
          const auto level = static_cast<std::uint8_t>(level_[slot(front[i], stream)] + 1);
          level_[slot(next, stream)] = level;
          level_[slot(next, stream) + 1] = level;
          front.push_back(next);
        }
      }
    }
  }

  /// One round of matchings that raise the levels least; true when one had to be raised.
  bool raise_levels() {
    bool raised = false;
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      Search search = begin(node);
      const PortSet free = free_ports(node);
      for_each_missing(search, [&](Stream stream) {
        const int level = level_[slot(node, stream)];
        std::uint64_t relayed_to = 0;
        for (const Port port : free) {
          const NodeId next = topology_.neighbor(node, port);
          if (level_[slot(next, stream)] == level + 1) ++relayed_to;
        }
        for (const Port port : free) {
          const int supplied = level_[slot(topology_.neighbor(node, port), stream)] + 1;
          // Raise to low levels, and rather where few others can take the stream from here.
          Cost cost;
          if (supplied > level) cost = {static_cast<std::uint64_t>(supplied), 1 + relayed_to};
          search.options[stream].push_back({port, {}, cost});
        }
      });
      run(search, free);
      for_each_missing(search, [&](Stream stream) {
        const Port port = search.best[stream];
        port_[slot(node, stream)] = port;
        std::uint8_t& raised_level = level_[slot(node, stream)];
        const int supplied = level_[slot(topology_.neighbor(node, port), stream)] + 1;
        if (supplied <= raised_level) return;
        if (supplied > 2 * cycles_.cycles()) {
          throw InfeasibleError("one-packet: the streams match no free ports");
        }
        raised_level = static_cast<std::uint8_t>(supplied);
        raised = true;
      });
    }
    return raised;
  }

  /// Chooses the cheapest matching of `node` while all others are fixed; true if it changed.
  bool improve(NodeId node, bool selfish) {
    Search search = begin(node);
    const PortSet free = free_ports(node);
    if (search.missing.empty()) return false;
    search.overlaps = true;
    for_each_missing(search, [&](Stream stream) {
      for (const Port port : free) {
        const NodeId from = topology_.neighbor(node, port);
        if (level_[slot(from, stream)] >= level_[slot(node, stream)]) continue;
        bounds::Tap at = tap(from, stream);
        ++at.delay;
        search.options[stream].push_back(
            {port, at, selfish ? Cost{} : cost_downstream(node, stream, at)});
      }
    });
    // The best cost so far.
    Cost standing;
    for (const int cycle : search.missing) {
      std::array<const Option*, 2> now{};
      for (std::size_t way = 0; way < 2; ++way) {
        const auto stream = static_cast<Stream>(2 * static_cast<std::size_t>(cycle) + way);
        for (const Option& option : search.options[stream]) {
          if (option.port == port(node, stream)) now[way] = &option;
        }
        search.best[stream] = port(node, stream);
      }
      standing = standing + now[0]->cost + now[1]->cost + overlap(now[1]->tap, now[0]->tap);
    }
    search.best_cost = standing;
    run(search, free);
    if (search.best_cost == standing) return false;
    for_each_missing(search,
                     [&](Stream stream) { port_[slot(node, stream)] = search.best[stream]; });
    return true;
  }

  [[nodiscard]] Search begin(NodeId node) const {
    Search search;
    for (int cycle = 0; cycle < cycles_.cycles(); ++cycle) {
      if (cycles_.position(node, cycle) == LapCycles::kOff) search.missing.push_back(cycle);
    }
    return search;
  }

  template <typename Visit>
  static void for_each_missing(const Search& search, Visit visit) {
    for (const int cycle : search.missing) {
      visit(static_cast<Stream>(2 * cycle));
      visit(static_cast<Stream>(2 * cycle + 1));
    }
  }

  /// Cost of two windows: the forward tap's lead and the delays, twice the steps up to a constant.
  [[nodiscard]] Cost overlap(const bounds::Tap& forward, const bounds::Tap& backward) const {
    const std::uint64_t m = cycles_.length();
    const std::uint64_t cost =
        (forward.position + m - backward.position) % m + forward.delay + backward.delay;
    return {cost, cost};
  }

  /// Cost of the pairs of all nodes that `node` supplies with `stream` if it taps it at `at`.
  [[nodiscard]] Cost cost_downstream(NodeId node, Stream stream, const bounds::Tap& at) const {
    Cost cost;
    for (const Port port : free_ports(node)) {
      const NodeId next = topology_.neighbor(node, port);
      if (!off(next, stream) || this->port(next, stream) != opposite(port)) continue;
      const bounds::Tap through{at.position, at.delay + 1};
      const auto other = static_cast<Stream>(stream ^ 1U);
      cost = cost +
             (is_forward(stream) ? overlap(through, tap(next, other))
                                 : overlap(tap(next, other), through)) +
             cost_downstream(next, stream, through);
    }
    return cost;
  }

  /// Searches all matchings for one that costs less than search.best_cost.
  void run(Search& search, PortSet free) const {
    // Cycles with the fewest choices first.
    std::stable_sort(search.missing.begin(), search.missing.end(), [&](int a, int b) {
      const auto choices = [&](int cycle) {
        const auto first = 2 * static_cast<std::size_t>(cycle);
        return search.options[first].size() * search.options[first + 1].size();
      };
      return choices(a) < choices(b);
    });
    search.least.assign(search.missing.size() + 1, Cost{});
    for (std::size_t i = search.missing.size(); i-- > 0;) {
      Cost least = kNoCost;
      for_each_pair(search, i, free, [&](const Option&, const Option&, const Cost& cost) {
        least = std::min(least, cost);
      });
      if (least == kNoCost) return;
      search.least[i] = search.least[i + 1] + least;
    }
    extend(search, 0, free, Cost{});
  }

  template <typename Visit>
  void for_each_pair(const Search& search, std::size_t index, PortSet free, Visit visit) const {
    const auto first = 2 * static_cast<std::size_t>(search.missing[index]);
    for (const Option& backward : search.options[first]) {
      if (!free.contains(backward.port)) continue;
      for (const Option& forward : search.options[first + 1]) {
        if (!free.contains(forward.port) || forward.port == backward.port) continue;
        visit(backward, forward,
              backward.cost + forward.cost +
                  (search.overlaps ? overlap(forward.tap, backward.tap) : Cost{}));
      }
    }
  }

  void extend(Search& search, std::size_t index, PortSet free, const Cost& cost) const {
    if (cost + search.least[index] >= search.best_cost) return;
    if (index == search.missing.size()) {
      search.best_cost = cost;
      search.best = search.current;
      return;
    }
    const auto first = 2 * static_cast<std::size_t>(search.missing[index]);
    for_each_pair(search, index, free,
                  [&](const Option& backward, const Option& forward, const Cost& pair) {
                    PortSet rest = free;
                    rest.erase(backward.port);
                    rest.erase(forward.port);
                    search.current[first] = backward.port;
                    search.current[first + 1] = forward.port;
                    extend(search, index + 1, rest, cost + pair);
                  });
  }

  const Topology& topology_;
  const LapCycles& cycles_;
  std::size_t streams_;
  /// By node and stream; kNoPort for the streams of a node's own cycles.
  std::vector<Port> port_;
  /// By node and stream: most hops from the cycle; 0 on it.
  std::vector<std::uint8_t> level_;
};

/// The construction in one axis order, with everything the plan and its figures need.
class Construction {
 public:
  Construction(const Topology& topology, const AxisOrder& order, bool time_independent)
      : topology_(topology),
        cycles_(topology, order),
        supply_(topology, cycles_),
        pattern_(lap_pattern(topology, order)),
        time_independent_(time_independent) {
    if (!time_independent_) choose_switch_steps();
    count_steps();
  }

  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  [[nodiscard]] std::uint64_t max_delay() const { return max_delay_; }

  [[nodiscard]] StreamProgram program() const {
    StreamProgram program(topology_.nodes(), topology_.ports(), 1);
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      for (int cycle = 0; cycle < cycles_.cycles(); ++cycle) {
        if (cycles_.position(node, cycle) == LapCycles::kOff) {
          for (int way = 0; way < 2; ++way) {
            const auto stream = static_cast<Stream>(2 * cycle + way);
            program.set(supply_.supplier(node, stream), opposite(supply_.port(node, stream)),
                        support(node, stream));
          }
        } else {
          program.set(node, cycles_.leaves(node, cycle),
                      passing(node, cycles_.enters(node, cycle), cycle));
          program.set(node, cycles_.enters(node, cycle),
                      passing(node, cycles_.leaves(node, cycle), cycle));
        }
      }
    }
    return program;
  }

  [[nodiscard]] std::uint32_t queue_depth() const {
    if (time_independent_) return 1;
    // Ports in the same place of a lap with the same switch have the same queue.
    std::map<std::tuple<std::uint64_t, std::uint32_t, bool>, std::uint64_t> seen;
    std::uint64_t depth = 1;
    for_each_missing([&](NodeId node, Stream stream) {
      if (supply_.relayed(node, stream)) return;
      const std::uint64_t at = tap_position(node, stream);
      const auto [entry, is_new] =
          seen.try_emplace({at % pattern_.lap(), switch_step(node, stream), is_forward(stream)}, 0);
      if (is_new) entry->second = switched(node, stream).queue_depth();
      depth = std::max(depth, entry->second);
    });
    return static_cast<std::uint32_t>(depth);
  }

 private:
  /// Within a lap the zigzag alternates moves off and along the last axis, d of each but the last;
  /// homes are entered along it.
  static bounds::HomePattern lap_pattern(const Topology& topology, const AxisOrder& order) {
    const auto d = static_cast<std::uint32_t>(order.size());
    const std::uint32_t last = topology.side(order.back());
    std::vector<bool> lap(last + d, true);
    for (std::size_t i = 1; i < 2 * std::size_t{d}; i += 2) lap[i] = false;
    return {lap, topology.nodes() / last / d};
  }

  template <typename Visit>
  void for_each_missing(Visit visit) const {
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      for (int at = 0; at < 2 * cycles_.cycles(); ++at) {
        const auto stream = static_cast<Stream>(at);
        if (supply_.off(node, stream)) visit(node, stream);
      }
    }
  }

  [[nodiscard]] std::uint64_t tap_position(NodeId node, Stream stream) const {
    return supply_.tap(node, stream).position;
  }
  /// How far the tap of the forward stream lies ahead of the backward stream's.
  [[nodiscard]] std::uint64_t gap(NodeId node, int cycle) const {
    const std::uint64_t m = cycles_.length();
    return (tap_position(node, static_cast<Stream>(2 * cycle + 1)) + m -
            tap_position(node, static_cast<Stream>(2 * cycle))) %
           m;
  }
  /// The (node, stream) whose support link filters the packets of `stream` at `node`.
  [[nodiscard]] std::size_t filter(NodeId node, Stream stream) const {
    return supply_.last_off(node, stream) * static_cast<std::size_t>(2 * cycles_.cycles()) + stream;
  }
  [[nodiscard]] std::uint32_t switch_step(NodeId node, Stream stream) const {
    return switch_step_[filter(node, stream)];
  }
  /// The time-independent plan first sends the packets between two supporters, and overlaps there.
  /// The switched plan divides them between the early phases of both, and then sends packets from
  /// outside.
  [[nodiscard]] bounds::SwitchedSupply switched(NodeId node, Stream stream) const {
    return {pattern_, tap_position(node, stream), !is_forward(stream), outer_first(node, stream),
            switch_step(node, stream)};
  }
  /// True when the outer stream reaches the supporter by the lower one of its two in-ports.
  [[nodiscard]] bool outer_first(NodeId node, Stream stream) const {
    const NodeId tapped = supply_.tapped(node, stream);
    const Port forward = cycles_.enters(tapped, cycle_of(stream));
    const Port backward = cycles_.leaves(tapped, cycle_of(stream));
    return is_forward(stream) ? backward < forward : forward < backward;
  }

  /// Switch steps f and b of a pair's forward and backward support with f + b >= gap + 1, so that
  /// the early phases meet. A support whose stream is relayed has several partners: half of the
  /// largest gap is enough for all of them, and then each side is reduced to the remainder of the
  /// other.
  void choose_switch_steps() {
    const std::size_t slots =
        std::size_t{topology_.nodes()} * static_cast<std::size_t>(2 * cycles_.cycles());
    switch_step_.assign(slots, 1);
    const auto raise = [&](std::vector<std::uint32_t>& steps, NodeId node, Stream stream,
                           std::uint64_t least) {
      std::uint32_t& step = steps[filter(node, stream)];
      step = std::max(step, static_cast<std::uint32_t>(least));
    };
    for_each_missing([&](NodeId node, Stream stream) {
      raise(switch_step_, node, stream, (gap(node, cycle_of(stream)) + 2) / 2);
    });
    for (const bool forward : {false, true}) {
      std::vector<std::uint32_t> cut(slots, 1);
      for_each_missing([&](NodeId node, Stream stream) {
        const std::uint64_t need = gap(node, cycle_of(stream)) + 1;
        const std::uint64_t other = switch_step(node, static_cast<Stream>(stream ^ 1U));
        if (is_forward(stream) != forward) {
          raise(cut, node, stream, switch_step(node, stream));
        } else if (need > other) {
          raise(cut, node, stream, need - other);
        }
      });
      switch_step_ = std::move(cut);
    }
  }

  void count_steps() {
    for (std::uint64_t at = 0; at < pattern_.lap(); ++at) {
      steps_ = std::max(steps_, bounds::window_steps(pattern_, {at, 0}, {at, 0}));
    }
    // Laps are alike: pairs that differ by whole laps take the same time.
    std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint32_t,
                        std::uint32_t, bool, bool>>
        seen;
    for_each_missing([&](NodeId node, Stream stream) {
      const bounds::Tap tap = supply_.tap(node, stream);
      max_delay_ = std::max(max_delay_, tap.delay);
      if (!is_forward(stream)) return;
      const auto backward = static_cast<Stream>(stream - 1);
      const bounds::Tap other = supply_.tap(node, backward);
      if (time_independent_) {
        if (seen.insert({tap.position % pattern_.lap(), gap(node, cycle_of(stream)), tap.delay,
                         other.delay, 0, 0, false, false})
                .second) {
          steps_ = std::max(steps_, bounds::window_steps(pattern_, tap, other));
        }
        return;
      }
      if (seen.insert({tap.position % pattern_.lap(), gap(node, cycle_of(stream)), tap.delay,
                       other.delay, switch_step(node, stream), switch_step(node, backward),
                       outer_first(node, stream), outer_first(node, backward)})
              .second) {
        steps_ = std::max(
            steps_, bounds::switched_steps(pattern_, switched(node, stream), tap.delay - 1,
                                           switched(node, backward), other.delay - 1, steps_));
      }
    });
  }

  /// An out-port on a cycle.
  [[nodiscard]] StreamPort passing(NodeId node, Port in_port, int cycle) const {
    StreamPort program;
    program.feed = PortSet::of(in_port);
    if (cycles_.home(node) == cycle) program.preload = {0};
    return program;
  }

  /// The out-port of the neighbour that supplies `node` with `stream`.
  [[nodiscard]] StreamPort support(NodeId node, Stream stream) const {
    const NodeId from = supply_.supplier(node, stream);
    StreamPort program;
    if (supply_.relayed(node, stream)) {
      program.feed = PortSet::of(supply_.port(from, stream));
      return program;
    }
    const int cycle = cycle_of(stream);
    if (cycles_.home(from) == cycle) program.preload = {0};
    const Port forward = cycles_.enters(from, cycle);
    const Port backward = cycles_.leaves(from, cycle);
    program.feed = PortSet::of(is_forward(stream) == time_independent_ ? forward : backward);
    if (!time_independent_ && switch_step(node, stream) > 1) {
      program.early_feed.insert(forward);
      program.early_feed.insert(backward);
      program.switch_step = switch_step(node, stream);
    }
    return program;
  }

  const Topology& topology_;
  LapCycles cycles_;
  Supply supply_;
  bounds::HomePattern pattern_;
  bool time_independent_;
  /// By node and stream: the first step without fan-in of the support link that filters it.
  std::vector<std::uint32_t> switch_step_;
  std::uint64_t steps_ = 0;
  std::uint64_t max_delay_ = 0;
};

/// "z,x,y": the paper's x_1 first.
std::string axes_text(const AxisOrder& order) {
  std::vector<std::string> names;
  for (const int dim : order) {
    std::string name = port_name(make_port(dim, true));
    name.pop_back();
    names.push_back(std::move(name));
  }
  return joined(names, ",");
}

/// An order that fails as late as possible, to name the condition that is hardest to meet: a first
/// axis that is a multiple of d if there is one, the others from small to large.
AxisOrder order_to_blame(const Topology& topology) {
  AxisOrder order(topology.sides().size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    const auto rank = [&](int dim) {
      const bool fits = topology.side(dim) % order.size() == 0;
      return std::pair(fits ? 0 : 1, topology.side(dim));
    };
    return rank(a) < rank(b);
  });
  std::stable_sort(order.begin() + 1, order.end(),
                   [&](int a, int b) { return topology.side(a) < topology.side(b); });
  return order;
}

[[noreturn]] void refuse(const Topology& topology, const AxisOrder& order) {
  std::vector<std::uint32_t> sides;
  for (const int dim : order) sides.push_back(topology.side(dim));
  const std::vector<std::uint32_t> nearest = nearest_lap_cycle_sides(topology);
  // The largest side last makes the shortest cycles.
  const std::vector<AxisOrder> orders = lap_cycle_orders(Topology::torus(nearest));
  const AxisOrder best =
      *std::max_element(orders.begin(), orders.end(), [&](const AxisOrder& a, const AxisOrder& b) {
        return nearest[static_cast<std::size_t>(a.back())] <
               nearest[static_cast<std::size_t>(b.back())];
      });
  throw InfeasibleError(
      fmt::format("one-packet: {} is not supported; with axes {} (n1..n{} = {}): {}; nearest "
                  "feasible: {} with axes "
                  "{}",
                  topology.dims_text(), axes_text(order), order.size(), joined(sides, ","),
                  *lap_cycles_obstacle(sides), joined(nearest, "x"), axes_text(best)));
}

/// The orders worth building, shortest cycles first.
std::vector<AxisOrder> candidate_orders(const Topology& topology,
                                        const std::optional<AxisOrder>& given) {
  if (given) {
    AxisOrder sorted = *given;
    std::sort(sorted.begin(), sorted.end());
    AxisOrder all(topology.sides().size());
    std::iota(all.begin(), all.end(), 0);
    if (sorted != all) throw InputError("axes: every dimension must be named once");
    std::vector<std::uint32_t> sides;
    for (const int dim : *given) sides.push_back(topology.side(dim));
    if (lap_cycles_obstacle(sides)) refuse(topology, *given);
    return {*given};
  }
  std::vector<AxisOrder> orders = lap_cycle_orders(topology);
  if (orders.empty()) refuse(topology, order_to_blame(topology));
  std::stable_sort(orders.begin(), orders.end(), [&](const AxisOrder& a, const AxisOrder& b) {
    return topology.side(a.back()) > topology.side(b.back());
  });
  // The limit keeps six different sides affordable.
  constexpr std::size_t kMostOrders = 12;
  orders.resize(std::min(orders.size(), kMostOrders));
  return orders;
}

}  // namespace

Plan plan_one_packet_paper(const Topology& topology, const OnePacketPaperOptions& options) {
  if (!topology.is_torus()) {
    throw InfeasibleError(
        "one-packet: the cycles require wraparound links; nearest feasible: --topology torus");
  }
  if (topology.dimensions() < 2 || topology.dimensions() > kMostDimensions) {
    throw InfeasibleError(fmt::format(
        "one-packet: {} dimensions; supported: 2 to {}; nearest feasible: {} dimensions",
        topology.dimensions(), kMostDimensions, topology.dimensions() < 2 ? 2 : kMostDimensions));
  }
  const std::vector<AxisOrder> orders = candidate_orders(topology, options.axes);
  AxisOrder best_order = orders.front();
  auto best = std::make_unique<Construction>(topology, best_order, options.time_independent);
  for (std::size_t i = 1; i < orders.size(); ++i) {
    // No plan ends before its cycles are gone round half way, less a lap's bubble.
    const std::uint64_t least =
        bounds::one_packet_cycle_length(topology, topology.side(orders[i].back())) / 2;
    if (least > best->steps()) break;
    auto next = std::make_unique<Construction>(topology, orders[i], options.time_independent);
    if (next->steps() >= best->steps()) continue;
    best = std::move(next);
    best_order = orders[i];
  }

  Plan plan{topology, "gossip", "one-packet", {}, Demand::all_gather(1), best->program(), {}};
  plan.parameters["time-independent"] = options.time_independent;
  plan.parameters["axes"] = axes_text(best_order);
  plan.parameters["most-hops-off-cycle"] = static_cast<std::int64_t>(best->max_delay());
  plan.expected.analytic_steps = best->steps();
  plan.expected.analytic_cycles = best->steps();
  plan.expected.lower_bound_steps = bounds::gossip_lower_bound(topology, 1);
  plan.expected.bound_steps = bounds::one_packet_paper_bound(
      topology, topology.side(best_order.back()), topology.side(best_order[best_order.size() - 2]),
      options.time_independent);
  // From four dimensions on streams are relayed, which shares a switch between pairs of supporters:
  // the argument for the paper's figure of the switched plan does not cover that.
  if (!options.time_independent && best->max_delay() > 1) plan.expected.bound_steps.reset();
  plan.expected.queue_depth = best->queue_depth();
  return plan;
}

}  // namespace gossamer
