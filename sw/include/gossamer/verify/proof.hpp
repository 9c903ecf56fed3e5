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

/// The plan with the steps and cycles of its proof or of a correct run, if the algorithm has no
/// formula for them.
[[nodiscard]] Plan with_figures_of(Plan plan, const Report& report);

/// The plan in the form from which hardware may be generated: proved, and with_figures_of() its
/// proof. Throws InputError, beginning with `place`, for a plan whose proof fails.
[[nodiscard]] Plan proved(Plan plan, std::string_view place, const Progress& progress);

}  // namespace gossamer
