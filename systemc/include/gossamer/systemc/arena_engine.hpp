// SPDX-License-Identifier: Apache-2.0
/// An engine around an ArenaNetwork with somebody else's routers: how the `rtl` engine is made.
#pragma once

#include <memory>
#include <string>

#include "gossamer/systemc/arena_network.hpp"
#include "gossamer/systemc/engine.hpp"

namespace gossamer::systemc {

/// An engine called `name` whose routers are `make_router`'s (ModelRouters when that is empty).
/// `wave_file` as in SystemcOptions. The plan must outlive the engine.
[[nodiscard]] std::unique_ptr<Engine> make_arena_engine(const Plan& plan, std::string name,
                                                        const RouterFactory& make_router,
                                                        const std::string& wave_file);

}  // namespace gossamer::systemc
