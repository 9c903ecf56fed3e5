// SPDX-License-Identifier: Apache-2.0
/// Steps of several cycles for an engine whose steps are cycles.
#pragma once

#include <memory>

#include "gossamer/sim/engine.hpp"

namespace gossamer {

/// Wraps the engine so that each of its steps lasts `cycles` cycles (1 or more) with the same
/// contents.
[[nodiscard]] std::unique_ptr<Engine> stretched(std::unique_ptr<Engine> engine,
                                                std::uint64_t cycles);

}  // namespace gossamer
