// SPDX-License-Identifier: Apache-2.0
/// The `rtl` engine of combining streams: a Verilated gsm_combining_node at every node of the
/// SystemC fabric. Its vector is a memory of the testbench.
#pragma once

#include <memory>
#include <string>

#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/engine.hpp"

namespace gossamer::tb {

/// The plan must combine and outlive the engine. `wave_file` and `find_ranks` as SystemcOptions: a
/// Verilated gsm_rank_discovery at every node. Throws InputError for legs that the hardware does
/// not execute (LegFormat::of) and for ranks that cannot be found, InfeasibleError for frames of
/// more slots than the Verilated models have.
[[nodiscard]] std::unique_ptr<Engine> make_rtl_combining_engine(const Plan& plan,
                                                                const std::string& wave_file = {},
                                                                bool find_ranks = false);

}  // namespace gossamer::tb
