// SPDX-License-Identifier: Apache-2.0
/// The commands, each in a file of its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "command_line/command_line.hpp"

namespace gossamer::cli {

/// Exit statuses (docs/spec/contract.md, section 3).
inline constexpr int kDone = 0;
inline constexpr int kCheckFailed = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kInfeasible = 3;
inline constexpr int kInternalError = 4;

/// The action of the chosen command; set while parsing, run afterwards.
using Action = std::function<int()>;

/// Adds a command's first argument, the plan that it works on.
inline void add_plan_argument(Command& command, std::string& file,
                              const std::string& help = "Plan file; - for standard input") {
  command.add_option("plan", file, help)->required()->type_name("PLAN");
}

void add_plan_command(Command& app, Action& action);
void add_compose_command(Command& app, Action& action);
void add_verify_command(Command& app, Action& action);
void add_simulate_command(Command& app, Action& action);
void add_check_command(Command& app, Action& action);
void add_diagnose_command(Command& app, Action& action);
void add_compare_command(Command& app, Action& action);
void add_recommend_command(Command& app, Action& action);
void add_map_command(Command& app, Action& action);
void add_search_command(Command& app, Action& action);
void add_sweep_command(Command& app, Action& action);
void add_plot_command(Command& app, Action& action);
void add_view_command(Command& app, Action& action);
void add_cosim_command(Command& app, Action& action);
void add_emit_command(Command& app, Action& action);
void add_sums_command(Command& app, Action& action);
void add_synth_command(Command& app, Action& action);
void add_traffic_command(Command& app, Action& action);
void add_workload_command(Command& app, Action& action);
void add_list_command(Command& app, Action& action);
void add_completion_command(Command& app, Action& action);
/// It describes `app` as it is when it runs: all commands are added by then.
void add_man_command(Command& app, Action& action);

/// Runs `gossamer __complete WORDS`, which the shells' scripts call: prints the completions of the
/// last word, one per line. Returns the exit status.
int print_completions(const Command& app, const std::vector<std::string>& words);

}  // namespace gossamer::cli
