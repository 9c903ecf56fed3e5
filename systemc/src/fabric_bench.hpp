// SPDX-License-Identifier: Apache-2.0
/// Common parts of the engines around a fabric: clock, control signals, waves, faults.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <systemc>

#include "gossamer/systemc/fabric.hpp"
#include "gossamer/systemc/simulation_context.hpp"
#include "gossamer/systemc/vcd_wave.hpp"

namespace gossamer::systemc {

/// `name`, or a name that begins with it if the present module has such a child: groups of nodes
/// can have a fabric each.
inline std::string child_name(const std::string& name) {
  const sc_core::sc_module* const parent = sc_core::sc_get_curr_simcontext()->hierarchy_curr();
  const std::string path = parent == nullptr ? name : parent->name() + ('.' + name);
  return sc_core::sc_find_object(path.c_str()) == nullptr
             ? name
             : sc_core::sc_gen_unique_name(name.c_str());
}

/// A fabric in its own simulation, reset and started: it is in cycle 1 of a round. Within a
/// SharedSimulation it belongs to that simulation instead, and has a clock of delta cycles; then
/// begin_round() starts it.
template <typename Word>
class FabricBench {
 public:
  /// `wave_file`: VCD waves of all links; empty: none. Throws InputError if it cannot be written,
  /// and the exceptions of `make_router`.
  FabricBench(const Topology& topology, const typename Fabric<Word>::RouterFactory& make_router,
              const std::string& wave_file, const FabricOptions& options = {})
      : has_pins_(options.pins) {
    if (!SharedSimulation::is_open()) context_.emplace();
    const SimulationContext::Scope scope(context());
    modules_.emplace(topology, make_router, options, !context_);
    if (!wave_file.empty()) fabric().trace_links(wave_.emplace(wave_file).file());
    if (!context_) return;
    modules_->reset();
    modules_->begin_round();
  }
  ~FabricBench() {
    const SimulationContext::Scope scope(context());
    wave_.reset();
    modules_.reset();
  }
  FabricBench(const FabricBench&) = delete;
  FabricBench& operator=(const FabricBench&) = delete;

  [[nodiscard]] Fabric<Word>& fabric() { return modules_->fabric; }
  [[nodiscard]] const Fabric<Word>& fabric() const { return modules_->fabric; }

  /// Executes the given number of cycles. The fabric's check() rethrows a router's exception.
  void clock(std::uint64_t cycles) {
    // The most cycles of one sc_start: exact in a double and far from the end of simulated time.
    constexpr std::uint64_t kCyclesPerStart = std::uint64_t{1} << 32;
    if (!context_) {
      for (; cycles > 0; --cycles) modules_->pulse();
      return;
    }
    const SimulationContext::Scope scope(context());
    while (cycles > 0) {
      const std::uint64_t part = std::min(cycles, kCyclesPerStart);
      sc_core::sc_start(modules_->period * static_cast<double>(part));
      cycles -= part;
    }
  }
  /// Begins another round, without a reset: the fabric is in cycle 1 again.
  void begin_round() {
    const SimulationContext::Scope scope(context());
    modules_->begin_round();
  }
  /// As Engine::upset.
  bool upset(LinkId link, const Upset& upset) {
    const SimulationContext::Scope scope(context());
    const bool damaged = fabric().upset(link, upset);
    if (damaged && has_pins_) modules_->settle();
    return damaged;
  }
  /// As Engine::force.
  void force(LinkId link, const Word& word) {
    const SimulationContext::Scope scope(context());
    if (fabric().force(link, word)) modules_->settle();
  }

 private:
  /// The fabric, its clock and control signals. Edges are in the middle of a period, so that
  /// all signals are stable when sc_start returns after a whole number of periods.
  struct Modules {
    Modules(const Topology& topology, const typename Fabric<Word>::RouterFactory& make_router,
            const FabricOptions& options, bool shared)
        : pulses(shared),
          clk(shared ? std::make_unique<Signal>(child_name("clk").c_str())
                     : std::make_unique<sc_core::sc_clock>("clk", period, 0.5, period / 2, true)),
          fabric(child_name("network").c_str(), topology, make_router, options) {
      fabric.clk_i(*clk);
      fabric.rst_ni(rst_n);
      fabric.clear_i(clear);
      fabric.start_i(start);
    }
    void reset() {
      cycle();
      rst_n.write(true);
    }
    /// Clear, start: afterwards the fabric is in cycle 1.
    void begin_round() {
      if (pulses && !rst_n.read()) reset();
      clear.write(true);
      cycle();
      clear.write(false);
      start.write(true);
      cycle();
      start.write(false);
      // Lets the signals settle, so that the next read returns cycle 1.
      settle();
    }
    /// A clock cycle that takes no time. Does nothing before the simulation runs.
    void pulse() {
      if (!sc_core::sc_is_running()) return;
      // A fabric that sleeps notices its control signals first.
      settle();
      settle();
      clk->write(true);
      settle();
      settle();
      clk->write(false);
      settle();
    }
    void settle() const {
      if (pulses) {
        sc_core::wait(sc_core::SC_ZERO_TIME);
      } else {
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
      }
    }
    void cycle() {
      if (pulses) {
        pulse();
      } else {
        sc_core::sc_start(period);
      }
    }

    using Signal = sc_core::sc_signal<bool>;
    sc_core::sc_time period{1, sc_core::SC_NS};
    /// Without a clock of its own.
    bool pulses;
    std::unique_ptr<Signal> clk;
    Signal rst_n{child_name("rst_n").c_str()};
    Signal clear{child_name("clear").c_str()};
    Signal start{child_name("start").c_str()};
    Fabric<Word> fabric;
  };

  [[nodiscard]] SimulationContext* context() { return context_ ? &*context_ : nullptr; }

  bool has_pins_;
  /// Empty in a SharedSimulation.
  std::optional<SimulationContext> context_;
  std::optional<Modules> modules_;
  std::optional<VcdWave> wave_;
};

}  // namespace gossamer::systemc
