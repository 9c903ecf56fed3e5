// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/sim/arithmetic.hpp"
#include "gossamer/sim/engine.hpp"

namespace gossamer {

/// Plan and program must outlive the engine. Throws InputError when the routers' memories would
/// take too many bytes.
[[nodiscard]] std::unique_ptr<Engine> make_timetable_engine(const Plan& plan,
                                                            const TimetableProgram& program,
                                                            const Arithmetic& arithmetic = {});

}  // namespace gossamer
