// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/queued_router.hpp"

#include <algorithm>

#include "gossamer/sim/queued_rules.hpp"

namespace gossamer::systemc {

QueuedRouter::QueuedRouter(const sc_core::sc_module_name& name, const Plan& plan, NodeId node,
                           std::vector<QueuedMove> moves)
    : sc_core::sc_module(name),
      topology_(&plan.topology),
      demand_(&plan.demand),
      program_(&std::get<QueuedProgram>(plan.program)),
      node_(node),
      coordinates_(plan.topology.coordinates(node)),
      units_(program_->classes),
      classes_(program_->classes),
      moves_(std::move(moves)) {
  own_packets_ = program_->packets_of(demand_->source_pieces(node), *demand_);
  const bool exchanges = std::any_of(
      program_->phases.begin(), program_->phases.end(),
      [](const QueuedPhase& phase) { return phase.kind == QueuedPhaseKind::kExchange; });
  if (exchanges) exchange_.resize(static_cast<std::size_t>(plan.topology.ports()));
}

void QueuedRouter::clear() {
  class_round_.clear();
  for (PrefixUnit& unit : units_) unit.clear();
  classes_.assign(classes_.size(), {});
  exchange_.assign(exchange_.size(), {});
  storage_.clear();
  next_move_ = 0;
  max_queue_ = 0;
  busy_ = false;
}

PrefixResult QueuedRouter::prefix(int class_index) const {
  const PrefixUnit& unit = units_.at(static_cast<std::size_t>(class_index));
  return {unit.before(), unit.total()};
}

int QueuedRouter::class_of_own() const {
  return class_of_source(*topology_, *program_, node_, class_round_.before());
}

PrefixUnit& QueuedRouter::unit(const QueuedPhase& phase) {
  return phase.class_round ? class_round_ : units_[phase.class_index];
}

bool QueuedRouter::leads_on(int dim, bool positive) const {
  return topology_->wraps(dim) || digit(dim) != (positive ? topology_->side(dim) - 1 : 0);
}

void QueuedRouter::measure(std::uint64_t waiting) { max_queue_ = std::max(max_queue_, waiting); }

void QueuedRouter::load(std::span<const std::uint32_t> fixed_ranks,
                        const std::vector<bool>& x_first) {
  max_queue_ = 0;
  busy_ = false;
  if (demand_->is_personal()) {
    const std::vector<NodeId> order = exchange_order(*topology_, *demand_, *program_, node_);
    if (exchange_.empty()) {
      for (const NodeId destination : order) {
        storage_.insert(PacketId{node_} * topology_->nodes() + destination);
      }
      return;
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      queue_exchange({PacketId{node_} * topology_->nodes() + order[i], x_first[i]});
    }
    return;
  }
  for (int c = 0; c < program_->classes; ++c) {
    load_class(c, fixed_ranks[static_cast<std::size_t>(c)]);
  }
}

void QueuedRouter::load_class(int class_index, std::uint32_t fixed_rank) {
  const bool split = program_->class_rule == QueuedClassRule::kSplit;
  if (own_packets_ == 0 || (!split && class_of_own() != class_index)) return;
  const PrefixUnit& unit = units_[static_cast<std::size_t>(class_index)];
  const std::uint32_t first = unit.started() ? unit.before() : fixed_rank;
  const std::uint32_t halves = program_->halves;
  for (std::uint32_t i = 0; i < own_packets_; ++i) {
    const PacketId part =
        split ? (PacketId{i} * program_->classes + static_cast<PacketId>(class_index)) * halves : i;
    for (std::uint32_t half = 0; half < halves; ++half) {
      insert(classes_[static_cast<std::size_t>(class_index)],
             {(first + i) * halves + half, PacketId{node_} * demand_->pieces + part + half});
    }
  }
}

void QueuedRouter::insert(ClassQueues& queues, Held held) {
  const auto behind =
      std::upper_bound(queues.held.begin(), queues.held.end(), held.key,
                       [](std::uint32_t key, const Held& other) { return key < other.key; });
  queues.held.insert(behind, held);
}

void QueuedRouter::queue_exchange(const ExchangePacket& packet) {
  const auto destination = static_cast<NodeId>(packet.packet % topology_->nodes());
  if (destination == node_) return;
  const ExchangeLeg leg = exchange_leg(*topology_, node_, destination, packet.x_first);
  ExchangeQueues& queues = exchange_[leg.port];
  (leg.first ? queues.first : queues.second).push_back(packet);
  busy_ = true;
}

void QueuedRouter::begin(std::size_t phase) {
  const QueuedPhase& begun = program_->phases[phase];
  if (begun.is_prefix()) {
    begin_prefix(begun);
  } else if (begun.kind == QueuedPhaseKind::kBroadcast) {
    begin_broadcast(begun);
  } else if (begun.kind == QueuedPhaseKind::kPack || begun.kind == QueuedPhaseKind::kRoute) {
    // Whether a packet wants to move shows when it is looked at.
    busy_ = busy_ || !classes_[begun.class_index].held.empty();
  }
}

void QueuedRouter::begin_prefix(const QueuedPhase& phase) {
  PrefixUnit& prefix = unit(phase);
  if (!prefix.started()) {
    const bool counts = phase.class_round || !deals_packets(*program_, *demand_) ||
                        class_of_own() == phase.class_index;
    prefix.start(counts ? own_packets_ : 0);
  }
  const int d = topology_->dimensions();
  const int first_dimension = phase.class_round ? 0 : phase.class_index;
  PrefixPlace place;
  place.kind = phase.kind;
  place.digit = digit(phase.dimension);
  place.side = topology_->side(phase.dimension);
  const int level = (phase.dimension - first_dimension + d) % d;
  place.level = static_cast<std::uint32_t>(level);
  place.root_level = level + 1 == d;
  place.on_tree = true;
  for (int j = 0; j < level; ++j) {
    const int dim = (j + first_dimension) % d;
    if (digit(dim) != topology_->side(dim) - 1) place.on_tree = false;
  }
  prefix.begin(place);
  busy_ = busy_ || prefix.pending();
}

void QueuedRouter::begin_broadcast(const QueuedPhase& phase) {
  ClassQueues& queues = classes_[phase.class_index];
  queues.keep_arrivals =
      std::any_of(program_->phases.begin(), program_->phases.end(), [&](const QueuedPhase& later) {
        return later.kind == QueuedPhaseKind::kBroadcast &&
               later.class_index == phase.class_index && later.start > phase.start;
      });
  std::sort(queues.held.begin(), queues.held.end(),
            [](const Held& a, const Held& b) { return a.key < b.key; });
  queues.own = static_cast<std::uint32_t>(queues.held.size());
  queues.stages = {};
  for (const bool positive : {false, true}) {
    std::uint64_t waiting = 0;
    for (std::uint32_t i = 0; i < queues.own; ++i) {
      if (broadcast_hops(*program_, phase, queues.held[i].key, i, positive) != 0) ++waiting;
    }
    measure(waiting);
    busy_ = busy_ || (waiting != 0 && leads_on(phase.dimension, positive));
  }
}

void QueuedRouter::receive(Port in_port, const QueuedFlit& flit) {
  const QueuedPhase& phase = program_->phases[flit.header.phase];
  // What comes in from the negative side travels in positive direction.
  const bool positive = !is_positive(in_port);
  if (phase.is_prefix()) {
    unit(phase).receive(positive, {true, flit.header.value, flit.header.extra});
  } else if (phase.kind == QueuedPhaseKind::kBroadcast) {
    ClassQueues& queues = classes_[phase.class_index];
    LineStage& stage = queues.stages[positive ? 1 : 0];
    stage.packet = flit.packet;
    stage.key = flit.header.value;
    stage.hops = flit.header.extra;
    if (queues.keep_arrivals) queues.held.push_back({flit.header.value, flit.packet});
  } else if (phase.kind == QueuedPhaseKind::kExchange) {
    queue_exchange({flit.packet, flit.header.value != 0});
  } else if (phase.kind == QueuedPhaseKind::kMoves) {
    storage_.insert(flit.packet);
  } else {
    insert(classes_[phase.class_index], {flit.header.value, flit.packet});
  }
}

void QueuedRouter::send(std::uint64_t step, std::span<const std::size_t> active,
                        QueuedOutputs& outputs) {
  busy_ = false;
  std::size_t i = 0;
  while (i < active.size()) {
    const QueuedPhase& phase = program_->phases[active[i]];
    switch (phase.kind) {
      case QueuedPhaseKind::kPack:
      case QueuedPhaseKind::kRoute: {
        // All that move packets of one class, together.
        const std::size_t first = i;
        while (i + 1 < active.size()) {
          const QueuedPhase& next = program_->phases[active[i + 1]];
          if (next.class_index != phase.class_index ||
              (next.kind != QueuedPhaseKind::kPack && next.kind != QueuedPhaseKind::kRoute)) {
            break;
          }
          ++i;
        }
        send_moving(step, active.subspan(first, i + 1 - first), outputs);
        break;
      }
      case QueuedPhaseKind::kBroadcast:
        send_broadcast(active[i], outputs);
        break;
      case QueuedPhaseKind::kExchange:
        send_exchange(active[i], outputs);
        break;
      case QueuedPhaseKind::kMoves:
        send_listed(step, active[i], outputs);
        break;
      default:
        send_prefix(active[i], outputs);
    }
    ++i;
  }
}

void QueuedRouter::send_prefix(std::size_t phase, QueuedOutputs& outputs) {
  const QueuedPhase& sent = program_->phases[phase];
  for (const bool positive : {false, true}) {
    const PrefixMessage message = unit(sent).take(positive);
    if (!message.valid) continue;
    measure(1);
    outputs.put(make_port(sent.dimension, positive),
                PacketId{node_} * program_->classes + sent.class_index,
                {static_cast<std::uint32_t>(phase), message.count, message.total});
  }
}

void QueuedRouter::send_moving(std::uint64_t step, std::span<const std::size_t> active,
                               QueuedOutputs& outputs) {
  const QueuedPhase& front = program_->phases[active.front()];
  ClassQueues& queues = classes_[front.class_index];
  if (queues.held.empty()) return;
  std::vector<const QueuedPhase*> phases;
  for (const std::size_t phase : active) phases.push_back(&program_->phases[phase]);
  const auto half = static_cast<std::uint32_t>((step - front.start) % program_->halves);
  std::array<std::uint64_t, kMaxPorts> waiting{};
  std::size_t kept = 0;
  for (const Held& held : queues.held) {
    const std::optional<Port> port = wanted_port(*topology_, *demand_, front.class_index,
                                                 held.key / program_->halves, node_, phases);
    if (port && half == 0) measure(++waiting[*port]);
    if (!port || held.key % program_->halves != half) {
      queues.held[kept++] = held;
      busy_ = busy_ || port.has_value();
      continue;
    }
    outputs.put(*port, held.packet, {static_cast<std::uint32_t>(active.front()), held.key, 0});
  }
  queues.held.resize(kept);
}

void QueuedRouter::send_broadcast(std::size_t phase, QueuedOutputs& outputs) {
  const QueuedPhase& sent = program_->phases[phase];
  ClassQueues& queues = classes_[sent.class_index];
  for (const bool positive : {false, true}) {
    LineStage& stage = queues.stages[positive ? 1 : 0];
    if (!leads_on(sent.dimension, positive)) continue;
    const auto skip_unsent = [&] {
      while (stage.next_own < queues.own &&
             broadcast_hops(*program_, sent, queues.held[stage.next_own].key, stage.next_own,
                            positive) == 0) {
        ++stage.next_own;
      }
    };
    if (stage.hops == 0) {
      skip_unsent();
      if (stage.next_own == queues.own) continue;
      const Held& own = queues.held[stage.next_own];
      stage.packet = own.packet;
      stage.key = own.key;
      stage.hops = broadcast_hops(*program_, sent, own.key, stage.next_own, positive);
      ++stage.next_own;
    }
    outputs.put(make_port(sent.dimension, positive), stage.packet,
                {static_cast<std::uint32_t>(phase), stage.key, stage.hops - 1});
    stage.hops = 0;
    skip_unsent();
    busy_ = busy_ || stage.next_own < queues.own;
  }
}

void QueuedRouter::send_exchange(std::size_t phase, QueuedOutputs& outputs) {
  for (std::size_t port = 0; port < exchange_.size(); ++port) {
    ExchangeQueues& queues = exchange_[port];
    const std::size_t length = queues.first.size() + queues.second.size();
    if (length == 0) continue;
    measure(length);
    auto& queue = queues.first.empty() ? queues.second : queues.first;
    outputs.put(static_cast<Port>(port), queue.front().packet,
                {static_cast<std::uint32_t>(phase), queue.front().x_first ? 1U : 0U, 0});
    queue.pop_front();
    busy_ = busy_ || length > 1;
  }
}

void QueuedRouter::send_listed(std::uint64_t step, std::size_t phase, QueuedOutputs& outputs) {
  for (; next_move_ < moves_.size() && moves_[next_move_].step == step; ++next_move_) {
    const QueuedMove& move = moves_[next_move_];
    const PacketId packet = PacketId{move.origin} * topology_->nodes() + move.destination;
    // A router sends only what it holds.
    if (storage_.erase(packet) == 0) continue;
    measure(1);
    outputs.put(move.port, packet, {static_cast<std::uint32_t>(phase), 0, 0});
  }
}

}  // namespace gossamer::systemc
