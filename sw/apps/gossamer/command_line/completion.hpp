// SPDX-License-Identifier: Apache-2.0
/// Completion of a command line, from the command definitions: it offers the contents of --help.
#pragma once

#include <string>
#include <vector>

#include "command_line.hpp"

namespace gossamer::cli {

/// The only entry where a file name is expected.
inline constexpr const char* kAnyFile = ":file";

/// The words that may replace the last of `words`, the words after the program's name up to the
/// cursor. A tab and its help follow a word that has help.
[[nodiscard]] std::vector<std::string> completions(const Command& program,
                                                   const std::vector<std::string>& words);

}  // namespace gossamer::cli
