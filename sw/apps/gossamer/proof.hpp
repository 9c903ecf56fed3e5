// SPDX-License-Identifier: Apache-2.0
/// The static proof as a report.
#pragma once

#include "gossamer/report/report.hpp"
#include "gossamer/util/progress.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer::cli {

struct Proof {
  /// Engine "proof".
  Report report;
  ProofMethod method;
};

/// Proves a plan of any discipline; what does not hold is among the report's problems.
[[nodiscard]] Proof prove(const Plan& plan, const Progress& progress);

}  // namespace gossamer::cli
