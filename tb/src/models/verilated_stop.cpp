// SPDX-License-Identifier: Apache-2.0
/// Called by Verilator's runtime when an RTL assertion fails: throws an exception instead of
/// abort().
#include <verilated.h>

#include <string>

#include "gossamer/tb/verilated_router.hpp"

namespace {

[[noreturn]] void raise(const char* file, int line, const char* scope, const char* what) {
  throw gossamer::tb::RtlAssertion(std::string(file) + ":" + std::to_string(line) + ": " + what +
                                   " in " + scope);
}

}  // namespace

void vl_stop(const char* filename, int linenum, const char* hier) VL_MT_UNSAFE {
  raise(filename, linenum, hier, "assertion failed");
}

void vl_fatal(const char* filename, int linenum, const char* hier, const char* msg) VL_MT_UNSAFE {
  raise(filename, linenum, hier, msg);
}
