// SPDX-License-Identifier: Apache-2.0
/// The `rtl` engine: Verilated routers as modules of the SystemC network. Any size and shape at run
/// time, no compilation. This header needs neither SystemC nor Verilator.
#pragma once

#include <memory>
#include <string>

#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/engine.hpp"

namespace gossamer::tb {

/// An engine for streams, in frames or not, and schedules; the plan must outlive it. `wave_file`:
/// VCD waves of all links, its name ending in ".vcd"; empty: none. Throws InfeasibleError for a
/// router that was not Verilated (make_verilated_router) and InputError when the wave file cannot
/// be written.
///
/// Statistics: the queue lengths and losses are not pins of the router. They are worked out from
/// what passes its pins (QueueMonitor); error() is the router's own error_o.
[[nodiscard]] std::unique_ptr<Engine> make_rtl_engine(const Plan& plan,
                                                      const std::string& wave_file = {});

}  // namespace gossamer::tb
