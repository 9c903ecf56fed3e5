// SPDX-License-Identifier: Apache-2.0
#include "gossamer/util/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace gossamer {

void append_formatted(std::string& text, fmt::string_view format, fmt::format_args arguments) {
  text += fmt::vformat(format, arguments);
}

std::optional<std::uint64_t> whole_number(std::string_view text, std::uint64_t most) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value > most) return std::nullopt;
  return value;
}

std::optional<std::vector<std::uint32_t>> whole_numbers(std::string_view text, char separator) {
  std::vector<std::uint32_t> numbers;
  while (true) {
    const std::string_view word = text.substr(0, text.find(separator));
    const auto number = whole_number(word, std::numeric_limits<std::uint32_t>::max());
    if (!number) return std::nullopt;
    numbers.push_back(static_cast<std::uint32_t>(*number));
    if (word.size() == text.size()) return numbers;
    text.remove_prefix(word.size() + 1);
  }
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (text.size() > width) {
    std::size_t at = text.rfind(' ', width);
    if (at == std::string_view::npos) at = width;
    lines.emplace_back(text.substr(0, at));
    text.remove_prefix(std::min(text.size(), at + 1));
  }
  lines.emplace_back(text);
  return lines;
}

}  // namespace gossamer
