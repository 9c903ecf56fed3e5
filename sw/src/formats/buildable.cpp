// SPDX-License-Identifier: Apache-2.0
#include "gossamer/emit/buildable.hpp"

#include <string_view>

#include "gossamer/emit/emit.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/proof.hpp"

namespace gossamer {

std::string unbuildable_reason(const Plan& plan) {
  try {
    // Networks that cannot be built are refused before any text is written.
    (void)emit_files(plan, "sv");
    return {};
  } catch (const InfeasibleError& error) {
    constexpr std::string_view kPlace = "format sv: ";
    const std::string_view reason = error.what();
    return std::string(reason.substr(reason.rfind(kPlace, 0) == 0 ? kPlace.size() : 0));
  }
}

Report with_buildable(Report report, const Plan& plan) {
  if (plan.expected.analytic_steps) {
    report.unbuildable = unbuildable_reason(plan);
    return report;
  }
  // Hardware needs the number of steps. It is in the report of a proof or a run.
  const Report known = report.steps ? report : prove(plan, {});
  report.unbuildable =
      unbuildable_reason(known.problems.empty() ? with_figures_of(plan, known) : plan);
  return report;
}

}  // namespace gossamer
