// SPDX-License-Identifier: Apache-2.0
/// The commands and options as data, derived from the command-line definitions, so the man page
/// shows the same as --help.
#pragma once

#include <string>
#include <vector>

#include "command_line.hpp"

namespace gossamer::cli {

/// The placeholder of an option's value in help, "FILE"; empty for flags.
[[nodiscard]] std::string value_name(const CLI::Option& option);

/// The option's description with its default and the other options that it requires or excludes:
/// "Bits per flit (default 32, requires --bytes)".
[[nodiscard]] std::string full_help(const CLI::Option& option);

/// One option, flag or positional argument.
struct OptionEntry {
  /// "-o", "--output"; empty for a positional argument.
  std::vector<std::string> names;
  /// As value_name().
  std::string value;
  /// As full_help().
  std::string help;
  /// May be given more than one value.
  bool repeats = false;
};

/// One command, or the program itself (empty path).
struct CommandEntry {
  /// {"compare", "gossip"}
  std::vector<std::string> path;
  std::string help;
  std::string footer;
  std::vector<OptionEntry> options;
  /// Names of the commands below.
  std::vector<std::string> children;

  /// "compare gossip"
  [[nodiscard]] std::string path_text() const;
};

/// The program first, then every command after its parent, in the order of --help.
[[nodiscard]] std::vector<CommandEntry> command_tree(const Command& program);

}  // namespace gossamer::cli
