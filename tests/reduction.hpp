// SPDX-License-Identifier: Apache-2.0
/// Checks of a reduction's plan: formula, proof and run agree.
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>

#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer::testing {

/// The links crossed.
inline std::uint64_t check_reduction(const Plan& plan) {
  CAPTURE(plan.topology.dims_text(), plan.demand.pieces);
  const Verdict verdict = verify(plan);
  CAPTURE(verdict.problems);
  CHECK(verdict.ok());
  CHECK(verdict.complete);
  CHECK(verdict.steps == plan.expected.analytic_steps);
  const Report run = run_plan(plan, *make_fast_engine(plan), {});
  CAPTURE(run.problems);
  CHECK(run.problems.empty());
  CHECK(run.complete == true);
  CHECK(run.duplicates == 0);
  CHECK(run.steps == verdict.steps);
  CHECK(run.link_transfers == verdict.link_transfers);
  CHECK(run.link_conflicts == 0);
  CHECK(*plan.expected.lower_bound_steps <= *run.steps);
  return run.link_transfers.value_or(0);
}

}  // namespace gossamer::testing
