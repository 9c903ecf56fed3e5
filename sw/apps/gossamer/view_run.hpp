// SPDX-License-Identifier: Apache-2.0
/// The part of gossamer view that runs plans.
#pragma once

#include <optional>
#include <string>

#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/stall_script.hpp"

namespace gossamer::cli {

/// A plan's run on the fast engine, as members of the page's document:
/// - `trace`: step, hop, from, port, packet of every row, flat; cycles for steps where the streams
///   are elastic;
/// - reductions: `terms`, the contributions that each row's sum holds, and `learned`: step and node
///   of every result that a node gets, flat;
/// - elastic streams: `flits`, each row's number in its packet, and `since`, the first cycle in
///   which it could have been taken: the flit was at the sender, the link's latency is over, and
///   the link had taken the flit before it.
///
/// Throws InputError, naming the document, for a run of more than kMaxTraceRows rows.
[[nodiscard]] std::string plan_run_text(const std::string& name, const Plan& plan,
                                        const std::optional<StallScript>& stalls);

}  // namespace gossamer::cli
