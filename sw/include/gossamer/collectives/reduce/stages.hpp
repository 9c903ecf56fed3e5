// SPDX-License-Identifier: Apache-2.0
/// All-reduce of short vectors on tori of any sides, found by search: stages on the rings of one
/// dimension after the other. docs/spec/middle-reductions.md, section 4.
#pragma once

#include "gossamer/collectives/reduce/word_search.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// Every word is reduced to the cores of blocks along some dimensions, summed up along the lines of
/// the others, and spread from the cores. Words differ in the order of the dimensions, in the
/// blocks, in waiting times, and in their place in the network; the search places them so that no
/// two need a link in one step. Numbers of steps are tried from the lower bound upward, each with
/// `effort` rounds, by default 2000. The result depends on the options alone, not on time. A
/// timetable with a ROM per node. Nodes combine in different orders.
///
/// Throws InfeasibleError for networks other than healthy tori with equal links, for vectors and
/// networks that are too large to search, for operations that are not associative, and when
/// `most_steps`, by default 3/2 times the lower bound plus 2, are not enough.
[[nodiscard]] Plan plan_stages(const Topology& topology, const WordSearchOptions& options);

}  // namespace gossamer
