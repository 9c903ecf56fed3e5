// SPDX-License-Identifier: Apache-2.0
/// The one plan that is made by running another one.
#pragma once

#include "gossamer/collectives/partial/partial_exchange.hpp"

namespace gossamer {

/// The `reversed` plan of partial-gather: the exchange of the same placement, run backward: what
/// crossed a link in step t of T goes back over it in step T+1-t. The one plan that is a record: it
/// lists every send (12 to 20 bytes a hop), and its length is known only by running the exchange.
[[nodiscard]] Plan plan_gather_reversed(const Topology& topology,
                                        const PartialExchangeOptions& options);

}  // namespace gossamer
