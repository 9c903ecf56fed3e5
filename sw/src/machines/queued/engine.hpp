// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "gossamer/sim/engine.hpp"

namespace gossamer {

/// Moves packets by their routers' rules, without closed forms. The plan must outlive it.
[[nodiscard]] std::unique_ptr<Engine> make_queued_engine(const Plan& plan);

}  // namespace gossamer
