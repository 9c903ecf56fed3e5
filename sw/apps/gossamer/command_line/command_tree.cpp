// SPDX-License-Identifier: Apache-2.0
#include "command_tree.hpp"

#include <CLI/CLI.hpp>

#include "gossamer/util/text.hpp"

namespace gossamer::cli {

namespace {

OptionEntry entry_for(const CLI::Option& option) {
  OptionEntry entry;
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  if (option.get_items_expected_max() > 0) entry.value = option.get_type_name();
  entry.help = option.get_description();
  entry.default_text = option.get_default_str();
  entry.required = option.get_required();
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

std::string CommandEntry::path_text() const { return joined(path, " "); }

std::vector<CommandEntry> command_tree(const Command& program) {
  std::vector<CommandEntry> commands;
  collect(program.app(), {}, commands);
  return commands;
}

}  // namespace gossamer::cli
