// SPDX-License-Identifier: Apache-2.0
/// Output files that appear whole or not at all.
#pragma once

#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>

namespace gossamer {

/// A file under a temporary name beside its target until commit() gives it the target's name. When
/// it is destroyed before, or the process is interrupted, nothing is left behind and an older file
/// of that name stays as it was. "-" is standard output; devices and pipes are written directly.
class OutputFile {
 public:
  /// Throws InputError when the file cannot be created.
  explicit OutputFile(std::filesystem::path target);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  [[nodiscard]] std::ostream& stream() { return *stream_; }
  /// Puts the file in place. Throws InputError when something could not be written.
  void commit();
  [[nodiscard]] const std::filesystem::path& target() const { return target_; }

 private:
  std::filesystem::path target_;
  /// Empty when the target is written directly.
  std::filesystem::path temporary_;
  std::ofstream file_;
  std::ostream* stream_;
  bool committed_ = false;
};

/// Makes SIGINT, SIGTERM and SIGHUP remove unfinished output files before they end the process.
void remove_unfinished_outputs_on_signals();

}  // namespace gossamer
