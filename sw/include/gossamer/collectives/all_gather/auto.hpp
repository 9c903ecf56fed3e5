// SPDX-License-Identifier: Apache-2.0
/// The `auto` all-gather algorithm: picks the best time-independent plan for the requested packets.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "gossamer/plan/plan.hpp"
#include "gossamer/util/progress.hpp"

namespace gossamer {

struct AutoOptions {
  /// Own packets of each node, 1 .. kMaxPacketsPerNode.
  std::uint32_t packets_per_node = 1;
  /// Seed of candidates that search.
  std::uint64_t seed = 1;
  /// Passed to candidates that search.
  Progress progress = {};
  /// Use only plans without ROMs, whose routers do the same in every step.
  bool time_independent = false;
};

/// One algorithm that `auto` may pick. Adding an algorithm means one row in auto.cpp.
struct AutoCandidate {
  std::string_view name;
  /// Predicted steps for k packets per node, without planning. Empty when the algorithm does not
  /// apply.
  std::optional<std::uint64_t> (*predict)(const Topology& topology, std::uint64_t k);
  /// True when `predict` is the exact count of the plan wherever the plan exists.
  bool exact;
  /// Plans; after an InfeasibleError `auto` tries the next candidate.
  Plan (*plan)(const Topology& topology, const AutoOptions& options);
  /// True: for cylinders and networks with faults. False: for healthy tori.
  bool elsewhere = false;
  /// Its routers have ROMs.
  bool rom = false;
};

/// All candidates, preferred first among equal predictions.
[[nodiscard]] std::span<const AutoCandidate> auto_candidates();

/// Plans with the candidate with the fewest predicted steps. If it is infeasible, or its inexact
/// prediction was too low, the next best candidate plans. The plan carries the chosen algorithm's
/// name and the parameters `requested` ("auto"), `reason` (the comparison in one line) and `gap`
/// (steps above the lower bound). Supports tori, cylinders and networks with faults. Throws
/// InfeasibleError when no candidate applies, with the reason of the last candidate.
[[nodiscard]] Plan plan_auto(const Topology& topology, const AutoOptions& options);

}  // namespace gossamer
