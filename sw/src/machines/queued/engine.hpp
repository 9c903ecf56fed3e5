// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "gossamer/sim/engine.hpp"

namespace gossamer {

/// Packets by their routers' rules; it knows no closed form. The plan must outlive it.
[[nodiscard]] std::unique_ptr<Engine> make_queued_engine(const Plan& plan);

}  // namespace gossamer
