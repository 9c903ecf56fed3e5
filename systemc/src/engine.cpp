// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/engine.hpp"

#include <algorithm>
#include <optional>
#include <systemc>
#include <utility>

#include "controls.hpp"
#include "gossamer/systemc/fabric_engine.hpp"
#include "gossamer/systemc/schedule_router.hpp"
#include "gossamer/systemc/simulation_context.hpp"
#include "gossamer/systemc/stream_router.hpp"

namespace gossamer::systemc {

namespace {

/// The most cycles of one sc_start: exact in a double and far from the end of simulated time.
constexpr std::uint64_t kCyclesPerStart = std::uint64_t{1} << 32;

class FabricEngine final : public Engine {
 public:
  FabricEngine(const Plan& plan, std::string name, const PacketFabric::RouterFactory& make_router,
               const SystemcOptions& options)
      : name_(std::move(name)), nodes_(plan.topology.nodes()), has_pins_(options.pin_level) {
    const std::string wave_name =
        options.wave_file.empty() ? "" : checked_wave_name(options.wave_file);
    const SimulationContext::Scope scope(context_);
    bench_.emplace(plan.topology, make_router, options.pin_level);
    if (!wave_name.empty()) {
      wave_ = sc_core::sc_create_vcd_trace_file(wave_name.c_str());
      wave_->set_time_unit(1, sc_core::SC_PS);
      bench_->fabric.trace(wave_);
    }
    bench_->controls.begin_round();
    bench_->fabric.check();
  }
  ~FabricEngine() override {
    const SimulationContext::Scope scope(context_);
    if (wave_ != nullptr) sc_core::sc_close_vcd_trace_file(wave_);
    bench_.reset();
  }

  [[nodiscard]] std::string_view name() const override { return name_; }

  [[nodiscard]] LinkView links() override {
    return {.cycle = steps_, .step = steps_ + 1, .begins = true, .packets = bench_->fabric.links()};
  }

  void clock(std::uint64_t cycles) override {
    const SimulationContext::Scope scope(context_);
    steps_ += cycles;
    while (cycles > 0) {
      const std::uint64_t part = std::min(cycles, kCyclesPerStart);
      sc_core::sc_start(bench_->controls.period * static_cast<double>(part));
      cycles -= part;
    }
    bench_->fabric.check();
  }

  [[nodiscard]] EngineStatistics statistics() const override {
    EngineStatistics statistics;
    statistics.steps = steps_;
    statistics.cycles = steps_;
    for (NodeId node = 0; node < nodes_; ++node) {
      const PacketRouter& router = bench_->fabric.router(node);
      statistics.max_queue = std::max(statistics.max_queue, router.max_queue());
      statistics.link_conflicts += router.conflicts();
    }
    return statistics;
  }

  [[nodiscard]] bool error(NodeId node) const override {
    return bench_->fabric.router(node).error();
  }
  bool upset(LinkId link, const Upset& upset) override {
    const SimulationContext::Scope scope(context_);
    const bool damaged = bench_->fabric.upset(link, upset);
    if (damaged && has_pins_) sc_core::sc_start(sc_core::SC_ZERO_TIME);
    return damaged;
  }

 private:
  struct Bench {
    Bench(const Topology& topology, const PacketFabric::RouterFactory& make_router, bool pins)
        : fabric("network", topology, make_router, {.pins = pins}) {
      controls.connect(fabric);
    }
    Controls controls;
    PacketFabric fabric;
  };

  std::string name_;
  NodeId nodes_;
  bool has_pins_;
  SimulationContext context_;
  std::optional<Bench> bench_;
  sc_core::sc_trace_file* wave_ = nullptr;
  std::uint64_t steps_ = 0;
};

}  // namespace

std::unique_ptr<Engine> make_fabric_engine(const Plan& plan, std::string name,
                                           const PacketFabric::RouterFactory& make_router,
                                           const SystemcOptions& options) {
  if (std::holds_alternative<ScheduleProgram>(plan.program) && !plan.topology.is_torus()) {
    throw InputError("program: a schedule runs on a torus only; this plan's topology is a mesh");
  }
  return std::make_unique<FabricEngine>(plan, std::move(name), make_router, options);
}

std::unique_ptr<Engine> make_systemc_engine(const Plan& plan, const SystemcOptions& options) {
  const auto make_router = [&plan](const char* name, NodeId node) -> std::unique_ptr<PacketRouter> {
    if (const auto* schedule = std::get_if<ScheduleProgram>(&plan.program)) {
      auto router = std::make_unique<ScheduleRouter>(name, *schedule, node);
      set_own_pieces(plan, node, *router);
      return router;
    }
    return std::make_unique<StreamRouter>(name, router_table(plan, node));
  };
  return make_fabric_engine(plan, "systemc", make_router, options);
}

}  // namespace gossamer::systemc
