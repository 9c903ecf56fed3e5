// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/rtl_engine.hpp"

#include <fmt/format.h>

#include "gossamer/systemc/arena_engine.hpp"
#include "gossamer/tb/verilated_router_module.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::tb {

std::unique_ptr<HardwareEngine> make_rtl_engine(const Plan& plan, const std::string& wave_file) {
  if (plan.expected.queue_depth > kMaxVerilatedDepth) {
    throw InfeasibleError(
        fmt::format("the rtl engine has queues of up to {} packets, the plan needs {}",
                    kMaxVerilatedDepth, plan.expected.queue_depth));
  }
  return systemc::make_arena_engine(
      plan, "rtl",
      [](const char* name, std::span<const PortProgram* const> table, std::uint32_t depth) {
        return std::make_unique<VerilatedRouterModule>(name, table, depth);
      },
      wave_file);
}

}  // namespace gossamer::tb
