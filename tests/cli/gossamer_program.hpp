// SPDX-License-Identifier: Apache-2.0
/// The program under test, for tests of single commands.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "program.hpp"

namespace gossamer::testing {

inline ProgramResult gossamer(const ScratchDirectory& directory, const std::string& arguments) {
  return run_command(directory, std::string("'") + GOSSAMER_PROGRAM + "' " + arguments);
}

/// Checks the status, one line on standard error that contains `part`, and nothing on standard
/// output or disk.
inline void check_refusal(const std::string& arguments, int status, const std::string& part) {
  const ScratchDirectory directory;
  const ProgramResult result = gossamer(directory, arguments);
  INFO(arguments << "\n" << result.err);
  CHECK(result.status == status);
  CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  CHECK_THAT(result.err, Catch::StartsWith("gossamer: ") && Catch::Contains(part));
  CHECK(result.out.empty());
  CHECK(directory.entries() == 0);
}

}  // namespace gossamer::testing
