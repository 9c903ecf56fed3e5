// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <sys/wait.h>

#include <cstdlib>

namespace gossamer::testing {

ProgramResult run_command(const ScratchDirectory& directory, const std::string& command) {
  const ScratchDirectory streams;
  const std::string line = "cd '" + directory.path().string() + "' && { " + command + " ; } >'" +
                           streams.file("out") + "' 2>'" + streams.file("err") + "' </dev/null";
  const int raw = std::system(line.c_str());
  ProgramResult result;
  result.status = WIFEXITED(raw) ? WEXITSTATUS(raw) : -1;
  result.out = file_text(streams.path() / "out");
  result.err = file_text(streams.path() / "err");
  return result;
}

}  // namespace gossamer::testing
