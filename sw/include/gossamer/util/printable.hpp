// SPDX-License-Identifier: Apache-2.0
/// Text of a file or a user, for a message of one line.
#pragma once

#include <string>

namespace gossamer {

/// The text with a blank for every control character: a terminal obeys them, and a line's end would
/// make two messages of one.
[[nodiscard]] inline std::string printable(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return text;
}

}  // namespace gossamer
