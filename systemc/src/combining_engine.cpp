// SPDX-License-Identifier: Apache-2.0
/// The engine of combining streams around the fabric.
#include <optional>

#include "controls.hpp"
#include "gossamer/systemc/combining_router.hpp"
#include "gossamer/systemc/fabric_impl.hpp"
#include "gossamer/systemc/simulation_context.hpp"

namespace gossamer::systemc {

template class Fabric<CombinedWord>;

namespace {

class CombiningFabricEngine final : public Engine {
 public:
  CombiningFabricEngine(const Plan& plan, const std::string& wave_file, bool pin_level)
      : nodes_(plan.topology.nodes()),
        last_step_(std::get<StreamProgram>(plan.program).combine->steps() *
                   std::get<StreamProgram>(plan.program).frame()),
        packets_(plan.topology.link_slots()),
        values_(packets_.size()),
        terms_(packets_.size()) {
    const std::string wave_name = wave_file.empty() ? "" : checked_wave_name(wave_file);
    const auto shared = std::make_shared<const CombiningPlan>(plan);
    const auto make_router = [&shared](const char* name, NodeId node) {
      return std::make_unique<CombiningRouter>(name, shared, node);
    };
    const SimulationContext::Scope scope(context_);
    bench_.emplace(plan.topology, make_router, pin_level);
    if (!wave_name.empty()) {
      wave_ = sc_core::sc_create_vcd_trace_file(wave_name.c_str());
      wave_->set_time_unit(1, sc_core::SC_PS);
      bench_->fabric.trace(wave_);
    }
    bench_->controls.begin_round();
    bench_->fabric.check();
  }
  ~CombiningFabricEngine() override {
    const SimulationContext::Scope scope(context_);
    if (wave_ != nullptr) sc_core::sc_close_vcd_trace_file(wave_);
    bench_.reset();
  }

  [[nodiscard]] std::string_view name() const override { return "systemc"; }

  [[nodiscard]] LinkView links() override {
    const auto words = bench_->fabric.links();
    for (std::size_t link = 0; link < packets_.size(); ++link) {
      packets_[link] = words[link].packet;
      values_[link] = words[link].value;
      terms_[link] = words[link].terms;
    }
    return {.cycle = steps_,
            .step = steps_ + 1,
            .begins = true,
            .packets = packets_,
            .values = values_,
            .terms = terms_,
            .results = results_};
  }

  void clock(std::uint64_t cycles) override {
    const SimulationContext::Scope scope(context_);
    for (std::uint64_t i = 0; i < cycles; ++i) {
      ++steps_;
      sc_core::sc_start(bench_->controls.period);
      bench_->fabric.check();
      results_.clear();
      for (NodeId node = 0; node < nodes_; ++node) {
        const auto written = router(node).results(steps_);
        results_.insert(results_.end(), written.begin(), written.end());
      }
    }
  }
  [[nodiscard]] bool done() const override { return steps_ >= last_step_; }

  [[nodiscard]] EngineStatistics statistics() const override {
    EngineStatistics statistics;
    statistics.steps = statistics.cycles = steps_;
    for (NodeId node = 0; node < nodes_; ++node) {
      statistics.max_queue = std::max(statistics.max_queue, router(node).max_queue());
    }
    return statistics;
  }

  bool upset(LinkId link, const Upset& upset) override {
    const SimulationContext::Scope scope(context_);
    const bool damaged = bench_->fabric.upset(link, upset);
    // Signals take it over in a delta cycle.
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    return damaged;
  }

 private:
  struct Bench {
    Bench(const Topology& topology, const CombiningFabric::RouterFactory& make_router, bool pins)
        : fabric("network", topology, make_router, {.pins = pins}) {
      controls.connect(fabric);
    }
    Controls controls;
    CombiningFabric fabric;
  };

  [[nodiscard]] const CombiningRouter& router(NodeId node) const {
    return static_cast<const CombiningRouter&>(bench_->fabric.router(node));
  }

  NodeId nodes_;
  std::uint64_t last_step_;
  SimulationContext context_;
  std::optional<Bench> bench_;
  sc_core::sc_trace_file* wave_ = nullptr;
  std::uint64_t steps_ = 0;
  std::vector<PacketId> packets_;
  std::vector<std::uint64_t> values_;
  std::vector<std::uint32_t> terms_;
  std::vector<Result> results_;
};

}  // namespace

std::unique_ptr<Engine> make_systemc_combining_engine(const Plan& plan,
                                                      const std::string& wave_file,
                                                      bool pin_level) {
  return std::make_unique<CombiningFabricEngine>(plan, wave_file, pin_level);
}

}  // namespace gossamer::systemc
