// SPDX-License-Identifier: Apache-2.0
/// Products of two 64-bit numbers divided by a third, exactly.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "gossamer/util/error.hpp"

namespace gossamer::compare {

__extension__ using Wide = unsigned __int128;

/// a * b / divisor, rounded up. Throws InputError naming `what` if it exceeds 64 bits.
[[nodiscard]] inline std::uint64_t scaled_up(std::string_view what, std::uint64_t a,
                                             std::uint64_t b, std::uint64_t divisor) {
  const Wide quotient = (static_cast<Wide>(a) * b + (divisor - 1)) / divisor;
  if (quotient > std::numeric_limits<std::uint64_t>::max()) {
    throw InputError(fmt::format("{}: the value exceeds 64 bits", what));
  }
  return static_cast<std::uint64_t>(quotient);
}

/// a * b / divisor if it is a whole number of at most 64 bits.
[[nodiscard]] inline std::optional<std::uint64_t> exact_quotient(std::uint64_t a, std::uint64_t b,
                                                                 std::uint64_t divisor) {
  const Wide whole = static_cast<Wide>(a) * b;
  if (whole % divisor != 0 || whole / divisor > std::numeric_limits<std::uint64_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(whole / divisor);
}

}  // namespace gossamer::compare
