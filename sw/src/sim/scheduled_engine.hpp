// SPDX-License-Identifier: Apache-2.0
/// The fast engine of scheduled programs; make_fast_engine dispatches to it.
#pragma once

#include <memory>

#include "gossamer/sim/engine.hpp"

namespace gossamer {

/// Executes the ROM word by word in every router. `topology` and `program` must outlive the engine.
/// Throws InputError on a mesh, and when the routers' buffers would take more than 8 GiB.
[[nodiscard]] std::unique_ptr<Engine> make_scheduled_engine(const Topology& topology,
                                                            const ScheduleProgram& program);

}  // namespace gossamer
