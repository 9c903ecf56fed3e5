// SPDX-License-Identifier: Apache-2.0
/// The engine of elastic streams around the fabric.
#include <algorithm>
#include <utility>

#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/restartable.hpp"
#include "gossamer/sim/shown_words.hpp"
#include "gossamer/systemc/elastic/tile.hpp"
#include "gossamer/systemc/fabric_impl.hpp"
#include "gossamer/util/linker_name.hpp"
#include "network.hpp"

namespace gossamer::systemc {

template class Fabric<ElasticWord>;

namespace {

class ElasticFabricEngine final : public Engine, public Restartable {
 public:
  ElasticFabricEngine(const Plan& plan, std::string name, StallScript stalls,
                      const ElasticTileFactory& make_tile, const EngineOptions& options)
      : topology_(plan.topology),
        name_(std::move(name)),
        tiles_(elastic_tiles(plan, std::move(stalls), options)),
        network_(make_network(
            topology_, [&](const char* tile, NodeId node) { return make_tile(tile, tiles_, node); },
            options)),
        receiver_(plan.topology.link_slots(), kNoNode),
        broken_(plan.topology.link_slots(), false) {
    for (NodeWalk walk(topology_); !walk.done(); walk.next()) {
      for (const Port port : all_ports(topology_.ports())) {
        receiver_[topology_.link(walk.node(), port)] = walk.neighbor(port);
      }
    }
    if (tiles_->words) shown_.show_values(receiver_.size());
    look();
  }

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] LinkView links() override { return shown_.in(cycle_); }
  void clock(std::uint64_t cycles) override {
    for (std::uint64_t i = 0; i < cycles; ++i) {
      network_->clock();
      ++cycle_;
      look();
    }
  }
  void restart() override {
    network_->restart();
    cycle_ = 0;
    last_take_ = 0;
    look();
  }
  [[nodiscard]] bool done() const override { return done_; }
  [[nodiscard]] EngineStatistics statistics() const override {
    EngineStatistics statistics;
    statistics.cycles = last_take_;
    return statistics;
  }
  [[nodiscard]] std::uint64_t held(LinkId link) const override {
    if (receiver_[link] == kNoNode) return 0;
    const Port port = topology_.link_port(link);
    if (broken_[link]) return 0;
    return network_->tile(topology_.link_from(link)).pushed(port) -
           network_->tile(receiver_[link]).taken(opposite(port));
  }
  [[nodiscard]] bool error(NodeId node) const override { return network_->tile(node).error(); }
  void force(LinkId link, PacketId packet) override {
    if (cycle_ != 0) throw std::logic_error("elastic links break before the run");
    broken_[link] = true;
    const Port port = topology_.link_port(link);
    network_->tile(topology_.link_from(link)).break_out(port);
    network_->tile(receiver_[link]).break_in(opposite(port), packet);
    look();
  }
  /// For a flit that is taken: a queue shows the others again.
  bool upset(LinkId link, const Upset& upset) override {
    const bool taken = std::any_of(shown_.takes.begin(), shown_.takes.end(),
                                   [link](const Take& take) { return take.link == link; });
    if (!taken || !network_->upset(link, upset)) return false;
    look();
    return true;
  }

 private:
  [[nodiscard]] static std::shared_ptr<const ElasticTiles> elastic_tiles(
      const Plan& plan, StallScript stalls, const EngineOptions& options) {
    auto tiles = std::make_shared<ElasticTiles>(plan, std::move(stalls), !options.periods.empty());
    tiles->arithmetic = options.arithmetic;
    return tiles;
  }
  [[nodiscard]] static std::unique_ptr<ElasticNetwork> make_network(
      const Topology& topology, const Fabric<ElasticWord>::RouterFactory& make_tile,
      const EngineOptions& options) {
    if (options.periods.empty()) {
      return std::make_unique<ElasticFabricNetwork>(topology, make_tile, options);
    }
    return make_elastic_clock_network(topology, make_tile, options.periods, options.wave);
  }
  [[nodiscard]] LinkId way_back(LinkId link) const {
    return topology_.link(receiver_[link], opposite(topology_.link_port(link)));
  }

  [[nodiscard]] bool brings_garbage(LinkId link) {
    return network_->tile(receiver_[link]).brings_garbage(opposite(topology_.link_port(link)));
  }

  /// The handshakes of the present cycle: a flit is taken if valid and ready are high.
  void look() {
    shown_.clear();
    const auto words = network_->shown();
    const auto back = network_->driven();
    if (tiles_->words) {
      for (NodeId node = 0; node < topology_.nodes(); ++node) {
        if (!network_->had_edge(node)) continue;
        const std::vector<Result>& results = network_->tile(node).results();
        shown_.results.insert(shown_.results.end(), results.begin(), results.end());
      }
    }
    bool waiting = false;
    for (LinkId link = 0; link < words.size(); ++link) {
      if (broken_[link]) {
        waiting = waiting || brings_garbage(link);
        continue;
      }
      if (!words[link].valid) continue;
      waiting = true;
      if (!network_->has_edge(receiver_[link]) || !back[way_back(link)].ready) continue;
      const ElasticFlit& flit = words[link].flit;
      shown_.takes.push_back({link, flit.flit, flit.packet});
      shown_.put(link, flit.value, flit.terms);
    }
    if (!shown_.takes.empty()) last_take_ = cycle_;
    done_ = shown_.takes.empty() && !moves(waiting, words);
  }

  /// A flit has just moved, or can move when gates open that are not closed forever.
  [[nodiscard]] bool moves(bool waiting, std::span<const ElasticWord> words) {
    if (network_->moves()) return true;
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      if (network_->tile(node).moved() || network_->tile(node).can_go()) return true;
    }
    for (LinkId link = 0; waiting && link < words.size(); ++link) {
      const bool comes = broken_[link] ? brings_garbage(link) : words[link].valid;
      if (comes && network_->tile(receiver_[link]).can_take(opposite(topology_.link_port(link)))) {
        return true;
      }
    }
    return false;
  }

  const Topology& topology_;
  std::string name_;
  std::shared_ptr<const ElasticTiles> tiles_;
  std::unique_ptr<ElasticNetwork> network_;
  /// By link slot.
  std::vector<NodeId> receiver_;
  std::vector<bool> broken_;
  /// Results that the previous edge completed.
  ShownTakes shown_;
  std::uint64_t cycle_ = 0;
  std::uint64_t last_take_ = 0;
  bool done_ = false;
};

}  // namespace

std::unique_ptr<Engine> make_elastic_fabric_engine(const Plan& plan, std::string name,
                                                   const ElasticTileFactory& make_tile,
                                                   const EngineOptions& options) {
  return std::make_unique<ElasticFabricEngine>(
      plan, std::move(name), options.stalls.value_or(StallScript()), make_tile, options);
}

namespace {

std::unique_ptr<Engine> make_elastic_engine(const Plan& plan, const EngineOptions& options) {
  const auto make_tile = [](const char* name, const std::shared_ptr<const ElasticTiles>& tiles,
                            NodeId node) -> std::unique_ptr<ElasticTile> {
    return std::make_unique<ElasticRouter>(name, tiles, node);
  };
  return make_elastic_fabric_engine(plan, "systemc", make_tile, options);
}

const EngineMakerRegistration kRegistration(
    {.engine = "systemc", .machine = "elastic", .make = make_elastic_engine, .pin_level = true});

}  // namespace

}  // namespace gossamer::systemc

GOSSAMER_LINKER_NAME(gossamer_systemc_elastic)
