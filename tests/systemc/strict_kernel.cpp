// SPDX-License-Identifier: Apache-2.0
/// Every warning and error of the SystemC kernel fails the test it occurs in.
#include <systemc>

namespace {

const bool strict = [] {
  using sc_core::sc_report_handler;
  for (const auto severity : {sc_core::SC_WARNING, sc_core::SC_ERROR}) {
    sc_report_handler::set_actions(severity, sc_core::SC_DISPLAY | sc_core::SC_THROW);
  }
  return true;
}();

}  // namespace
