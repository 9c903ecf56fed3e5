// SPDX-License-Identifier: Apache-2.0
/// An engine around a RelayNetwork with somebody else's routers: how the `rtl` engine is made.
#pragma once

#include <memory>
#include <string>

#include "gossamer/systemc/relay_engine.hpp"
#include "gossamer/systemc/relay_network.hpp"

namespace gossamer::systemc {

/// An engine called `name` whose routers are `make_router`'s (the SystemC models when that is
/// empty); otherwise as make_systemc_relay_engine.
[[nodiscard]] std::unique_ptr<Engine> make_relay_network_engine(
    const Plan& plan, std::string name, const RelayRouterFactory& make_router,
    const std::string& wave_file);

}  // namespace gossamer::systemc
