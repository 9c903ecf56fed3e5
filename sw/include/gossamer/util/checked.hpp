// SPDX-License-Identifier: Apache-2.0
/// Products of user-defined sizes, which may exceed 64 bits.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "gossamer/util/error.hpp"

namespace gossamer {

/// The product; empty if it exceeds 64 bits.
[[nodiscard]] constexpr std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b) {
  if (b != 0 && a > std::numeric_limits<std::uint64_t>::max() / b) return std::nullopt;
  return a * b;
}

/// The product. Throws InputError naming the quantity if it exceeds 64 bits.
template <std::same_as<std::uint64_t>... Factors>
[[nodiscard]] std::uint64_t checked_product(std::string_view quantity, Factors... factors) {
  std::uint64_t all = 1;
  const auto multiply = [&](std::uint64_t factor) {
    const auto larger = product(all, factor);
    if (!larger) throw InputError(fmt::format("{}: more than 64 bits hold", quantity));
    all = *larger;
  };
  (multiply(factors), ...);
  return all;
}

}  // namespace gossamer
