// SPDX-License-Identifier: Apache-2.0
#include "gossamer/util/output_file.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <iostream>

#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

constexpr std::array kEndingSignals{SIGINT, SIGTERM, SIGHUP};

/// Names of unfinished files and folders, where a signal handler may read them.
struct UnfinishedName {
  std::atomic<bool> in_use{false};
  bool is_folder = false;
  std::array<char, PATH_MAX> path{};
};
std::array<UnfinishedName, 16> unfinished;
/// The process that writes into them; 0: no process.
std::atomic<pid_t> writer{0};

void remember(const std::string& path, bool is_folder = false) {
  for (UnfinishedName& name : unfinished) {
    if (name.in_use || path.size() >= name.path.size()) continue;
    std::memcpy(name.path.data(), path.c_str(), path.size() + 1);
    name.is_folder = is_folder;
    name.in_use = true;
    return;
  }
}

void forget(const std::string& path) {
  for (UnfinishedName& name : unfinished) {
    if (name.in_use && path == name.path.data()) name.in_use = false;
  }
}

/// Removes the folder and its contents, in a signal handler.
void remove_folder(const char* path) {
  const pid_t process = fork();
  if (process == 0) {
    execl("/bin/rm", "rm", "-rf", path, nullptr);
    _exit(127);
  }
  if (process > 0) waitpid(process, nullptr, 0);
}

extern "C" void remove_unfinished_and_die(int signal) {
  if (const pid_t process = writer; process > 0) {
    kill(process, SIGTERM);
    waitpid(process, nullptr, 0);
  }
  for (UnfinishedName& name : unfinished) {
    if (!name.in_use) continue;
    if (name.is_folder) {
      remove_folder(name.path.data());
    } else {
      unlink(name.path.data());
    }
  }
  std::signal(signal, SIG_DFL);
  raise(signal);
}

[[noreturn]] void cannot_write(const std::filesystem::path& path) {
  throw InputError(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
}

/// The target of a symbolic link, existing or not: the target is written, and the link is kept.
std::filesystem::path behind_links(std::filesystem::path path) {
  constexpr int kMostLinks = 40;
  std::error_code error;
  for (int i = 0; std::filesystem::is_symlink(path, error); ++i) {
    if (i == kMostLinks) {
      errno = ELOOP;
      cannot_write(path);
    }
    path = path.parent_path() / std::filesystem::read_symlink(path);
  }
  return path;
}

}  // namespace

OutputFile::OutputFile(std::filesystem::path target)
    : target_(behind_links(std::move(target))), stream_(&file_) {
  if (target_.empty()) throw InputError("a file without a name cannot be written");
  if (target_ == "-") {
    stream_ = &std::cout;
    return;
  }
  std::error_code error;
  const auto status = std::filesystem::status(target_, error);
  if (std::filesystem::is_directory(status)) {
    throw InputError(fmt::format("{}: cannot be written: is a directory", target_.string()));
  }
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    file_.open(target_, std::ios::binary);
    if (!file_) cannot_write(target_);
    return;
  }
  temporary_ = target_;
  temporary_ += fmt::format(".part{}", getpid());
  remember(temporary_.string());
  file_.open(temporary_, std::ios::binary | std::ios::trunc);
  if (!file_) {
    forget(temporary_.string());
    cannot_write(target_);
  }
}

OutputFile::~OutputFile() {
  if (committed_ || temporary_.empty()) return;
  file_.close();
  std::error_code error;
  std::filesystem::remove(temporary_, error);
  forget(temporary_.string());
}

void OutputFile::commit() {
  stream_->flush();
  if (!*stream_) cannot_write(target_);
  if (!temporary_.empty()) {
    file_.close();
    if (!file_) cannot_write(target_);
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) cannot_write(target_);
    forget(temporary_.string());
  }
  committed_ = true;
}

TemporaryName::TemporaryName(std::filesystem::path target, std::string_view suffix)
    : target_(behind_links(std::move(target))), path_(target_) {
  path_ += fmt::format(".part{}{}", getpid(), suffix);
  remember(path_.string());
  if (std::filesystem::is_directory(target_) || !std::ofstream(path_)) {
    const int cause = std::filesystem::is_directory(target_) ? EISDIR : errno;
    forget(path_.string());
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
    errno = cause;
    cannot_write(target_);
  }
}

TemporaryName::~TemporaryName() {
  if (committed_) return;
  std::error_code error;
  std::filesystem::remove(path_, error);
  forget(path_.string());
}

void TemporaryName::commit() {
  if (std::rename(path_.c_str(), target_.c_str()) != 0) cannot_write(target_);
  forget(path_.string());
  committed_ = true;
}

TemporaryFolder::TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {
  remember(path_.string(), true);
}

TemporaryFolder TemporaryFolder::make() {
  std::string name = (std::filesystem::temp_directory_path() / "gossamer-XXXXXX").string();
  const SignalsHeld held;
  if (mkdtemp(name.data()) == nullptr) cannot_write(name);
  return TemporaryFolder(name);
}

TemporaryFolder::~TemporaryFolder() {
  if (!path_.empty()) {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
    forget(path_.string());
  }
}

void TemporaryFolder::keep() {
  forget(path_.string());
  path_.clear();
}

SignalsHeld::SignalsHeld() : before_{} {
  sigset_t held;
  sigemptyset(&held);
  for (const int signal : kEndingSignals) sigaddset(&held, signal);
  pthread_sigmask(SIG_BLOCK, &held, &before_);
}

SignalsHeld::~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void end_on_signals(int process) { writer = process; }

void remove_unfinished_outputs_on_signals() {
  for (const int signal : kEndingSignals) std::signal(signal, remove_unfinished_and_die);
}

}  // namespace gossamer
