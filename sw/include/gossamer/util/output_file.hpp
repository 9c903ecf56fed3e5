// SPDX-License-Identifier: Apache-2.0
/// Output files that appear completely or not at all.
#pragma once

#include <csignal>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <string_view>

namespace gossamer {

/// A file under a temporary name next to its target until commit() renames it to the target. If it
/// is destroyed before that, or the process is interrupted, no file remains, and an older file of
/// that name is unchanged. "-" is standard output. Devices and pipes are written directly. A
/// symbolic link is kept, and its target file is written.
class OutputFile {
 public:
  /// Throws InputError when the file cannot be created.
  explicit OutputFile(std::filesystem::path target);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  [[nodiscard]] std::ostream& stream() { return *stream_; }
  /// Renames the file to its target. Throws InputError when a write failed.
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

/// A name next to `target` for a file that other code writes. The file is removed when the object
/// is destroyed or the process is interrupted, unless commit() renamed it to the target.
class TemporaryName {
 public:
  /// The name ends in `suffix`. Throws InputError when no file can be created there.
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
  /// `path` exists, or will be created.
  explicit TemporaryFolder(std::filesystem::path path);
  /// A new folder in the directory for temporary files. Throws InputError when it cannot be
  /// created.
  [[nodiscard]] static TemporaryFolder make();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Keeps the folder.
  void keep();

 private:
  std::filesystem::path path_;
};

/// Delays SIGINT, SIGTERM and SIGHUP in this thread, so that a file created in between is
/// registered before they arrive.
class SignalsHeld {
 public:
  SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  /// Releases them.
  ~SignalsHeld();

 private:
  sigset_t before_;
};

/// Registers a child process that writes outputs: a signal ends it before unfinished outputs are
/// removed. 0: no child.
void end_on_signals(int process);

/// Makes SIGINT, SIGTERM and SIGHUP remove unfinished output files before they end the process.
void remove_unfinished_outputs_on_signals();

}  // namespace gossamer
