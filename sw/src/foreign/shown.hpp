// SPDX-License-Identifier: Apache-2.0
/// Text of a foreign file, escaped for a message.
#pragma once

#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gossamer::foreign {

/// The beginning of `text`, without characters that a terminal would execute.
[[nodiscard]] inline std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::string clean(text.substr(0, kMost));
  for (char& c : clean) {
    if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) >= 0x7f) c = '?';
  }
  return clean;
}

/// Notes for contents of a file that are read but not used.
inline void add_unused(const std::set<std::string>& unused, std::vector<std::string>& notes) {
  constexpr std::size_t kMost = 10;
  for (const std::string& each : unused) {
    if (notes.size() == kMost) break;
    notes.push_back(fmt::format("not used: {}", each));
  }
}

}  // namespace gossamer::foreign
