// SPDX-License-Identifier: Apache-2.0
/// The engine of this library by name; each machine's folder defines how it runs its plans.
#include "gossamer/sim/engines.hpp"
#include "gossamer/util/linker_name.hpp"

namespace gossamer::tb {

namespace {

const EngineRegistration kRtl({
    .name = "rtl",
    .summary = "the SystemVerilog routers, Verilated; writes waves",
    .writes_waves = true,
    .has_clocks = true,
    .has_adders = true,
});

}  // namespace

}  // namespace gossamer::tb

GOSSAMER_LINKER_NAME(gossamer_rtl_engines)
