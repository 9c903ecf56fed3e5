// SPDX-License-Identifier: Apache-2.0
/// The static proof as a report.
#pragma once

#include "gossamer/report/report.hpp"
#include "gossamer/util/progress.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {

/// Proves a plan of any discipline or an experiment, engine "proof"; what does not hold is among
/// the report's problems.
[[nodiscard]] Report prove(const Plan& plan, const Progress& progress);
[[nodiscard]] Report prove(const Experiment& experiment, const Progress& progress);

}  // namespace gossamer
