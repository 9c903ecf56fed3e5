// SPDX-License-Identifier: Apache-2.0
/// Text from a file or a user, for a one-line message.
#pragma once

#include <string>

namespace gossamer {

/// The text with a blank for every control character: a terminal would execute them, and a line
/// break would split the message in two.
[[nodiscard]] inline std::string printable(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return text;
}

}  // namespace gossamer
