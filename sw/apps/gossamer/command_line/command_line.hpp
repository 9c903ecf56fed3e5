// SPDX-License-Identifier: Apache-2.0
/// Commands and options as the program's files define them. CLI11 does the work. Only this folder
/// includes it, because it dominated the compile time of every command.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gossamer::cli {

/// The width that help and lists are made for, in characters.
inline constexpr std::size_t kColumns = 80;

/// An option, a flag or a positional argument. Setters return the option.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option* required();
  /// The value's placeholder in help.
  Option* type_name(const std::string& name);
  /// The heading that help shows it under.
  Option* group(const std::string& name);
  /// Help shows the variable's present value as the default.
  Option* capture_default_str();
  /// A value below `least` or above `most` is refused. T: int, unsigned or std::uint64_t.
  template <typename T>
  Option* range(T least, T most);
  Option* not_negative();
  Option* one_of(const std::vector<std::string>& words);
  /// `refuse` throws InputError for invalid values, before missing options are reported.
  Option* checked(std::function<void(const std::string&)> refuse);
  /// Takes from `least` to `most` values at once.
  Option* expected(int least, int most);
  /// May be given again, one value each time.
  Option* repeatable();
  Option* needs(Option* other);
  Option* excludes(Option* other);

 private:
  CLI::Option* option_;
};

/// A command, or the program itself. Options and commands live as long as the program does;
/// variables that options write must outlive the parse.
class Command {
 public:
  /// The program.
  Command(const std::string& help, const std::string& name, const std::string& version);

  /// NAME is "-o,--output" or, of a positional argument, "plan". T: a string, a number, an optional
  /// number, or a vector of strings or numbers; command_line.cpp lists them.
  template <typename T>
  Option* add_option(const std::string& name, T& value, const std::string& help);
  Option* add_flag(const std::string& name, bool& value, const std::string& help);
  Command* add_subcommand(const std::string& name, const std::string& help);
  /// The option that was added under this name; there must be one.
  Option* get_option(const std::string& name);

  void alias(const std::string& name);
  void footer(const std::string& text);
  /// --help prints this text where there is one.
  void special_help(std::function<std::optional<std::string>()> text);
  /// Runs when the command was chosen and its line is right.
  void callback(std::function<void()> chosen);
  /// Only its commands do something.
  void require_subcommand();
  /// Accepts all further arguments unchecked.
  void allow_extras();

  /// Parses the program's line. Returns the exit status if nothing remains to be done (--help),
  /// otherwise empty. Throws InputError for an invalid line.
  std::optional<int> parse(int argc, char** argv);

  [[nodiscard]] const CLI::App& app() const { return *app_; }

 private:
  explicit Command(std::shared_ptr<CLI::App> app) : app_(std::move(app)) {}
  Option* added(CLI::Option* option);

  std::shared_ptr<CLI::App> app_;
  std::list<Option> options_;
  std::list<Command> commands_;
};

}  // namespace gossamer::cli
