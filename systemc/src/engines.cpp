// SPDX-License-Identifier: Apache-2.0
/// The engines of this library by name; each machine's folder defines how they run its plans.
#include "gossamer/sim/engines.hpp"
#include "gossamer/util/linker_name.hpp"

namespace gossamer::systemc {

namespace {

const EngineRegistration kSystemc({
    .name = "systemc",
    .summary = "SystemC routers and links by clock cycles; writes waves",
    .writes_waves = true,
    .has_pins = true,
    .has_clocks = true,
});
const EngineRegistration kTlm({
    .name = "tlm",
    .summary = "TLM-2.0 transactions between nodes, cycle-exact",
});

}  // namespace

}  // namespace gossamer::systemc

GOSSAMER_LINKER_NAME(gossamer_systemc_engines)
