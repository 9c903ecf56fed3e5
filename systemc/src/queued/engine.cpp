// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "../fabric_bench.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/restartable.hpp"
#include "gossamer/systemc/fabric_impl.hpp"
#include "gossamer/systemc/queued/router.hpp"
#include "gossamer/util/linker_name.hpp"

namespace gossamer::systemc {

template class Fabric<QueuedWord>;

namespace {

/// A cycle of its fabric is a step; it counts the cycles of a step's flits.
class QueuedFabricEngine final : public Engine, public Restartable {
 public:
  QueuedFabricEngine(const Plan& plan, std::string name, const QueuedTileFactory& make_tile,
                     const EngineOptions& options)
      : name_(std::move(name)),
        tiles_(std::make_shared<QueuedTiles>(plan)),
        last_step_(tiles_->program.last_step(plan.demand)),
        bench_(plan.topology,
               [&](const char* tile, NodeId node) { return make_tile(tile, tiles_, node); },
               options.wave, {.pins = options.pin_level, .barriers = tiles_->barriers}),
        packets_(plan.topology.link_slots(), kNoPacket),
        values_(plan.topology.link_slots(), 0) {
    begin_step();
  }

  [[nodiscard]] std::string_view name() const override { return name_; }

  [[nodiscard]] LinkView links() override {
    const std::uint64_t step = done_ ? 0 : observed_step();
    return {.cycle = statistics_.cycles,
            .step = step,
            .begins = step != 0 && cycle_of_step_ == 0,
            .packets = packets_,
            .values = values_};
  }

  void clock(std::uint64_t cycles) override {
    while (cycles > 0 && !done_) {
      const std::uint64_t part = std::min(cycles, 1 + quiet());
      cycles -= part;
      statistics_.cycles += part;
      cycle_of_step_ += part;
      if (cycle_of_step_ < step_cycles()) return;
      if (observed_step() != 0) {
        statistics_.steps = observed_step();
        statistics_.max_queue = tiles_->max_queue;
        statistics_.link_conflicts = tiles_->conflicts;
      }
      next_fabric_cycle();
      begin_step();
    }
  }

  void restart() override {
    fabric_cycle_ = 1;
    statistics_ = {};
    moves_ = false;
    bench_.begin_round();
    bench_.fabric().check();
    begin_step();
  }

  [[nodiscard]] std::uint64_t quiet() const override { return step_cycles() - cycle_of_step_ - 1; }
  [[nodiscard]] bool done() const override { return done_; }
  [[nodiscard]] EngineStatistics statistics() const override { return statistics_; }

  [[nodiscard]] PrefixResult prefix(int class_index, NodeId node) const override {
    return tiles_->nodes[node]->prefix(class_index);
  }
  [[nodiscard]] bool error(NodeId node) const override { return tiles_->nodes[node]->error(); }
  bool upset(LinkId link, const Upset& upset) override {
    const bool damaged = bench_.upset(link, upset);
    show_links();
    return damaged;
  }
  void force(LinkId link, PacketId packet) override {
    if (cycle_of_step_ != 0 || packet != kNoPacket) {
      throw std::logic_error("a queued plan's links break between steps, and bring nothing");
    }
    broken_.push_back(link);
    bench_.force(link, QueuedWord{});
    show_links();
  }

 private:
  [[nodiscard]] bool is_prefix() const { return fabric_cycle_ <= tiles_->load_cycle; }
  [[nodiscard]] std::uint64_t observed_step() const {
    const bool counts = tiles_->plan.demand.is_counts();
    return is_prefix() && !counts ? 0 : tiles_->number(fabric_cycle_ - 1);
  }
  [[nodiscard]] std::uint64_t step_cycles() const {
    return is_prefix() ? tiles_->program.clock.prefix_flits : tiles_->program.substep_flits();
  }
  void next_fabric_cycle() {
    bench_.clock(1);
    bench_.fabric().check();
    ++fabric_cycle_;
    moves_ = false;
    bench_.fabric().for_each_busy_link([&](LinkId) { moves_ = true; });
    for (const LinkId link : broken_) bench_.force(link, QueuedWord{});
  }
  void begin_step() {
    // The cycle between the prefix and the packets takes no time.
    if (fabric_cycle_ == tiles_->load_cycle) next_fabric_cycle();
    cycle_of_step_ = 0;
    show_links();
    done_ = tiles_->exchanges && !is_prefix() ? !moves_ : observed_step() > last_step_;
  }
  /// The fields of the header that are wires, other than the packet.
  [[nodiscard]] std::uint64_t value_of(const QueuedWord& word) const {
    const QueuedPhase& phase = tiles_->program.phases[word.phase];
    if (phase.is_prefix()) return word.value | std::uint64_t{word.extra} << 32U;
    return phase.kind == QueuedPhaseKind::kBroadcast ? word.extra : 0;
  }
  void show_links() {
    for (const LinkId link : busy_) {
      packets_[link] = kNoPacket;
      values_[link] = 0;
    }
    busy_.clear();
    const auto words = bench_.fabric().links();
    bench_.fabric().for_each_busy_link([&](LinkId link) {
      busy_.push_back(link);
      packets_[link] = words[link].packet;
      values_[link] = value_of(words[link]);
    });
  }

  std::string name_;
  std::shared_ptr<QueuedTiles> tiles_;
  std::uint64_t last_step_;
  FabricBench<QueuedWord> bench_;
  std::uint64_t fabric_cycle_ = 1;
  std::uint64_t cycle_of_step_ = 0;
  bool done_ = false;
  /// A word is on some link in this step, broken links included.
  bool moves_ = false;
  std::vector<LinkId> broken_;
  /// Contents of the links: the busy links, and their packets by link slot.
  std::vector<LinkId> busy_;
  std::vector<PacketId> packets_;
  std::vector<std::uint64_t> values_;
  EngineStatistics statistics_;
};

}  // namespace

std::unique_ptr<Engine> make_queued_fabric_engine(const Plan& plan, std::string name,
                                                  const QueuedTileFactory& make_tile,
                                                  const EngineOptions& options) {
  return std::make_unique<QueuedFabricEngine>(plan, std::move(name), make_tile, options);
}

namespace {

std::unique_ptr<Engine> make_queued(const Plan& plan, const EngineOptions& options) {
  const auto make_router = [](const char* name, const std::shared_ptr<QueuedTiles>& tiles,
                              NodeId node) {
    return std::make_unique<QueuedRouter>(name, tiles, node);
  };
  return make_queued_fabric_engine(plan, "systemc", make_router, options);
}

const EngineMakerRegistration kRegistration(
    {.engine = "systemc", .machine = "queued", .make = make_queued, .pin_level = true});

}  // namespace

}  // namespace gossamer::systemc

GOSSAMER_LINKER_NAME(gossamer_systemc_queued)
