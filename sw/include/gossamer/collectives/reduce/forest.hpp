// SPDX-License-Identifier: Apache-2.0
/// All-reduce of vectors of middle length on any torus, found by search: a core and free trees for
/// each word. docs/spec/middle-reductions.md, section 3.
#pragma once

#include "gossamer/collectives/reduce/word_search.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// Every word has a core, a box with sides of 1 or 2. It is reduced to the core along a forest and
/// summed up inside the core. The result returns along the same forest, mirrored in time. Numbers
/// of steps are tried from the lower bound upward; for each, the forms of cores, small ones first,
/// and for each form `effort` restarts, by default 1500. The result depends on the options alone,
/// not on time. A timetable with a ROM per node. All nodes combine in one order, so every operation
/// is allowed.
///
/// Throws InfeasibleError for networks other than healthy tori, for vectors and networks that are
/// too large to search, and when `most_steps` are not enough; by default there is no limit.
[[nodiscard]] Plan plan_forest(const Topology& topology, const WordSearchOptions& options);

}  // namespace gossamer
