// SPDX-License-Identifier: Apache-2.0
/// The `rtl` engine for timetables, and for packed trees, which their routers are told as one.
#pragma once

#include <memory>
#include <string>

#include "gossamer/sim/engine.hpp"

namespace gossamer::tb {

/// A gsm_timetable_router_table at every node of the SystemC fabric. The plan must hold a
/// TimetableProgram or a PackedTrees and outlive the engine. `wave_file` as SystemcOptions'. Throws
/// InfeasibleError for more slots than a Verilated router has, and as timetable_of_trees().
[[nodiscard]] std::unique_ptr<Engine> make_rtl_timetable_engine(const Plan& plan,
                                                                const std::string& wave_file);

}  // namespace gossamer::tb
