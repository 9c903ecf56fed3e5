// SPDX-License-Identifier: Apache-2.0
/// The `rtl` engine for relay programs: Verilated relay routers as tiles of the SystemC fabric.
/// Any size and shape at run time, no compilation. This header needs neither SystemC nor Verilator.
#pragma once

#include <memory>
#include <string>

#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/engine.hpp"

namespace gossamer::tb {

/// An engine for a relay program: gsm_relay_router, or gsm_router_table for fan-out. The plan must
/// outlive it. `wave_file` and errors as make_systemc_relay_engine.
[[nodiscard]] std::unique_ptr<Engine> make_rtl_relay_engine(const Plan& plan,
                                                            const std::string& wave_file = {});

}  // namespace gossamer::tb
