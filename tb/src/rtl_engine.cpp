// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/rtl_engine.hpp"

#include <fmt/format.h>

#include "gossamer/systemc/fabric_engine.hpp"
#include "gossamer/tb/verilated_router_module.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::tb {

std::unique_ptr<Engine> make_rtl_engine(const Plan& plan, const std::string& wave_file) {
  if (plan.expected.queue_depth > kMaxVerilatedDepth) {
    throw InfeasibleError(
        fmt::format("the rtl engine has queues of up to {} packets, the plan needs {}",
                    kMaxVerilatedDepth, plan.expected.queue_depth));
  }
  const auto make_router = [&plan](const char* name,
                                   NodeId node) -> std::unique_ptr<systemc::PacketRouter> {
    return std::make_unique<VerilatedRouterModule>(name, systemc::router_table(plan, node));
  };
  return systemc::make_fabric_engine(plan, "rtl", make_router, {.wave_file = wave_file});
}

}  // namespace gossamer::tb
