// SPDX-License-Identifier: Apache-2.0
/// The results of sweeps in an SQLite file, docs/sweep.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <ostream>
#include <string>

#include "sweep_job.hpp"

struct sqlite3;

namespace gossamer::cli {

/// One row is one transaction, on the disk before add() returns: whenever the process ends, the
/// file holds every row that was added, and nothing else.
class SweepStore {
 public:
  /// Opens the file to read it, or with `measuring` for this sweep alone, and makes it where it is
  /// missing. Throws InputError when it is something else, or another sweep is measuring into it.
  SweepStore(const std::filesystem::path& path, bool measuring);

  /// The jobs that have a row, by key, with the name of its status.
  [[nodiscard]] std::map<std::string, std::string> statuses() const;
  /// Adds a job's row. Another process may have added the same one: then nothing changes.
  void add(const SweepJob& job, const SweepResult& result);

  /// All rows, in an order that depends on nothing but their jobs.
  void write_csv(std::ostream& out) const;
  void write_json(std::ostream& out) const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };

  void create_table() const;
  /// The first value of a statement's answer, 0 without one.
  [[nodiscard]] int number(const std::string& sql) const;

  /// What keeps other sweeps out, until the process ends however it does.
  class Claim {
   public:
    Claim() = default;
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    ~Claim();
    void take(const std::string& name);

   private:
    int file_ = -1;
  };

  std::string name_;
  /// Before the database: closing the file gives up what SQLite has locked, too.
  Claim claim_;
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace gossamer::cli
