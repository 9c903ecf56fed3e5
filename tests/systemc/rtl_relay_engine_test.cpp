// SPDX-License-Identifier: Apache-2.0
/// The Verilated relay routers in the SystemC network, against the fast engine and the model.
#include "gossamer/tb/rtl_relay_engine.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gossamer/systemc/relay_engine.hpp"
#include "gossamer/tb/relay_lock_step.hpp"
#include "gossamer/util/error.hpp"
#include "relay_plans.hpp"

using namespace gossamer;
using gossamer::systemc::make_systemc_relay_engine;
using gossamer::tb::make_rtl_relay_engine;
using gossamer::tb::RelayDifference;
using gossamer::tb::RelayLockStep;
using gossamer::tb::Side;

TEST_CASE("RTL relays write the fast engine's trace in the formulas' cycles",
          "[lock-step][rtl][relay]") {
  std::size_t plans = 0;
  test::for_each_relay_plan([&](const Plan& plan) {
    CAPTURE(test::describe(plan));
    const test::RelayRun expected = test::run_relay(plan, *make_fast_relay_engine(plan));
    const test::RelayRun got = test::run_relay(plan, *make_rtl_relay_engine(plan));
    REQUIRE(expected.complete);
    REQUIRE(got == expected);
    REQUIRE(got.cycles == plan.expected.analytic_cycles);
    ++plans;
  });
  REQUIRE(plans > 400);
}

TEST_CASE("model and RTL relays agree on every link in every cycle", "[lock-step][rtl][relay]") {
  test::for_each_relay_plan([&](const Plan& plan) {
    CAPTURE(test::describe(plan));
    const auto model = make_systemc_relay_engine(plan);
    const auto rtl = make_rtl_relay_engine(plan);
    RelayLockStep lock_step(plan.topology, *model, *rtl);
    std::string text;
    for (const RelayDifference& difference : lock_step.run()) text += difference.text() + "\n";
    REQUIRE(text.empty());
    REQUIRE(lock_step.cycles() >= plan.expected.analytic_cycles);
  });
}
