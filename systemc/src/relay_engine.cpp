// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/relay_engine.hpp"

#include <optional>
#include <systemc>
#include <utility>

#include "controls.hpp"
#include "gossamer/systemc/relay_network_engine.hpp"
#include "gossamer/systemc/simulation_context.hpp"

namespace gossamer::systemc {

namespace {

class NetworkRelayEngine final : public HardwareRelayEngine {
 public:
  NetworkRelayEngine(const Plan& plan, std::string name, const RelayRouterFactory& make_router,
                     const std::string& wave_file)
      : name_(std::move(name)) {
    const std::string wave_name = wave_file.empty() ? "" : checked_wave_name(wave_file);
    const SimulationContext::Scope scope(context_);
    bench_.emplace(plan, make_router);
    if (!wave_name.empty()) {
      wave_ = sc_core::sc_create_vcd_trace_file(wave_name.c_str());
      wave_->set_time_unit(1, sc_core::SC_PS);
      bench_->network.trace(wave_);
    }
    bench_->controls.begin_round();
  }
  ~NetworkRelayEngine() override {
    const SimulationContext::Scope scope(context_);
    if (wave_ != nullptr) sc_core::sc_close_vcd_trace_file(wave_);
    bench_.reset();
  }

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] RelayStatistics statistics() const override { return statistics_; }
  [[nodiscard]] std::span<const RelayFlit> links() override { return bench_->network.links(); }
  [[nodiscard]] bool error(NodeId node) const override { return bench_->network.error(node); }
  [[nodiscard]] bool finished() const override { return bench_->network.finished(); }

  void run(RelayObserver* observer) override {
    while (!finished()) step(observer);
    require_no_failure();
  }

  void step(RelayObserver* observer) override {
    const SimulationContext::Scope scope(context_);
    require_no_failure();
    if (observer != nullptr) {
      for (RelayHop hop : bench_->network.heads()) {
        hop.cycle = cycle_;
        observer->on_hop(hop);
      }
    }
    bench_->controls.cycle();
    ++cycle_;
    require_no_failure();
    for (const RelayReception& reception : bench_->network.receptions()) {
      statistics_.cycles = cycle_;
      if (observer != nullptr) observer->on_receive(reception.step, reception.node, cycle_);
    }
  }

  bool upset(LinkId link, const Upset& upset) override {
    return bench_->network.upset(link, upset);
  }

 private:
  struct Bench {
    Bench(const Plan& plan, const RelayRouterFactory& make_router)
        : network("network", plan, make_router) {
      controls.connect(network);
    }
    Controls controls;
    RelayNetwork network;
  };

  void require_no_failure() const {
    if (!bench_->network.failure().empty()) throw RelayAssertion(bench_->network.failure());
  }

  std::string name_;
  SimulationContext context_;
  std::optional<Bench> bench_;
  sc_core::sc_trace_file* wave_ = nullptr;
  std::uint64_t cycle_ = 0;
  RelayStatistics statistics_;
};

}  // namespace

std::unique_ptr<HardwareRelayEngine> make_relay_network_engine(
    const Plan& plan, std::string name, const RelayRouterFactory& make_router,
    const std::string& wave_file) {
  return std::make_unique<NetworkRelayEngine>(plan, std::move(name), make_router, wave_file);
}

std::unique_ptr<HardwareRelayEngine> make_systemc_relay_engine(const Plan& plan,
                                                               const std::string& wave_file) {
  return make_relay_network_engine(plan, "systemc", {}, wave_file);
}

}  // namespace gossamer::systemc
