// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "gossamer/machines/ring/program.hpp"
#include "gossamer/sim/arithmetic.hpp"
#include "gossamer/sim/engine.hpp"

namespace gossamer {

/// Ends by itself. The program must outlive the engine. Throws InputError when the vectors have to
/// be kept and would take more memory than allowed.
[[nodiscard]] std::unique_ptr<Engine> make_ring_engine(const Topology& topology,
                                                       const RingProgram& program,
                                                       const Arithmetic& arithmetic = {});

}  // namespace gossamer
