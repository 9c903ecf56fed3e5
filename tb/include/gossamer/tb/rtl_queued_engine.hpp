// SPDX-License-Identifier: Apache-2.0
/// The `rtl` engine for queued programs: Verilated prefix, class and exchange units, line stages
/// and routers of timetables in tiles of the SystemC fabric. This header needs neither SystemC nor
/// Verilator.
#pragma once

#include <memory>
#include <string>

#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/engine.hpp"

namespace gossamer::tb {

/// An engine for a plan of the rows queued/... of plan/discipline.hpp; others are not to be asked
/// for. A cycle of the RTL is a step, whatever number of flits that takes. The plan must outlive
/// it. Throws InputError when the wave file cannot be written or the RTL cannot do what the plan
/// says (phases of a class that overlap, several packets at a node, moves of what is not there),
/// InfeasibleError when there is no room for it (512 packets or halves in a class, an exchange of
/// 256 nodes).
///
/// Statistics: queue lengths are counted by the units; of line stages they are those of the lists
/// that the stages are given.
[[nodiscard]] std::unique_ptr<Engine> make_rtl_queued_engine(const Plan& plan,
                                                             const std::string& wave_file = {});

}  // namespace gossamer::tb
