// SPDX-License-Identifier: Apache-2.0
/// What people see: progress on standard error when it is a terminal, tables on standard output
/// unless that carries data.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "command_line/command_line.hpp"
#include "gossamer/report/report.hpp"
#include "gossamer/util/progress.hpp"

namespace gossamer::cli {

/// A progress bar on standard error; empty (nobody watches) when that is no terminal.
[[nodiscard]] Progress progress_bar();

/// The width that help and lists are made for.
inline constexpr std::size_t kColumns = 80;

/// Rows of cells as an aligned table; the first row is the header.
[[nodiscard]] std::string aligned(const std::vector<std::vector<std::string>>& rows);

/// Adds --json: the command's answer as one JSON document, alone on standard output.
Option* add_json_flag(Command& command, bool& json);

/// A document as it is printed and written: indented, with a line's end.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& document);

/// The document of --json, whole: nothing of it is printed when it cannot be written as JSON.
void print_json(const nlohmann::ordered_json& document);

/// Where a command's report goes; the same options for every command that has one.
struct ReportOutput {
  /// Empty: nowhere; - is what `json` is.
  std::string file;
  bool json = false;

  /// Adds --report and --json.
  void add_to(Command& command);
  /// The report's JSON has standard output for itself.
  [[nodiscard]] bool is_alone() const { return json || file == "-"; }
  /// Writes the report's JSON into the file, and prints it when it is to stand alone; true then.
  [[nodiscard]] bool deliver(const std::string& text) const;
};

/// Writes the report where `output` says, as a table otherwise unless `stdout_is_data`, and its
/// problems to standard error. Returns the exit status: 0, or 1 when there are problems.
int finish(const Report& report, const ReportOutput& output, bool stdout_is_data = false);

/// The engine in reports of plans that were only planned.
inline constexpr const char* kNoEngineYet = "none yet: planned only";

/// Throws InputError when plan and report would both go to standard output.
void check_planned(const std::string& output, bool json);
/// Prints a written plan's report, file and hash: a table, or with `json` JSON.
void print_planned(const Report& report, std::uint64_t hash, const std::string& output, bool json);

}  // namespace gossamer::cli
