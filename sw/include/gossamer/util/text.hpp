// SPDX-License-Identifier: Apache-2.0
/// Building of texts and lists, and parsing of numbers. fmt's own format_to() with an iterator and
/// join() compile fmt's engine again in every source that uses them (fmt 9: 4 s and 1 s of compile
/// time, 80 KB each).
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace gossamer {

/// Appends the result of fmt::vformat().
void append_formatted(std::string& text, fmt::string_view format, fmt::format_args arguments);

/// Appends the result of fmt::format().
template <typename... Args>
void append_format(std::string& text, fmt::format_string<Args...> format, Args&&... arguments) {
  append_formatted(text, format, fmt::make_format_args(arguments...));
}

/// Breaks text at blanks into lines of at most `width` characters; a longer word is cut.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t width);

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

/// The number that `text` consists of, digits only; empty for other texts, and above `most`.
[[nodiscard]] std::optional<std::uint64_t> whole_number(
    std::string_view text, std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

/// The numbers below 2^32 in `text`, separated by `separator`, at least one; empty for other texts.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> whole_numbers(std::string_view text,
                                                                      char separator);

}  // namespace gossamer
