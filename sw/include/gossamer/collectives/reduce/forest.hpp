// SPDX-License-Identifier: Apache-2.0
/// All-reduce of vectors of middle length on any torus, found by search: a core and free trees for
/// each word. docs/spec/middle-reductions.md, section 3.
#pragma once

#include <cstdint>
#include <optional>

#include "gossamer/plan/plan.hpp"
#include "gossamer/util/progress.hpp"

namespace gossamer {

struct ForestOptions {
  std::uint64_t words = 1;
  Combining operation = Operation::kSum;
  std::uint64_t seed = 1;
  /// Restarts for each form of a core and each number of steps.
  std::uint32_t effort = 1500;
  /// Longer plans are not looked for; empty: there is no limit.
  std::optional<std::uint64_t> most_steps = std::nullopt;
  Progress progress = {};
};

inline constexpr std::uint32_t kMostForestEffort = 1'000'000;

/// Every word has a core, a box with sides of 1 or 2. It is reduced to the core on a forest, summed
/// up inside the core, and goes back on the same forest, mirrored in time. Numbers of steps are
/// tried from the lower bound upward; for each, the forms of cores, small ones first, and for each
/// form `effort` restarts. The result depends on the options alone, not on time. A timetable with a
/// ROM per node. All nodes combine in one order, so every operation is allowed.
///
/// Throws InfeasibleError for networks other than healthy tori, for vectors and networks that are
/// too large to search, and when `most_steps` are not enough.
[[nodiscard]] Plan plan_forest(const Topology& topology, const ForestOptions& options);

}  // namespace gossamer
