// SPDX-License-Identifier: Apache-2.0
/// The `systemc` engine: a plan executed by routers in a SystemC fabric. This header needs no
/// SystemC.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/engine.hpp"

namespace gossamer::systemc {

struct SystemcOptions {
  /// Links are signals and routers have pins and a process each, to be chosen when these are of
  /// interest; about ten times slower.
  bool pin_level = false;
  /// File for VCD waves of all links, its name ending in ".vcd"; empty: none. Waves cost most of
  /// the speed and about 20 bytes a packet and link.
  std::string wave_file = {};
  /// Elastic streams: by node the period of its tile's clock, >= 1, in cycles of the engine; all
  /// tiles start together. Links are then crossings, whatever their latency, tiles have pins, and
  /// there are no waves and no upsets. A stall script counts each tile's own cycles. Empty: one
  /// clock.
  std::vector<std::uint32_t> periods = {};
  /// Combining streams: nodes are not told their ranks but find them in a round before the run,
  /// whose cycles are not counted.
  bool find_ranks = false;
};

/// An engine for streams, in frames or not, and schedules; std::bad_variant_access for others. The
/// plan must outlive it. Any number of engines may live at a time. Throws InputError when the wave
/// file cannot be written and for a schedule on a mesh.
[[nodiscard]] std::unique_ptr<Engine> make_systemc_engine(const Plan& plan,
                                                          const SystemcOptions& options = {});

}  // namespace gossamer::systemc
