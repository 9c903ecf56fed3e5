// SPDX-License-Identifier: Apache-2.0
/// The static proof as a report.
#pragma once

#include <functional>
#include <string_view>

#include "gossamer/report/report.hpp"
#include "gossamer/util/progress.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {

/// Proves a plan, engine "proof"; broken promises are among the report's problems.
[[nodiscard]] Report prove(const Plan& plan, const Progress& progress);

/// Runs a proof and stores its results and duration in the report.
void add_verdict(Report& report, const std::function<Verdict()>& proof);

/// The plan in the form that hardware may be generated from: proved, and with the derived steps and
/// cycles where its algorithm has no formula and promises none. Throws InputError, beginning with
/// `place`, for a plan whose proof fails.
[[nodiscard]] Plan proved(Plan plan, std::string_view place, const Progress& progress);

}  // namespace gossamer
