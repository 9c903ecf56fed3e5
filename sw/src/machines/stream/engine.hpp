// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "gossamer/machines/stream/program.hpp"
#include "gossamer/sim/engine.hpp"

namespace gossamer {

/// Plan and program must outlive the engine.
[[nodiscard]] std::unique_ptr<Engine> make_stream_engine(const Plan& plan,
                                                         const StreamProgram& program);

}  // namespace gossamer
