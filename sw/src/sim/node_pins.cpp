// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/node_pins.hpp"

#include <algorithm>

#include "gossamer/plan/member_displacement.hpp"
#include "gossamer/plan/run_facts.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// The largest number of own words.
constexpr std::uint64_t kMostOwnWords = std::uint64_t{1} << 20U;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
  return hash ^ hash >> 29U;
}

/// Numbers of different copied pieces.
std::uint64_t copied_pieces(const Demand& demand, std::uint64_t nodes) {
  const auto each = demand.ids_per_node(nodes);
  return each ? *each * nodes : demand.pieces_in_all(nodes);
}

}  // namespace

NodePins::NodePins(const Plan& plan)
    : plan_(plan), layout_(plan.topology, plan.demand.groups), combines_(plan.demand.combines()) {
  const Demand& demand = plan.demand;
  if (demand.is_counts() || demand.is_of_members()) {
    throw InputError("pins of nodes: plans of counts or several collectives have none");
  }
  const RunFacts facts = run_facts(plan);
  const std::uint64_t nodes = plan.topology.nodes();
  hands_over_ = facts.hands_over;
  places_.resize(nodes, 0);
  words_ = std::max(facts.words_per_piece, facts.flits_per_piece);
  if (combines_) {
    lane_words_.emplace(plan);
    lanes_ = static_cast<std::uint32_t>(lane_words_->lanes());
    numbers_ = demand.pieces * words_;
    own_words_ = nodes * numbers_ * lanes_;
  } else {
    numbers_ = copied_pieces(demand, nodes) * words_;
    own_words_ = numbers_;
  }
  if (own_words_ > kMostOwnWords) {
    throw InputError("pins of nodes: the nodes' own words are more than 1,048,576");
  }
}

std::vector<std::uint64_t> NodePins::test_words() const {
  std::vector<std::uint64_t> words;
  words.reserve(own_words_);
  if (!combines_) {
    for (std::uint64_t number = 0; number < own_words_; ++number) {
      words.push_back(mixed(number, 1));
    }
    return words;
  }
  const Arithmetic& lane = lane_words_->lane_arithmetic();
  for (NodeId node = 0; node < plan_.topology.nodes(); ++node) {
    for (std::uint64_t number = 0; number < numbers_; ++number) {
      for (std::uint32_t at = 0; at < lanes_; ++at) {
        const auto link = lane_words_->contributed(node, number, static_cast<int>(at));
        // Widening loses nothing.
        words.push_back(lane.result(link));
      }
    }
  }
  return words;
}

Arithmetic NodePins::arithmetic() {
  if (!combines_) return {};
  Arithmetic combining;
  combining.operation = Operation::kCopy;
  combining.maker = this;
  return combining;
}

std::uint64_t NodePins::word(NodeId node, PacketId piece) {
  LaneWords& lanes = *lane_words_;
  std::vector<std::uint64_t> own;
  for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
    const std::uint64_t at = (node * numbers_ + piece) * lanes_ + lane;
    own.push_back(own_.empty() ? 0 : lanes.lane_arithmetic().widened(own_[at]));
  }
  return lanes.value(own);
}

std::uint64_t NodePins::combine(std::uint64_t a, std::uint64_t b) {
  LaneWords& lanes = *lane_words_;
  return lanes_ == 1 ? lanes.lane_arithmetic().combine(a, b) : lanes.combine(a, b);
}

void NodePins::deliver(NodeId node, std::uint32_t place, std::uint64_t number) {
  deliveries_.push_back({node, place, number});
  // A broken link can deliver numbers that no word has.
  data_.push_back(number < own_.size() ? own_[number] : 0);
}

NodeId NodePins::group_of(PacketId piece, NodeId node) const {
  const Demand& demand = plan_.demand;
  const std::uint64_t nodes = plan_.topology.nodes();
  std::uint64_t of = piece / demand.pieces;
  if (demand.from == Origin::kRoot) return of < layout_.groups() ? static_cast<NodeId>(of) : 0;
  if (demand.is_personal()) of /= nodes;
  return layout_.group(of < nodes ? static_cast<NodeId>(of) : node);
}

void NodePins::deliver_sum(NodeId node, std::uint32_t place, std::uint64_t number,
                           std::uint64_t value) {
  const Demand& demand = plan_.demand;
  if (demand.groups) {
    number = demand.numbers_by_owner()
                 ? in_one_group(plan_.topology, demand, node, number / words_).piece * words_ +
                       number % words_
                 : number % numbers_;
  }
  deliveries_.push_back({node, place, number});
  const Arithmetic& lane = lane_words_->lane_arithmetic();
  for (const std::uint64_t word : lane_words_->words(value)) {
    data_.push_back(lane.result(word));
  }
}

std::span<const NodeDelivery> NodePins::look(Engine& engine, bool after) {
  for (const NodeDelivery& delivery : deliveries_) places_[delivery.node] = 0;
  deliveries_.clear();
  data_.clear();
  const LinkView view = engine.links();
  const Topology& topology = plan_.topology;
  for (const Result& result : view.results) {
    if (combines_) {
      deliver_sum(result.node, places_[result.node]++, result.packet, result.value);
    } else if (hands_over_) {
      deliver(result.node, places_[result.node]++, result.packet);
    }
  }
  if (combines_) return deliveries_;
  for (const Delivery& delivery : view.deliveries) {
    deliver(delivery.node, places_[delivery.node]++, delivery.packet);
  }
  if (after || hands_over_) return deliveries_;
  const auto arrive = [&](LinkId link, PacketId packet, std::uint64_t flit) {
    const Port port = topology.link_port(link);
    const NodeId node = topology.neighbor(topology.link_from(link), port);
    const bool passes =
        (plan_.demand.is_personal() && packet / plan_.demand.pieces % topology.nodes() != node) ||
        (plan_.demand.groups && group_of(packet, node) != layout_.group(node));
    if (!passes) deliver(node, opposite(port), packet * words_ + flit);
  };
  for (const Take& take : view.takes) arrive(take.link, take.packet, take.flit);
  if (view.step == 0 || engine.quiet() != 0) return deliveries_;
  for (std::size_t link = 0; link < view.packets.size(); ++link) {
    if (view.packets[link] == kNoPacket) continue;
    arrive(static_cast<LinkId>(link), view.packets[link], 0);
  }
  return deliveries_;
}

std::uint64_t delivery_digest(const NodeDelivery& delivery, std::span<const std::uint64_t> data) {
  std::uint64_t hash = mixed(mixed(0, delivery.node), delivery.number);
  for (const std::uint64_t word : data) hash = mixed(hash, word);
  return hash;
}

}  // namespace gossamer
