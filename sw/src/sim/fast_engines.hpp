// SPDX-License-Identifier: Apache-2.0
/// The fast engine of each discipline, for make_fast_engine.
#pragma once

#include <memory>

#include "gossamer/sim/engine.hpp"

namespace gossamer {

/// An event-driven engine: every hop of every message at its cycle. Throws InputError when a send
/// starts at no node of the topology or leads out of the mesh.
[[nodiscard]] std::unique_ptr<Engine> make_fast_relay_engine(const Plan& plan);

/// Ends by itself after the last phase, an exchange when its queues are drained. Memory: the
/// packets that routers hold.
[[nodiscard]] std::unique_ptr<Engine> make_fast_queued_engine(const Plan& plan);

}  // namespace gossamer
