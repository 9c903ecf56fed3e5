// SPDX-License-Identifier: Apache-2.0
/// Lists of words in a string, as in tables of names; numbers and articles in sentences.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gossamer {

/// The words of a list, separated by blanks by default.
[[nodiscard]] inline std::vector<std::string_view> words_of(std::string_view list,
                                                            char separator = ' ') {
  std::vector<std::string_view> words;
  while (!list.empty()) {
    const std::size_t length = std::min(list.find(separator), list.size());
    words.push_back(list.substr(0, length));
    list.remove_prefix(std::min(length + 1, list.size()));
  }
  return words;
}

/// True when a blank-separated list contains the word.
[[nodiscard]] inline bool has_word(std::string_view list, std::string_view word) {
  const std::vector<std::string_view> words = words_of(list);
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// "1 link", "2 links".
[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

/// 8192 -> "8,192".
[[nodiscard]] inline std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

/// "a 4x4", "an 8x8": sides with the article for the spoken form of the first side.
[[nodiscard]] inline std::string with_article(const std::string& sides) {
  const std::string first = sides.substr(0, sides.find('x'));
  // Eight, eighty, eight hundred; eleven and eighteen, alone and in thousands.
  const bool vowel =
      first.starts_with('8') ||
      ((first.starts_with("11") || first.starts_with("18")) && first.size() % 3 == 2);
  return (vowel ? "an " : "a ") + sides;
}

}  // namespace gossamer
