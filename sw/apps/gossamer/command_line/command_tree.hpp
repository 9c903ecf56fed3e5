// SPDX-License-Identifier: Apache-2.0
/// The commands and options as data, read off the command-line definitions: what the man page and
/// the shells' completions are made of, so that neither can say anything else than --help.
#pragma once

#include <string>
#include <vector>

#include "command_line.hpp"

namespace gossamer::cli {

/// One option, flag or positional argument.
struct OptionEntry {
  /// "-o", "--output"; empty for a positional argument.
  std::vector<std::string> names;
  /// The positional argument's name; empty for options.
  std::string positional;
  /// What the value is called, "FILE"; empty for flags. As --help shows it.
  std::string value;
  std::string help;
  /// Empty when there is none.
  std::string default_text;
  bool required = false;
  /// May be given more than one value.
  bool repeats = false;
  /// The values to choose from, if they are known words.
  std::vector<std::string> words;
  /// Of these the ones that go with an earlier word of the line, where that matters.
  struct Narrowed {
    /// The earlier words, any of them.
    std::vector<std::string> behind;
    std::vector<std::string> words;
  };
  std::vector<Narrowed> narrowed;
  /// The value is the name of a file or directory.
  bool is_file = false;
};

/// One command, or the program itself (empty path).
struct CommandEntry {
  /// {"compare", "gossip"}
  std::vector<std::string> path;
  /// Other names for the last word of the path.
  std::vector<std::string> aliases;
  std::string help;
  std::string footer;
  std::vector<OptionEntry> options;
  /// Names of the commands below.
  std::vector<std::string> children;

  /// "compare gossip"
  [[nodiscard]] std::string path_text() const;
};

/// The program first, then every command behind the one it belongs to, in the order of --help.
[[nodiscard]] std::vector<CommandEntry> command_tree(const Command& program);

}  // namespace gossamer::cli
