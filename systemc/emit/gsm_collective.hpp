// SPDX-License-Identifier: Apache-2.0
/// The network of one plan in SystemC, with pins. Needs SystemC and the library gossamer-systemc,
/// whose routers it consists of, and gsm_plan.hpp, which `gossamer emit --format systemc` writes
/// next to this file with the plan and its sizes. C++17 or later.
#pragma once

#include <gossamer/systemc/pin_collective.hpp>
#include <systemc>

#include "gsm_plan.hpp"

/// Pins and timing are those of its base: clk_i, rst_ni, clear_i, start_i, own_data_i,
/// deliver_valid_o, deliver_number_o, deliver_data_o, busy_o, done_o, error_o.
class gsm_network : public gossamer::systemc::PinCollective {
 public:
  explicit gsm_network(const sc_core::sc_module_name& name)
      : PinCollective(name, gsm_plan::kDocument,
                      {gsm_plan::kCycles, gsm_plan::kNodes, gsm_plan::kOwnWords, gsm_plan::kPlaces,
                       gsm_plan::kLanes}) {}
};
