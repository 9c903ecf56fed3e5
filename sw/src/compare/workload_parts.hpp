// SPDX-License-Identifier: Apache-2.0
/// Parts that the sources of workloads share.
#pragma once

#include <fmt/format.h>

#include <string>

#include "gossamer/compare/workload.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::compare {

/// Runs `action`; its errors get the place of the step in front.
template <typename Action>
auto at_step(const WorkloadStep& step, const Action& action) {
  try {
    return action();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", step.place, error.what()));
  } catch (const InfeasibleError& error) {
    throw InfeasibleError(fmt::format("{}: {}", step.place, error.what()));
  }
}

/// The name of a row's files, without their endings: "0-all-gather".
[[nodiscard]] std::string row_name(const WorkloadResult& result, std::size_t row);
/// "8x1", "2x1 stride 4x1", "all".
[[nodiscard]] std::string groups_text(const Plan& plan);

}  // namespace gossamer::compare
