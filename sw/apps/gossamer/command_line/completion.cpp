// SPDX-License-Identifier: Apache-2.0
#include "completion.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <string_view>

#include "gossamer/compare/tcd_map.hpp"
#include "gossamer/emit/emit.hpp"
#include "gossamer/plan/collective.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/util/words.hpp"
#include "gossamer/wormhole/traffic.hpp"

namespace gossamer::cli {

namespace {

/// The command line before the word that is completed.
struct Line {
  const CLI::App* command = nullptr;
  /// The option whose value is expected next; may be null.
  const CLI::Option* option = nullptr;
  /// The first word, which names a command.
  std::string top;
  std::vector<std::string> arguments;
};

/// Both names of the collectives that have an algorithm.
std::vector<std::string> collective_names() {
  std::vector<std::string> names;
  for (const Collective& collective : collectives()) {
    const auto is_its = [&](const Algorithm& each) { return each.collective == collective.name; };
    if (std::none_of(algorithms().begin(), algorithms().end(), is_its)) continue;
    names.emplace_back(collective.name);
    if (!collective.field_name.empty()) names.emplace_back(collective.field_name);
  }
  return names;
}

/// Algorithms of a collective, by either of its names, or of all collectives.
std::vector<std::string> algorithm_names(std::string_view collective) {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : algorithms()) {
    if (collective.empty() || algorithm.collective == collective_name(collective)) {
      names.emplace_back(algorithm.name);
    }
  }
  return names;
}

template <typename Rows>
std::vector<std::string> names_of(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

/// The words in the braces of a type name that one_of() has given: "KIND:{steps,compare}".
std::vector<std::string> words_in(std::string_view type_name) {
  const std::size_t open = type_name.find('{');
  if (open == std::string_view::npos || !type_name.ends_with('}')) return {};
  const auto words = words_of(type_name.substr(open + 1, type_name.size() - open - 2), ',');
  return {words.begin(), words.end()};
}

std::vector<std::string> values_of(const CLI::Option& option, const Line& line) {
  const std::string& name = option.get_single_name();
  if (name == "topology") return {"torus", "mesh"};
  if (name == "timing") return {"step", "self"};
  if (name == "collective") return collective_names();
  if (name == "engine") return names_of(engines());
  if (name == "format" && line.top == "emit") return names_of(emit_formats());
  if (name == "algorithm") {
    if (line.top == "map") return {tcd_map_algorithms().begin(), tcd_map_algorithms().end()};
    if (line.top == "compare") return algorithm_names(line.command->get_name());
    return algorithm_names(line.arguments.empty() ? "" : line.arguments.front());
  }
  if (name == "torus-algorithm") return algorithm_names("gossip");
  if (name == "pattern") {
    return {wormhole::pattern_names().begin(), wormhole::pattern_names().end()};
  }
  if (name == "operation") {
    const auto names = operation_names();
    return {names.begin(), names.end()};
  }
  const std::string type = option.get_type_name();
  constexpr std::array<std::string_view, 5> kFiles{"PLAN", "FILE", "DIR", "SPEC", "RESULTS"};
  const bool is_file = std::any_of(kFiles.begin(), kFiles.end(),
                                   [&](std::string_view file) { return type.starts_with(file); });
  return is_file ? std::vector<std::string>{kAnyFile} : words_in(type);
}

void read_word(Line& line, const std::string& word) {
  // bash splits --engine=fast into three words.
  if (word == "=") return;
  if (line.option != nullptr) {
    line.option = nullptr;
    return;
  }
  if (word.starts_with('-')) {
    line.option = line.command->get_option_no_throw(word);
    const bool has_value = line.option != nullptr && line.option->get_items_expected_max() > 0;
    if (!has_value) line.option = nullptr;
    return;
  }
  for (const CLI::App* child : line.command->get_subcommands(nullptr)) {
    if (!child->check_name(word)) continue;
    if (line.top.empty()) line.top = child->get_name();
    line.command = child;
    return;
  }
  line.arguments.push_back(word);
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    const std::string& help = option->get_description();
    for (const std::string& name : option->get_snames()) {
      names.push_back(fmt::format("-{}\t{}", name, help));
    }
    for (const std::string& name : option->get_lnames()) {
      names.push_back(fmt::format("--{}\t{}", name, help));
    }
  }
  return names;
}

/// Commands, or values of the next argument.
std::vector<std::string> argument_words(const Line& line) {
  std::vector<std::string> names;
  for (const CLI::App* child : line.command->get_subcommands(nullptr)) {
    const std::string help = "\t" + child->get_description();
    names.push_back(child->get_name() + help);
    for (const std::string& alias : child->get_aliases()) names.push_back(alias + help);
  }
  std::size_t ahead = line.arguments.size();
  for (const CLI::Option* option : line.command->get_options()) {
    if (!option->get_positional()) continue;
    names = values_of(*option, line);
    if (ahead-- == 0) break;
  }
  return names;
}

}  // namespace

std::vector<std::string> completions(const Command& program,
                                     const std::vector<std::string>& words) {
  Line line;
  line.command = &program.app();
  for (std::size_t i = 0; i + 1 < words.size(); ++i) read_word(line, words[i]);
  std::string typed = words.empty() || words.back() == "=" ? "" : words.back();
  std::string before;
  if (const std::size_t equals = typed.find('=');
      line.option == nullptr && typed.starts_with("--") && equals != std::string::npos) {
    before = typed.substr(0, equals + 1);
    read_word(line, typed.substr(0, equals));
    typed.erase(0, equals + 1);
  }
  std::vector<std::string> found;
  if (line.option != nullptr) {
    found = values_of(*line.option, line);
  } else {
    found = typed.starts_with('-') ? option_names(*line.command) : argument_words(line);
  }
  if (found == std::vector<std::string>{kAnyFile}) return found;
  std::erase_if(found, [&](const std::string& word) { return !word.starts_with(typed); });
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  for (std::string& word : found) word.insert(0, before);
  return found;
}

}  // namespace gossamer::cli
