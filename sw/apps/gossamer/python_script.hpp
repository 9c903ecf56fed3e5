// SPDX-License-Identifier: Apache-2.0
/// Python scripts that the program holds, run by Debian's Python, which has Debian's packages.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gossamer::cli {

inline constexpr const char* kPython = "/usr/bin/python3";

/// Replaces this process by one that runs `script`. Returns when there is no Python.
void become_python(const std::string& script, const std::vector<std::string>& arguments);

/// Runs `script` in `directory`; its exit status, -1 when a signal ended it. Throws
/// std::runtime_error when there is no process to be had.
[[nodiscard]] int run_python(const std::string& script, const std::vector<std::string>& arguments,
                             const std::filesystem::path& directory = ".");

}  // namespace gossamer::cli
