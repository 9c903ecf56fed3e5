// SPDX-License-Identifier: Apache-2.0
/// The fast engine of elastic streams, for who wants other words than the judge.
#pragma once

#include <memory>

#include "gossamer/sim/arithmetic.hpp"
#include "gossamer/sim/engine.hpp"
#include "gossamer/sim/stall_script.hpp"

namespace gossamer {

/// Ends by itself. Reductions show the words on the links, and results as elements complete them.
/// Throws InputError when the flits are too many to be kept.
[[nodiscard]] std::unique_ptr<Engine> make_fast_elastic_engine(const Plan& plan,
                                                               StallScript stalls = {},
                                                               const Arithmetic& arithmetic = {});

}  // namespace gossamer
