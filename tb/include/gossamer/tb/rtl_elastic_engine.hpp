// SPDX-License-Identifier: Apache-2.0
/// The `rtl` engine for elastic streams: Verilated routers with their queues as tiles of the
/// SystemC fabric, whose elements and relay stages are the model's. Any size and shape at run time,
/// no compilation. This header needs neither SystemC nor Verilator.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/engine.hpp"
#include "gossamer/sim/stall_script.hpp"

namespace gossamer::tb {

/// gsm_elastic_router_table at every node; stalls as `stalls` says. The plan must outlive it.
/// `wave_file` and `periods` as SystemcOptions. Throws InfeasibleError above four dimensions or 64
/// slots.
[[nodiscard]] std::unique_ptr<Engine> make_rtl_elastic_engine(
    const Plan& plan, StallScript stalls, const std::string& wave_file = {},
    const std::vector<std::uint32_t>& periods = {});

}  // namespace gossamer::tb
