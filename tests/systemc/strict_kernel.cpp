// SPDX-License-Identifier: Apache-2.0
/// Every warning and error of the SystemC kernel fails the test it occurs in.
#include <catch2/catch.hpp>
#include <systemc>

namespace {

const bool strict = [] {
  using sc_core::sc_report_handler;
  for (const auto severity : {sc_core::SC_WARNING, sc_core::SC_ERROR}) {
    sc_report_handler::set_actions(severity, sc_core::SC_DISPLAY | sc_core::SC_THROW);
  }
  return true;
}();

TEST_CASE("a warning of the kernel fails a test, as an error does", "[kernel]") {
  CHECK_THROWS_AS(SC_REPORT_WARNING("strict_kernel", "a warning"), sc_core::sc_report);
  CHECK_THROWS_AS(SC_REPORT_ERROR("strict_kernel", "an error"), sc_core::sc_report);
}

}  // namespace
