// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/rtl_engine.hpp"

#include <fmt/format.h>

#include "gossamer/systemc/fabric_engine.hpp"
#include "gossamer/systemc/schedule_router.hpp"
#include "gossamer/tb/verilated_router_module.hpp"
#include "gossamer/tb/verilated_schedule_module.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::tb {

std::unique_ptr<Engine> make_rtl_engine(const Plan& plan, const std::string& wave_file) {
  if (const auto* schedule = std::get_if<ScheduleProgram>(&plan.program)) {
    if (schedule->slots() > kMaxVerilatedSlots) {
      throw InfeasibleError(
          fmt::format("the rtl engine has buffers of up to {} slots, the plan needs {}",
                      kMaxVerilatedSlots, schedule->slots()));
    }
  } else if (plan.expected.queue_depth > kMaxVerilatedDepth) {
    throw InfeasibleError(
        fmt::format("the rtl engine has queues of up to {} packets, the plan needs {}",
                    kMaxVerilatedDepth, plan.expected.queue_depth));
  }
  const auto make_router = [&plan](const char* name,
                                   NodeId node) -> std::unique_ptr<systemc::PacketRouter> {
    if (const auto* schedule = std::get_if<ScheduleProgram>(&plan.program)) {
      auto router = std::make_unique<VerilatedScheduleModule>(name, *schedule, node);
      systemc::set_own_pieces(plan, node, *router);
      return router;
    }
    return std::make_unique<VerilatedRouterModule>(name, systemc::router_table(plan, node));
  };
  return systemc::make_fabric_engine(plan, "rtl", make_router, {.wave_file = wave_file});
}

}  // namespace gossamer::tb
