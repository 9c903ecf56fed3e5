// SPDX-License-Identifier: Apache-2.0
/// What is wrong with a command line, in a line that says where, what was expected, and what was
/// probably meant.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace gossamer::cli {

/// The line for a command line that `program` refused with `error`; it ends in the help to read.
[[nodiscard]] std::string parse_message(const CLI::App& program, const CLI::ParseError& error);

}  // namespace gossamer::cli
