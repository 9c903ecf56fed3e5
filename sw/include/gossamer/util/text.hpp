// SPDX-License-Identifier: Apache-2.0
/// Texts that grow, and lists in them. fmt's own words for both, format_to() with an iterator and
/// join(), have its engine compiled again in every source that says them (fmt 9: 4 s and 1 s of a
/// compiler, 80 KB each).
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace gossamer {

/// Appends what fmt::vformat() says.
void append_formatted(std::string& text, fmt::string_view format, fmt::format_args arguments);

/// Appends what fmt::format() says.
template <typename... Args>
void append_format(std::string& text, fmt::format_string<Args...> format, Args&&... arguments) {
  append_formatted(text, format, fmt::make_format_args(arguments...));
}

/// The first `most` of a range of numbers or strings, with `separator` between them.
template <typename Range>
[[nodiscard]] std::string joined(const Range& range, std::string_view separator,
                                 std::size_t most = std::numeric_limits<std::size_t>::max()) {
  std::string text;
  std::size_t count = 0;
  for (const auto& value : range) {
    if (count++ == most) break;
    if (count > 1) text += separator;
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>) {
      text += std::to_string(value);
    } else {
      text += value;
    }
  }
  return text;
}

}  // namespace gossamer
