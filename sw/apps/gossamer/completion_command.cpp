// SPDX-License-Identifier: Apache-2.0
/// gossamer completion: scripts with which a shell calls `gossamer __complete` for completions.
#include <fmt/format.h>

#include "command_line/completion.hpp"
#include "commands.hpp"
#include "gossamer/util/output_file.hpp"

namespace gossamer::cli {

namespace {

constexpr std::string_view kBash = R"sh(# made by: gossamer completion bash
_gossamer() {
  mapfile -t COMPREPLY < <("$1" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)
  [[ ${COMPREPLY[*]} != :file ]] && return
  compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$2")
}
complete -F _gossamer gossamer
)sh";

constexpr std::string_view kZsh = R"sh(#compdef gossamer
_gossamer() {
  local -a found=(${(f)"$("$words[1]" __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)"})
  [[ $found == :file ]] && { _files; return }
  found=("${(@)found//:/\\:}") && found=("${(@)found/$'\t'/:}") && _describe gossamer found
}
if [[ $funcstack[1] == _gossamer ]]; then _gossamer "$@"; else compdef _gossamer gossamer; fi
)sh";

constexpr std::string_view kFish = R"sh(# made by: gossamer completion fish
function __gossamer_complete
  set -l words (commandline -opc) "$(commandline -ct)"
  set -l found ($words[1] __complete $words[2..] 2>/dev/null)
  test "$found" = :file; and __fish_complete_path $words[-1]
  printf '%s\n' $found | string match --invert --regex '^(:file)?$'
end
complete -c gossamer -f -a '(__gossamer_complete)'
)sh";

struct CompletionArguments {
  std::string shell;
  std::string output = "-";
};

int run(const CompletionArguments& arguments) {
  for (const auto& [shell, script] :
       {std::pair{"bash", kBash}, std::pair{"zsh", kZsh}, std::pair{"fish", kFish}}) {
    if (shell != arguments.shell) continue;
    OutputFile file(arguments.output);
    file.stream() << script;
    file.commit();
  }
  return kDone;
}

}  // namespace

void add_completion_command(Command& app, Action& action) {
  auto arguments = std::make_shared<CompletionArguments>();
  Command* command = app.add_subcommand(
      "completion", "Write a script that completes commands, options and values in a shell");
  command->add_option("shell", arguments->shell, "Shell: bash, zsh or fish")
      ->required()
      ->one_of({"bash", "zsh", "fish"})
      ->type_name("SHELL");
  command->add_option("-o,--output", arguments->output, "Output file; - for standard output")
      ->capture_default_str()
      ->type_name("FILE");
  command->footer("Example, in ~/.bashrc: source <(gossamer completion bash)\n");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

int print_completions(const Command& app, const std::vector<std::string>& words) {
  for (const std::string& word : completions(app, words)) fmt::print("{}\n", word);
  return kDone;
}

}  // namespace gossamer::cli
