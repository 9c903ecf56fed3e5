// SPDX-License-Identifier: Apache-2.0
#include "parse_message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "gossamer/util/suggest.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer::cli {

namespace {

std::vector<std::string> children_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* child : command.get_subcommands(nullptr)) {
    names.push_back(child->get_name());
    names.insert(names.end(), child->get_aliases().begin(), child->get_aliases().end());
  }
  return names;
}

/// An unexpected argument: an unknown option or command, or one argument too many.
std::string unknown_argument(const CLI::App& command, const std::string& path,
                             const std::string& word) {
  std::vector<std::string> known;
  if (word.starts_with('-')) {
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
    const std::string option = word.substr(0, word.find('='));
    return fmt::format("{} has no option {}{}", path, option,
                       did_you_mean(option, {known.begin(), known.end()}));
  }
  known = children_of(command);
  if (known.empty()) return fmt::format("\"{}\": {} takes no further argument", word, path);
  return fmt::format("\"{}\" is not a command of {}{}", word, path,
                     did_you_mean(word, {known.begin(), known.end()}));
}

template <typename Error>
bool is(const CLI::ParseError& error) {
  return dynamic_cast<const Error*>(&error) != nullptr;
}

/// CLI11's errors name their option only in their text, so the option is found by its state.
std::string cause_of(const CLI::App& command, const CLI::ParseError& error,
                     const std::string& last_word) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0) {
      if (is<CLI::RequiredError>(error) && option->get_required()) return name + " is required";
      continue;
    }
    for (const CLI::Option* other : option->get_needs()) {
      if (is<CLI::RequiresError>(error) && other->count() == 0) {
        return fmt::format("{} requires {}", name, other->get_name());
      }
    }
    for (const CLI::Option* other : option->get_excludes()) {
      if (is<CLI::ExcludesError>(error) && other->count() != 0) {
        return fmt::format("{} excludes {}", name, other->get_name());
      }
    }
    const auto most = static_cast<std::size_t>(std::max(1, option->get_items_expected_max()));
    if (is<CLI::ArgumentMismatch>(error) && option->count() > most &&
        option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw) {
      return most == 1
                 ? fmt::format("{}: given {} times, at most once is possible", name,
                               option->count())
                 : fmt::format("{}: {} given, at most {} possible", name, option->count(), most);
    }
  }
  if (is<CLI::RequiredError>(error)) {
    return fmt::format("a subcommand is required: {}", joined(children_of(command), ", "));
  }
  if (is<CLI::ArgumentMismatch>(error)) {
    // CLI11 misses a value only at the end of the line: it takes any word for one.
    const std::string name = last_word.substr(0, last_word.find('='));
    const CLI::Option* option = command.get_option_no_throw(name);
    if (option == nullptr) return name + ": a value is required";
    return fmt::format("{}: {}", option->get_name(), value_required(*option));
  }
  // The checks' own text.
  return error.what();
}

}  // namespace

std::string parse_message(const CLI::App& program, const CLI::ParseError& error,
                          const std::string& last_word) {
  const CLI::App* command = &program;
  std::string path = program.get_name();
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().back();
    path += " " + command->get_name();
  }
  // Unknown options are reported first: if an option is misspelt, the right one is missing, and its
  // value was taken for another argument.
  const std::vector<std::string> unexpected = command->remaining();
  const bool comes_first = !unexpected.empty() && (unexpected.front().starts_with('-') ||
                                                   !is<CLI::ValidationError>(error));
  const std::string cause = comes_first ? unknown_argument(*command, path, unexpected.front())
                                        : cause_of(*command, error, last_word);
  return fmt::format("{}; see {} --help", cause, path);
}

std::string value_required(const CLI::Option& option) {
  const std::string& help = option.get_description();
  constexpr std::string_view kMark = "e.g. ";
  const std::size_t mark = help.find(kMark);
  if (mark == std::string::npos) return "a value is required";
  std::string example = help.substr(mark);
  example.resize(std::min(example.size(), example.find(' ', kMark.size())));
  while (std::string_view(",;:.)").find(example.back()) != std::string_view::npos) {
    example.pop_back();
  }
  return "a value is required, " + example;
}

}  // namespace gossamer::cli
