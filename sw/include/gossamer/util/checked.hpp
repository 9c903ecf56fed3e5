// SPDX-License-Identifier: Apache-2.0
/// Products of sizes that users choose, which 64 bits need not hold.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "gossamer/util/error.hpp"

namespace gossamer {

/// The product; nothing when 64 bits do not hold it.
[[nodiscard]] constexpr std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b) {
  if (b != 0 && a > std::numeric_limits<std::uint64_t>::max() / b) return std::nullopt;
  return a * b;
}

/// The product. Throws InputError that names the quantity when 64 bits do not hold it.
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
