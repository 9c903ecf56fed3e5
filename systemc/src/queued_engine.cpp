// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/queued_engine.hpp"

#include <optional>
#include <systemc>

#include "controls.hpp"
#include "gossamer/systemc/queued_network.hpp"
#include "gossamer/systemc/simulation_context.hpp"

namespace gossamer::systemc {

namespace {

class NetworkQueuedEngine final : public QueuedEngine {
 public:
  NetworkQueuedEngine(const Plan& plan, const std::string& wave_file) {
    const std::string wave_name = wave_file.empty() ? "" : checked_wave_name(wave_file);
    const SimulationContext::Scope scope(context_);
    bench_.emplace(plan);
    if (!wave_name.empty()) {
      wave_ = sc_core::sc_create_vcd_trace_file(wave_name.c_str());
      wave_->set_time_unit(1, sc_core::SC_PS);
      bench_->network.trace(wave_);
    }
    bench_->controls.begin_round();
  }
  ~NetworkQueuedEngine() override {
    const SimulationContext::Scope scope(context_);
    if (wave_ != nullptr) sc_core::sc_close_vcd_trace_file(wave_);
    bench_.reset();
  }

  [[nodiscard]] std::string_view name() const override { return "systemc"; }

  void run(std::uint64_t max_steps, StepObserver* observer) override {
    const SimulationContext::Scope scope(context_);
    const QueuedNetwork& network = bench_->network;
    while (!network.in_observed_steps()) finish_step();
    statistics_.cycles = network.cycles();
    for (std::uint64_t i = 0; i < max_steps && !network.finished(); ++i) {
      ++statistics_.steps;
      statistics_.max_queue = network.max_queue();
      statistics_.link_conflicts = network.conflicts();
      const bool go_on =
          observer == nullptr || observer->on_step(statistics_.steps, network.links());
      finish_step();
      statistics_.cycles = network.cycles();
      if (!go_on) return;
    }
  }

  [[nodiscard]] EngineStatistics statistics() const override { return statistics_; }

  [[nodiscard]] PrefixResult prefix(int class_index, NodeId node) const override {
    return bench_->network.router(node).prefix(class_index);
  }

 private:
  struct Bench {
    explicit Bench(const Plan& plan) : network("network", plan) { controls.connect(network); }
    Controls controls;
    QueuedNetwork network;
  };

  void finish_step() { sc_core::sc_start(bench_->controls.period * bench_->network.cycles_left()); }

  SimulationContext context_;
  std::optional<Bench> bench_;
  sc_core::sc_trace_file* wave_ = nullptr;
  EngineStatistics statistics_;
};

}  // namespace

std::unique_ptr<QueuedEngine> make_systemc_queued_engine(const Plan& plan,
                                                         const std::string& wave_file) {
  return std::make_unique<NetworkQueuedEngine>(plan, wave_file);
}

}  // namespace gossamer::systemc
