// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/compose/verilated_router.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "../models/library.hpp"

namespace gossamer::tb {

std::unique_ptr<VerilatedContextRouter> make_verilated_context_router(int ports,
                                                                      std::span<const Port> feeds,
                                                                      const ModelWords& words) {
  if (ports < 2 || ports > kMaxPorts || ports % 2 != 0 ||
      feeds.size() > kMaxContextWirings * static_cast<std::size_t>(ports)) {
    throw std::invalid_argument(fmt::format(
        "a Verilated router of contexts has 2..{} ports, an even number, and up to {} wirings",
        kMaxPorts, kMaxContextWirings));
  }
  // The models of rtl/CMakeLists.txt, smallest first. Those of other words than integers are fewer.
  const int most_ports = words.is_special() ? 4 : 8;
  const char* const name = ports > most_ports ? "gsm_context_router_p16"
                           : ports > 4        ? "gsm_context_router_p8"
                                              : "gsm_context_router_p4";
  return model_maker<ContextRouterMaker>(words.model(name))(ports, feeds);
}

}  // namespace gossamer::tb
