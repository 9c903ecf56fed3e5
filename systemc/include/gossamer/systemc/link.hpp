// SPDX-License-Identifier: Apache-2.0
/// The pin-level link register: `gsm_link` in SystemC.
///
/// Guarantees: what stands on valid_i and data_i before a rising clock edge stands on valid_o and
/// data_o after it. Latency one cycle, one packet a cycle; idle after reset. There is no
/// back-pressure: the plan leaves no room for any. The register of a Router's out-port, as a module
/// of its own.
#pragma once

#include <systemc>

#include "gossamer/plan/plan.hpp"

namespace gossamer::systemc {

class Link : public sc_core::sc_module {
 public:
  /// Clock, rising edge.
  sc_core::sc_in<bool> clk_i{"clk_i"};
  /// Asynchronous reset, active low: the register is idle while it is low.
  sc_core::sc_in<bool> rst_ni{"rst_ni"};
  /// Synchronous clear: the register is idle in the next cycle.
  sc_core::sc_in<bool> clear_i{"clear_i"};
  /// data_i holds a packet.
  sc_core::sc_in<bool> valid_i{"valid_i"};
  /// The packet, of meaning while valid_i is high.
  sc_core::sc_in<PacketId> data_i{"data_i"};
  /// data_o holds a packet that crosses the link in this cycle.
  sc_core::sc_out<bool> valid_o{"valid_o"};
  /// The packet; keeps its last value while valid_o is low.
  sc_core::sc_out<PacketId> data_o{"data_o"};

  explicit Link(const sc_core::sc_module_name& name);

 private:
  void clock();
};

}  // namespace gossamer::systemc
