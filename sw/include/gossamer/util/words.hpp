// SPDX-License-Identifier: Apache-2.0
/// Lists of words in a string, as tables of names hold them.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace gossamer {

/// The words of a blank-separated list.
[[nodiscard]] inline std::vector<std::string_view> words_of(std::string_view list) {
  std::vector<std::string_view> words;
  while (!list.empty()) {
    const std::size_t length = std::min(list.find(' '), list.size());
    words.push_back(list.substr(0, length));
    list.remove_prefix(std::min(length + 1, list.size()));
  }
  return words;
}

/// True when a blank-separated list has the word.
[[nodiscard]] inline bool has_word(std::string_view list, std::string_view word) {
  const std::vector<std::string_view> words = words_of(list);
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace gossamer
