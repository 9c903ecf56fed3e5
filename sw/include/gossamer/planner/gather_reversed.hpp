// SPDX-License-Identifier: Apache-2.0
/// The `reversed` plan, which is derived from a run of another plan.
#pragma once

#include "gossamer/collectives/partial/partial_exchange.hpp"

namespace gossamer {

/// The `reversed` plan of partial-gather: the exchange of the same placement, run backward. A
/// packet that crossed a link in step t of T crosses it in the opposite direction in step T+1-t.
/// The plan lists every send (12 to 20 bytes per hop); its length is known only after a run of the
/// exchange.
[[nodiscard]] Plan plan_gather_reversed(const Topology& topology,
                                        const PartialExchangeOptions& options);

}  // namespace gossamer
