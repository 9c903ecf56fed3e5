// SPDX-License-Identifier: Apache-2.0
/// gossamer man: the manual page, from the command definitions.
#include <fmt/format.h>

#include <array>
#include <sstream>

#include "command_line/command_tree.hpp"
#include "commands.hpp"
#include "gossamer/util/output_file.hpp"
#include "gossamer/version.hpp"

namespace gossamer::cli {

namespace {

/// Text escaped for roff: no requests, and a hyphen as a minus.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool starts_line = out.empty() || out.back() == '\n';
    if (starts_line && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string heading(const OptionEntry& option) {
  std::string text;
  for (const std::string& name : option.names) {
    text += fmt::format("{}\\fB{}\\fR", text.empty() ? "" : ", ", roff(name));
  }
  if (option.names.empty()) return fmt::format("\\fI{}\\fR", roff(option.value));
  if (!option.value.empty()) text += fmt::format(" \\fI{}\\fR", roff(option.value));
  return text;
}

std::string option_text(const OptionEntry& option) {
  return fmt::format(".TP\n{}\n{}.\n", heading(option), roff(option.help));
}

/// Lines as they are.
std::string literal(const std::string& text) {
  return text.empty() ? "" : fmt::format(".PP\n.nf\n{}.fi\n", roff(text));
}

std::string usage(const CommandEntry& command) {
  std::string text = fmt::format("\\fBgossamer {}\\fR", roff(command.path_text()));
  for (const OptionEntry& option : command.options) {
    if (!option.names.empty()) continue;
    text += fmt::format(" \\fI{}\\fR{}", roff(option.value), option.repeats ? " ..." : "");
  }
  return text + " [options]";
}

std::string page(const std::vector<CommandEntry>& commands) {
  constexpr std::array<std::pair<int, const char*>, 5> kStatuses{
      {{kDone, "Done, and every check held."},
       {kCheckFailed, "A check failed: incomplete, a conflict, a mismatch, nothing found."},
       {kBadInput, "Bad usage or bad input, with one line that says where and why."},
       {kInfeasible,
        "No plan can satisfy the request; the line names the nearest feasible choice."},
       {kInternalError, "An error of the program itself."}}};
  const CommandEntry& program = commands.front();
  std::string text = fmt::format(
      ".TH GOSSAMER 1 \"\" \"gossamer {}\" \"Gossamer manual\"\n.nh\n.ad l\n"
      ".SH NAME\ngossamer \\- hardwired collective communication for meshes and tori\n"
      ".SH SYNOPSIS\n\\fBgossamer\\fR \\fICOMMAND\\fR [arguments] [options]\n"
      ".SH DESCRIPTION\n{}\n",
      kVersion, roff(program.help));
  text += ".SH OPTIONS\n";
  for (const OptionEntry& option : program.options) text += option_text(option);
  text += ".SH COMMANDS\n";
  for (const CommandEntry& command : commands) {
    // A command with subcommands has no action itself.
    if (command.path.empty() || !command.children.empty()) continue;
    text += fmt::format(".SS \"gossamer {}\"\n{}\n.PP\n{}.\n", roff(command.path_text()),
                        usage(command), roff(command.help));
    for (const OptionEntry& option : command.options) text += option_text(option);
    text += literal(command.footer);
  }
  text += ".SH EXIT STATUS\n";
  for (const auto& [status, meaning] : kStatuses) {
    text += fmt::format(".TP\n.B {}\n{}\n", status, roff(meaning));
  }
  text += ".SH EXAMPLES\n" + literal(program.footer);
  return text;
}

}  // namespace

void add_man_command(Command& app, Action& action) {
  auto output = std::make_shared<std::string>("-");
  Command* command =
      app.add_subcommand("man", "Write the manual page, in roff, from the help of the commands");
  command->add_option("-o,--output", *output, "Output file; - for standard output")
      ->capture_default_str()
      ->type_name("FILE");
  command->footer("Example: gossamer man | man -l -\n");
  command->callback([output, &app, &action] {
    action = [output, &app] {
      OutputFile file(*output);
      file.stream() << page(command_tree(app));
      file.commit();
      return kDone;
    };
  });
}

}  // namespace gossamer::cli
