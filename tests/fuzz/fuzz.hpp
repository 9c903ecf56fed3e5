// SPDX-License-Identifier: Apache-2.0
/// Shared by the fuzzers: what holds for every reader. A file is read, or refused in one line;
/// anything else ends the program, which is what libFuzzer looks for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "gossamer/util/error.hpp"

namespace gossamer::fuzz {

/// Ends the program with what is wrong.
[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "FUZZ: %s\n", what.c_str());
  std::abort();
}

inline void require(bool holds, const std::string& what) {
  if (!holds) fail(what);
}

/// Errors are one line, without terminal control characters.
inline void check_message(const std::string& message) {
  require(!message.empty(), "refused without a word");
  require(std::none_of(message.begin(), message.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }),
          "control characters in: " + message);
}

/// Calls `work`; false when it refuses the input as it should.
template <typename Work>
bool accepted(Work work) {
  try {
    work();
    return true;
  } catch (const InputError& error) {
    check_message(error.what());
  } catch (const InfeasibleError& error) {
    check_message(error.what());
  }
  return false;
}

}  // namespace gossamer::fuzz

/// libFuzzer's entry, one in each fuzzer.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
