// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <stdexcept>

#include "gossamer/sim/queued_engine.hpp"

namespace gossamer {

namespace {
constexpr std::uint64_t kWordBits = 64;
constexpr std::uint32_t kNoSource = ~std::uint32_t{0};
constexpr std::uint32_t kNoPart = ~std::uint32_t{0};

/// Words of a part's bits. An odd number, so that the parts do not all fall on one set of a cache.
std::uint64_t words_of_part(const Topology& topology) {
  return ((topology.nodes() + kWordBits - 1) / kWordBits) | 1U;
}

/// Parts that everybody is to get, over all sources.
std::uint64_t broadcast_parts(const Plan& plan) {
  const Demand& demand = plan.demand;
  const std::uint64_t sources =
      demand.from == Origin::kSources ? demand.sources.size() : plan.topology.nodes();
  return sources * demand.pieces;
}

/// Packets that travel to one place each.
std::uint64_t routed_packets(const Plan& plan) {
  const Demand& demand = plan.demand;
  if (demand.is_ranked()) return demand.sources.size();
  if (demand.is_personal()) return demand.sources.size() * std::uint64_t{plan.topology.nodes()};
  return 0;
}

}  // namespace

/// Knows the program's phases and the demand, never an engine.
class QueuedScoreboard::State {
 public:
  explicit State(const Plan& plan)
      : topology_(plan.topology),
        demand_(plan.demand),
        program_(std::get<QueuedProgram>(plan.program)),
        sources_(plan.demand.sources_in(plan.topology)),
        packets_per_node_(packets_per_node(plan)) {
    source_of_.assign(topology_.nodes(), kNoSource);
    for (std::uint32_t i = 0; i < sources_.size(); ++i) {
      source_of_[sources_[i].node] = i;
    }
    broadcasts_ = demand_.to == Destination::kEveryNode;
    steps_only_ = demand_.is_counts();
    if (broadcasts_) {
      start_broadcast(plan);
    } else if (!steps_only_) {
      start_routed(plan);
    }
  }

  bool on_step(std::uint64_t step, std::span<const PacketId> links) {
    if (steps_only_) {
      completion_step_ = step;
      return true;
    }
    if (broadcasts_) find_phases(step);
    const auto ports = static_cast<std::size_t>(topology_.ports());
    // All sends of a step go out before any of its arrivals counts.
    arrivals_.clear();
    for (NodeWalk walk(topology_); !walk.done(); walk.next()) {
      const PacketId* from_here = links.data() + walk.node() * ports;
      for (std::size_t p = 0; p < ports; ++p) {
        if (from_here[p] == kNoPacket) continue;
        const auto port = static_cast<Port>(p);
        const NodeId receiver = walk.neighbor(port);
        if (broadcasts_) {
          on_broadcast_send(walk, port, receiver, from_here[p]);
        } else {
          on_routed_send(walk.node(), receiver, from_here[p]);
        }
      }
    }
    for (const auto& [packet, node] : arrivals_) arrive(packet, node, step);
    if (broadcasts_) {
      previous_.assign(links.begin(), links.end());
      previous_parts_.swap(parts_);
    }
    if (demand_.is_ranked()) {
      // Nobody knows before the last barrier that nothing moves any more.
      completion_step_ = step;
      return true;
    }
    return missing_ != 0;
  }

  [[nodiscard]] bool complete() const { return violations_ == 0 && missing_ == 0; }
  [[nodiscard]] std::uint64_t completion_step() const { return completion_step_; }
  [[nodiscard]] std::uint64_t duplicates() const { return duplicates_; }
  [[nodiscard]] std::uint64_t violations() const { return violations_; }
  [[nodiscard]] NodeId location(PacketId packet) const { return at_.at(routed_index(packet)); }

 private:
  void start_broadcast(const Plan& plan) {
    const std::uint64_t parts = broadcast_parts(plan);
    words_per_part_ = words_of_part(topology_);
    delivered_.assign(parts * words_per_part_, 0);
    at_.resize(parts, kNoNode);
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const std::uint64_t own = sources_[i].pieces;
      missing_ += own * topology_.nodes();
      for (std::uint64_t part = 0; part < own; ++part) {
        at_[i * packets_per_node_ + part] = sources_[i].node;
      }
    }
    class_of_part_.resize(parts);
    for (std::size_t part = 0; part < parts; ++part) {
      class_of_part_[part] = static_cast<std::uint8_t>(class_of(part));
    }
    const int d = topology_.dimensions();
    places_.reserve(std::size_t{program_.classes} * topology_.nodes());
    for (int c = 0; c < program_.classes; ++c) {
      for (NodeId node = 0; node < topology_.nodes(); ++node) {
        places_.push_back(rotated_id(topology_, node, (c + 1) % d));
      }
    }
    begins_.assign(program_.classes, ~std::uint64_t{0});
    for (const QueuedPhase& phase : program_.phases) {
      if (phase.kind != QueuedPhaseKind::kBroadcast) continue;
      begins_[phase.class_index] = std::min(begins_[phase.class_index], phase.start);
    }
    previous_.assign(topology_.link_slots(), kNoPacket);
    previous_parts_.assign(topology_.link_slots(), kNoPart);
    parts_ = previous_parts_;
    phase_kinds_.resize(std::size_t{program_.classes} * kMaxDimensions);
  }

  void start_routed(const Plan& plan) {
    at_.assign(routed_packets(plan), kNoNode);
    goal_.assign(at_.size(), kNoNode);
    const auto place = [&](PacketId packet, NodeId origin, NodeId goal) {
      const std::size_t index = routed_index(packet);
      at_[index] = origin;
      goal_[index] = goal;
      if (origin != goal) ++missing_;
    };
    for (std::uint32_t i = 0; i < sources_.size(); ++i) {
      const NodeId source = sources_[i].node;
      if (demand_.to == Destination::kRankedNode) place(source, source, i);
      if (demand_.to == Destination::kTarget) place(source, source, demand_.targets[i]);
      if (!demand_.is_personal()) continue;
      const bool gather = demand_.to == Destination::kEachSource;
      for (NodeId node = 0; node < topology_.nodes(); ++node) {
        if (node == source) continue;
        const NodeId origin = gather ? node : source;
        const NodeId goal = gather ? source : node;
        place(PacketId{origin} * topology_.nodes() + goal, origin, goal);
      }
    }
  }

  /// Index of a packet that exists; anything else is an engine's fault.
  [[nodiscard]] std::size_t routed_index(PacketId packet) const {
    if (demand_.is_ranked()) {
      return source_of_.at(packet);
    }
    const PacketId origin = packet / topology_.nodes();
    const PacketId destination = packet % topology_.nodes();
    if (demand_.to == Destination::kEachNode) {
      return std::size_t{source_of_.at(origin)} * topology_.nodes() + destination;
    }
    return std::size_t{source_of_.at(destination)} * topology_.nodes() + origin;
  }

  /// The kind of phase that each class has on each dimension in this step.
  void find_phases(std::uint64_t step) {
    std::fill(phase_kinds_.begin(), phase_kinds_.end(), QueuedPhaseKind::kExchange);
    for (const QueuedPhase& phase : program_.phases) {
      if (phase.is_prefix() || step < phase.start || step > phase.last()) continue;
      phase_kinds_[std::size_t{phase.class_index} * kMaxDimensions + phase.dimension] = phase.kind;
    }
    for (std::size_t c = 0; c < begins_.size(); ++c) {
      if (begins_[c] > step) continue;
      begins_[c] = ~std::uint64_t{0};
      for (std::size_t part = 0; part < at_.size(); ++part) {
        if (at_[part] != kNoNode && class_of_part_[part] == c) deliver(at_[part], part);
      }
    }
  }

  [[nodiscard]] std::size_t class_of(std::size_t part) const {
    const std::size_t source = part / packets_per_node_;
    switch (program_.class_rule) {
      case QueuedClassRule::kSplit:
        return part % packets_per_node_ / program_.halves % program_.classes;
      case QueuedClassRule::kRank:
        // Sources stand in ascending order: their index is the rank.
        return source % program_.classes;
      case QueuedClassRule::kDigitSum: {
        std::uint32_t sum = 0;
        for (const auto digit : topology_.coordinates(sources_[source].node)) sum += digit;
        return sum % program_.classes;
      }
    }
    return 0;
  }

  /// Index of a broadcast part, kNoPart when there is none of this id.
  [[nodiscard]] std::size_t part_of(PacketId packet) const {
    const PacketId origin = packet / packets_per_node_;
    if (origin >= source_of_.size() || source_of_[origin] == kNoSource) return kNoPart;
    return std::size_t{source_of_[origin]} * packets_per_node_ +
           (packet - origin * packets_per_node_);
  }
  /// The node's bit among those of a part.
  [[nodiscard]] NodeId place_of(NodeId node, std::size_t part) const {
    return places_[std::size_t{class_of_part_[part]} * topology_.nodes() + node];
  }
  /// True when the node has the part.
  [[nodiscard]] std::uint64_t bit_of(NodeId node, std::size_t part) const {
    const NodeId place = place_of(node, part);
    return delivered_[part * words_per_part_ + place / kWordBits] >> (place % kWordBits) & 1U;
  }
  void deliver(NodeId node, std::size_t part) {
    const NodeId place = place_of(node, part);
    std::uint64_t& word = delivered_[part * words_per_part_ + place / kWordBits];
    const std::uint64_t bit = std::uint64_t{1} << (place % kWordBits);
    if ((word & bit) != 0) {
      ++duplicates_;
      return;
    }
    word |= bit;
    --missing_;
  }

  void on_broadcast_send(const NodeWalk& walk, Port port, NodeId receiver, PacketId packet) {
    const NodeId from = walk.node();
    // What has just come in by the opposite side is known and needs no look at the bits.
    const NodeId before = walk.neighbor(opposite(port));
    const std::size_t came_by = before == kNoNode ? 0 : topology_.link(before, port);
    const bool passes = before != kNoNode && previous_[came_by] == packet;
    const std::size_t part = passes ? previous_parts_[came_by] : part_of(packet);
    if (part == kNoPart || receiver == kNoNode) {
      ++violations_;
      // A wrong send must not be taken for known in the next step.
      parts_[topology_.link(from, port)] = kNoPart;
      return;
    }
    parts_[topology_.link(from, port)] = static_cast<std::uint32_t>(part);
    const auto dimension = static_cast<std::size_t>(dimension_of(port));
    const QueuedPhaseKind kind =
        phase_kinds_[std::size_t{class_of_part_[part]} * kMaxDimensions + dimension];
    const bool broadcast = kind == QueuedPhaseKind::kBroadcast;
    const bool holds = broadcast ? passes || bit_of(from, part) != 0 : at_[part] == from;
    if (!holds || (!broadcast && kind != QueuedPhaseKind::kPack)) {
      ++violations_;
      return;
    }
    if (broadcast) {
      arrivals_.emplace_back(static_cast<std::uint32_t>(part), receiver);
    } else {
      at_[part] = receiver;
    }
  }

  void on_routed_send(NodeId from, NodeId receiver, PacketId packet) {
    const std::size_t index = routed_index(packet);
    if (index >= at_.size() || at_[index] != from || receiver == kNoNode) {
      ++violations_;
      return;
    }
    arrivals_.emplace_back(static_cast<std::uint32_t>(index), receiver);
  }

  void arrive(std::size_t packet, NodeId node, std::uint64_t step) {
    const std::uint64_t before = missing_;
    if (broadcasts_) {
      deliver(node, packet);
    } else {
      if (at_[packet] == goal_[packet]) ++missing_;
      at_[packet] = node;
      if (node == goal_[packet]) --missing_;
    }
    if (missing_ < before) completion_step_ = step;
  }

  const Topology& topology_;
  const Demand& demand_;
  const QueuedProgram& program_;
  std::vector<DemandSource> sources_;
  std::uint64_t packets_per_node_;
  bool broadcasts_ = false;
  bool steps_only_ = false;
  /// Index of each node among the sources.
  std::vector<std::uint32_t> source_of_;
  /// Per part or packet: where it is (broadcast: until its class begins to broadcast).
  std::vector<NodeId> at_;
  std::vector<NodeId> goal_;
  /// A bit for every part and node. In the last and longest subphase of class c all nodes of one
  /// coordinate c get the same part at once: places_ puts their bits side by side, by class.
  std::vector<NodeId> places_;
  std::uint64_t words_per_part_ = 0;
  std::vector<std::uint64_t> delivered_;
  /// Per class: first step of its broadcasts; none left once it has come.
  std::vector<std::uint64_t> begins_;
  std::vector<QueuedPhaseKind> phase_kinds_;
  /// What the links carried in the step before.
  std::vector<PacketId> previous_;
  /// Index of the part on each link, where there was one: in the step before, in this step.
  std::vector<std::uint32_t> previous_parts_;
  std::vector<std::uint32_t> parts_;
  std::vector<std::uint8_t> class_of_part_;
  std::vector<std::pair<std::uint32_t, NodeId>> arrivals_;
  std::uint64_t missing_ = 0;
  std::uint64_t completion_step_ = 0;
  std::uint64_t duplicates_ = 0;
  std::uint64_t violations_ = 0;
};

std::uint64_t QueuedScoreboard::memory_bytes(const Plan& plan) {
  const auto& program = std::get<QueuedProgram>(plan.program);
  const std::uint64_t words = words_of_part(plan.topology);
  const bool broadcasts = plan.demand.to == Destination::kEveryNode;
  return (broadcasts ? broadcast_parts(plan) * words * sizeof(std::uint64_t) +
                           std::uint64_t{program.classes} * plan.topology.nodes() * sizeof(NodeId)
                     : 0) +
         routed_packets(plan) * 2 * sizeof(NodeId);
}

QueuedScoreboard::QueuedScoreboard(const Plan& plan) : state_(std::make_unique<State>(plan)) {}
QueuedScoreboard::~QueuedScoreboard() = default;

bool QueuedScoreboard::on_step(std::uint64_t step, std::span<const PacketId> links) {
  return state_->on_step(step, links);
}
bool QueuedScoreboard::complete() const { return state_->complete(); }
std::uint64_t QueuedScoreboard::completion_step() const { return state_->completion_step(); }
std::uint64_t QueuedScoreboard::duplicates() const { return state_->duplicates(); }
std::uint64_t QueuedScoreboard::violations() const { return state_->violations(); }
NodeId QueuedScoreboard::location(PacketId packet) const { return state_->location(packet); }

}  // namespace gossamer
