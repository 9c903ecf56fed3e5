// SPDX-License-Identifier: Apache-2.0
#include "command_tree.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "gossamer/util/text.hpp"

namespace gossamer::cli {

namespace {

/// "requires --bytes"; empty without options. A set of pointers has no order of its own.
template <typename Options>
void add_names(std::vector<std::string>& notes, std::string_view relation, const Options& others) {
  std::vector<std::string> names;
  for (const CLI::Option* other : others) names.push_back(other->get_name());
  if (names.empty()) return;
  std::sort(names.begin(), names.end());
  notes.push_back(fmt::format("{} {}", relation, joined(names, ", ")));
}

OptionEntry entry_for(const CLI::Option& option) {
  OptionEntry entry;
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  entry.value = value_name(option);
  entry.help = full_help(option);
  entry.repeats = option.get_items_expected_max() > 1;
  return entry;
}

void collect(const CLI::App& app, const std::vector<std::string>& path,
             std::vector<CommandEntry>& commands) {
  CommandEntry command;
  command.path = path;
  command.help = app.get_description();
  command.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    command.options.push_back(entry_for(*option));
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

std::string value_name(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return {};
  // one_of() adds its words, for completion.
  const std::string name = option.get_type_name();
  return name.substr(0, name.find(":{"));
}

std::string full_help(const CLI::Option& option) {
  std::vector<std::string> notes;
  if (option.get_required()) notes.emplace_back("required");
  // CLI11 writes a list as "[auto]".
  std::string standard = option.get_default_str();
  if (standard.starts_with('[')) standard = standard.substr(1, standard.size() - 2);
  if (!standard.empty()) notes.push_back("default " + standard);
  add_names(notes, "requires", option.get_needs());
  add_names(notes, "excludes", option.get_excludes());
  if (notes.empty()) return option.get_description();
  return fmt::format("{} ({})", option.get_description(), joined(notes, ", "));
}

std::string CommandEntry::path_text() const { return joined(path, " "); }

std::vector<CommandEntry> command_tree(const Command& program) {
  std::vector<CommandEntry> commands;
  collect(program.app(), {}, commands);
  return commands;
}

}  // namespace gossamer::cli
