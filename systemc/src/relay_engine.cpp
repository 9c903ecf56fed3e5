// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/relay_engine.hpp"

#include <optional>
#include <systemc>
#include <utility>
#include <vector>

#include "controls.hpp"
#include "gossamer/systemc/relay_network_engine.hpp"
#include "gossamer/systemc/simulation_context.hpp"

namespace gossamer::systemc {

namespace {

class NetworkRelayEngine final : public Engine {
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
  [[nodiscard]] EngineStatistics statistics() const override { return statistics_; }
  [[nodiscard]] bool error(NodeId node) const override { return bench_->network.error(node); }
  [[nodiscard]] bool done() const override { return bench_->network.finished(); }

  [[nodiscard]] LinkView links() override {
    heads_ = bench_->network.heads();
    return {.cycle = cycle_,
            .begins = !heads_.empty() || !bench_->network.deliveries().empty(),
            .heads = heads_,
            .deliveries = bench_->network.deliveries(),
            .flits = bench_->network.links()};
  }

  void clock(std::uint64_t cycles) override {
    const SimulationContext::Scope scope(context_);
    for (std::uint64_t i = 0; i < cycles; ++i) {
      bench_->controls.cycle();
      ++cycle_;
      if (!bench_->network.failure().empty()) throw RelayAssertion(bench_->network.failure());
      if (!bench_->network.deliveries().empty()) statistics_.cycles = cycle_;
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

  std::string name_;
  SimulationContext context_;
  std::optional<Bench> bench_;
  sc_core::sc_trace_file* wave_ = nullptr;
  std::uint64_t cycle_ = 0;
  std::vector<Head> heads_;
  EngineStatistics statistics_;
};

}  // namespace

std::unique_ptr<Engine> make_relay_network_engine(const Plan& plan, std::string name,
                                                  const RelayRouterFactory& make_router,
                                                  const std::string& wave_file) {
  return std::make_unique<NetworkRelayEngine>(plan, std::move(name), make_router, wave_file);
}

std::unique_ptr<Engine> make_systemc_relay_engine(const Plan& plan, const std::string& wave_file) {
  return make_relay_network_engine(plan, "systemc", {}, wave_file);
}

}  // namespace gossamer::systemc
