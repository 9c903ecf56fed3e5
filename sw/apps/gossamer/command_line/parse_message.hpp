// SPDX-License-Identifier: Apache-2.0
/// Describes an error of a command line in one line: the place, the expected form, and a
/// suggestion.
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
