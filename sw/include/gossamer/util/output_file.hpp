// SPDX-License-Identifier: Apache-2.0
/// Output files that appear whole or not at all.
#pragma once

#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <string_view>

namespace gossamer {

/// A file under a temporary name beside its target until commit() gives it the target's name. When
/// it is destroyed before, or the process is interrupted, nothing is left behind and an older file
/// of that name stays as it was. "-" is standard output; devices and pipes are written directly,
/// and a symbolic link stays one: the file that it stands for is written.
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

/// A name beside `target` for a file that other code writes: whatever has that name is removed when
/// the object is destroyed, or the process interrupted, unless it was put in the target's place.
class TemporaryName {
 public:
  /// The name ends in `suffix`. Throws InputError when no file can be made there.
  TemporaryName(std::filesystem::path target, std::string_view suffix);
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;
  ~TemporaryName();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Gives the file the target's name. Throws InputError when that fails.
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path path_;
  bool committed_ = false;
};

/// A folder that is removed with its contents when the object is destroyed or the process is
/// interrupted.
class TemporaryFolder {
 public:
  /// `path` exists, or will be made.
  explicit TemporaryFolder(std::filesystem::path path);
  /// A new one where temporary files belong. Throws InputError when none can be made.
  [[nodiscard]] static TemporaryFolder make();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// The folder stays.
  void keep();

 private:
  std::filesystem::path path_;
};

/// The process, a child of this one, is ended before unfinished outputs are removed, since it
/// writes them; 0: no longer.
void end_on_signals(int process);

/// Makes SIGINT, SIGTERM and SIGHUP remove unfinished output files before they end the process.
void remove_unfinished_outputs_on_signals();

}  // namespace gossamer
