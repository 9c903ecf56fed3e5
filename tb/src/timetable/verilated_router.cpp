// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/timetable/verilated_router.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "../models/library.hpp"

namespace gossamer::tb {

std::unique_ptr<VerilatedTimetableRouter> make_verilated_timetable_router(int ports,
                                                                          std::uint32_t slots,
                                                                          const ModelWords& words,
                                                                          bool late) {
  const int most = late ? kMaxLateRouterPorts : static_cast<int>(kMaxPorts);
  if (ports < 2 || ports > most || ports % 2 != 0 || slots == 0 ||
      slots > kMaxTimetableRouterSlots) {
    throw std::invalid_argument(
        fmt::format("a Verilated router of timetables has 2..{} ports, an even number, and 1..{} "
                    "slots; not {} and {}",
                    most, kMaxTimetableRouterSlots, ports, slots));
  }
  if (late) {
    const char* const name = slots > 64 || ports > 4 ? "gsm_timetable_router_late_p8_s4096"
                                                     : "gsm_timetable_router_late_p4_s64";
    return model_maker<TimetableRouterMaker>(words.model(name))(ports);
  }
  // The models of rtl/CMakeLists.txt, smallest first. Those of floats are not as many.
  const int most_ports = words.is_special() ? 4 : 8;
  const char* const name = slots > 64 || ports > most_ports ? "gsm_timetable_router_p16_s4096"
                           : ports > 4                      ? "gsm_timetable_router_p8_s64"
                                                            : "gsm_timetable_router_p4_s64";
  return model_maker<TimetableRouterMaker>(words.model(name))(ports);
}

}  // namespace gossamer::tb
