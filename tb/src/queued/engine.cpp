// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "gossamer/machines/queued/rules.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/systemc/queued/router.hpp"
#include "gossamer/tb/queued/verilated_units.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/linker_name.hpp"

namespace gossamer::tb {

namespace {

using systemc::QueuedEdge;
using systemc::QueuedTile;
using systemc::QueuedTiles;
using systemc::QueuedWord;

static_assert(kMaxVerilatedOwnPackets >= kMaxPacketsPerNode, "any node's own packets fit a stage");

/// The prefix units of a node, as in gsm_queued_node: one per class, and one more for the round
/// that deals packets to classes. Messages go along the dimension of the current phase.
class VerilatedPrefix {
 public:
  explicit VerilatedPrefix(const QueuedProgram& program) : program_(program) {
    const bool deals = std::any_of(program.phases.begin(), program.phases.end(),
                                   [](const QueuedPhase& phase) { return phase.class_round; });
    for (int i = 0; i < program.classes + (deals ? 1 : 0); ++i) {
      units_.push_back({make_verilated_prefix_unit(), std::nullopt, false});
    }
  }

  void clear() {
    for (Unit& unit : units_) {
      unit.verilated->clear();
      unit.phase.reset();
      unit.started = false;
    }
  }

  /// The edge at which `step` begins. `counted(phase)` is the number of the node's packets that a
  /// unit with this first phase counts; put(port, word) sends.
  template <typename Counted, typename Put>
  void clock(const QueuedEdge& edge, const QueuedTiles::Step& step, const Topology& topology,
             NodeId node, Counted counted, Put put) {
    // The round first: classes may begin with its result of this edge.
    for (std::size_t u = units_.size(); u-- > 0;) {
      Unit& unit = units_[u];
      PrefixUnitPins& pins = unit.verilated->pins();
      const bool runs = unit.phase && step.number <= program_.phases[*unit.phase].last() + 1;
      take_arrivals(edge, runs ? unit.phase : std::nullopt, pins);
      pins.begin_i = false;
      pins.start_i = false;
      for (const std::size_t phase : step.phases) {
        const QueuedPhase& begins = program_.phases[phase];
        if (!begins.is_prefix() || unit_of(begins) != u || begins.start != step.number) continue;
        if (!unit.started) {
          pins.start_i = true;
          pins.own_i = counted(begins);
          pins.lost_i = !begins.class_round && units_.size() > program_.classes &&
                        units_.back().verilated->pins().missing_o;
          unit.started = true;
        }
        set_place(systemc::prefix_place(topology, begins, node), pins);
        unit.phase = phase;
      }
      unit.verilated->clock();
      if (!unit.phase) continue;
      const QueuedPhase& phase = program_.phases[*unit.phase];
      const auto send = [&](bool positive, std::uint32_t count, std::uint32_t total) {
        put(make_port(phase.dimension, positive),
            QueuedWord{PacketId{node} * program_.classes + phase.class_index,
                       static_cast<std::uint32_t>(*unit.phase), count, total});
      };
      if (pins.up_valid_o) send(true, pins.up_count_o, 0);
      if (pins.down_valid_o) send(false, pins.down_count_o, pins.down_total_o);
    }
  }

  /// For a class; started() as in systemc::PrefixUnit.
  [[nodiscard]] bool started(int class_index) const { return of(class_index).started; }
  [[nodiscard]] PrefixResult result(int class_index) const { return result_of(of(class_index)); }
  /// Some unit misses a message.
  [[nodiscard]] bool missing() const {
    return std::any_of(units_.begin(), units_.end(), [](const Unit& unit) {
      return unit.started && unit.verilated->pins().missing_o;
    });
  }
  /// The rank among the packets of all classes; 0 if packets are not dealt to classes.
  [[nodiscard]] std::uint32_t rank_of_all() const {
    return units_.size() > program_.classes ? result_of(units_.back()).before : 0;
  }

 private:
  struct Unit {
    std::unique_ptr<VerilatedPrefixUnit> verilated;
    /// The phase that has begun last.
    std::optional<std::size_t> phase;
    bool started = false;
  };

  [[nodiscard]] std::size_t unit_of(const QueuedPhase& phase) const {
    return phase.class_round ? units_.size() - 1 : phase.class_index;
  }
  [[nodiscard]] const Unit& of(int class_index) const {
    return units_.at(static_cast<std::size_t>(class_index));
  }
  [[nodiscard]] static PrefixResult result_of(const Unit& unit) {
    const PrefixUnitPins& pins = unit.verilated->pins();
    return {pins.before_o, pins.total_o};
  }

  void take_arrivals(const QueuedEdge& edge, std::optional<std::size_t> phase,
                     PrefixUnitPins& pins) const {
    pins.up_valid_i = pins.down_valid_i = false;
    if (!phase) return;
    const int dim = program_.phases[*phase].dimension;
    const QueuedWord& up = edge.in(make_port(dim, false));
    const QueuedWord& down = edge.in(make_port(dim, true));
    pins.up_valid_i = up.packet != kNoPacket;
    pins.up_count_i = up.value;
    pins.down_valid_i = down.packet != kNoPacket;
    pins.down_count_i = down.value;
    pins.down_total_i = down.extra;
  }

  static void set_place(const systemc::PrefixPlace& place, PrefixUnitPins& pins) {
    pins.begin_i = true;
    pins.kind_i = static_cast<std::uint8_t>(place.kind);
    pins.first_i = place.digit == 0;
    pins.last_i = place.digit + 1 == place.side;
    pins.below_i = place.digit < place.side / 2;
    pins.above_i = place.digit > place.side / 2;
    pins.level_i = static_cast<std::uint8_t>(place.level);
    pins.root_level_i = place.root_level;
    pins.on_tree_i = place.on_tree;
  }

  const QueuedProgram& program_;
  std::vector<Unit> units_;
};

/// A node with a prefix and then packets by class (gsm_queued_node).
class VerilatedClassTile final : public QueuedTile {
 public:
  VerilatedClassTile(const sc_core::sc_module_name& name, std::shared_ptr<QueuedTiles> tiles,
                     NodeId node, std::uint32_t keys)
      : QueuedTile(name, std::move(tiles), node),
        topology_(tiles_->plan.topology),
        program_(tiles_->program),
        prefix_(program_) {
    if (keys == 0) return;
    for (int c = 0; c < program_.classes; ++c)
      units_.push_back({make_verilated_class_unit(keys), std::nullopt});
  }

  void clear() override {
    QueuedTile::clear();
    prefix_.clear();
    for (Unit& unit : units_) {
      unit.verilated->clear();
      unit.phase.reset();
    }
  }

  std::uint64_t clock(const QueuedEdge& edge) override {
    const QueuedTiles::Step& step = tiles_->begun(edge.cycle());
    const bool counts = tiles_->plan.demand.is_counts();
    if (edge.cycle() < tiles_->load_cycle) {
      prefix_.clock(
          edge, step, topology_, node_, [this](const QueuedPhase& phase) { return counted(phase); },
          [&](Port port, const QueuedWord& word) {
            if (counts) measure(1);
            put(edge, port, word);
          });
      if (edge.cycle() == tiles_->prefix_end && missing()) error_ = true;
    }
    for (std::size_t c = 0; c < units_.size(); ++c) clock_packets(edge, step, c);
    const std::uint64_t packets = counts ? 0 : 1 + program_.last_step(tiles_->plan.demand);
    return edge.cycle() < program_.prefix_steps() + packets ? edge.cycle() + 1
                                                            : systemc::kUntilArrival;
  }

  [[nodiscard]] PrefixResult prefix(int class_index) const override {
    return prefix_.started(class_index) ? prefix_.result(class_index) : PrefixResult{};
  }
  [[nodiscard]] bool missing() const override { return prefix_.missing(); }

 private:
  struct Unit {
    std::unique_ptr<VerilatedClassUnit> verilated;
    /// The phase that has begun last.
    std::optional<std::size_t> phase;
  };

  [[nodiscard]] int class_of_own() const {
    return class_of_source(topology_, program_, node_, prefix_.rank_of_all());
  }
  [[nodiscard]] std::uint32_t counted(const QueuedPhase& phase) const {
    const bool counts = phase.class_round || !deals_packets(program_, tiles_->plan.demand) ||
                        class_of_own() == phase.class_index;
    return counts ? own_packets_ : 0;
  }

  void load(std::size_t c, ClassUnitPins& pins) const {
    const bool split = program_.class_rule == QueuedClassRule::kSplit;
    const auto class_index = static_cast<int>(c);
    const bool member = own_packets_ != 0 && !missing() && (split || class_of_own() == class_index);
    const std::uint32_t rank =
        prefix_.started(class_index) ? prefix_.result(class_index).before : tiles_->ranks[c][node_];
    pins.load_valid_i = {member, member && program_.halves == 2};
    pins.load_key_i = static_cast<std::uint16_t>(rank * program_.halves);
    const PacketId part =
        PacketId{node_} * tiles_->plan.demand.pieces + (split ? c * program_.halves : 0);
    pins.load_data_i = {part, part + 1};
  }

  /// The unit's inputs for the phase of the coming step.
  void set_phase(const QueuedPhase& phase, std::uint64_t number, ClassUnitPins& pins) const {
    const Coordinates at = topology_.coordinates(node_);
    const std::uint32_t digit = at[static_cast<std::size_t>(phase.dimension)];
    const bool ring = topology_.wraps(phase.dimension);
    pins.active_i = true;
    pins.begin_i = phase.start == number;
    pins.broadcast_i = phase.kind == QueuedPhaseKind::kBroadcast;
    pins.keep_i =
        std::any_of(program_.phases.begin(), program_.phases.end(), [&](const QueuedPhase& later) {
          return later.kind == QueuedPhaseKind::kBroadcast &&
                 later.class_index == phase.class_index && later.start > phase.start;
        });
    pins.halves_i = program_.halves == 2;
    pins.half_i = (number - phase.start) % program_.halves == 1;
    pins.linked_i = {ring || digit != 0, ring || digit + 1 != topology_.side(phase.dimension)};
    pins.hops_i = {static_cast<std::uint16_t>(phase.hops_minus),
                   static_cast<std::uint16_t>(phase.hops_plus)};
    pins.alternate_i = phase.alternate;
    if (!pins.begin_i || pins.broadcast_i) return;
    const std::size_t ranks = tiles_->plan.demand.sources_in(topology_).size();
    for (std::vector<bool>& wants : pins.wants_i) wants.assign(ranks, false);
    const QueuedPhase* const active = &phase;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const auto port = wanted_port(topology_, tiles_->plan.demand, phase.class_index, rank, node_,
                                    std::span(&active, 1));
      if (port) pins.wants_i[is_positive(*port) ? 1 : 0][rank] = true;
    }
  }

  void clock_packets(const QueuedEdge& edge, const QueuedTiles::Step& step, std::size_t c) {
    if (edge.cycle() < tiles_->load_cycle) return;
    Unit& unit = units_[c];
    ClassUnitPins& pins = unit.verilated->pins();
    pins.load_i = edge.cycle() == tiles_->load_cycle;
    if (pins.load_i) load(c, pins);
    pins.in_i = {};
    if (unit.phase && step.number <= program_.phases[*unit.phase].last() + 1) {
      const int dim = program_.phases[*unit.phase].dimension;
      for (const bool positive : {false, true}) {
        const QueuedWord& word = edge.in(make_port(dim, !positive));
        if (word.packet == kNoPacket) continue;
        pins.in_i[positive ? 1 : 0] = {true, word.packet, static_cast<std::uint16_t>(word.value),
                                       static_cast<std::uint16_t>(word.extra)};
      }
    }
    pins.active_i = pins.begin_i = pins.broadcast_i = false;
    for (const std::size_t index : step.phases) {
      const QueuedPhase& phase = program_.phases[index];
      if (phase.is_prefix() || phase.class_index != c) continue;
      set_phase(phase, step.number, pins);
      unit.phase = index;
    }
    unit.verilated->clock();
    if (pins.fault_o) {
      ++tiles_->conflicts;
      error_ = true;
    }
    if (pins.broadcast_i ? pins.begin_i : pins.active_i && !pins.half_i) {
      for (const std::uint16_t waiting : pins.waiting_o) measure(waiting);
    }
    for (const bool positive : {false, true}) {
      const ClassUnitPins::Word& word = pins.out_o[positive ? 1 : 0];
      if (!word.valid) continue;
      put(edge, make_port(program_.phases[*unit.phase].dimension, positive),
          {word.data, static_cast<std::uint32_t>(*unit.phase), word.key, word.hops});
    }
  }

  const Topology& topology_;
  const QueuedProgram& program_;
  VerilatedPrefix prefix_;
  /// By class; empty if only counts are computed.
  std::vector<Unit> units_;
};

/// One stage per direction, as in gsm_queued_node: own packets join its queue, one per step. The
/// header has room for numbers of links below the number of nodes of a side.
class VerilatedLineTile final : public QueuedTile {
 public:
  VerilatedLineTile(const sc_core::sc_module_name& name, std::shared_ptr<QueuedTiles> tiles,
                    NodeId node)
      : QueuedTile(name, std::move(tiles), node) {
    const Plan& plan = tiles_->plan;
    if (tiles_->program.phases.empty()) return;
    phase_ = &tiles_->program.phases.front();
    const std::uint32_t pieces = plan.demand.source_pieces(node);
    for (const Port port : {make_port(0, false), make_port(0, true)}) {
      std::vector<Own>& list = own_[port];
      for (std::uint32_t i = 0; i < pieces; ++i) {
        const std::uint32_t hops =
            broadcast_hops(tiles_->program, *phase_, i, i, is_positive(port));
        if (hops != 0) list.push_back({PacketId{node} * plan.demand.pieces + i, hops});
      }
      if (plan.topology.neighbor(node, port) == kNoNode) continue;
      stages_[port] = make_verilated_line_stage(static_cast<std::uint32_t>(list.size()));
    }
  }

  void clear() override {
    QueuedTile::clear();
    for (const auto& stage : stages_) {
      if (stage != nullptr) stage->clear();
    }
  }

  std::uint64_t clock(const QueuedEdge& edge) override {
    if (phase_ == nullptr) return systemc::kUntilArrival;
    const std::uint64_t step = tiles_->number(edge.cycle());
    const bool active = step >= phase_->start && step <= phase_->last();
    for (const Port port : {make_port(0, false), make_port(0, true)}) {
      const std::vector<Own>& list = own_[port];
      if (step == phase_->start) measure(list.size());
      if (stages_[port] == nullptr) continue;
      LineStagePins& pins = stages_[port]->pins();
      pins.clear_i = !active;
      pins.active_i = active;
      pins.begin_i = step == phase_->start;
      pins.own_valid_i = active && step - phase_->start < list.size();
      if (pins.own_valid_i) {
        const Own& own = list[step - phase_->start];
        pins.own_data_i = own.packet;
        pins.own_hops_i = static_cast<std::uint16_t>(own.hops);
      }
      const QueuedWord& in = edge.in(opposite(port));
      pins.in_valid_i = in.packet != kNoPacket;
      pins.in_data_i = in.packet;
      pins.in_hops_i = static_cast<std::uint16_t>(in.extra);
      stages_[port]->clock();
      if (pins.overflow_o) error_ = true;
      if (pins.valid_o) put(edge, port, {pins.data_o, 0, 0, pins.hops_o});
    }
    return step <= phase_->last() ? edge.cycle() + 1 : systemc::kUntilArrival;
  }

  /// There is no prefix.
  [[nodiscard]] PrefixResult prefix(int) const override { return {}; }
  [[nodiscard]] bool missing() const override { return false; }

 private:
  struct Own {
    PacketId packet = 0;
    std::uint32_t hops = 0;
  };

  const QueuedPhase* phase_ = nullptr;
  /// By port: own packets in their order, and the stage; empty at the border of a line.
  std::array<std::vector<Own>, 2> own_;
  std::array<std::unique_ptr<VerilatedLineStage>, 2> stages_;
};

/// A node of an exchange or gather (gsm_queued_node): sums of row and column, then personal
/// packets. A packet's word contains its number and its destination.
class VerilatedExchangeTile final : public QueuedTile {
 public:
  VerilatedExchangeTile(const sc_core::sc_module_name& name, std::shared_ptr<QueuedTiles> tiles,
                        NodeId node)
      : QueuedTile(name, std::move(tiles), node),
        topology_(tiles_->plan.topology),
        prefix_(tiles_->program),
        unit_(make_verilated_exchange_unit(topology_.nodes())) {
    const auto& phases = tiles_->program.phases;
    phase_ =
        static_cast<std::size_t>(std::find_if(phases.begin(), phases.end(),
                                              [](const QueuedPhase& phase) {
                                                return phase.kind == QueuedPhaseKind::kExchange;
                                              }) -
                                 phases.begin());
  }

  void clear() override {
    QueuedTile::clear();
    prefix_.clear();
    unit_->clear();
  }

  std::uint64_t clock(const QueuedEdge& edge) override {
    const QueuedTiles::Step& step = tiles_->begun(edge.cycle());
    if (edge.cycle() < tiles_->load_cycle) {
      prefix_.clock(
          edge, step, topology_, node_, [this](const QueuedPhase&) { return own_packets_; },
          [&](Port port, const QueuedWord& word) { put(edge, port, word); });
      if (edge.cycle() == tiles_->prefix_end && missing()) error_ = true;
      return edge.cycle() + 1;
    }
    ExchangeUnitPins& pins = unit_->pins();
    pins.load_i = edge.cycle() == tiles_->load_cycle;
    if (pins.load_i) load(pins);
    pins.here_i = place_of(node_);
    pins.active_i = step.number >= tiles_->program.phases[phase_].start;
    for (std::size_t q = 0; q < pins.in_i.size(); ++q) {
      const QueuedWord& word = edge.in(q);
      pins.in_i[q] = {};
      if (word.packet != kNoPacket && !pins.load_i) {
        pins.in_i[q] = {true, word.value != 0, word.extra, word.packet};
      }
    }
    unit_->clock();
    if (pins.fault_o) {
      ++tiles_->conflicts;
      error_ = true;
    }
    bool waits = !pins.active_i;
    for (std::size_t p = 0; p < pins.out_o.size(); ++p) {
      const ExchangeUnitPins::Word& word = pins.out_o[p];
      waits = waits || pins.waiting_o[p] > 1;
      if (pins.active_i && pins.waiting_o[p] != 0) measure(pins.waiting_o[p]);
      if (!word.valid) continue;
      put(edge, static_cast<Port>(p),
          {word.data, static_cast<std::uint32_t>(phase_), word.x_first ? 1U : 0U, word.to});
    }
    // Registers that were in use must be emptied.
    const bool sends = std::any_of(pins.out_o.begin(), pins.out_o.end(),
                                   [](const auto& word) { return word.valid; });
    return waits || sends ? edge.cycle() + 1 : systemc::kUntilArrival;
  }

  [[nodiscard]] PrefixResult prefix(int class_index) const override {
    return prefix_.started(class_index) ? prefix_.result(class_index) : PrefixResult{};
  }
  [[nodiscard]] bool missing() const override { return prefix_.missing(); }

 private:
  [[nodiscard]] std::uint32_t place_of(NodeId node) const {
    return node % topology_.side(0) | node / topology_.side(0) << 16U;
  }

  /// The inputs from the processing element. A gatherer's request contains its sums.
  void load(ExchangeUnitPins& pins) const {
    const Demand& demand = tiles_->plan.demand;
    const bool gather = demand.to == Destination::kEachSource;
    pins.own_i.clear();
    for (const NodeId to : exchange_order(topology_, demand, tiles_->program, node_)) {
      const QueuedTile& active = gather ? *tiles_->nodes[to] : *this;
      if (active.missing()) continue;
      pins.own_i.push_back(
          {true,
           begins_along_x(topology_, demand, tiles_->program, active.prefix(0).total,
                          active.prefix(1).total, gather ? node_ : to),
           place_of(to), PacketId{node_} * topology_.nodes() + to});
    }
  }

  const Topology& topology_;
  VerilatedPrefix prefix_;
  std::unique_ptr<VerilatedExchangeUnit> unit_;
  /// The phase of packets.
  std::size_t phase_ = 0;
};

/// Throws like make_rtl_queued_engine() if gsm_exchange_unit does not support the plan.
void check_exchange(const Plan& plan) {
  const auto& program = plan.program.as<QueuedProgram>();
  const bool one = std::count_if(program.phases.begin(), program.phases.end(),
                                 [](const QueuedPhase& phase) { return !phase.is_prefix(); }) == 1;
  if (!one || plan.topology.dimensions() != 2) {
    throw InputError(
        "the rtl engine: no RTL supports an exchange with other phases than one of packets");
  }
  if (plan.topology.nodes() > kMaxVerilatedExchange) {
    throw InfeasibleError(
        fmt::format("the rtl engine: an exchange of {} nodes; at most {} are supported",
                    plan.topology.nodes(), kMaxVerilatedExchange));
  }
}

/// The keys of the packets of a class; throws InputError if the units do not support the plan.
std::uint32_t keys_of(const Plan& plan) {
  const auto& program = plan.program.as<QueuedProgram>();
  const auto refuse = [](std::string_view what) {
    throw InputError(fmt::format("the rtl engine: {}; no RTL supports this", what));
  };
  const std::vector<DemandSource> sources = plan.demand.sources_in(plan.topology);
  for (const DemandSource& source : sources) {
    if (program.packets_of(source.pieces, plan.demand) > 1) {
      refuse(fmt::format("node {} has more than one packet", source.node));
    }
  }
  std::vector<std::uint64_t> free_from(program.classes, 1);
  std::vector<QueuedPhase> phases = program.phases;
  std::stable_sort(phases.begin(), phases.end(),
                   [](const auto& a, const auto& b) { return a.start < b.start; });
  for (const QueuedPhase& phase : phases) {
    if (phase.is_prefix()) continue;
    if (phase.kind == QueuedPhaseKind::kExchange) {
      refuse(fmt::format("packets by classes and a phase of kind {}", phase_kind_name(phase.kind)));
    }
    if (phase.start < free_from[phase.class_index]) {
      refuse(fmt::format("phases of class {} overlap in step {}", phase.class_index, phase.start));
    }
    free_from[phase.class_index] = phase.start + phase.length;
  }
  const std::size_t keys = sources.size() * program.halves;
  if (keys > kMaxVerilatedKeys) {
    throw InfeasibleError(
        fmt::format("the rtl engine: {} packets or halves in a class; at most {} are supported",
                    keys, kMaxVerilatedKeys));
  }
  return static_cast<std::uint32_t>(std::max<std::size_t>(keys, 1));
}

}  // namespace

namespace {

/// One broadcast on a line or ring, or none at all.
bool is_line(const Plan& plan) {
  const auto& phases = plan.program.as<QueuedProgram>().phases;
  return plan.topology.dimensions() == 1 && phases.size() <= 1 &&
         std::all_of(phases.begin(), phases.end(), [](const QueuedPhase& phase) {
           return phase.kind == QueuedPhaseKind::kBroadcast;
         });
}

std::unique_ptr<Engine> make_queued(const Plan& plan, const EngineOptions& options) {
  const bool exchange = plan.demand.is_personal();
  const bool line = !exchange && !plan.demand.is_counts() && is_line(plan);
  if (exchange) check_exchange(plan);
  const std::uint32_t keys = exchange || line || plan.demand.is_counts() ? 0 : keys_of(plan);
  const auto make_tile = [line, exchange, keys](const char* name,
                                                const std::shared_ptr<QueuedTiles>& tiles,
                                                NodeId node) -> std::unique_ptr<QueuedTile> {
    if (line) return std::make_unique<VerilatedLineTile>(name, tiles, node);
    if (exchange) return std::make_unique<VerilatedExchangeTile>(name, tiles, node);
    return std::make_unique<VerilatedClassTile>(name, tiles, node, keys);
  };
  return systemc::make_queued_fabric_engine(plan, "rtl", make_tile, options);
}

const EngineMakerRegistration kRegistration({.engine = "rtl",
                                             .machine = "queued",
                                             .make = make_queued});

}  // namespace

}  // namespace gossamer::tb

GOSSAMER_LINKER_NAME(gossamer_rtl_queued)
