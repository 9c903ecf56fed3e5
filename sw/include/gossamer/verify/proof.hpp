// SPDX-License-Identifier: Apache-2.0
/// The static proof as a report.
#pragma once

#include <functional>
#include <string_view>

#include "gossamer/report/report.hpp"
#include "gossamer/util/progress.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {

/// Proves a plan, engine "proof"; what does not hold is among the report's problems.
[[nodiscard]] Report prove(const Plan& plan, const Progress& progress);

/// Runs a proof and puts what it finds, and how long it takes, into the report.
void add_verdict(Report& report, const std::function<Verdict()>& proof);

/// The plan as hardware may be made of it: proved, and with the steps and cycles that are true
/// where its algorithm has no formula and promises none. Throws InputError, beginning with `place`,
/// for a plan that does not hold.
[[nodiscard]] Plan proved(Plan plan, std::string_view place, const Progress& progress);

}  // namespace gossamer
