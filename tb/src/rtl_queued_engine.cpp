// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/rtl_queued_engine.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "gossamer/sim/queued_rules.hpp"
#include "gossamer/systemc/queued_router.hpp"
#include "gossamer/tb/verilated_queued_units.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::tb {

namespace {

using systemc::QueuedEdge;
using systemc::QueuedTile;
using systemc::QueuedTiles;
using systemc::QueuedWord;

static_assert(kMaxVerilatedOwnPackets >= kMaxPacketsPerNode, "any node's own packets fit a stage");

/// A prefix unit a class, as gsm_prefix_node has them: messages go along the dimension of the phase
/// that runs.
class VerilatedPrefixTile final : public QueuedTile {
 public:
  VerilatedPrefixTile(const sc_core::sc_module_name& name, std::shared_ptr<QueuedTiles> tiles,
                      NodeId node)
      : QueuedTile(name, std::move(tiles), node), running_(tiles_->program.classes) {
    for (int c = 0; c < tiles_->program.classes; ++c) {
      units_.push_back(make_verilated_prefix_unit());
    }
  }

  void clear() override {
    QueuedTile::clear();
    for (const auto& unit : units_) {
      unit->pins() = {};
      unit->pins().clear_i = true;
      unit->clock();
      unit->pins().clear_i = false;
    }
    std::fill(running_.begin(), running_.end(), std::nullopt);
  }

  std::uint64_t clock(const QueuedEdge& edge) override {
    const QueuedTiles::Step& step = tiles_->begun(edge.cycle());
    for (std::size_t c = 0; c < units_.size(); ++c) {
      PrefixUnitPins& pins = units_[c]->pins();
      const bool runs =
          running_[c] && step.number <= tiles_->program.phases[*running_[c]].last() + 1;
      take_arrivals(edge, runs ? running_[c] : std::nullopt, pins);
      pins.start_i = edge.cycle() == 0;
      pins.own_i = own_packets_;
      pins.begin_i = false;
      for (const std::size_t phase : step.phases) {
        const QueuedPhase& begins = tiles_->program.phases[phase];
        if (begins.class_index != c || begins.start != step.number) continue;
        set_place(begins, pins);
        running_[c] = phase;
      }
      units_[c]->clock();
      if (!running_[c]) continue;
      send(edge, c, true, pins.up_valid_o, pins.up_count_o, 0);
      send(edge, c, false, pins.down_valid_o, pins.down_count_o, pins.down_total_o);
    }
    return edge.cycle() < tiles_->program.prefix_steps() ? edge.cycle() + 1
                                                         : systemc::kUntilArrival;
  }

  [[nodiscard]] PrefixResult prefix(int class_index) const override {
    const PrefixUnitPins& pins = units_.at(static_cast<std::size_t>(class_index))->pins();
    return {pins.before_o, pins.total_o};
  }

 private:
  void take_arrivals(const QueuedEdge& edge, std::optional<std::size_t> phase,
                     PrefixUnitPins& pins) const {
    pins.up_valid_i = pins.down_valid_i = false;
    if (!phase) return;
    const int dim = tiles_->program.phases[*phase].dimension;
    const QueuedWord& up = edge.in(make_port(dim, false));
    const QueuedWord& down = edge.in(make_port(dim, true));
    pins.up_valid_i = up.packet != kNoPacket;
    pins.up_count_i = up.value;
    pins.down_valid_i = down.packet != kNoPacket;
    pins.down_count_i = down.value;
    pins.down_total_i = down.extra;
  }

  void set_place(const QueuedPhase& phase, PrefixUnitPins& pins) const {
    const systemc::PrefixPlace place = systemc::prefix_place(tiles_->plan.topology, phase, node_);
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

  void send(const QueuedEdge& edge, std::size_t class_index, bool positive, bool valid,
            std::uint32_t count, std::uint32_t total) {
    if (!valid) return;
    measure(1);
    const std::size_t phase = *running_[class_index];
    put(edge, make_port(tiles_->program.phases[phase].dimension, positive),
        {PacketId{node_} * units_.size() + class_index, static_cast<std::uint32_t>(phase), count,
         total});
  }

  std::vector<std::unique_ptr<VerilatedPrefixUnit>> units_;
  /// By class the phase that has begun last.
  std::vector<std::optional<std::size_t>> running_;
};

/// A stage a direction, as gsm_line_node has them: own packets join its queue one a step. Fewer
/// links than a side has nodes fit a header.
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
      if (stage == nullptr) continue;
      stage->pins() = {};
      stage->pins().clear_i = true;
      stage->clock();
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

  /// There is none.
  [[nodiscard]] PrefixResult prefix(int) const override { return {}; }

 private:
  struct Own {
    PacketId packet = 0;
    std::uint32_t hops = 0;
  };

  const QueuedPhase* phase_ = nullptr;
  /// By port: own packets in their order, and the stage; none at the border of a line.
  std::array<std::vector<Own>, 2> own_;
  std::array<std::unique_ptr<VerilatedLineStage>, 2> stages_;
};

}  // namespace

std::unique_ptr<Engine> make_rtl_queued_engine(const Plan& plan, const std::string& wave_file) {
  for (const QueuedPhase& phase : std::get<QueuedProgram>(plan.program).phases) {
    if (phase.class_round) {
      throw InputError("the rtl engine does not deal packets to classes: there is no RTL of it");
    }
  }
  const auto make_tile = [&plan](const char* name, const std::shared_ptr<QueuedTiles>& tiles,
                                 NodeId node) -> std::unique_ptr<QueuedTile> {
    if (plan.demand.is_counts()) {
      return std::make_unique<VerilatedPrefixTile>(name, tiles, node);
    }
    return std::make_unique<VerilatedLineTile>(name, tiles, node);
  };
  return systemc::make_queued_fabric_engine(plan, "rtl", make_tile, {.wave_file = wave_file});
}

}  // namespace gossamer::tb
