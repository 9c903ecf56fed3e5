// SPDX-License-Identifier: Apache-2.0
/// The option --stall of simulate and cosim.
#pragma once

#include <fmt/format.h>

#include <string>

#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/stall_script.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::cli {

inline constexpr const char* kStallForm = "random:SEED:S,M,V[:SKEW]|FILE";

/// The script `text` for the plan of the file `name`. Throws InputError, also for a plan whose
/// routers cannot wait.
inline StallScript read_stalls(const std::string& name, const Plan& plan, const std::string& text) {
  if (elastic_of(plan) == nullptr) {
    throw InputError(
        fmt::format("{}: --stall: its routers cannot wait; plan with --elastic", name));
  }
  return StallScript::parse(text, plan.topology);
}

}  // namespace gossamer::cli
