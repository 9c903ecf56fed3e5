// SPDX-License-Identifier: Apache-2.0
#include "python_script.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "gossamer/util/output_file.hpp"

namespace gossamer::cli {

void become_python(const std::string& script, const std::vector<std::string>& arguments) {
  std::vector<char*> words;
  const auto add = [&words](const char* word) { words.push_back(const_cast<char*>(word)); };
  add(kPython);
  add("-c");
  add(script.c_str());
  for (const std::string& argument : arguments) add(argument.c_str());
  words.push_back(nullptr);
  execv(kPython, words.data());
}

int run_python(const std::string& script, const std::vector<std::string>& arguments,
               const std::filesystem::path& directory) {
  std::optional<SignalsHeld> held(std::in_place);
  const pid_t process = fork();
  if (process < 0) throw std::runtime_error(fmt::format("fork: {}", std::strerror(errno)));
  if (process == 0) {
    held.reset();
    // When this process ends, the script ends with it; the script handles its own children.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (chdir(directory.c_str()) == 0) become_python(script, arguments);
    _exit(127);
  }
  end_on_signals(process);
  held.reset();
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  end_on_signals(0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace gossamer::cli
