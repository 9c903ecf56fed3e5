// SPDX-License-Identifier: Apache-2.0

#include <stdexcept>
#include <utility>

#include "../fabric_bench.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/restartable.hpp"
#include "gossamer/systemc/fabric_impl.hpp"
#include "gossamer/systemc/relay/router.hpp"
#include "gossamer/util/linker_name.hpp"

namespace gossamer::systemc {

template class Fabric<RelayWord>;

namespace {

std::shared_ptr<RelayTiles> relay_tiles(const Plan& plan, const EngineOptions& options) {
  auto tiles = std::make_shared<RelayTiles>(plan);
  tiles->arithmetic = options.arithmetic;
  return tiles;
}

class RelayFabricEngine final : public Engine, public Restartable {
 public:
  RelayFabricEngine(const Plan& plan, std::string name, const RelayTileFactory& make_tile,
                    const EngineOptions& options)
      : name_(std::move(name)),
        tiles_(relay_tiles(plan, options)),
        bench_(plan.topology,
               [&](const char* tile, NodeId node) { return make_tile(tile, tiles_, node); },
               options.wave, {.latency = tiles_->program.clock.hop_cycles}),
        flits_(plan.topology.link_slots()),
        broken_(plan.topology.link_slots(), false) {}

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] EngineStatistics statistics() const override { return statistics_; }
  [[nodiscard]] bool error(NodeId node) const override {
    return bench_.fabric().router(node).error();
  }
  [[nodiscard]] bool done() const override { return bench_.fabric().idle(); }

  [[nodiscard]] LinkView links() override {
    for (const LinkId link : busy_) flits_[link] = {};
    busy_.clear();
    heads_.clear();
    const auto words = bench_.fabric().links();
    bench_.fabric().for_each_busy_link([&](LinkId link) {
      if (broken_[link]) return;
      const RelayWord& word = words[link];
      busy_.push_back(link);
      flits_[link] = word.flit;
      if (!word.flit.head) return;
      const std::uint32_t terms = tiles_->combines() ? RelaySum::of(word.flit.data).terms : 1;
      heads_.push_back({link, word.step, word.hop, 0, terms});
    });
    return {.cycle = cycle_,
            .begins = !heads_.empty() || !tiles_->deliveries.empty(),
            .results = tiles_->results,
            .heads = heads_,
            .deliveries = tiles_->deliveries,
            .flits = flits_};
  }

  void clock(std::uint64_t cycles) override {
    for (std::uint64_t i = 0; i < cycles; ++i) {
      tiles_->deliveries.clear();
      tiles_->results.clear();
      for (const LinkId link : broken_links_) bench_.force(link, RelayWord{});
      bench_.clock(1);
      ++cycle_;
      bench_.fabric().check();
      if (!tiles_->deliveries.empty()) statistics_.cycles = cycle_;
    }
  }

  void restart() override {
    cycle_ = 0;
    statistics_ = {};
    bench_.begin_round();
    tiles_->deliveries.clear();
    tiles_->results.clear();
    bench_.fabric().check();
  }

  void force(LinkId link, PacketId packet) override {
    if (cycle_ != 0 || packet != kNoPacket) {
      throw std::logic_error("a relay's links break before the run, and bring nothing");
    }
    broken_[link] = true;
    broken_links_.push_back(link);
  }
  bool upset(LinkId link, const Upset& upset) override { return bench_.upset(link, upset); }

 private:
  std::string name_;
  std::shared_ptr<RelayTiles> tiles_;
  FabricBench<RelayWord> bench_;
  std::uint64_t cycle_ = 0;
  /// The last result of links(): the busy links, and by link slot their flits and heads.
  std::vector<LinkId> busy_;
  std::vector<PinFlit> flits_;
  std::vector<Head> heads_;
  std::vector<bool> broken_;
  std::vector<LinkId> broken_links_;
  EngineStatistics statistics_;
};

}  // namespace

std::unique_ptr<Engine> make_relay_fabric_engine(const Plan& plan, std::string name,
                                                 const RelayTileFactory& make_tile,
                                                 const EngineOptions& options) {
  return std::make_unique<RelayFabricEngine>(plan, std::move(name), make_tile, options);
}

namespace {

std::unique_ptr<Engine> make_relay(const Plan& plan, const EngineOptions& options) {
  return make_relay_fabric_engine(plan, "systemc", make_model_relay_tile, options);
}

const EngineMakerRegistration kRegistration({.engine = "systemc",
                                             .machine = "relay",
                                             .make = make_relay});

}  // namespace

}  // namespace gossamer::systemc

GOSSAMER_LINKER_NAME(gossamer_systemc_relay)
