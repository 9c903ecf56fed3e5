// SPDX-License-Identifier: Apache-2.0
#include "gossamer/util/suggest.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace gossamer {

namespace {

/// Longer words are not typing errors, and a comparison takes the product of the lengths.
constexpr std::size_t kLongestWord = 64;

/// Letters and digits alone, small: "All_Gather" is "allgather".
std::string bare(std::string_view word) {
  std::string letters;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) letters += static_cast<char>(std::tolower(byte));
  }
  return letters;
}

/// Letters to add, leave out, exchange or swap with a neighbour (optimal string alignment
/// distance).
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(to.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::vector<std::size_t> row(to.size() + 1, i);
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t exchanged = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, exchanged});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    before_last = std::move(last);
    last = std::move(row);
  }
  return last.back();
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known) {
  const std::string asked = bare(word);
  if (asked.empty() || asked.size() > kLongestWord) return {};
  std::string_view nearest;
  std::size_t least = std::min<std::size_t>(4, asked.size() / 3 + 1) + 1;
  std::string_view longer;
  std::size_t longer_ones = 0;
  for (const std::string_view candidate : known) {
    const std::string letters = bare(candidate);
    if (letters.empty() || letters.size() > kLongestWord) continue;
    if (letters.size() > asked.size() && letters.starts_with(asked)) {
      longer = candidate;
      ++longer_ones;
    }
    // A word of other letters altogether is not near, however short it is.
    const std::size_t apart = distance(asked, letters);
    if (apart < least && apart < letters.size()) {
      nearest = candidate;
      least = apart;
    }
  }
  if (nearest.empty() && longer_ones == 1) nearest = longer;
  return nearest.empty() ? std::string() : " (did you mean " + std::string(nearest) + "?)";
}

}  // namespace gossamer
