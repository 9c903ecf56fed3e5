// SPDX-License-Identifier: Apache-2.0
/// The engine `tlm` around TlmElasticNetwork.
#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/shown_words.hpp"
#include "gossamer/systemc/elastic/tlm.hpp"
#include "gossamer/systemc/simulation_context.hpp"
#include "gossamer/util/linker_name.hpp"

namespace gossamer::systemc {

namespace {

class TlmElasticEngine final : public Engine {
 public:
  TlmElasticEngine(const Plan& plan, const EngineOptions& options)
      : topology_(plan.topology),
        tiles_(tiles_of(plan, options)),
        broken_(plan.topology.link_slots(), false) {
    const SimulationContext::Scope scope(context_);
    network_ = std::make_unique<TlmElasticNetwork>("network", tiles_, cycle());
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      network_->node(node).on_take = [this, node](Port in, const ElasticFlit& flit) {
        const LinkId link = topology_.link_into(node, in);
        if (broken_[link]) return;
        taken_.push_back({link, flit});
        last_take_ = sc_core::sc_time_stamp().value() / cycle().value();
      };
    }
    if (tiles_->words) shown_.show_values(topology_.link_slots());
  }
  ~TlmElasticEngine() override {
    const SimulationContext::Scope scope(context_);
    network_.reset();
  }

  [[nodiscard]] std::string_view name() const override { return "tlm"; }
  [[nodiscard]] LinkView links() override {
    start();
    return shown_.in(cycle_);
  }
  void clock(std::uint64_t cycles) override {
    start();
    const SimulationContext::Scope scope(context_);
    cycle_ += cycles;
    // The last cycle is shown.
    if (cycles > 1) go_on(cycle() * static_cast<double>(cycles - 1));
    if (cycles > 0) go_on(cycle());
  }
  [[nodiscard]] std::uint64_t quiet() const override { return quiet_; }
  [[nodiscard]] bool done() const override { return shown_.takes.empty() && !pending_; }
  [[nodiscard]] EngineStatistics statistics() const override {
    EngineStatistics statistics;
    statistics.cycles = last_take_;
    return statistics;
  }
  [[nodiscard]] std::uint64_t held(LinkId link) const override {
    const NodeId from = topology_.link_from(link);
    const Port port = topology_.link_port(link);
    const NodeId to = topology_.neighbor(from, port);
    if (to == kNoNode || broken_[link]) return 0;
    return network_->node(from).element().pushed(port) -
           network_->node(to).element().taken(opposite(port));
  }
  void force(LinkId link, PacketId packet) override {
    if (started_) throw std::logic_error("elastic links break before the run");
    broken_[link] = true;
    const NodeId from = topology_.link_from(link);
    const Port port = topology_.link_port(link);
    network_->node(from).break_out(port);
    network_->node(topology_.neighbor(from, port)).break_in(opposite(port), packet);
  }

 private:
  [[nodiscard]] static std::shared_ptr<const ElasticTiles> tiles_of(const Plan& plan,
                                                                    const EngineOptions& options) {
    auto tiles = std::make_shared<ElasticTiles>(plan, options.stalls.value_or(StallScript()));
    tiles->arithmetic = options.arithmetic;
    return tiles;
  }
  struct TakenFlit {
    LinkId link;
    ElasticFlit flit;
  };
  [[nodiscard]] static sc_core::sc_time cycle() { return {1, sc_core::SC_NS}; }

  /// Links must break before the start.
  void start() {
    if (std::exchange(started_, true)) return;
    const SimulationContext::Scope scope(context_);
    network_->start();
    // From now on the time is in the middle of a cycle.
    go_on(cycle() / 2);
  }
  /// Lets time pass until a moment without events; shows the flits taken in that time.
  void go_on(const sc_core::sc_time& time) {
    shown_.clear();
    if (pending_) sc_core::sc_start(time);
    std::sort(taken_.begin(), taken_.end(),
              [](const TakenFlit& a, const TakenFlit& b) { return a.link < b.link; });
    for (const auto& [link, flit] : taken_) {
      shown_.takes.push_back({link, flit.flit, flit.packet});
      shown_.put(link, flit.value, flit.terms);
      const NodeId to = topology_.neighbor(topology_.link_from(link), topology_.link_port(link));
      network_->node(to).collect_results(shown_.results);
    }
    taken_.clear();
    pending_ = sc_core::sc_pending_activity();
    quiet_ = pending_ ? sc_core::sc_time_to_pending_activity().value() / cycle().value() : 0;
  }

  const Topology& topology_;
  std::shared_ptr<const ElasticTiles> tiles_;
  SimulationContext context_;
  std::unique_ptr<TlmElasticNetwork> network_;
  /// By link slot.
  std::vector<bool> broken_;
  std::vector<TakenFlit> taken_;
  ShownTakes shown_;
  std::uint64_t cycle_ = 0;
  std::uint64_t last_take_ = 0;
  std::uint64_t quiet_ = 0;
  bool started_ = false;
  bool pending_ = true;
};

}  // namespace

namespace {

std::unique_ptr<Engine> make_tlm(const Plan& plan, const EngineOptions& options) {
  return std::make_unique<TlmElasticEngine>(plan, options);
}

const EngineMakerRegistration kRegistration({.engine = "tlm",
                                             .machine = "elastic",
                                             .make = make_tlm});

}  // namespace

}  // namespace gossamer::systemc

GOSSAMER_LINKER_NAME(gossamer_systemc_tlm)
