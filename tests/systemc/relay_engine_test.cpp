// SPDX-License-Identifier: Apache-2.0
/// The SystemC relay network against the fast engine and the closed forms.
#include "gossamer/systemc/relay_engine.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "relay_plans.hpp"

using namespace gossamer;
using gossamer::systemc::make_systemc_relay_engine;

TEST_CASE("SystemC relays write the fast engine's trace in the formulas' cycles", "[relay]") {
  std::size_t plans = 0;
  test::for_each_relay_plan([&](const Plan& plan) {
    CAPTURE(test::describe(plan));
    const test::RelayRun expected = test::run_relay(plan, *make_fast_relay_engine(plan));
    const test::RelayRun got = test::run_relay(plan, *make_systemc_relay_engine(plan));
    REQUIRE(expected.complete);
    REQUIRE(got == expected);
    REQUIRE(got.cycles == plan.expected.analytic_cycles);
    ++plans;
  });
  REQUIRE(plans > 400);
}
