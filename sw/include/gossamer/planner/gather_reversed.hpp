// SPDX-License-Identifier: Apache-2.0
/// The only plan that is made by running another one.
#pragma once

#include "gossamer/collectives/partial/partial_exchange.hpp"

namespace gossamer {

/// The `reversed` plan of partial-gather: the exchange of the same placement, run backward. A
/// packet that crossed a link in step t of T crosses it in the opposite direction in step T+1-t.
/// The plan is a record: it lists every send (12 to 20 bytes per hop), and only a run of the
/// exchange determines its length.
[[nodiscard]] Plan plan_gather_reversed(const Topology& topology,
                                        const PartialExchangeOptions& options);

}  // namespace gossamer
