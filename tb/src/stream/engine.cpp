// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "gossamer/sim/engines.hpp"
#include "gossamer/systemc/fabric_engine.hpp"
#include "gossamer/tb/stream/verilated_router_module.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/linker_name.hpp"

namespace gossamer::tb {

namespace {

std::unique_ptr<Engine> make_stream(const Plan& plan, const EngineOptions& options) {
  if (plan.expected.queue_depth > kMaxVerilatedDepth) {
    throw InfeasibleError(
        fmt::format("the rtl engine supports queues of up to {} packets, the plan needs {}",
                    kMaxVerilatedDepth, plan.expected.queue_depth));
  }
  const auto make_router = [&plan](const char* name,
                                   NodeId node) -> std::unique_ptr<systemc::PacketRouter> {
    return std::make_unique<VerilatedRouterModule>(name, systemc::router_table(plan, node));
  };
  return systemc::make_fabric_engine(plan, "rtl", make_router, options);
}

const EngineMakerRegistration kRegistration({.engine = "rtl",
                                             .machine = "stream",
                                             .make = make_stream});

}  // namespace

}  // namespace gossamer::tb

GOSSAMER_LINKER_NAME(gossamer_rtl_stream)
