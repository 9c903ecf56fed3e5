// SPDX-License-Identifier: Apache-2.0
/// The `systemc` engine for queued programs: store-and-forward routers with queues and priorities
/// in SystemC. This header needs no SystemC.
#pragma once

#include <memory>

#include "gossamer/systemc/engine.hpp"

namespace gossamer::systemc {

/// An engine for a queued program, whatever its goal; std::bad_variant_access for other plans. The
/// plan must outlive it. Any number of engines may live at a time. Statistics as the fast engine's.
/// LinkView::values: of a prefix message the count and, from bit 32 on, the total; of a broadcast's
/// packet the links that it has left; else 0.
/// Throws InputError when the wave file cannot be written.
[[nodiscard]] std::unique_ptr<Engine> make_systemc_queued_engine(
    const Plan& plan, const SystemcOptions& options = {});

}  // namespace gossamer::systemc
