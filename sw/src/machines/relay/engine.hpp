// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "gossamer/sim/arithmetic.hpp"
#include "gossamer/sim/engine.hpp"

namespace gossamer {

/// Ends by itself. Of a reduction the messages hold word `word` of `words`. The plan must outlive
/// it.
[[nodiscard]] std::unique_ptr<Engine> make_relay_engine(const Plan& plan,
                                                        const Arithmetic& arithmetic = {},
                                                        std::uint32_t word = 0,
                                                        std::uint32_t words = 1);

}  // namespace gossamer
