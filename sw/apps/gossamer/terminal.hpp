// SPDX-License-Identifier: Apache-2.0
/// What people see: progress on standard error when it is a terminal, tables on standard output
/// unless that carries data.
#pragma once

#include <string>
#include <vector>

#include "gossamer/report/report.hpp"
#include "gossamer/util/progress.hpp"

namespace gossamer::cli {

/// A progress bar on standard error; empty (nobody watches) when that is no terminal.
[[nodiscard]] Progress progress_bar();

/// Rows of cells as an aligned table; the first row is the header.
[[nodiscard]] std::string aligned(const std::vector<std::vector<std::string>>& rows);

/// Prints the report as a table unless `report_path` or another output is standard output, writes
/// its JSON to `report_path` (empty: nowhere), and its problems to standard error.
/// Returns the exit status: 0, or 1 when there are problems.
int finish(const Report& report, const std::string& report_path, bool stdout_is_data);

}  // namespace gossamer::cli
