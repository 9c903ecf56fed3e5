// SPDX-License-Identifier: Apache-2.0
/// Steps of several cycles for an engine whose steps are cycles.
#pragma once

#include <memory>

#include "gossamer/sim/engine.hpp"

namespace gossamer {

/// The engine, each of whose steps lasts `cycles` (1 or more) and shows the same in each of them.
[[nodiscard]] std::unique_ptr<Engine> stretched(std::unique_ptr<Engine> engine,
                                                std::uint64_t cycles);

}  // namespace gossamer
