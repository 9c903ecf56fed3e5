// SPDX-License-Identifier: Apache-2.0
#include "terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

#include "commands.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/json_text.hpp"
#include "gossamer/util/output_file.hpp"

namespace gossamer::cli {

namespace {

/// One line that is drawn over itself, at most ten times a second, and wiped at the end.
class Bar {
 public:
  ~Bar() {
    if (drawn_) fmt::print(stderr, "\r\033[K");
  }
  void show(std::string_view phase, std::uint64_t done, std::uint64_t total) {
    const auto now = std::chrono::steady_clock::now();
    if (drawn_ && now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    drawn_ = true;
    const double part =
        total == 0 ? 0.0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    const double spent = std::chrono::duration<double>(now - start_).count();
    const auto filled = static_cast<std::size_t>(part * kWidth);
    fmt::print(stderr, "\r\033[K{:<9} [{}{}] {:3.0f} %{}", phase, std::string(filled, '='),
               std::string(kWidth - filled, ' '), 100 * part,
               part > 0 ? fmt::format("  {:.0f} s left", spent / part - spent) : "");
    std::fflush(stderr);
  }

 private:
  static constexpr std::size_t kWidth = 40;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_;
  bool drawn_ = false;
};

}  // namespace

Progress progress_bar() {
  if (isatty(STDERR_FILENO) == 0) return {};
  return [bar = std::make_shared<Bar>()](std::string_view phase, std::uint64_t done,
                                         std::uint64_t total) { bar->show(phase, done, total); };
}

std::size_t terminal_columns() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kColumns;
  return size.ws_col;
}

std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += fmt::format("{}{:<{}}", i == 0 ? "" : "  ", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

Option* add_json_flag(Command& command, bool& json) {
  return command.add_flag("--json", json, "Print only JSON on standard output");
}

std::string json_text(const nlohmann::ordered_json& document) {
  // Names of files may be in any encoding, JSON is UTF-8.
  return dump_json(document, 2, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void print_json(const nlohmann::ordered_json& document) { fmt::print("{}", json_text(document)); }

void ReportOutput::add_to(Command& command) {
  command.add_option("--report", file, "Write the report as JSON; - prints only the JSON")
      ->type_name("FILE");
  add_json_flag(command, json);
}

bool ReportOutput::deliver(const std::string& text) const {
  if (!file.empty() && file != "-") {
    OutputFile written(file);
    written.stream() << text;
    written.commit();
  }
  if (is_alone()) fmt::print("{}", text);
  return is_alone();
}

int finish(const Report& report, const ReportOutput& output, bool stdout_is_data) {
  if (!output.deliver(report_json(report)) && !stdout_is_data) {
    fmt::print("{}", report_table(report));
  }
  // If both go to one pipe, the problems must follow the table.
  std::fflush(stdout);
  for (const std::string& problem : report.problems) {
    fmt::print(stderr, "gossamer: check failed: {}\n", problem);
  }
  return report.problems.empty() ? kDone : kCheckFailed;
}

void check_planned(const std::string& output, bool json) {
  if (json && output == "-") {
    throw InputError("-o and --json: only one of them can use standard output");
  }
}

void print_planned(const Report& report, std::uint64_t hash, const std::string& output, bool json,
                   const std::string& choice) {
  const std::string digits = fmt::format("{:016x}", hash);
  if (json) {
    auto document = parse_json(report_json(report));
    document["engine"] = nullptr;
    document["plan"] = output;
    document["plan_hash"] = digits;
    print_json(document);
  } else if (output != "-") {
    fmt::print("{}", report_table(report));
    if (!choice.empty()) fmt::print("  {:<18} {}\n", "chosen", choice);
    fmt::print("  {:<18} {} ({})\n", "plan", output, digits);
  }
}

}  // namespace gossamer::cli
