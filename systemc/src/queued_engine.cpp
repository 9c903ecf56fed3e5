// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/queued_engine.hpp"

#include <algorithm>
#include <optional>
#include <systemc>

#include "controls.hpp"
#include "gossamer/systemc/queued_network.hpp"
#include "gossamer/systemc/simulation_context.hpp"

namespace gossamer::systemc {

namespace {

class NetworkQueuedEngine final : public Engine {
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

  [[nodiscard]] LinkView links() override {
    const QueuedNetwork& network = bench_->network;
    const std::uint64_t step = network.finished() ? 0 : network.observed_step();
    return {.cycle = network.cycles(),
            .step = step,
            .begins = step != 0 && network.step_begins(),
            .packets = network.links()};
  }

  void clock(std::uint64_t cycles) override {
    const SimulationContext::Scope scope(context_);
    const QueuedNetwork& network = bench_->network;
    while (cycles > 0 && !network.finished()) {
      const std::uint64_t part = std::min(cycles, 1 + quiet());
      if (part == network.cycles_left() && network.observed_step() != 0) {
        statistics_.steps = network.observed_step();
        statistics_.max_queue = network.max_queue();
        statistics_.link_conflicts = network.conflicts();
      }
      sc_core::sc_start(bench_->controls.period * static_cast<double>(part));
      statistics_.cycles += part;
      cycles -= part;
    }
  }

  [[nodiscard]] std::uint64_t quiet() const override { return bench_->network.cycles_left() - 1; }
  [[nodiscard]] bool done() const override { return bench_->network.finished(); }
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

  SimulationContext context_;
  std::optional<Bench> bench_;
  sc_core::sc_trace_file* wave_ = nullptr;
  EngineStatistics statistics_;
};

}  // namespace

std::unique_ptr<Engine> make_systemc_queued_engine(const Plan& plan, const std::string& wave_file) {
  return std::make_unique<NetworkQueuedEngine>(plan, wave_file);
}

}  // namespace gossamer::systemc
