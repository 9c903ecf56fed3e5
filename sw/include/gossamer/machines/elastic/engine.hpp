// SPDX-License-Identifier: Apache-2.0
/// The fast engine of elastic streams with a configurable arithmetic.
#pragma once

#include <memory>

#include "gossamer/sim/arithmetic.hpp"
#include "gossamer/sim/engine.hpp"
#include "gossamer/sim/stall_script.hpp"

namespace gossamer {

/// The engine stops at the end of the run. For reductions it shows the words on the links, and
/// results as elements complete them. Throws InputError when there are too many flits to keep in
/// memory.
[[nodiscard]] std::unique_ptr<Engine> make_fast_elastic_engine(const Plan& plan,
                                                               StallScript stalls = {},
                                                               const Arithmetic& arithmetic = {});

}  // namespace gossamer
