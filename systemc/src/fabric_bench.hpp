// SPDX-License-Identifier: Apache-2.0
/// What the engines around a fabric share: clock, control signals, waves, faults.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <systemc>

#include "controls.hpp"
#include "gossamer/systemc/fabric.hpp"
#include "gossamer/systemc/simulation_context.hpp"

namespace gossamer::systemc {

/// A fabric that has been reset and started, in a simulation of its own: it is in cycle 1.
template <typename Word>
class FabricBench {
 public:
  /// `wave_file`: VCD waves of all links; empty: none. Throws InputError when it cannot be written,
  /// and what `make_router` throws.
  FabricBench(const Topology& topology, const typename Fabric<Word>::RouterFactory& make_router,
              const std::string& wave_file, const FabricOptions& options = {})
      : has_pins_(options.pins) {
    const std::string wave_name = wave_file.empty() ? "" : checked_wave_name(wave_file);
    const SimulationContext::Scope scope(context_);
    modules_.emplace(topology, make_router, options);
    if (!wave_name.empty()) {
      wave_ = sc_core::sc_create_vcd_trace_file(wave_name.c_str());
      wave_->set_time_unit(1, sc_core::SC_PS);
      fabric().trace(wave_);
    }
    modules_->controls.begin_round();
  }
  ~FabricBench() {
    const SimulationContext::Scope scope(context_);
    if (wave_ != nullptr) sc_core::sc_close_vcd_trace_file(wave_);
    modules_.reset();
  }
  FabricBench(const FabricBench&) = delete;
  FabricBench& operator=(const FabricBench&) = delete;

  [[nodiscard]] Fabric<Word>& fabric() { return modules_->fabric; }
  [[nodiscard]] const Fabric<Word>& fabric() const { return modules_->fabric; }

  /// Executes so many cycles. What a router throws shows in the fabric's check().
  void clock(std::uint64_t cycles) {
    // The most cycles of one sc_start: exact in a double and far from the end of simulated time.
    constexpr std::uint64_t kCyclesPerStart = std::uint64_t{1} << 32;
    const SimulationContext::Scope scope(context_);
    while (cycles > 0) {
      const std::uint64_t part = std::min(cycles, kCyclesPerStart);
      sc_core::sc_start(modules_->controls.period * static_cast<double>(part));
      cycles -= part;
    }
  }
  /// As Engine::upset.
  bool upset(LinkId link, const Upset& upset) {
    const SimulationContext::Scope scope(context_);
    const bool damaged = fabric().upset(link, upset);
    if (damaged && has_pins_) sc_core::sc_start(sc_core::SC_ZERO_TIME);
    return damaged;
  }

 private:
  struct Modules {
    Modules(const Topology& topology, const typename Fabric<Word>::RouterFactory& make_router,
            const FabricOptions& options)
        : fabric("network", topology, make_router, options) {
      controls.connect(fabric);
    }
    Controls controls;
    Fabric<Word> fabric;
  };

  bool has_pins_;
  SimulationContext context_;
  std::optional<Modules> modules_;
  sc_core::sc_trace_file* wave_ = nullptr;
};

}  // namespace gossamer::systemc
