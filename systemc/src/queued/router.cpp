// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/queued/router.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

#include "gossamer/machines/queued/rules.hpp"

namespace gossamer::systemc {

std::ostream& operator<<(std::ostream& out, const QueuedWord& word) { return out << word.packet; }

void sc_trace(sc_core::sc_trace_file* file, const QueuedWord& word, const std::string& name) {
  sc_core::sc_trace(file, word.packet, name + ".packet");
}

QueuedTiles::QueuedTiles(const Plan& of)
    : plan(of), program(of.program.as<QueuedProgram>()), nodes(of.topology.nodes()) {
  const std::uint64_t prefix_steps = program.prefix_steps();
  prefix_end = prefix_steps;
  load_cycle = prefix_steps == 0 ? 0 : prefix_steps + 1;
  if (plan.demand.is_counts()) {
    load_cycle = kUntilArrival;
  } else {
    barriers.push_back(load_cycle);
  }
  barriers.push_back(prefix_steps);
  for (const QueuedPhase& phase : program.phases) {
    exchanges = exchanges || phase.kind == QueuedPhaseKind::kExchange;
    if (phase.is_prefix()) {
      barriers.push_back(phase.start - 1);
    } else if (!plan.demand.is_counts()) {
      barriers.push_back(load_cycle + phase.start - 1);
    }
  }
  std::sort(barriers.begin(), barriers.end());
  barriers.erase(std::unique(barriers.begin(), barriers.end()), barriers.end());
  find_ranks();
}

void QueuedTiles::find_ranks() {
  // Without a prefix all nodes are active, and so all nodes know the ranks.
  const bool split = program.class_rule == QueuedClassRule::kSplit;
  ranks.assign(program.classes, std::vector<std::uint32_t>(plan.topology.nodes(), 0));
  for (int c = 0; c < program.classes; ++c) {
    const bool told =
        std::any_of(program.phases.begin(), program.phases.end(), [c](const QueuedPhase& phase) {
          return phase.is_prefix() && !phase.class_round && phase.class_index == c;
        });
    if (told) continue;
    std::vector<DemandSource> members;
    for (const DemandSource& source : plan.demand.sources_in(plan.topology)) {
      if (split || class_of_source(plan.topology, program, source.node, 0) == c) {
        members.push_back(source);
      }
    }
    std::sort(members.begin(), members.end(), [&](const auto& a, const auto& b) {
      return rotated_id(plan.topology, a.node, c) < rotated_id(plan.topology, b.node, c);
    });
    std::uint32_t rank = 0;
    for (const DemandSource& member : members) {
      ranks[static_cast<std::size_t>(c)][member.node] = rank;
      rank += program.packets_of(member.pieces, plan.demand);
    }
  }
}

const QueuedTiles::Step& QueuedTiles::begun(std::uint64_t cycle) {
  if (begun_at_ == cycle) return begun_;
  begun_at_ = cycle;
  begun_.number = number(cycle);
  begun_.phases.clear();
  for (std::size_t i = 0; i < program.phases.size(); ++i) {
    const QueuedPhase& phase = program.phases[i];
    const bool endless = phase.kind == QueuedPhaseKind::kExchange;
    if (phase.is_prefix() != (cycle < load_cycle) || begun_.number < phase.start) continue;
    if (endless || begun_.number <= phase.last()) begun_.phases.push_back(i);
  }
  return begun_;
}

QueuedTile::QueuedTile(const sc_core::sc_module_name& name, std::shared_ptr<QueuedTiles> tiles,
                       NodeId node)
    : RouterModule(name),
      tiles_(std::move(tiles)),
      node_(node),
      own_packets_(tiles_->program.packets_of(tiles_->plan.demand.source_pieces(node),
                                              tiles_->plan.demand)) {
  tiles_->nodes[node] = this;
}

void QueuedTile::clear() {
  error_ = false;
  tiles_->max_queue = 0;
  tiles_->conflicts = 0;
}

void QueuedTile::measure(std::uint64_t waiting) {
  tiles_->max_queue = std::max(tiles_->max_queue, waiting);
}

void QueuedTile::put(const QueuedEdge& edge, Port port, const QueuedWord& word) {
  if (WordTraits<QueuedWord>::is_idle(edge.out(port))) {
    edge.drive(port, word);
    return;
  }
  ++tiles_->conflicts;
  error_ = true;
}

QueuedRouter::QueuedRouter(const sc_core::sc_module_name& name,
                           const std::shared_ptr<QueuedTiles>& tiles, NodeId node)
    : QueuedTile(name, tiles, node),
      topology_(&tiles_->plan.topology),
      demand_(&tiles_->plan.demand),
      program_(&tiles_->program),
      coordinates_(topology_->coordinates(node)),
      units_(program_->classes),
      classes_(program_->classes),
      exchange_(tiles_->exchanges ? static_cast<std::size_t>(topology_->ports()) : 0) {}

void QueuedRouter::clear() {
  QueuedTile::clear();
  class_round_.clear();
  for (PrefixUnit& unit : units_) unit.clear();
  classes_.assign(classes_.size(), {});
  exchange_.assign(exchange_.size(), {});
  busy_ = false;
}

std::uint64_t QueuedRouter::clock(const QueuedEdge& edge) {
  for (int port = 0; port < topology_->ports(); ++port) {
    const QueuedWord& word = edge.in(static_cast<std::size_t>(port));
    if (!WordTraits<QueuedWord>::is_idle(word)) receive(static_cast<Port>(port), word);
  }
  if (edge.cycle() == tiles_->prefix_end && missing()) error_ = true;
  if (edge.cycle() == tiles_->load_cycle) load();
  const QueuedTiles::Step& step = tiles_->begun(edge.cycle());
  for (const std::size_t phase : step.phases) {
    if (program_->phases[phase].start == step.number) begin(program_->phases[phase]);
  }
  send(step, edge);
  if (busy_) return edge.cycle() + 1;
  return kUntilArrival;
}

PrefixResult QueuedRouter::prefix(int class_index) const {
  const PrefixUnit& unit = units_.at(static_cast<std::size_t>(class_index));
  return {unit.before(), unit.total()};
}

bool QueuedRouter::missing() const {
  return class_round_.missing() ||
         std::any_of(units_.begin(), units_.end(),
                     [](const PrefixUnit& unit) { return unit.missing(); });
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

void QueuedRouter::load() {
  if (!demand_->is_personal()) {
    if (missing()) return;
    for (int c = 0; c < program_->classes; ++c) {
      load_class(c, tiles_->ranks[static_cast<std::size_t>(c)][node_]);
    }
    return;
  }
  for (const NodeId destination : exchange_order(*topology_, *demand_, *program_, node_)) {
    const PacketId packet = PacketId{node_} * topology_->nodes() + destination;
    if (exchange_.empty()) continue;
    // A gatherer's request contains its sums.
    const bool gather = demand_->to == Destination::kEachSource;
    const QueuedTile& active = gather ? *tiles_->nodes[destination] : *this;
    if (active.missing()) continue;
    queue_exchange({packet, begins_along_x(*topology_, *demand_, *program_, active.prefix(0).total,
                                           active.prefix(1).total, gather ? node_ : destination)});
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
}

void QueuedRouter::begin(const QueuedPhase& phase) {
  if (phase.is_prefix()) {
    begin_prefix(phase);
  } else if (phase.kind == QueuedPhaseKind::kBroadcast) {
    begin_broadcast(phase);
  }
}

void QueuedRouter::begin_prefix(const QueuedPhase& phase) {
  PrefixUnit& prefix = unit(phase);
  if (!prefix.started()) {
    const bool counts = phase.class_round || !deals_packets(*program_, *demand_) ||
                        class_of_own() == phase.class_index;
    prefix.start(counts ? own_packets_ : 0, !phase.class_round && class_round_.missing());
  }
  prefix.begin(prefix_place(*topology_, phase, node_));
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
  }
}

void QueuedRouter::receive(Port in_port, const QueuedWord& word) {
  const QueuedPhase& phase = program_->phases[word.phase];
  // Arrivals from the negative side travel in positive direction.
  const bool positive = !is_positive(in_port);
  if (phase.is_prefix()) {
    unit(phase).receive(positive, {true, word.value, word.extra});
  } else if (phase.kind == QueuedPhaseKind::kBroadcast) {
    ClassQueues& queues = classes_[phase.class_index];
    LineStage& stage = queues.stages[positive ? 1 : 0];
    stage.packet = word.packet;
    stage.key = word.value;
    stage.hops = word.extra;
    if (queues.keep_arrivals) queues.held.push_back({word.value, word.packet});
  } else if (phase.kind == QueuedPhaseKind::kExchange) {
    queue_exchange({word.packet, word.value != 0});
  } else {
    insert(classes_[phase.class_index], {word.value, word.packet});
  }
}

void QueuedRouter::send(const QueuedTiles::Step& step, const QueuedEdge& edge) {
  busy_ = false;
  const std::span<const std::size_t> active = step.phases;
  std::size_t i = 0;
  while (i < active.size()) {
    const QueuedPhase& phase = program_->phases[active[i]];
    switch (phase.kind) {
      case QueuedPhaseKind::kPack:
      case QueuedPhaseKind::kRoute: {
        // All phases that move packets of one class, together.
        const std::size_t first = i;
        while (i + 1 < active.size()) {
          const QueuedPhase& next = program_->phases[active[i + 1]];
          if (next.class_index != phase.class_index ||
              (next.kind != QueuedPhaseKind::kPack && next.kind != QueuedPhaseKind::kRoute)) {
            break;
          }
          ++i;
        }
        send_moving(step.number, active.subspan(first, i + 1 - first), edge);
        break;
      }
      case QueuedPhaseKind::kBroadcast:
        send_broadcast(active[i], edge);
        break;
      case QueuedPhaseKind::kExchange:
        send_exchange(active[i], edge);
        break;
      default:
        send_prefix(active[i], edge);
    }
    ++i;
  }
}

void QueuedRouter::send_prefix(std::size_t phase, const QueuedEdge& edge) {
  const QueuedPhase& sent = program_->phases[phase];
  for (const bool positive : {false, true}) {
    const PrefixMessage message = unit(sent).take(positive);
    if (!message.valid) continue;
    if (demand_->is_counts()) measure(1);
    put(edge, make_port(sent.dimension, positive),
        {PacketId{node_} * program_->classes + sent.class_index, static_cast<std::uint32_t>(phase),
         message.count, message.total});
  }
}

void QueuedRouter::send_moving(std::uint64_t step, std::span<const std::size_t> active,
                               const QueuedEdge& edge) {
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
    put(edge, *port, {held.packet, static_cast<std::uint32_t>(active.front()), held.key});
  }
  queues.held.resize(kept);
}

void QueuedRouter::send_broadcast(std::size_t phase, const QueuedEdge& edge) {
  const QueuedPhase& sent = program_->phases[phase];
  ClassQueues& queues = classes_[sent.class_index];
  // A wrong plan may move a packet away while it should be broadcast.
  const std::size_t own_end = std::min(std::size_t{queues.own}, queues.held.size());
  for (const bool positive : {false, true}) {
    LineStage& stage = queues.stages[positive ? 1 : 0];
    if (!leads_on(sent.dimension, positive)) continue;
    const auto skip_unsent = [&] {
      while (stage.next_own < own_end &&
             broadcast_hops(*program_, sent, queues.held[stage.next_own].key, stage.next_own,
                            positive) == 0) {
        ++stage.next_own;
      }
    };
    if (stage.hops == 0) {
      skip_unsent();
      if (stage.next_own >= own_end) continue;
      const Held& own = queues.held[stage.next_own];
      stage.packet = own.packet;
      stage.key = own.key;
      stage.hops = broadcast_hops(*program_, sent, own.key, stage.next_own, positive);
      ++stage.next_own;
    }
    put(edge, make_port(sent.dimension, positive),
        {stage.packet, static_cast<std::uint32_t>(phase), stage.key, stage.hops - 1});
    stage.hops = 0;
    skip_unsent();
    busy_ = busy_ || stage.next_own < own_end;
  }
}

void QueuedRouter::send_exchange(std::size_t phase, const QueuedEdge& edge) {
  for (std::size_t port = 0; port < exchange_.size(); ++port) {
    ExchangeQueues& queues = exchange_[port];
    const std::size_t length = queues.first.size() + queues.second.size();
    if (length == 0) continue;
    measure(length);
    auto& queue = queues.first.empty() ? queues.second : queues.first;
    put(edge, static_cast<Port>(port),
        {queue.front().packet, static_cast<std::uint32_t>(phase), queue.front().x_first ? 1U : 0U});
    queue.pop_front();
    busy_ = busy_ || length > 1;
  }
}

}  // namespace gossamer::systemc
