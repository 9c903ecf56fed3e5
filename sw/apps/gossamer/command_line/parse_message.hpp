// SPDX-License-Identifier: Apache-2.0
/// What is wrong with a command line, in a line that says where, what was expected, and what was
/// probably meant.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace gossamer::cli {

/// The line for a command line, with this last word, that `program` refused with `error`. It ends
/// in the help to read.
[[nodiscard]] std::string parse_message(const CLI::App& program, const CLI::ParseError& error,
                                        const std::string& last_word);

/// "a value is required, e.g. 16x16", with the example that the option's help gives.
[[nodiscard]] std::string value_required(const CLI::Option& option);

}  // namespace gossamer::cli
