// SPDX-License-Identifier: Apache-2.0
/// Decides whether hardware can be generated from a plan.
#pragma once

#include <string>

#include "gossamer/plan/plan.hpp"
#include "gossamer/report/report.hpp"

namespace gossamer {

/// Why `emit --format sv` cannot build the plan's network; empty if it can.
[[nodiscard]] std::string unbuildable_reason(const Plan& plan);

/// The report with unbuildable_reason() of the plan. A plan without a formula for its steps takes
/// them from the report, or from a proof when the report has none.
[[nodiscard]] Report with_buildable(Report report, const Plan& plan);

}  // namespace gossamer
