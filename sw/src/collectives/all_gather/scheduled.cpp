// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/scheduled.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// Nodes without the packet that one direction could inform, in order of preference: buckets of
/// ascending rank, the latest comer of a bucket first. Nodes informed meanwhile are dropped when
/// they come up. Of several packets every node is there once for each: c P + node.
class CandidateQueue {
 public:
  explicit CandidateQueue(std::size_t ranks) : buckets_(ranks), first_(ranks) {}

  void push(NodeId node, std::size_t rank) {
    buckets_[rank].push_back(node);
    first_ = std::min(first_, rank);
  }

  /// Removes the `count` preferred nodes that are not informed, with their ranks.
  void take(std::size_t count, const std::vector<bool>& informed,
            std::vector<std::pair<NodeId, std::size_t>>& out) {
    out.clear();
    for (std::size_t rank = first_; rank < buckets_.size() && out.size() < count; ++rank) {
      std::vector<NodeId>& bucket = buckets_[rank];
      while (!bucket.empty() && out.size() < count) {
        if (!informed[bucket.back()]) out.emplace_back(bucket.back(), rank);
        bucket.pop_back();
      }
      if (bucket.empty() && rank == first_) ++first_;
    }
  }

 private:
  std::vector<std::vector<NodeId>> buckets_;
  /// No bucket before this one holds anything.
  std::size_t first_;
};

class Greedy {
 public:
  Greedy(const Topology& topology, std::uint32_t packets, const ScheduleRule& rule)
      : topology_(topology),
        packets_(packets),
        rule_(rule),
        ports_(static_cast<std::size_t>(topology.ports())),
        queues_(ports_, CandidateQueue(rule.priority == SchedulePriority::kNearestFirst
                                           ? static_cast<std::size_t>(topology.diameter()) + 1
                                           : 1)),
        informed_(std::size_t{packets} * topology.nodes(), false),
        owner_(std::size_t{packets} * topology.nodes(), kNobody) {
    // Directions along the shortest sides choose first: they have the fewest candidates. In the
    // opposite order some tori with a side of 3 take one step more, 3 x 4 being the smallest.
    for (const Port port : all_ports(topology.ports())) {
      directions_.push_back(port);
    }
    std::stable_sort(directions_.begin(), directions_.end(), [&](Port a, Port b) {
      return topology.side(dimension_of(a)) < topology.side(dimension_of(b));
    });
  }

  std::vector<ScheduleArc> run() {
    std::vector<ScheduleArc> arcs;
    const std::size_t all = packets_ * (topology_.nodes() - std::size_t{1});
    arcs.reserve(all);
    std::vector<NodeId> reached;
    for (std::uint32_t packet = 0; packet < packets_; ++packet) {
      reached.push_back(packet * topology_.nodes());
      informed_[reached.back()] = true;
    }
    offer_neighbors(reached);
    for (std::uint32_t step = 1; arcs.size() < all; ++step) {
      match();
      reached.clear();
      for (const Port direction : directions_) {
        if (matched_[direction] == kNoNode) continue;
        const NodeId node = matched_[direction];
        arcs.push_back({step, topology_.neighbor(node % topology_.nodes(), opposite(direction)),
                        direction, static_cast<std::uint16_t>(node / topology_.nodes())});
        reached.push_back(node);
        informed_[node] = true;
        owner_[node] = kNobody;
      }
      put_back_candidates();
      offer_neighbors(reached);
    }
    return arcs;
  }

 private:
  static constexpr std::uint8_t kNobody = 0xFF;

  struct Offer {
    std::uint32_t distance;
    NodeId node;
    Port direction;
  };

  /// Enters the uninformed neighbours of newly informed nodes as candidates, the preferred ones
  /// last, because the latest comer of a bucket comes up first.
  void offer_neighbors(const std::vector<NodeId>& informed_now) {
    offers_.clear();
    for (const NodeId node : informed_now) {
      const Coordinates at = topology_.coordinates(node % topology_.nodes());
      std::uint32_t distance = 0;
      for (int dim = 0; dim < topology_.dimensions(); ++dim) {
        distance += to_origin(at[static_cast<std::size_t>(dim)], topology_.side(dim));
      }
      for (const Port direction : directions_) {
        const int dim = dimension_of(direction);
        const std::uint32_t side = topology_.side(dim);
        const std::uint32_t stride = topology_.stride(dim);
        const std::uint32_t old_at = at[static_cast<std::size_t>(dim)];
        const std::uint32_t new_at = is_positive(direction) ? (old_at + 1 == side ? 0 : old_at + 1)
                                                            : (old_at == 0 ? side : old_at) - 1;
        const NodeId neighbor = node - old_at * stride + new_at * stride;
        if (informed_[neighbor]) continue;
        offers_.push_back(
            {distance - to_origin(old_at, side) + to_origin(new_at, side), neighbor, direction});
      }
    }
    std::sort(offers_.begin(), offers_.end(), [this](const Offer& a, const Offer& b) {
      if (a.distance != b.distance) return a.distance > b.distance;
      if (a.node != b.node) return (a.node > b.node) == rule_.low_nodes_first;
      return a.direction < b.direction;
    });
    for (const Offer& offer : offers_) {
      queues_[offer.direction].push(
          offer.node, rule_.priority == SchedulePriority::kNearestFirst ? offer.distance : 0);
    }
  }

  static std::uint32_t to_origin(std::uint32_t at, std::uint32_t side) {
    return std::min(at, side - at);
  }

  /// A maximum matching of directions and candidates. As many candidates as there are directions
  /// are enough for each.
  void match() {
    for (const Port direction : directions_) {
      queues_[direction].take(ports_, informed_, candidates_[direction]);
      matched_[direction] = kNoNode;
    }
    for (const Port direction : directions_) {
      visited_.clear();
      augment(direction);
    }
  }

  /// Gives `direction` a candidate, moving other directions to another one where that is needed.
  bool augment(Port direction) {
    for (const auto& [node, rank] : candidates_[direction]) {
      if (owner_[node] != kNobody) continue;
      assign(direction, node);
      return true;
    }
    for (const auto& [node, rank] : candidates_[direction]) {
      if (std::find(visited_.begin(), visited_.end(), node) != visited_.end()) continue;
      visited_.push_back(node);
      if (!augment(owner_[node])) continue;
      assign(direction, node);
      return true;
    }
    return false;
  }

  void assign(Port direction, NodeId node) {
    matched_[direction] = node;
    owner_[node] = direction;
  }

  void put_back_candidates() {
    for (const Port direction : directions_) {
      const auto& candidates = candidates_[direction];
      for (auto at = candidates.rbegin(); at != candidates.rend(); ++at) {
        if (!informed_[at->first]) queues_[direction].push(at->first, at->second);
      }
    }
  }

  const Topology& topology_;
  std::uint32_t packets_;
  ScheduleRule rule_;
  std::size_t ports_;
  /// All directions, along the shortest sides first.
  std::vector<Port> directions_;
  std::vector<CandidateQueue> queues_;
  std::vector<bool> informed_;
  /// The direction that a candidate is matched with in this step.
  std::vector<std::uint8_t> owner_;
  std::array<NodeId, kMaxPorts> matched_{};
  std::array<std::vector<std::pair<NodeId, std::size_t>>, kMaxPorts> candidates_;
  /// Candidates that the present augmentation has tried.
  std::vector<NodeId> visited_;
  std::vector<Offer> offers_;
};

/// One rule's schedule as a ROM.
struct Attempt {
  ScheduleRule rule;
  TimetableProgram program;
};

Attempt attempt(const Topology& topology, std::uint32_t packets, const ScheduleRule& rule) {
  return {rule, build_schedule(topology, packets, Greedy(topology, packets, rule).run())};
}

/// Fewer steps, then fewer slots.
bool better(const Attempt& a, const Attempt& b) {
  return std::pair(a.program.steps(), a.program.slots()) <
         std::pair(b.program.steps(), b.program.slots());
}

Attempt best_attempt(const Topology& topology, std::uint32_t packets) {
  const std::uint64_t lower_bound = bounds::gossip_lower_bound(topology, packets);
  Attempt best = attempt(topology, packets, {SchedulePriority::kNewestFirst, true});
  const auto try_rule = [&](const ScheduleRule& rule) {
    Attempt next = attempt(topology, packets, rule);
    if (better(next, best)) best = std::move(next);
  };
  try_rule({SchedulePriority::kNewestFirst, false});
  try_rule({SchedulePriority::kNearestFirst, true});
  if (best.program.steps() != lower_bound) try_rule({SchedulePriority::kNearestFirst, false});
  return best;
}

}  // namespace

std::vector<ScheduleArc> greedy_schedule(const Topology& topology, const ScheduleRule& rule) {
  return Greedy(topology, 1, rule).run();
}

std::vector<ScheduleArc> scheduled_arcs(const Topology& topology, std::uint32_t packets) {
  return Greedy(topology, packets, best_attempt(topology, packets).rule).run();
}

Plan plan_scheduled(const Topology& topology, std::uint32_t packets) {
  if (!topology.is_torus()) {
    throw InfeasibleError(
        "scheduled: all routers run one program, which is impossible at a mesh's border; nearest "
        "feasible: "
        "--topology torus");
  }
  if (packets > 1 && packets * std::uint64_t{topology.nodes()} > kMostScheduledPackets) {
    throw InfeasibleError(
        fmt::format("scheduled: {} packets of each of {} nodes; the limit is {} in total; nearest "
                    "feasible: fewer --packets, or --algorithm hamiltonian",
                    packets, topology.nodes(), kMostScheduledPackets));
  }
  Attempt best = best_attempt(topology, packets);
  const bool nearest = best.rule.priority == SchedulePriority::kNearestFirst;
  Plan plan = schedule_plan(topology, "scheduled", std::move(best.program));
  plan.parameters["priority"] = std::string(nearest ? "nearest first" : "newest first");
  plan.expected.analytic_steps = plan.program.as<TimetableProgram>().steps();
  plan.expected.analytic_cycles = plan.expected.analytic_steps;
  return plan;
}

}  // namespace gossamer
