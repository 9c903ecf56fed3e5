// SPDX-License-Identifier: Apache-2.0
/// Additional members in the report of a queued program: `queue_depth`, `phases`, and bounds in
/// time units.
#pragma once

#include <memory>

#include "gossamer/plan/plan.hpp"
#include "gossamer/report/report_part.hpp"

namespace gossamer {

[[nodiscard]] std::shared_ptr<const ReportPart> queued_report_part(const Plan& plan);

}  // namespace gossamer
