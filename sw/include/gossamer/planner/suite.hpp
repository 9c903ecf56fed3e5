// SPDX-License-Identifier: Apache-2.0
/// The suite: contexts for the usual collectives on the whole network and along each of its axes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gossamer/compose/composition.hpp"
#include "gossamer/planner/planner.hpp"

namespace gossamer {

/// The name of the suite where a collective is expected.
inline constexpr std::string_view kSuite = "suite";

/// The most packets per node and round that one register per output port has room for on a cycle:
/// one per direction. On an open line, the registers also forward packets of other nodes from both
/// sides.
inline constexpr std::int64_t kMostSuitePackets = 2;

/// The plan of contexts all-gather, reduce-scatter, all-reduce, barrier, broadcast and reduce, each
/// on the whole network and then along each axis (docs/contexts.md): on Hamiltonian cycles, and on
/// the open lines of axes that do not wrap.
/// Options: `packets` (all-gather: per node; reduce-scatter and all-reduce: blocks per node;
/// broadcast and reduce: of the message; by default one per cycle), `operation`, `type`,
/// `link-bits` and `word-bits`. Throws InputError for other options, InfeasibleError for networks
/// without the cycles.
[[nodiscard]] Plan plan_suite(const PlanRequest& request);

/// The rounds that a text like "5@7,0,1" names: context 5 with the root of rank 7, then contexts 0
/// and 1. Throws InputError for anything else.
[[nodiscard]] std::vector<Round> parse_rounds(const Plan& plan, const std::string& text);

}  // namespace gossamer
