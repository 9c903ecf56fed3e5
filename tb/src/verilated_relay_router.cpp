// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/verilated_relay_router.hpp"

#include <stdexcept>

#include "models/library.hpp"

namespace gossamer::tb {

namespace {

/// The models of rtl/CMakeLists.txt.
std::string relay_model(RelayRouterKind kind) {
  switch (kind) {
    case RelayRouterKind::kEye:
      return "gsm_relay_router";
    case RelayRouterKind::kTable:
      return "gsm_relay_router_table";
    case RelayRouterKind::kSum:
      return "gsm_relay_sum_router";
    case RelayRouterKind::kFanOut:
      break;
  }
  throw std::invalid_argument("fan-out runs on the stream router");
}

}  // namespace

std::unique_ptr<VerilatedRelayRouter> make_verilated_relay_router(const RelayRouterConfig& config) {
  const char* const ports = relay_model_ports(config.ports) == 4 ? "_p4" : "_p16";
  return model_maker<RelayRouterMaker>(relay_model(config.kind) + ports)(config);
}

}  // namespace gossamer::tb
