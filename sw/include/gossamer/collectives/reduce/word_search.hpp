// SPDX-License-Identifier: Apache-2.0
/// Options of the searches for all-reduces of short vectors: `stages` and `forest`.
#pragma once

#include <cstdint>
#include <optional>

#include "gossamer/plan/plan.hpp"
#include "gossamer/util/progress.hpp"

namespace gossamer {

struct WordSearchOptions {
  /// Words of the vector.
  std::uint64_t words = 1;
  Combining operation = Operation::kSum;
  std::uint64_t seed = 1;
  /// Attempts per number of steps, 1 .. kMostEffort; empty: the search's default.
  std::optional<std::uint32_t> effort = std::nullopt;
  /// Limit on the steps of a plan; empty: the search's default.
  std::optional<std::uint64_t> most_steps = std::nullopt;
  Progress progress = {};
};

inline constexpr std::uint32_t kMostEffort = 1'000'000;

}  // namespace gossamer
