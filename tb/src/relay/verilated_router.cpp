// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/relay/verilated_router.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "../models/library.hpp"

namespace gossamer::tb {

std::unique_ptr<VerilatedRelayRouter> make_verilated_relay_router(const RelayRouterConfig& config,
                                                                  const ModelWords& words) {
  if (config.kind == RelayRouterKind::kTree) {
    throw std::invalid_argument("the tree runs on the stream router");
  }
  // The models of rtl/CMakeLists.txt.
  return model_maker<RelayRouterMaker>(words.model(fmt::format(
      "gsm_relay_router_{}_p{}", relay_router_name(config.kind), relay_model_ports(config.ports))))(
      config);
}

}  // namespace gossamer::tb
