// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/verilated_schedule_router.hpp"

#include <fmt/format.h>

#include "models/library.hpp"

namespace gossamer::tb {

namespace {

/// The models of rtl/CMakeLists.txt, smallest first.
struct ScheduleModel {
  int ports;
  std::uint32_t slots;
  const char* name;
};
constexpr ScheduleModel kScheduleModels[] = {
    {4, 64, "gsm_schedule_router_p4_s64"},
    {8, 64, "gsm_schedule_router_p8_s64"},
    {16, 4096, "gsm_schedule_router_p16_s4096"},
};

}  // namespace

std::unique_ptr<VerilatedScheduleRouter> make_verilated_schedule_router(int ports,
                                                                        std::uint32_t slots) {
  if (ports < 2 || ports % 2 != 0 || slots == 0) {
    throw std::invalid_argument(
        "a Verilated scheduled router has 2..16 ports, an even number, and "
        "1 or more slots");
  }
  for (const ScheduleModel& model : kScheduleModels) {
    if (model.ports >= ports && model.slots >= slots) {
      return model_maker<ScheduleRouterMaker>(model.name)(ports);
    }
  }
  throw std::invalid_argument(
      fmt::format("a Verilated scheduled router has up to {} ports and {} slots; not {} and {}",
                  kMaxPorts, kMaxVerilatedSlots, ports, slots));
}

}  // namespace gossamer::tb
