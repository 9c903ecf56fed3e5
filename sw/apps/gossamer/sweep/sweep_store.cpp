// SPDX-License-Identifier: Apache-2.0
#include "sweep_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "gossamer/util/error.hpp"
#include "gossamer/util/json_text.hpp"
#include "gossamer/version.hpp"

namespace gossamer::cli {

namespace {

/// "gsmS": tells our files from other SQLite files.
constexpr int kApplicationId = 0x67736d53;
constexpr int kFormat = 3;

/// Columns that say what was asked, of whom, and how it went.
constexpr auto kTextColumns =
    std::to_array<const char*>({"collective", "topology", "dims", "algorithm", "options", "engine",
                                "status", "message", "gossamer", "plan_hash", "host", "machine"});
/// The report's figures, by its own names.
constexpr auto kFigures = std::to_array<const char*>({"nodes",
                                                      "packets",
                                                      "packets_per_node",
                                                      "complete",
                                                      "steps",
                                                      "analytic_steps",
                                                      "lower_bound_steps",
                                                      "bound_steps",
                                                      "cycles",
                                                      "analytic_cycles",
                                                      "time_units",
                                                      "link_transfers",
                                                      "link_conflicts",
                                                      "duplicates",
                                                      "max_queue",
                                                      "tcd",
                                                      "load",
                                                      "mean_delay",
                                                      "delay_ci95",
                                                      "delay_bound",
                                                      "stable",
                                                      "wall_seconds",
                                                      "router_cycles_per_second"});
/// Those of its `physical`, in rows of a message of so many bytes.
constexpr auto kPhysicalFigures = std::to_array<const char*>(
    {"bytes", "link_bits", "clock_hertz", "seconds", "node_bytes_per_second", "bytes_per_second",
     "link_utilization", "fraction_of_bound"});

[[noreturn]] void fail(const std::string& name, sqlite3* database) {
  throw InputError(fmt::format("{}: {}", name, sqlite3_errmsg(database)));
}

/// One SQL statement with its parameters.
class Statement {
 public:
  Statement(const std::string& name, sqlite3* database, const std::string& sql)
      : name_(name), database_(database) {
    if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement_, nullptr) != SQLITE_OK) {
      fail(name_, database_);
    }
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }

  /// Gives the next parameter its value.
  void bind(const std::string& text) {
    sqlite3_bind_text(statement_, ++bound_, text.data(), static_cast<int>(text.size()),
                      SQLITE_TRANSIENT);
  }
  void bind(const nlohmann::ordered_json& value) {
    ++bound_;
    if (value.is_boolean()) sqlite3_bind_int(statement_, bound_, value.get<bool>() ? 1 : 0);
    if (value.is_number_integer()) {
      sqlite3_bind_int64(statement_, bound_, value.get<std::int64_t>());
    }
    if (value.is_number_float()) sqlite3_bind_double(statement_, bound_, value.get<double>());
    // Everything else stays NULL.
  }
  /// True while there is a row.
  bool step() {
    const int result = sqlite3_step(statement_);
    if (result != SQLITE_ROW && result != SQLITE_DONE) fail(name_, database_);
    return result == SQLITE_ROW;
  }
  [[nodiscard]] int columns() const { return sqlite3_column_count(statement_); }
  [[nodiscard]] std::string name(int column) const {
    return sqlite3_column_name(statement_, column);
  }
  /// Empty for NULL.
  [[nodiscard]] std::string text(int column) const {
    const auto* bytes = sqlite3_column_text(statement_, column);
    if (bytes == nullptr) return {};
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    return {reinterpret_cast<const char*>(bytes), size};
  }
  [[nodiscard]] int number(int column) const { return sqlite3_column_int(statement_, column); }

 private:
  const std::string& name_;
  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

std::string column_list() {
  std::string list;
  for (const char* column : kTextColumns)
    list += fmt::format("{}{}", list.empty() ? "" : ", ", column);
  for (const char* column : kFigures) list += fmt::format(", {}", column);
  for (const char* column : kPhysicalFigures) list += fmt::format(", {}", column);
  return list + ", picojoules_per_bit";
}

std::string create_sql() {
  std::string sql = "CREATE TABLE IF NOT EXISTS results (job TEXT PRIMARY KEY";
  for (const char* column : kTextColumns) sql += fmt::format(", {} TEXT", column);
  sql += ", seed INTEGER";
  for (const char* column : kFigures) sql += fmt::format(", {} NUMERIC", column);
  for (const char* column : kPhysicalFigures) sql += fmt::format(", {} NUMERIC", column);
  return sql + ", picojoules_per_bit NUMERIC, report TEXT) WITHOUT ROWID";
}

/// A CSV field, quoted where it must be.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

constexpr const char* kOrder =
    " FROM results ORDER BY collective, topology, length(dims), dims, algorithm, options, engine, "
    "job";

}  // namespace

void SweepStore::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

SweepStore::Claim::~Claim() {
  if (file_ >= 0) close(file_);
}

void SweepStore::Claim::take(const std::string& name) {
  // A byte that SQLite never asks for: its own are the 512 from 1 GiB on. The lock belongs to this
  // open file, since SQLite gives up all that the process holds.
  constexpr off_t kByte = off_t{3} << 29U;
  file_ = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) throw InputError(fmt::format("{}: {}", name, std::strerror(errno)));
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = kByte;
  lock.l_len = 1;
  // The workers of a sweep that was killed hold it, too, until they are gone a moment later.
  constexpr int kTries = 20;
  for (int i = 0; i < kTries; ++i) {
    if (fcntl(file_, F_OFD_SETLK, &lock) == 0) return;
    usleep(50'000);
  }
  throw InputError(fmt::format(
      "{}: another sweep is measuring into it; wait for its end, or give -o another file", name));
}

SweepStore::SweepStore(const std::filesystem::path& path, bool measuring) : name_(path.string()) {
  if (measuring) claim_.take(name_);
  sqlite3* database = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | (measuring ? SQLITE_OPEN_CREATE : 0);
  const int opened = sqlite3_open_v2(name_.c_str(), &database, flags, nullptr);
  database_.reset(database);
  if (opened != SQLITE_OK) fail(name_, database);
  sqlite3_busy_timeout(database, 60'000);
  if (number("SELECT count(*) FROM sqlite_master") == 0) create_table();
  if (number("PRAGMA application_id") != kApplicationId ||
      number("PRAGMA user_version") != kFormat) {
    throw InputError(fmt::format("{}: no results of gossamer sweep, or of another version", name_));
  }
  // Write-ahead log: a commit is one append, and a torn one is discarded when the file is opened.
  static_cast<void>(number("PRAGMA journal_mode = WAL"));
  static_cast<void>(number("PRAGMA synchronous = FULL"));
}

int SweepStore::number(const std::string& sql) const {
  Statement statement(name_, database_.get(), sql);
  return statement.step() ? statement.number(0) : 0;
}

void SweepStore::create_table() const {
  const std::string sql = fmt::format(
      "BEGIN IMMEDIATE; {}; PRAGMA application_id = {}; PRAGMA user_version = {}; COMMIT",
      create_sql(), kApplicationId, kFormat);
  if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    fail(name_, database_.get());
  }
}

std::map<std::string, std::string> SweepStore::statuses() const {
  std::map<std::string, std::string> statuses;
  Statement statement(name_, database_.get(), "SELECT job, status FROM results");
  while (statement.step()) statuses[statement.text(0)] = statement.text(1);
  return statuses;
}

void SweepStore::add(const SweepJob& job, const SweepResult& result) {
  const auto report =
      result.report.empty() ? nlohmann::ordered_json::object() : parse_json(result.report);
  std::string places = "?";
  for (std::size_t i = 0; i < kTextColumns.size() + kFigures.size() + kPhysicalFigures.size() + 3;
       ++i)
    places += ", ?";
  Statement statement(
      name_, database_.get(),
      fmt::format("INSERT OR IGNORE INTO results (job, {}, seed, report) VALUES ({})",
                  column_list(), places));
  statement.bind(job.key());
  // The algorithm that was chosen, where the request left it open.
  const std::string algorithm = report.value("algorithm", job.algorithm);
  for (const std::string& text :
       {report.value("collective", job.collective), job.topology, job.dims_text(), algorithm,
        job.options_json(), job.engine, std::string(status_name(result.status)), result.message,
        std::string(kVersion), result.plan_hash, result.host, result.machine}) {
    statement.bind(text);
  }
  for (const char* figure : kFigures)
    statement.bind(report.value(figure, nlohmann::ordered_json()));
  const auto physical = report.value("physical", nlohmann::ordered_json::object());
  for (const char* figure : kPhysicalFigures) {
    statement.bind(physical.value(figure, nlohmann::ordered_json()));
  }
  statement.bind(physical.value("energy", nlohmann::ordered_json::object())
                     .value("picojoules_per_bit", nlohmann::ordered_json()));
  const auto seed = job.parameters.find("seed");
  const auto* number =
      seed == job.parameters.end() ? nullptr : std::get_if<std::int64_t>(&seed->second);
  statement.bind(number == nullptr ? nlohmann::ordered_json() : nlohmann::ordered_json(*number));
  statement.bind(result.report);
  statement.step();
}

void SweepStore::write_csv(std::ostream& out) const {
  Statement statement(name_, database_.get(),
                      fmt::format("SELECT {}, seed{}", column_list(), kOrder));
  for (int i = 0; i < statement.columns(); ++i) out << (i == 0 ? "" : ",") << statement.name(i);
  out << '\n';
  while (statement.step()) {
    for (int i = 0; i < statement.columns(); ++i) {
      out << (i == 0 ? "" : ",") << field(statement.text(i));
    }
    out << '\n';
  }
}

void SweepStore::write_json(std::ostream& out) const {
  Statement statement(
      name_, database_.get(),
      fmt::format("SELECT job, status, message, plan_hash, host, machine, seed, report{}", kOrder));
  const char* separator = "[\n";
  while (statement.step()) {
    nlohmann::ordered_json row;
    row["request"] = parse_json(statement.text(0));
    for (int i = 1; i <= 5; ++i) row[statement.name(i)] = statement.text(i);
    row["seed"] = nullptr;
    if (!statement.text(6).empty()) row["seed"] = std::stoll(statement.text(6));
    row["report"] = nullptr;
    if (!statement.text(7).empty()) row["report"] = parse_json(statement.text(7));
    out << separator << dump_json(row);
    separator = ",\n";
  }
  out << (*separator == '[' ? "[" : "") << "\n]\n";
}

}  // namespace gossamer::cli
