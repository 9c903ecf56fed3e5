// SPDX-License-Identifier: Apache-2.0
#include "command_tree.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <string_view>

#include "gossamer/compare/tcd_map.hpp"
#include "gossamer/emit/emit.hpp"
#include "gossamer/plan/collective.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/tb/engines.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/words.hpp"
#include "gossamer/wormhole/traffic.hpp"

namespace gossamer::cli {

namespace {

/// Algorithms of one collective, of all when it is empty; each name once.
std::vector<std::string> algorithm_names(std::string_view collective) {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : algorithms()) {
    if (!collective.empty() && algorithm.collective != collective) continue;
    if (std::find(names.begin(), names.end(), algorithm.name) == names.end()) {
      names.emplace_back(algorithm.name);
    }
  }
  return names;
}

/// The collectives that have an algorithm, each by all of its names.
std::vector<std::vector<std::string>> collective_names() {
  std::vector<std::vector<std::string>> names;
  for (const Algorithm& algorithm : algorithms()) {
    if (!names.empty() && names.back().front() == algorithm.collective) continue;
    names.push_back({std::string(algorithm.collective)});
    for (const Collective& collective : collectives()) {
      if (collective.name == algorithm.collective && !collective.field_name.empty()) {
        names.back().emplace_back(collective.field_name);
      }
    }
  }
  return names;
}

/// The words that an option's value is one of, where there is a list.
std::vector<std::string> words_for(const std::vector<std::string>& path, std::string_view option) {
  const std::string& command = path.empty() ? std::string() : path.front();
  if (option == "topology") return {"torus", "mesh"};
  if (option == "timing") return {"step", "self"};
  if (option == "collective") {
    std::vector<std::string> words;
    for (const auto& names : collective_names())
      words.insert(words.end(), names.begin(), names.end());
    return words;
  }
  if (option == "shell") return {"bash", "zsh", "fish"};
  if (option == "engine") {
    std::vector<std::string> names;
    for (const tb::EngineInfo& engine : tb::engines()) names.emplace_back(engine.name);
    return names;
  }
  if (option == "format" && command == "emit") {
    std::vector<std::string> names;
    for (const EmitFormat& format : emit_formats()) names.emplace_back(format.name);
    return names;
  }
  if (option == "format" && command == "map") return {"text", "csv", "svg", "json"};
  if (option == "algorithm") {
    if (command == "compare") return algorithm_names(path.back());
    if (command == "map") return {tcd_map_algorithms().begin(), tcd_map_algorithms().end()};
    return algorithm_names("");
  }
  if (option == "torus-algorithm") return algorithm_names("gossip");
  if (option == "pattern") {
    return {wormhole::pattern_names().begin(), wormhole::pattern_names().end()};
  }
  if (option == "operation") {
    const auto names = operation_names();
    return {names.begin(), names.end()};
  }
  return {};
}

/// The words in the braces of a type name that one_of() has given: "KIND:{steps,compare}".
std::vector<std::string> words_in(std::string_view type_name) {
  const std::size_t open = type_name.find('{');
  if (open == std::string_view::npos || !type_name.ends_with('}')) return {};
  const auto words = words_of(type_name.substr(open + 1, type_name.size() - open - 2), ',');
  return {words.begin(), words.end()};
}

bool names_a_file(std::string_view value) {
  constexpr std::array<std::string_view, 5> kFiles{"PLAN", "FILE", "DIR", "SPEC", "RESULTS"};
  return std::any_of(kFiles.begin(), kFiles.end(),
                     [value](std::string_view file) { return value.starts_with(file); });
}

OptionEntry entry_for(const CLI::Option& option, const std::vector<std::string>& path) {
  OptionEntry entry;
  if (option.get_positional()) {
    entry.positional = option.get_name(true);
  } else {
    for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  }
  if (option.get_items_expected_max() > 0) entry.value = option.get_type_name();
  entry.help = option.get_description();
  entry.default_text = option.get_default_str();
  entry.required = option.get_required();
  entry.repeats = option.get_items_expected_max() > 1;
  entry.words = words_for(path, option.get_single_name());
  if (entry.words.empty()) entry.words = words_in(option.get_type_name());
  if (!path.empty() && path.front() == "plan" && option.get_single_name() == "algorithm") {
    for (const std::vector<std::string>& names : collective_names()) {
      entry.narrowed.push_back({names, algorithm_names(names.front())});
    }
  }
  entry.is_file = entry.words.empty() && names_a_file(entry.value);
  return entry;
}

void collect(const CLI::App& app, const std::vector<std::string>& path,
             std::vector<CommandEntry>& commands) {
  CommandEntry command;
  command.path = path;
  command.aliases = app.get_aliases();
  command.help = app.get_description();
  command.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    command.options.push_back(entry_for(*option, path));
  }
  const std::vector<const CLI::App*> children = app.get_subcommands(nullptr);
  for (const CLI::App* child : children) command.children.push_back(child->get_name());
  commands.push_back(std::move(command));
  for (const CLI::App* child : children) {
    std::vector<std::string> below = path;
    below.push_back(child->get_name());
    collect(*child, below, commands);
  }
}

}  // namespace

std::string CommandEntry::path_text() const { return joined(path, " "); }

std::vector<CommandEntry> command_tree(const Command& program) {
  std::vector<CommandEntry> commands;
  collect(program.app(), {}, commands);
  return commands;
}

}  // namespace gossamer::cli
