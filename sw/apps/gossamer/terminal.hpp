// SPDX-License-Identifier: Apache-2.0
/// Terminal output: progress on standard error if it is a terminal, tables on standard output
/// unless it carries data.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "command_line/command_line.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/report/report.hpp"
#include "gossamer/util/progress.hpp"

namespace gossamer::cli {

/// A progress bar on standard error; empty when that is not a terminal.
[[nodiscard]] Progress progress_bar();

/// Characters per line of the terminal on standard output; kColumns if that is no terminal.
[[nodiscard]] std::size_t terminal_columns();

/// Rows of cells as an aligned table; the first row is the header.
[[nodiscard]] std::string aligned(const std::vector<std::vector<std::string>>& rows);

/// Adds --json: the command's answer as one JSON document, alone on standard output.
Option* add_json_flag(Command& command, bool& json);

/// A document as it is printed and written: indented, with a line's end.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& document);

/// Prints the document of --json, or nothing if it cannot be written as JSON.
void print_json(const nlohmann::ordered_json& document);

/// Destination of a command's report; the same options for every command with a report.
struct ReportOutput {
  /// Empty: no file; - means the same as `json`.
  std::string file;
  bool json = false;

  /// Adds --report and --json.
  void add_to(Command& command);
  /// The report's JSON has standard output for itself.
  [[nodiscard]] bool is_alone() const { return json || file == "-"; }
  /// Writes the report's JSON into the file, and prints it if only JSON is to be printed; returns
  /// true then.
  [[nodiscard]] bool deliver(const std::string& text) const;
};

/// Writes the report to `output`, otherwise as a table unless `stdout_is_data`, and its problems to
/// standard error. Returns the exit status: 0, or 1 when there are problems.
int finish(const Report& report, const ReportOutput& output, bool stdout_is_data = false);

/// The engine in reports of plans that were only planned.
inline constexpr const char* kNoEngineYet = "none yet: planned only";

/// Throws InputError when plan and report would both go to standard output.
void check_planned(const std::string& output, bool json);
/// Prints the report, the file and the hash of a written plan, as a table or with `json` as JSON.
/// `choice`: a line on the chosen algorithm, for the table.
void print_planned(const Report& report, std::uint64_t hash, const std::string& output, bool json,
                   const std::string& choice = {});

}  // namespace gossamer::cli
