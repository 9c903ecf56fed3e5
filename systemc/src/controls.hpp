// SPDX-License-Identifier: Apache-2.0
/// What the engines around a network share: clock and control signals, the name of a wave file.
#pragma once

#include <fmt/format.h>

#include <fstream>
#include <string>
#include <string_view>
#include <systemc>

#include "gossamer/util/error.hpp"

namespace gossamer::systemc {

/// Clock and control signals. Edges lie in the middle of a period, so that everything is at rest
/// when sc_start returns after a whole number of periods.
struct Controls {
  sc_core::sc_time period{1, sc_core::SC_NS};
  sc_core::sc_clock clk{"clk", period, 0.5, period / 2, true};
  sc_core::sc_signal<bool> rst_n{"rst_n"};
  sc_core::sc_signal<bool> clear{"clear"};
  sc_core::sc_signal<bool> start{"start"};

  void cycle() const { sc_core::sc_start(period); }
  /// Reset, clear, start: afterwards the network is in the cycle of step 1.
  void begin_round() {
    cycle();
    rst_n.write(true);
    clear.write(true);
    cycle();
    clear.write(false);
    start.write(true);
    cycle();
    start.write(false);
    // Lets the signals settle, so that what is read next is the cycle of step 1.
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  template <class AnyNetwork>
  void connect(AnyNetwork& network) {
    network.clk_i(clk);
    network.rst_ni(rst_n);
    network.clear_i(clear);
    network.start_i(start);
  }
};

/// SystemC's name for a VCD file, which it completes with ".vcd" and, should it turn out not to be
/// writable, ends the process over.
inline std::string checked_wave_name(const std::string& wave_file) {
  constexpr std::string_view kSuffix = ".vcd";
  if (!wave_file.ends_with(kSuffix) || wave_file.size() == kSuffix.size()) {
    throw InputError(
        fmt::format("{}: waves of the SystemC network are VCD; the name must end in "
                    ".vcd",
                    wave_file));
  }
  if (!std::ofstream(wave_file)) throw InputError(fmt::format("{}: cannot be written", wave_file));
  return wave_file.substr(0, wave_file.size() - kSuffix.size());
}

}  // namespace gossamer::systemc
