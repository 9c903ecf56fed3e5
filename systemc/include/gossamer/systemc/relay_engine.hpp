// SPDX-License-Identifier: Apache-2.0
/// The `systemc` engine for relay programs: cut-through routers in SystemC. This header needs no
/// SystemC.
#pragma once

#include <memory>
#include <string>

#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/engine.hpp"

namespace gossamer::systemc {

/// An engine for a relay program, whatever its algorithm. The plan must outlive it. Any number of
/// engines may live at a time. `wave_file`: VCD waves of all links, its name ending in ".vcd";
/// empty: none. Throws InputError when the file cannot be written or a send leads nowhere, and
/// InfeasibleError where the routers' headers or memories do not reach (RelayRouterConfigs).
[[nodiscard]] std::unique_ptr<Engine> make_systemc_relay_engine(const Plan& plan,
                                                                const std::string& wave_file = {});

}  // namespace gossamer::systemc
