// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_to_all/routed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <queue>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "gossamer/bounds/reductions.hpp"
#include "gossamer/machines/timetable/builder.hpp"
#include "gossamer/topology/live_tree.hpp"
#include "gossamer/topology/side_order.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

constexpr std::uint64_t kMostPathHops = std::uint64_t{1} << 21U;
constexpr NodeId kMostRoutedNodes = 4096;
/// Times that every pair chooses its path again.
constexpr int kMostRounds = 6;
/// Nodes that searches for longer paths look at: a second or two.
constexpr std::uint64_t kMostLookedAt = std::uint64_t{1} << 23U;

/// A packet's path and times: step[i] is the step of links[i].
struct Journey {
  NodeId from = 0;
  NodeId to = 0;
  std::vector<LinkId> links;
  std::vector<std::uint32_t> steps;
};

/// Live paths of all pairs, with few packets on the fullest arc: shortest paths, then longer ones
/// around the full arcs.
class PathChoice {
 public:
  explicit PathChoice(const Topology& topology)
      : topology_(topology),
        nodes_(topology.nodes()),
        distance_(std::size_t{nodes_} * nodes_, 0),
        load_(topology.link_slots(), 0),
        cost_(nodes_, 0),
        came_by_(nodes_, kNoLink) {
    std::uint64_t hops = 0;
    for (NodeId to = 0; to < nodes_; ++to) {
      if (!topology.is_live(to)) continue;
      const LiveTree inward = live_tree(topology, to, TreeLinks::kInward);
      const std::vector<std::uint32_t> depths = inward.depths(topology);
      std::copy(depths.begin(), depths.end(), distance_.begin() + row(to));
      for (const NodeId from : inward.order) {
        if (topology.has_core(from) && topology.has_core(to)) hops += depths[from];
      }
    }
    if (hops > kMostPathHops) refuse(hops);
  }

  /// Shortest ones, one for each ordered pair of live cores, in ascending order of origins, then
  /// destinations.
  std::vector<Journey> run() {
    std::vector<Journey> journeys;
    bool changed = true;
    for (int round = 0; round < kMostRounds && changed; ++round) {
      changed = false;
      std::size_t number = 0;
      for (NodeId from = 0; from < nodes_; ++from) {
        if (!topology_.has_core(from)) continue;
        const std::vector<NodeId> order = live_tree(topology_, from, TreeLinks::kOutward).order;
        for (NodeId to = 0; to < nodes_; ++to) {
          if (to == from || !topology_.has_core(to)) continue;
          if (round == 0) journeys.push_back({from, to, {}, {}});
          Journey& journey = journeys[number++];
          for (const LinkId link : journey.links) --load_[link];
          std::vector<LinkId> best = cheapest(from, to, order);
          if (!journey.links.empty() && price(best) >= price(journey.links)) best = journey.links;
          for (const LinkId link : best) ++load_[link];
          changed = changed || best != journey.links;
          journey.links = std::move(best);
        }
      }
    }
    return journeys;
  }

  /// Reroutes packets with an arc that more than `most` packets take. The new path may have any
  /// length; arcs cost the 2^doublings-th power of their load. True if any path changed.
  bool spread(std::vector<Journey>& journeys, std::uint64_t most, int doublings) {
    const std::uint32_t fullest = *std::max_element(load_.begin(), load_.end());
    if (fullest <= most) return false;
    bool changed = false;
    for (Journey& journey : journeys) {
      const auto is_full = [&](LinkId link) { return load_[link] > most; };
      if (std::none_of(journey.links.begin(), journey.links.end(), is_full)) continue;
      if (looked_at_ > kMostLookedAt) return changed;
      for (const LinkId link : journey.links) --load_[link];
      std::vector<LinkId> best = round_about(journey, fullest, doublings);
      for (const LinkId link : best) ++load_[link];
      changed = changed || best != journey.links;
      journey.links = std::move(best);
    }
    return changed;
  }

  [[noreturn]] static void refuse(std::uint64_t hops) {
    throw InfeasibleError(fmt::format(
        "scheduled: an all-to-all of {} hops; the limit is {}; nearest feasible: a smaller network",
        hops, kMostPathHops));
  }

 private:
  [[nodiscard]] std::ptrdiff_t row(NodeId to) const {
    return static_cast<std::ptrdiff_t>(std::size_t{to} * nodes_);
  }
  /// Hops from a node to another one.
  [[nodiscard]] std::uint32_t distance(NodeId from, NodeId to) const {
    return distance_[std::size_t{to} * nodes_ + from];
  }
  /// The cost of one more packet on an arc.
  [[nodiscard]] std::uint64_t price(LinkId link) const {
    constexpr std::uint64_t kMostCounted = 1U << 13U;
    const std::uint64_t packets = std::min<std::uint64_t>(load_[link] + 1, kMostCounted);
    return packets * packets * packets * packets;
  }
  [[nodiscard]] std::uint64_t price(const std::vector<LinkId>& links) const {
    std::uint64_t sum = 0;
    for (const LinkId link : links) sum += price(link);
    return sum;
  }

  /// `order`: the nodes in order of their distance from `from`.
  std::vector<LinkId> cheapest(NodeId from, NodeId to, const std::vector<NodeId>& order) {
    constexpr std::uint64_t kUnreached = std::numeric_limits<std::uint64_t>::max();
    const std::uint32_t length = distance(from, to);
    const auto is_between = [&](NodeId node) {
      return distance(from, node) + distance(node, to) == length;
    };
    for (const NodeId node : order) {
      if (distance(from, node) > length) break;
      cost_[node] = kUnreached;
    }
    cost_[from] = 0;
    for (const NodeId node : order) {
      if (distance(from, node) >= length) break;
      if (cost_[node] == kUnreached || !is_between(node)) continue;
      for (const Port port : all_ports(topology_.ports())) {
        const NodeId next = topology_.neighbor(node, port);
        if (next == kNoNode || distance(next, to) + 1 != distance(node, to)) continue;
        const LinkId link = topology_.link(node, port);
        const std::uint64_t there = cost_[node] + price(link);
        if (there >= cost_[next]) continue;
        cost_[next] = there;
        came_by_[next] = link;
      }
    }
    return way(from, to);
  }

  /// A power of an arc's packets with one more over those of the fullest arc, in 2^-31.
  [[nodiscard]] std::uint64_t power(LinkId link, std::uint32_t fullest, int doublings) const {
    constexpr int kOne = 31;
    constexpr std::uint64_t kMost = (std::uint64_t{1} << 32U) - 1;
    std::uint64_t value = ((load_[link] + std::uint64_t{1}) << kOne) / fullest;
    for (; doublings > 0; --doublings) {
      value = std::min(value, kMost);
      value = value * value >> kOne;
    }
    return value;
  }

  /// The cheapest path, of those the one with fewest hops.
  std::vector<LinkId> round_about(const Journey& journey, std::uint32_t fullest, int doublings) {
    using Cost = std::pair<std::uint64_t, std::uint32_t>;
    constexpr Cost kUnreached = {std::numeric_limits<std::uint64_t>::max(), 0};
    std::vector<Cost> cost(nodes_, kUnreached);
    std::priority_queue<std::pair<Cost, NodeId>, std::vector<std::pair<Cost, NodeId>>,
                        std::greater<>>
        open;
    cost[journey.from] = {0, 0};
    open.emplace(cost[journey.from], journey.from);
    while (open.top().second != journey.to) {
      const auto [reached, node] = open.top();
      open.pop();
      if (cost[node] < reached) continue;
      ++looked_at_;
      for (const Port port : all_ports(topology_.ports())) {
        const NodeId next = topology_.neighbor(node, port);
        if (next == kNoNode) continue;
        const LinkId link = topology_.link(node, port);
        const Cost there = {reached.first + power(link, fullest, doublings), reached.second + 1};
        if (!(there < cost[next])) continue;
        cost[next] = there;
        came_by_[next] = link;
        open.emplace(there, next);
      }
    }
    return way(journey.from, journey.to);
  }

  /// Backward by came_by_.
  [[nodiscard]] std::vector<LinkId> way(NodeId from, NodeId to) const {
    std::vector<LinkId> links;
    for (NodeId at = to; at != from; at = topology_.link_from(links.back())) {
      links.push_back(came_by_[at]);
    }
    std::reverse(links.begin(), links.end());
    return links;
  }

  const Topology& topology_;
  NodeId nodes_;
  /// Nodes that searches for other paths have looked at.
  std::uint64_t looked_at_ = 0;
  std::vector<std::uint32_t> distance_;
  /// By arc: packets that take it.
  std::vector<std::uint32_t> load_;
  /// By node, of the pair that is looked at.
  std::vector<std::uint64_t> cost_;
  std::vector<LinkId> came_by_;
};

/// Gives every hop its step; the last one.
std::uint32_t time_hops(const Topology& topology, std::vector<Journey>& journeys) {
  for (Journey& journey : journeys) journey.steps.clear();
  // Hops left, then the lower number.
  using Waiting = std::pair<std::size_t, std::size_t>;
  std::vector<std::priority_queue<Waiting>> queues(topology.link_slots());
  const auto wait = [&](std::size_t number) {
    const Journey& journey = journeys[number];
    const std::size_t done = journey.steps.size();
    if (done == journey.links.size()) return;
    queues[journey.links[done]].emplace(journey.links.size() - done, journeys.size() - number);
  };
  for (std::size_t number = 0; number < journeys.size(); ++number) wait(number);
  std::vector<std::size_t> moved;
  std::uint32_t step = 1;
  for (; step == 1 || !moved.empty(); ++step) {
    moved.clear();
    for (auto& queue : queues) {
      if (queue.empty()) continue;
      const std::size_t number = journeys.size() - queue.top().second;
      queue.pop();
      journeys[number].steps.push_back(step);
      moved.push_back(number);
    }
    for (const std::size_t number : moved) wait(number);
  }
  return step - 2;
}

/// Paths and their steps. Where shortest paths crowd some arcs, so that they take longer than the
/// bound, longer ones are tried, of which full arcs drive away ever more: the fewest steps count.
std::vector<Journey> journeys_of(const Topology& topology, std::uint64_t bound) {
  constexpr int kMostDoublings = 5;
  constexpr int kMostSpreads = 3;
  PathChoice choice(topology);
  std::vector<Journey> tried = choice.run();
  std::uint32_t fewest = time_hops(topology, tried);
  std::vector<Journey> best = tried;
  for (int doublings = 3; doublings <= kMostDoublings; ++doublings) {
    for (int i = 0; i < kMostSpreads && fewest > bound; ++i) {
      if (!choice.spread(tried, bound, doublings)) break;
      const std::uint32_t steps = time_hops(topology, tried);
      if (steps >= fewest) continue;
      fewest = steps;
      best = tried;
    }
  }
  return best;
}

std::uint32_t last_step(const std::vector<Journey>& journeys) {
  std::uint32_t last = 0;
  for (const Journey& journey : journeys) {
    if (!journey.steps.empty()) last = std::max(last, journey.steps.back());
  }
  return last;
}

/// Journeys in a network with its sides in another order, as journeys of the given network.
void bring_here(std::vector<Journey>& journeys, const SideOrder& order) {
  for (Journey& journey : journeys) {
    journey.from = order.node_here(journey.from);
    journey.to = order.node_here(journey.to);
    for (LinkId& link : journey.links) link = order.link_here(link);
  }
  std::sort(journeys.begin(), journeys.end(), [](const Journey& a, const Journey& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
}

/// The journeys with the fewest steps over all orders of the sides.
std::vector<Journey> best_journeys(const Topology& topology, std::uint64_t bound) {
  std::vector<Journey> best = journeys_of(topology, bound);
  for (const SideOrder& order : other_side_orders(topology)) {
    if (last_step(best) <= bound) break;
    std::vector<Journey> found = journeys_of(order.there(), bound);
    if (last_step(found) >= last_step(best)) continue;
    bring_here(found, order);
    best = std::move(found);
  }
  return best;
}

TimetableProgram exchange_rows(const Topology& topology, const std::vector<Journey>& journeys) {
  std::uint64_t held = 0;
  for (const Journey& journey : journeys) held += journey.links.size();
  TimetableBuilder builder(topology.nodes(), held);
  std::uint64_t next = 0;
  for (const Journey& journey : journeys) {
    builder.start_with(next, journey.to);
    for (std::size_t hop = 0; hop < journey.links.size(); ++hop, ++next) {
      TimetableMove move;
      move.step = journey.steps[hop];
      move.from_rom = topology.link_from(journey.links[hop]);
      move.out_port = topology.link_port(journey.links[hop]);
      move.to_rom = topology.neighbor(move.from_rom, move.out_port);
      move.from = next;
      if (hop + 1 != journey.links.size()) move.to = next + 1;
      builder.add(move);
    }
  }
  return builder.program(topology, topology.nodes(), DeliveryRule::kUnstored);
}

}  // namespace

Plan plan_routed_exchange(const Topology& topology) {
  if (topology.nodes() > kMostRoutedNodes) {
    PathChoice::refuse(std::uint64_t{topology.cores()} * (topology.cores() - 1));
  }
  const std::uint64_t bound = bounds::all_to_all_lower_bound(topology);
  const std::vector<Journey> journeys = best_journeys(topology, bound);
  TimetableProgram program = exchange_rows(topology, journeys);
  const std::uint32_t slots = program.slots();
  Plan plan{topology, "all-to-all", "scheduled", {}, Demand::all_to_all(), std::move(program), {}};
  plan.expected.analytic_steps = plan.program.as<TimetableProgram>().steps();
  plan.expected.analytic_cycles = plan.expected.analytic_steps;
  plan.expected.lower_bound_steps = bound;
  plan.expected.queue_depth = slots;
  return plan;
}

}  // namespace gossamer
