// SPDX-License-Identifier: Apache-2.0
/// The refusal of algorithms whose nodes combine in different orders.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "gossamer/plan/demand.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

/// Throws InfeasibleError for an operation that is not associative; `instead` is the algorithm that
/// supports it.
inline void require_any_order(std::string_view algorithm, const Combining& operation,
                              std::string_view instead) {
  if (is_associative(operation)) return;
  throw InfeasibleError(fmt::format(
      "{}: nodes combine in different orders, and a {} depends on it; nearest feasible: "
      "--algorithm {}, or --operation {}",
      algorithm, combining_text(operation), instead, any_order(operation)));
}

}  // namespace gossamer
