// SPDX-License-Identifier: Apache-2.0
#include "parse_message.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#include "gossamer/util/suggest.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/words.hpp"

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

/// An argument that nothing takes: an unknown option or command, or one argument too many.
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
  return fmt::format("\"{}\" is no command of {}{}", word, path,
                     did_you_mean(word, {known.begin(), known.end()}));
}

/// "Could not convert: --steps = abc" and the like of CLI11 in words of ours.
std::string in_our_words(const CLI::App& command, const CLI::ParseError& error) {
  std::string text = error.what();
  const auto behind = [&text](std::string_view mark) {
    const std::size_t at = text.find(mark);
    return at == std::string::npos ? std::string() : text.substr(at + mark.size());
  };
  if (const std::string pair = behind("Could not convert: "); !pair.empty()) {
    const std::size_t equals = pair.find(" = ");
    const std::string value = equals == std::string::npos ? "" : pair.substr(equals + 3);
    char* end = nullptr;
    (void)std::strtod(value.c_str(), &end);
    const bool number = !value.empty() && *end == '\0';
    return fmt::format("{}: \"{}\" is {}", pair.substr(0, equals), value,
                       number ? "not a whole number of this size" : "not a number");
  }
  const std::string name = text.substr(0, text.find(": "));
  if (const std::string count = behind(": At Most 1 required but received "); !count.empty()) {
    return fmt::format("{}: given {} times, at most once is possible", name, count);
  }
  if (const std::string counts = behind(": At Most "); !counts.empty()) {
    return fmt::format("{}: {} given, at most {} possible", name,
                       counts.substr(counts.rfind(' ') + 1), counts.substr(0, counts.find(' ')));
  }
  constexpr std::string_view kNotIn = " not in {";
  if (const std::size_t at = text.rfind(kNotIn); at != std::string::npos && text.back() == '}') {
    const std::size_t value = text.find(": ") + 2;
    const std::string word = text.substr(value, at - value);
    const std::string list = text.substr(at + kNotIn.size(), text.size() - at - kNotIn.size() - 1);
    const std::vector<std::string_view> words = words_of(list, ',');
    return fmt::format("{}: \"{}\" is unknown{}; there is {}", name, word,
                       did_you_mean(word, words), joined(words, ", "));
  }
  if (text.starts_with(name + ": ") && text.ends_with(" missing")) {
    return name + ": a value is missing behind it";
  }
  if (const std::string range = behind(": Value "); range.find(" not in range ") < range.size()) {
    const std::size_t at = range.find(" not in range ");
    return fmt::format("{}: {} is not in the range {}", name, range.substr(0, at),
                       range.substr(at + std::string_view(" not in range ").size()));
  }
  if (text == "A subcommand is required") {
    return fmt::format("a subcommand is required: {}", joined(children_of(command), ", "));
  }
  return text;
}

}  // namespace

std::string parse_message(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App* command = &program;
  std::string path = program.get_name();
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().back();
    path += " " + command->get_name();
  }
  // What nobody expected comes first: a misspelt option leaves the right one missing as well.
  const std::vector<std::string> unexpected = command->remaining();
  const std::string cause = unexpected.empty()
                                ? in_our_words(*command, error)
                                : unknown_argument(*command, path, unexpected.front());
  return fmt::format("{}; see {} --help", cause, path);
}

}  // namespace gossamer::cli
