// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/engine.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <systemc>
#include <utility>

#include "controls.hpp"
#include "gossamer/systemc/arena_engine.hpp"
#include "gossamer/systemc/network.hpp"
#include "gossamer/systemc/simulation_context.hpp"

namespace gossamer::systemc {

namespace {

/// The most cycles of one sc_start: exact in a double and far from the end of simulated time.
constexpr std::uint64_t kCyclesPerStart = std::uint64_t{1} << 32;

/// An arena-backed network and its controls.
class ArenaBench {
 public:
  ArenaBench(const Plan& plan, const RouterFactory& make_router)
      : network_("network", plan, make_router) {
    controls_.connect(network_);
  }
  [[nodiscard]] Controls& controls() { return controls_; }
  [[nodiscard]] std::span<const PacketId> links() const { return network_.links(); }
  [[nodiscard]] bool error(NodeId node) const { return network_.error(node); }
  bool upset(LinkId link, const Upset& upset) { return network_.upset(link, upset); }
  [[nodiscard]] std::uint64_t max_queue() const { return network_.max_queue(); }
  [[nodiscard]] std::uint64_t conflicts() const { return network_.conflicts(); }
  void trace(sc_core::sc_trace_file* file) { network_.trace(file); }

 private:
  Controls controls_;
  ArenaNetwork network_;
};

/// A pin-level network, its controls and the signals at all of its ports.
class PinBench {
 public:
  PinBench(const Plan& plan, const RouterFactory& /*routers are pin-level ones*/)
      : topology_(plan.topology), network_("network", plan, 0) {
    controls_.connect(network_);
    const auto packets = std::get<StreamProgram>(plan.program).packets_per_node();
    own_data_.init(std::size_t{topology_.nodes()} * packets);
    deliver_valid_.init(static_cast<std::size_t>(topology_.link_slots()));
    deliver_data_.init(static_cast<std::size_t>(topology_.link_slots()));
    busy_.init(topology_.nodes());
    done_.init(topology_.nodes());
    error_.init(topology_.nodes());
    network_.own_data_i.bind(own_data_);
    network_.deliver_valid_o.bind(deliver_valid_);
    network_.deliver_data_o.bind(deliver_data_);
    network_.busy_o.bind(busy_);
    network_.done_o.bind(done_);
    network_.error_o.bind(error_);
    PacketId packet = 0;
    for (auto& own : own_data_) own.write(packet++);
    links_.resize(static_cast<std::size_t>(topology_.link_slots()));
  }
  [[nodiscard]] Controls& controls() { return controls_; }
  [[nodiscard]] std::span<const PacketId> links() {
    for (LinkId link = 0; link < links_.size(); ++link) links_[link] = network_.packet(link);
    return links_;
  }
  [[nodiscard]] bool error(NodeId node) const { return error_[node].read(); }
  bool upset(LinkId link, const Upset& upset) {
    if (network_.packet(link) == kNoPacket) return false;
    network_.router(topology_.link_from(link)).upset(topology_.link_port(link), upset);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    return true;
  }
  [[nodiscard]] std::uint64_t max_queue() const {
    std::uint64_t longest = 0;
    for_each_out_port([&longest](const OutPort& out_port) {
      longest = std::max<std::uint64_t>(longest, out_port.max_queue());
    });
    return longest;
  }
  [[nodiscard]] std::uint64_t conflicts() const {
    std::uint64_t sum = 0;
    for_each_out_port([&sum](const OutPort& out_port) { sum += out_port.conflicts(); });
    return sum;
  }
  void trace(sc_core::sc_trace_file* file) const { network_.trace(file); }

 private:
  template <class Function>
  void for_each_out_port(Function function) const {
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      for (int port = 0; port < topology_.ports(); ++port) {
        function(network_.router(node).out_port(static_cast<Port>(port)));
      }
    }
  }

  Topology topology_;
  Controls controls_;
  Network network_;
  sc_core::sc_vector<sc_core::sc_signal<PacketId>> own_data_{"own_data"};
  sc_core::sc_vector<sc_core::sc_signal<bool>> deliver_valid_{"deliver_valid"};
  sc_core::sc_vector<sc_core::sc_signal<PacketId>> deliver_data_{"deliver_data"};
  sc_core::sc_vector<sc_core::sc_signal<bool>> busy_{"busy"};
  sc_core::sc_vector<sc_core::sc_signal<bool>> done_{"done"};
  sc_core::sc_vector<sc_core::sc_signal<bool>> error_{"error"};
  std::vector<PacketId> links_;
};

template <class Bench>
class SystemcEngine final : public HardwareEngine {
 public:
  SystemcEngine(const Plan& plan, std::string name, const RouterFactory& make_router,
                const std::string& wave_file)
      : name_(std::move(name)) {
    if (plan.expected.queue_depth == 0) {
      throw std::invalid_argument("a plan's queue depth is at least 1");
    }
    const std::string wave_name = wave_file.empty() ? "" : checked_wave_name(wave_file);
    const SimulationContext::Scope scope(context_);
    bench_.emplace(plan, make_router);
    if (!wave_name.empty()) {
      wave_ = sc_core::sc_create_vcd_trace_file(wave_name.c_str());
      wave_->set_time_unit(1, sc_core::SC_PS);
      bench_->trace(wave_);
    }
    bench_->controls().begin_round();
  }
  ~SystemcEngine() override {
    const SimulationContext::Scope scope(context_);
    if (wave_ != nullptr) sc_core::sc_close_vcd_trace_file(wave_);
    bench_.reset();
  }

  [[nodiscard]] std::string_view name() const override { return name_; }

  void run(std::uint64_t max_steps, StepObserver* observer) override {
    const SimulationContext::Scope scope(context_);
    if (observer == nullptr) {
      run_unobserved(max_steps);
      return;
    }
    for (std::uint64_t i = 0; i < max_steps; ++i) {
      ++steps_;
      const bool go_on = observer->on_step(steps_, bench_->links());
      bench_->controls().cycle();
      if (!go_on) return;
    }
  }

  [[nodiscard]] EngineStatistics statistics() const override {
    EngineStatistics statistics;
    statistics.steps = steps_;
    statistics.cycles = steps_;
    statistics.max_queue = bench_->max_queue();
    statistics.link_conflicts = bench_->conflicts();
    return statistics;
  }

  [[nodiscard]] std::span<const PacketId> links() override { return bench_->links(); }
  [[nodiscard]] bool error(NodeId node) const override { return bench_->error(node); }
  bool upset(LinkId link, const Upset& upset) override {
    const SimulationContext::Scope scope(context_);
    return bench_->upset(link, upset);
  }

 private:
  void run_unobserved(std::uint64_t steps) {
    steps_ += steps;
    while (steps > 0) {
      const std::uint64_t part = std::min(steps, kCyclesPerStart);
      sc_core::sc_start(bench_->controls().period * static_cast<double>(part));
      steps -= part;
    }
  }

  std::string name_;
  SimulationContext context_;
  std::optional<Bench> bench_;
  sc_core::sc_trace_file* wave_ = nullptr;
  std::uint64_t steps_ = 0;
};

}  // namespace

std::unique_ptr<HardwareEngine> make_arena_engine(const Plan& plan, std::string name,
                                                  const RouterFactory& make_router,
                                                  const std::string& wave_file) {
  return std::make_unique<SystemcEngine<ArenaBench>>(plan, std::move(name), make_router, wave_file);
}

std::unique_ptr<HardwareEngine> make_systemc_engine(const Plan& plan,
                                                    const SystemcOptions& options) {
  if (options.pin_level) {
    if (!std::holds_alternative<StreamProgram>(plan.program) || frame_of(plan) != 1) {
      throw InputError("--pin-level: only plain streams have pin-level modules; leave it out");
    }
    return std::make_unique<SystemcEngine<PinBench>>(plan, "systemc", RouterFactory{},
                                                     options.wave_file);
  }
  return make_arena_engine(plan, "systemc", {}, options.wave_file);
}

}  // namespace gossamer::systemc
