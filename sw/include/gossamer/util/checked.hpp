// SPDX-License-Identifier: Apache-2.0
/// Products of sizes that users choose, which 64 bits need not hold.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <limits>
#include <string_view>

#include "gossamer/util/error.hpp"

namespace gossamer {

/// The product. Throws InputError that names the quantity when 64 bits do not hold it.
template <std::same_as<std::uint64_t>... Factors>
[[nodiscard]] std::uint64_t checked_product(std::string_view quantity, Factors... factors) {
  std::uint64_t product = 1;
  const auto multiply = [&](std::uint64_t factor) {
    if (factor != 0 && product > std::numeric_limits<std::uint64_t>::max() / factor) {
      throw InputError(fmt::format("{}: more than 64 bits hold", quantity));
    }
    product *= factor;
  };
  (multiply(factors), ...);
  return product;
}

}  // namespace gossamer
