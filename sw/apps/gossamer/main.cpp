// SPDX-License-Identifier: Apache-2.0
/// The gossamer program: parses the command line, runs one command, and turns every way of failing
/// into an exit status (docs/spec/contract.md, section 3) with one line on standard error.
#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <new>
#include <string_view>

#include "commands.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/output_file.hpp"
#include "gossamer/util/printable.hpp"
#include "gossamer/version.hpp"

namespace {

constexpr const char* kNoStandardOutput = "standard output cannot be written";

int complain(int status, const std::string& message) {
  // If both go to one pipe, the cause must follow the earlier output.
  std::fflush(stdout);
  fmt::print(stderr, "gossamer: {}\n", gossamer::printable(message));
  return status;
}

int run(int argc, char** argv) {
  namespace cli = gossamer::cli;
  cli::Command app(
      "Plans, proves, simulates and emits hardwired collective communication for mesh and "
      "torus networks-on-chip.",
      "gossamer", gossamer::kVersion);
  app.require_subcommand();
  app.footer(
      "A first run:\n"
      "  gossamer plan all-gather --topology torus --dims 16x16 -o plan.json\n"
      "  gossamer verify plan.json\n"
      "  gossamer simulate plan.json --engine fast\n"
      "gossamer COMMAND --help lists the options of a command.\n");
  cli::Action action;
  cli::add_plan_command(app, action);
  cli::add_compose_command(app, action);
  cli::add_verify_command(app, action);
  cli::add_simulate_command(app, action);
  cli::add_check_command(app, action);
  cli::add_diagnose_command(app, action);
  cli::add_compare_command(app, action);
  cli::add_recommend_command(app, action);
  cli::add_map_command(app, action);
  cli::add_search_command(app, action);
  cli::add_sweep_command(app, action);
  cli::add_plot_command(app, action);
  cli::add_view_command(app, action);
  cli::add_cosim_command(app, action);
  cli::add_emit_command(app, action);
  cli::add_sums_command(app, action);
  cli::add_synth_command(app, action);
  cli::add_traffic_command(app, action);
  cli::add_workload_command(app, action);
  cli::add_list_command(app, action);
  cli::add_completion_command(app, action);
  cli::add_man_command(app, action);
  // Not a command that is parsed: its words may be anything.
  if (argc > 1 && std::string_view(argv[1]) == "__complete") {
    return cli::print_completions(app, {argv + 2, argv + argc});
  }
  const std::optional<int> help = app.parse(argc, argv);
  const int status = help ? *help : action();
  // Half a document with status 0 would deceive a script.
  if (!std::cout.flush() || std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw gossamer::InputError(kNoStandardOutput);
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  namespace cli = gossamer::cli;
  gossamer::remove_unfinished_outputs_on_signals();
  try {
    return run(argc, argv);
  } catch (const gossamer::InputError& error) {
    return complain(cli::kBadInput, error.what());
  } catch (const gossamer::InfeasibleError& error) {
    return complain(cli::kInfeasible, error.what());
  } catch (const std::bad_alloc&) {
    return complain(cli::kInternalError,
                    "out of memory: the network is too large for this machine");
  } catch (const std::exception& error) {
    // fmt reports a failed write in its own way.
    if (std::ferror(stdout) != 0) return complain(cli::kBadInput, kNoStandardOutput);
    return complain(cli::kInternalError, std::string("internal error: ") + error.what());
  }
}
