// SPDX-License-Identifier: Apache-2.0
/// The `rtl` engine for queued programs whose routers exist in RTL: Verilated prefix units and line
/// stages as tiles of the SystemC fabric. This header needs neither SystemC nor Verilator.
#pragma once

#include <memory>
#include <string>

#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/engine.hpp"

namespace gossamer::tb {

/// An engine for a prefix, or for all broadcasts of a line or ring at once (the rows queued/prefix
/// and queued/line of plan/discipline.hpp, other plans are not to be asked for). A cycle of the RTL
/// is a step, whatever number of flits that takes. The plan must outlive it. Throws InputError when
/// the wave file cannot be written or a prefix deals packets to classes.
///
/// Statistics: queue lengths are not pins. They are those of the lists that the stages are given.
[[nodiscard]] std::unique_ptr<Engine> make_rtl_queued_engine(const Plan& plan,
                                                             const std::string& wave_file = {});

}  // namespace gossamer::tb
