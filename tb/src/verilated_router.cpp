// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/verilated_router.hpp"

#include <fmt/format.h>

#include "models/library.hpp"

namespace gossamer::tb {

namespace {

/// The models of rtl/CMakeLists.txt, smallest first.
struct RouterModel {
  int ports;
  std::uint32_t frame;
  std::uint32_t capacity;
  const char* name;
};
constexpr RouterModel kRouterModels[] = {
    {4, 1, 1, "gsm_router_p4_f1_d1"},       {6, 1, 1, "gsm_router_p6_f1_d1"},
    {8, 1, 1, "gsm_router_p8_f1_d1"},       {16, 1, 1, "gsm_router_p16_f1_d1"},
    {4, 1, 64, "gsm_router_p4_f1_d64"},     {8, 1, 64, "gsm_router_p8_f1_d64"},
    {4, 1, 4096, "gsm_router_p4_f1_d4096"}, {16, 1, 4096, "gsm_router_p16_f1_d4096"},
    {8, 2, 64, "gsm_router_p8_f2_d64"},     {8, 2, 4096, "gsm_router_p8_f2_d4096"},
    {4, 4, 4096, "gsm_router_p4_f4_d4096"}, {2, 8, 4096, "gsm_router_p2_f8_d4096"},
};

}  // namespace

std::unique_ptr<VerilatedRouter> make_verilated_router(int ports, std::uint32_t depth,
                                                       std::uint32_t frame) {
  if (ports < 2 || ports > kMaxPorts || ports % 2 != 0) {
    throw std::invalid_argument(
        fmt::format("a Verilated router has 2..{} ports, an even number; "
                    "not {}",
                    kMaxPorts, ports));
  }
  const auto slots = static_cast<std::uint32_t>(kMaxPorts / ports);
  if (frame < 1 || frame > slots) {
    throw std::invalid_argument(fmt::format(
        "a Verilated router of {} ports has frames of 1..{} slots; not {}", ports, slots, frame));
  }
  if (depth >= 1) {
    for (const RouterModel& model : kRouterModels) {
      const bool has_frame = frame == 1 ? model.frame == 1 : model.frame >= frame;
      if (model.ports >= ports && has_frame && model.capacity >= depth) {
        return model_maker<RouterMaker>(model.name)(ports, depth, frame);
      }
    }
  }
  throw std::invalid_argument(fmt::format("a Verilated router has a queue depth of 1..{}; not {}",
                                          kMaxVerilatedDepth, depth));
}

}  // namespace gossamer::tb
