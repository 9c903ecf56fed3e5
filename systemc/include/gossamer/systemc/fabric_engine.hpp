// SPDX-License-Identifier: Apache-2.0
/// An engine around a fabric whose routers the caller creates; the `rtl` engine uses it.
#pragma once

#include <memory>
#include <string>

#include "gossamer/sim/engines.hpp"
#include "gossamer/systemc/fabric.hpp"

namespace gossamer::systemc {

/// An engine called `name` for the plan's topology whose routers `make_router` creates.
[[nodiscard]] std::unique_ptr<Engine> make_fabric_engine(
    const Plan& plan, std::string name, const PacketFabric::RouterFactory& make_router,
    const EngineOptions& options);

}  // namespace gossamer::systemc
