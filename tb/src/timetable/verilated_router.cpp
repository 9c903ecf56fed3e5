// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/timetable/verilated_router.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "../models/library.hpp"

namespace gossamer::tb {

std::unique_ptr<VerilatedTimetableRouter> make_verilated_timetable_router(int ports,
                                                                          std::uint32_t slots) {
  if (ports < 2 || ports > static_cast<int>(kMaxPorts) || ports % 2 != 0 || slots == 0 ||
      slots > kMaxTimetableRouterSlots) {
    throw std::invalid_argument(
        fmt::format("a Verilated router of timetables has 2..{} ports, an even number, and 1..{} "
                    "slots; not {} and {}",
                    kMaxPorts, kMaxTimetableRouterSlots, ports, slots));
  }
  // The models of rtl/CMakeLists.txt, smallest first.
  const char* const name = slots > 64 || ports > 8 ? "gsm_timetable_router_p16_s4096"
                           : ports > 4             ? "gsm_timetable_router_p8_s64"
                                                   : "gsm_timetable_router_p4_s64";
  return model_maker<TimetableRouterMaker>(name)(ports);
}

}  // namespace gossamer::tb
