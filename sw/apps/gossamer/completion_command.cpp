// SPDX-License-Identifier: Apache-2.0
/// gossamer completion: scripts that complete commands, options and values in a shell.
#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "command_line/command_tree.hpp"
#include "commands.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/output_file.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer::cli {

namespace {

using Commands = std::vector<CommandEntry>;

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

/// Inside single quotes of a POSIX shell.
std::string quoted(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }

std::string words(const std::vector<std::string>& list) { return joined(list, " "); }

const CommandEntry& child_of(const Commands& commands, const CommandEntry& parent,
                             const std::string& name) {
  std::vector<std::string> path = parent.path;
  path.push_back(name);
  for (const CommandEntry& command : commands) {
    if (command.path == path) return command;
  }
  throw std::logic_error("command tree: no " + name);
}

/// "compare all-gather": the path with another name for its last word.
std::string alias_path(const CommandEntry& command, const std::string& alias) {
  std::vector<std::string> path = command.path;
  path.back() = alias;
  return words(path);
}

/// The names of the commands below, by all their names.
std::vector<std::string> children_of(const Commands& commands, const CommandEntry& command) {
  std::vector<std::string> names = command.children;
  for (const std::string& name : command.children) {
    const std::vector<std::string>& aliases = child_of(commands, command, name).aliases;
    names.insert(names.end(), aliases.begin(), aliases.end());
  }
  return names;
}

// --- bash ---------------------------------------------------------------------------------------

/// "'plan gossip/--dims'|.." as a case label for all names of an option.
std::string bash_label(const CommandEntry& command, const OptionEntry& option) {
  std::string label;
  for (const std::string& name : option.names) {
    label += fmt::format("{}'{}/{}'", label.empty() ? "" : "|", command.path_text(), name);
  }
  return label;
}

std::string bash_values(const OptionEntry& option) {
  if (!option.narrowed.empty()) {
    std::string cases;
    for (const OptionEntry::Narrowed& narrowed : option.narrowed) {
      std::string label;
      for (const std::string& word : narrowed.behind) {
        label += fmt::format("{}*' {} '*", label.empty() ? "" : "|", word);
      }
      cases += fmt::format(" {}) _gossamer_words \"{}\" ;;", label, words(narrowed.words));
    }
    return fmt::format(R"(case " ${{COMP_WORDS[*]}} " in{} *) _gossamer_words "{}" ;; esac)", cases,
                       words(option.words));
  }
  if (!option.words.empty()) return fmt::format("_gossamer_words \"{}\"", words(option.words));
  return option.is_file ? "_gossamer_files" : "COMPREPLY=()";
}

std::string bash_script(const Commands& commands) {
  std::string known;
  std::string aliases;
  std::string values;
  std::string names;
  for (const CommandEntry& command : commands) {
    if (!command.path.empty()) {
      known += fmt::format("{}'{}'", known.empty() ? "" : "|", command.path_text());
    }
    for (const std::string& alias : command.aliases) {
      aliases += fmt::format("      '{}') command='{}' ;;\n", alias_path(command, alias),
                             command.path_text());
    }
    std::vector<std::string> flags;
    std::string plain = "_gossamer_words \"" + words(children_of(commands, command)) + "\"";
    for (const OptionEntry& option : command.options) {
      flags.insert(flags.end(), option.names.begin(), option.names.end());
      if (option.names.empty()) {
        plain = bash_values(option);
      } else if (!option.value.empty()) {
        values += fmt::format("    {}) {}; return ;;\n", bash_label(command, option),
                              bash_values(option));
      }
    }
    names += fmt::format(
        "    '{}')\n"
        "      if [[ $current == -* ]]; then _gossamer_words \"{}\"; else {}; fi ;;\n",
        command.path_text(), words(flags), plain);
  }
  return fmt::format(
      R"(# bash completion for gossamer; made by: gossamer completion bash
_gossamer_words() {{
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
}}
_gossamer_files() {{
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$current")
}}
_gossamer() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
  local command="" longer i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    longer="${{command:+$command }}${{COMP_WORDS[i]}}"
    case "$longer" in
      {}) command=$longer ;;
{}    esac
  done
  case "$command/$previous" in
{}  esac
  case "$command" in
{}  esac
}}
complete -F _gossamer gossamer
)",
      known, aliases, values, names);
}

// --- zsh ----------------------------------------------------------------------------------------

/// Brackets and colons separate parts of a specification.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_value(const OptionEntry& option) {
  if (option.value.empty()) return "";
  std::string action = " ";
  if (!option.narrowed.empty()) {
    std::string cases;
    for (const OptionEntry::Narrowed& narrowed : option.narrowed) {
      std::string label;
      for (const std::string& word : narrowed.behind) {
        label += fmt::format("{}*\" {} \"*", label.empty() ? "" : "|", word);
      }
      cases += fmt::format(" ({}) compadd -- {} ;;", label, words(narrowed.words));
    }
    action = fmt::format("{{case \" $words \" in{} (*) compadd -- {} ;; esac}}", cases,
                         words(option.words));
  } else if (!option.words.empty()) {
    action = "(" + words(option.words) + ")";
  } else if (option.is_file) {
    action = "_files";
  }
  return fmt::format(":{}:{}", zsh_text(option.value), action);
}

std::string zsh_function(const CommandEntry& command) {
  return command.path.empty() ? std::string("_gossamer") : "_gossamer_" + joined(command.path, "_");
}

std::string zsh_script(const Commands& commands) {
  std::string script = "#compdef gossamer\n# zsh completion; made by: gossamer completion zsh\n";
  for (const CommandEntry& command : commands) {
    std::string specs;
    for (const OptionEntry& option : command.options) {
      if (option.names.empty()) {
        specs +=
            fmt::format(" \\\n    {}",
                        quoted(fmt::format("{}{}", option.repeats ? "*" : "", zsh_value(option))));
      }
      for (const std::string& name : option.names) {
        specs += fmt::format(
            " \\\n    {}",
            quoted(fmt::format("{}[{}]{}", name, zsh_text(option.help), zsh_value(option))));
      }
    }
    if (command.children.empty()) {
      script += fmt::format("{}() {{\n  _arguments{}\n}}\n", zsh_function(command), specs);
      continue;
    }
    std::string list;
    std::string calls;
    for (const std::string& name : command.children) {
      const CommandEntry& child = child_of(commands, command, name);
      list += fmt::format("        {}\n", quoted(zsh_text(name) + ":" + child.help));
      std::string label = name;
      for (const std::string& alias : child.aliases) {
        list += fmt::format("        {}\n", quoted(zsh_text(alias) + ":" + child.help));
        label += "|" + alias;
      }
      calls += fmt::format("        {}) {} ;;\n", label, zsh_function(child));
    }
    script += fmt::format(
        R"({}() {{
  local curcontext=$curcontext state line
  _arguments -C{} \
    '1: :->command' '*:: :->arguments'
  case $state in
    command)
      local -a commands=(
{}      )
      _describe command commands ;;
    arguments)
      case $line[1] in
{}      esac ;;
  esac
}}
)",
        zsh_function(command), specs, list, calls);
  }
  // Run when autoloaded by the completion system; only defined when the file is sourced.
  return script +
         "if [ \"$funcstack[1]\" = \"_gossamer\" ]; then\n  _gossamer \"$@\"\nelse\n"
         "  compdef _gossamer gossamer\nfi\n";
}

// --- fish ---------------------------------------------------------------------------------------

std::string fish_quoted(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

std::string fish_script(const Commands& commands) {
  std::string known;
  std::string aliases;
  for (const CommandEntry& command : commands) {
    if (!command.path.empty()) known += " " + fish_quoted(command.path_text());
    for (const std::string& alias : command.aliases) {
      aliases +=
          fmt::format("    test \"$longer\" = {}; and set path {}\n",
                      fish_quoted(alias_path(command, alias)), fish_quoted(command.path_text()));
    }
  }
  std::string script = fmt::format(
      R"(# fish completion for gossamer; made by: gossamer completion fish
function __gossamer_at
  set -l path ""
  for word in (commandline -opc)[2..-1]
    set -l longer (string trim "$path $word")
    if contains -- "$longer"{}
      set path $longer
    end
{}  end
  test "$path" = "$argv[1]"
end
complete -c gossamer -f
)",
      known, aliases);
  for (const CommandEntry& command : commands) {
    const std::string when = "-n " + fish_quoted("__gossamer_at \"" + command.path_text() + "\"");
    for (const std::string& name : command.children) {
      const CommandEntry& child = child_of(commands, command, name);
      std::vector<std::string> all = child.aliases;
      all.insert(all.begin(), name);
      for (const std::string& one : all) {
        script += fmt::format("complete -c gossamer {} -a {} -d {}\n", when, one,
                              fish_quoted(child.help));
      }
    }
    for (const OptionEntry& option : command.options) {
      std::string named;
      for (const std::string& name : option.names) {
        named += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (!option.names.empty()) named += " -d " + fish_quoted(option.help);
      // A line for each earlier word that narrows the values, and one for none of them.
      std::string earlier;
      for (const OptionEntry::Narrowed& narrowed : option.narrowed) {
        const std::string seen = "__fish_seen_subcommand_from " + words(narrowed.behind);
        script += fmt::format("complete -c gossamer {} -n {}{} -x -a {}\n", when, fish_quoted(seen),
                              named, fish_quoted(words(narrowed.words)));
        earlier += " " + words(narrowed.behind);
      }
      std::string line = "complete -c gossamer " + when;
      if (!earlier.empty()) {
        line += " -n " + fish_quoted("not __fish_seen_subcommand_from" + earlier);
      }
      line += named;
      if (!option.value.empty()) {
        // -x: a value, and no file.
        if (!option.names.empty()) line += option.is_file ? " -r" : " -x";
        if (!option.words.empty()) line += " -a " + fish_quoted(words(option.words));
        if (option.is_file) line += " -F";
      }
      script += line + "\n";
    }
  }
  return script;
}

struct Shell {
  std::string_view name;
  std::string (*script)(const Commands& commands);
};
constexpr std::array kShells{Shell{"bash", bash_script}, Shell{"zsh", zsh_script},
                             Shell{"fish", fish_script}};

struct CompletionArguments {
  std::string shell;
  std::string output = "-";
};

int run(const CompletionArguments& arguments, const Command& app) {
  for (const Shell& shell : kShells) {
    if (shell.name != arguments.shell) continue;
    OutputFile file(arguments.output);
    file.stream() << shell.script(command_tree(app));
    file.commit();
    return kDone;
  }
  throw InputError(
      fmt::format("shell: \"{}\" is unknown; there is bash, zsh, fish", arguments.shell));
}

}  // namespace

void add_completion_command(Command& app, Action& action) {
  auto arguments = std::make_shared<CompletionArguments>();
  Command* command = app.add_subcommand(
      "completion", "Write a script that completes commands, options and values in a shell");
  command->add_option("shell", arguments->shell, "bash, zsh or fish")
      ->required()
      ->type_name("SHELL");
  command->add_option("-o,--output", arguments->output, "Where to; - for standard output")
      ->capture_default_str()
      ->type_name("FILE");
  command->footer("Example, in ~/.bashrc: source <(gossamer completion bash)\n");
  command->callback(
      [arguments, &app, &action] { action = [arguments, &app] { return run(*arguments, app); }; });
}

}  // namespace gossamer::cli
