// SPDX-License-Identifier: Apache-2.0
/// Completions in the shells themselves, and the manual page through groff.
#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "gossamer_program.hpp"

namespace gossamer::testing {
namespace {

using Words = std::set<std::string>;

Words words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

/// The program is `gossamer` for the shell that runs `command`.
ProgramResult in_shell(const ScratchDirectory& directory, const std::string& command) {
  const auto folder = std::filesystem::path(GOSSAMER_PROGRAM).parent_path().string();
  return run_command(directory, "PATH='" + folder + "':$PATH " + command);
}

/// The completions of bash for the last word.
Words complete_in_bash(const ScratchDirectory& directory, const std::string& words) {
  write_text(directory.file("ask.bash"),
             "source ./gossamer.bash\n"
             "eval \"$(complete -p gossamer | sed 's/complete -F \\(.*\\) gossamer/ask=\\1/')\"\n"
             "COMP_WORDS=(gossamer \"$@\")\nCOMP_CWORD=$#\n$ask gossamer \"${!#}\"\n"
             "printf '%s\\n' \"${COMPREPLY[@]}\"\n");
  const ProgramResult result = in_shell(directory, "bash --norc ask.bash " + words);
  INFO(words << "\n" << result.err);
  REQUIRE(result.status == 0);
  return words_of(result.out);
}

TEST_CASE("bash completes commands, options, values and files", "[cli][completion]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "completion bash -o gossamer.bash").status == 0);
  const auto complete = [&](const std::string& words) {
    return complete_in_bash(directory, words);
  };
  CHECK(complete("com") == Words{"compare", "completion", "compose"});
  CHECK(complete("compare ''") == Words{"all-gather", "all-reduce", "all-to-all", "broadcast",
                                        "elastic", "gossip", "reduce", "reduce-scatter"});
  CHECK(complete("compare gossip --st") == Words{"--startup"});
  CHECK(complete("compare all-gather --st") == Words{"--startup"});
  CHECK(complete("plan gos") == Words{"gossip"});
  CHECK(complete("plan gossip --algorithm zig") == Words{"zigzag"});
  // Those of the collective alone, by both of its names; all before one is named.
  CHECK(complete("plan gossip --algorithm ey").empty());
  CHECK(complete("plan broadcast --dims 4x4 --algorithm ey") == Words{"eye"});
  CHECK(complete("plan all-gather --algorithm zig") == Words{"zigzag"});
  CHECK(complete("plan --algorithm ey") == Words{"eye", "eye-exchange"});
  CHECK(complete("plan all") == Words{"all-gather", "all-reduce", "all-to-all"});
  CHECK(complete("compare broadcast --algorithm e") == Words{"eye"});
  CHECK(complete("compare gossip --algorithm e").empty());
  CHECK(complete("map tcd --algorithm ''") ==
        Words{"doubling", "eye", "figure2", "min-tcd", "tree", "xy-unicast"});
  CHECK(complete("plot r --kind ''") == Words{"area", "compare", "delay", "energy", "faults",
                                              "latency", "stall", "steps", "tcd", "time",
                                              "timeline", "words"});
  CHECK(complete("traffic --pattern t") == Words{"tornado", "transpose"});
  CHECK(complete("plan all-reduce --operation m") == Words{"max", "min"});
  CHECK(complete("simulate p --engine ''") == Words{"fast", "rtl", "systemc", "tlm"});
  CHECK(complete("simulate gossamer.b") == Words{"gossamer.bash"});
  CHECK(complete("plan gossip -o gossamer.b") == Words{"gossamer.bash"});
  CHECK(complete("plan gossip --dims ''").empty());
  CHECK(complete("simulate p --engine = r") == Words{"rtl"});
  CHECK(complete("plan gossip --json --dims 4x4 -o p --top") ==
        Words{"--topology", "--topology-file"});
  // The value of an option is no command.
  CHECK(complete("plan -o compare bro") == Words{"broadcast"});
  CHECK(complete("completion ''") == Words{"bash", "fish", "zsh"});
  // All options of one command.
  const std::string help = gossamer(directory, "verify --help").out;
  for (const std::string& word : complete("verify -")) CHECK_THAT(help, Catch::Contains(word));
  CHECK(complete("verify -") == Words{"-h", "--arrivals", "--bytes", "--clock", "--energy",
                                      "--help", "--json", "--link-bits", "--link-latency",
                                      "--report"});
}

TEST_CASE("fish completes the same", "[cli][completion]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "completion fish -o gossamer.fish").status == 0);
  const auto complete = [&](const std::string& line) {
    const ProgramResult result =
        in_shell(directory,
                 "HOME=. XDG_CONFIG_HOME=. XDG_DATA_HOME=. fish --no-config -c "
                 "'source gossamer.fish; complete -C \"" +
                     line + "\"'");
    INFO(line << "\n" << result.err);
    REQUIRE(result.status == 0);
    return result.out;
  };
  CHECK_THAT(complete("gossamer com"), Catch::StartsWith("compare\tCompare the algorithms") &&
                                           Catch::Contains("\ncompletion\tWrite a script"));
  CHECK_THAT(complete("gossamer compare gossip --st"), Catch::StartsWith("--startup\tStart-up"));
  CHECK(complete("gossamer plan gossip --algorithm zig") == "zigzag\n");
  CHECK(complete("gossamer plan broadcast --algorithm ey") == "eye\n");
  CHECK(complete("gossamer plan --algorithm ey") == "eye\neye-exchange\n");
  CHECK(complete("gossamer simulate p --engine r") == "rtl\n");
  CHECK(complete("gossamer simulate p --engine=r") == "--engine=rtl\n");
  CHECK_THAT(complete("gossamer simulate "), Catch::Contains("gossamer.fish\n"));
  CHECK(complete("gossamer plan gossip --dims ").empty());
}

TEST_CASE("zsh loads its completion and completes the same", "[cli][completion]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "completion zsh -o _gossamer").status == 0);
  CHECK(run_command(directory, "zsh -f -n _gossamer").status == 0);
  // Found on fpath by the completion system, without being sourced.
  const ProgramResult found =
      run_command(directory,
                  "zsh -f -c 'fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D; echo "
                  "$_comps[gossamer]'");
  CHECK(found.out == "_gossamer\n");
  // With the helpers replaced by recorders, the function lists its completions.
  const auto complete = [&](const std::string& words) {
    return in_shell(directory,
                    "zsh -f -c 'compdef() { }; _describe() { print -rl -- ${(P)2}; }; _files() { "
                    "print files; }; source ./_gossamer; words=(gossamer " +
                        words + "); CURRENT=$#words; _gossamer'")
        .out;
  };
  CHECK_THAT(complete("comp"), Catch::StartsWith("compare:Compare the algorithms") &&
                                   Catch::Contains("\ncompletion:Write a script"));
  CHECK_THAT(complete("traffic --rep"), Catch::StartsWith("--report:Write the report as JSON"));
  // Colons separate words from their help.
  CHECK_THAT(complete("simulate --fol"), Catch::Contains("same sides\\: two mesh steps"));
  CHECK(complete("plan broadcast --algorithm ey") == "eye\n");
  CHECK(complete("plan gossip --algorithm ey") == "\n");
  CHECK(complete("simulate \"\"") == "files\n");
}

TEST_CASE("an unknown shell is refused", "[cli][completion]") {
  check_refusal("completion tcsh", 2, "there is bash, zsh, fish");
  check_refusal("completion", 2, "shell");
}

/// Options at the starts of lines, "-o, --output FILE" or "-o,--output FILE".
Words options_in(const std::string& text) {
  Words options;
  std::istringstream in(text);
  std::string line;
  const std::regex names("^ +(--?[a-z][-a-z]*)(, ?(--?[a-z][-a-z]*))?.*");
  std::smatch match;
  while (std::getline(in, line)) {
    if (!std::regex_match(line, match, names)) continue;
    options.insert(match[1]);
    if (match[3].matched) options.insert(match[3]);
  }
  return options;
}

TEST_CASE("the manual page has every command and every option of --help", "[cli][man]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "man -o gossamer.1").status == 0);
  // -ww: every warning; -P-c and col: no overstriking.
  const ProgramResult page =
      run_command(directory, "groff -man -Tascii -ww -rLL=200n -P-cbou gossamer.1");
  REQUIRE(page.status == 0);
  CHECK(page.err.empty());
  CHECK_THAT(page.out, Catch::Contains("EXIT STATUS") && Catch::Contains("plan.json"));
  std::size_t options = 0;
  for (const std::string command : {"plan", "verify", "simulate", "sweep", "plot", "view", "cosim",
                                    "emit", "compare all-gather", "compare broadcast", "map tcd",
                                    "search one-packet", "list", "completion", "man"}) {
    CAPTURE(command);
    const std::size_t begin = page.out.find("\n   gossamer " + command + "\n");
    REQUIRE(begin != std::string::npos);
    const std::string section =
        page.out.substr(begin, page.out.find("\n   gossamer ", begin + 1) - begin);
    const Words found = options_in(section);
    const Words wanted = options_in(gossamer(directory, command + " --help").out);
    CHECK(found == wanted);
    options += wanted.size();
  }
  CHECK(options > 60);
  // And no command is missing above.
  std::istringstream help(gossamer(directory, "--help").out);
  std::string line;
  while (std::getline(help, line) && line != "Subcommands:") {
  }
  std::size_t commands = 0;
  while (std::getline(help, line) && line.rfind("  ", 0) == 0) {
    if (line[2] == ' ') continue;
    ++commands;
    CHECK_THAT(page.out, Catch::Contains("   gossamer " + line.substr(2, line.find(' ', 2) - 2)));
  }
  CHECK(commands >= 14);
}

}  // namespace
}  // namespace gossamer::testing
