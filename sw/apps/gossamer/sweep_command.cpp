// SPDX-License-Identifier: Apache-2.0
/// gossamer sweep: the options of gossamer.sweep, a module of the Python package, which this
/// process becomes.
#include <fmt/format.h>

#include <filesystem>

#include "commands.hpp"
#include "gossamer/util/error.hpp"
#include "python_script.hpp"
#include "terminal.hpp"

namespace gossamer::cli {

namespace {

/// The package is in the build tree, below the program's prefix, or where Python looks anyway;
/// never in the working directory.
constexpr const char* kScript = R"python(
import sys
place = sys.argv.pop(1)
sys.path = [f"{place}/python", *filter(None, sys.path), f"{place}/../lib/python3/dist-packages"]
try:
    from gossamer.sweep import main
except ImportError as missing:
    print(f"gossamer: sweep: {missing}; install the Python package: apt install python3-gossamer, or "
          "scripts/setup tests before a build", file=sys.stderr)
    sys.exit(2)
sys.exit(main())
)python";

struct SweepArguments {
  std::string spec;
  std::string output;
  std::string export_file;
  std::string scheduler;
  unsigned jobs = 0;
  bool json = false;
};

int run(const SweepArguments& arguments) {
  std::vector<std::string> words{
      std::filesystem::read_symlink("/proc/self/exe").parent_path(), "--output=" + arguments.output,
      "--export=" + arguments.export_file, "--scheduler=" + arguments.scheduler};
  if (arguments.jobs != 0) words.push_back(fmt::format("--jobs={}", arguments.jobs));
  if (arguments.json) words.emplace_back("--json");
  words.insert(words.end(), {"--", arguments.spec});
  become_python(kScript, words);
  throw InputError(fmt::format("sweep: {} is missing; install python3", kPython));
}

}  // namespace

void add_sweep_command(Command& app, Action& action) {
  auto arguments = std::make_shared<SweepArguments>();
  Command* command = app.add_subcommand(
      "sweep", "Measure many requests on all cores, and resume after an interruption");
  command
      ->add_option("spec", arguments->spec,
                   "Requests to measure, YAML (docs/sweep.md); without it only --export")
      ->type_name("SPEC");
  command
      ->add_option("-o,--output", arguments->output,
                   "Results, SQLite; rows in the file are not measured again")
      ->required()
      ->type_name("RESULTS");
  command
      ->add_option("--export", arguments->export_file,
                   "Write all results as CSV, or as JSON if it ends in .json; - prints CSV")
      ->type_name("FILE");
  command
      ->add_option("-j,--jobs", arguments->jobs,
                   "Jobs at the same time on this machine; default: one per core")
      ->range(1, 4096)
      ->type_name("N");
  command
      ->add_option("--scheduler", arguments->scheduler,
                   "Measure on the workers of this dask.distributed scheduler, e.g. "
                   "tcp://host:8786; default: this machine")
      ->type_name("ADDRESS");
  add_json_flag(*command, arguments->json);
  command->footer(
      "Example: gossamer sweep sweep.yaml -o results.sqlite --export results.csv\n"
      "Exit status 1: a check failed, or a job ended without a result; run it again to\n"
      "repeat the jobs without a result.\n");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gossamer::cli
