// SPDX-License-Identifier: Apache-2.0
/// The pin-level router: `gsm_router` in SystemC, one 64-bit packet number a flit.
///
/// Guarantees: every out-port obeys the plan's machine model (out_port.hpp). A packet on an in-port
/// in the cycle of step s stands on the out-ports that it feeds in the cycle of step s + 1 at the
/// earliest; one packet per out-port and cycle. All out-ports are idle after reset. The register at
/// each out-port behaves as a Link; one process clocks them all.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/engine.hpp"
#include "gossamer/systemc/out_port.hpp"

namespace gossamer::systemc {

class Router : public sc_core::sc_module {
 public:
  /// Clock, rising edge.
  sc_core::sc_in<bool> clk_i{"clk_i"};
  /// Asynchronous reset, active low.
  sc_core::sc_in<bool> rst_ni{"rst_ni"};
  /// Synchronous clear: all registers and queues are empty in the next cycle and the step counter
  /// is 0. The counter advances at every edge without clear, so the last edge with clear_i high
  /// must be the one before the start edge when the table has a switch step.
  sc_core::sc_in<bool> clear_i{"clear_i"};
  /// Per out-port: inject_data_i holds an own packet, which goes ahead of everything that waits.
  sc_core::sc_vector<sc_core::sc_in<bool>> inject_valid_i;
  sc_core::sc_vector<sc_core::sc_in<PacketId>> inject_data_i;
  /// Per in-port: what arrives in this cycle.
  sc_core::sc_vector<sc_core::sc_in<bool>> in_valid_i;
  sc_core::sc_vector<sc_core::sc_in<PacketId>> in_data_i;
  /// Per out-port: the link register; data keeps its last value while valid is low.
  sc_core::sc_vector<sc_core::sc_out<bool>> out_valid_o;
  sc_core::sc_vector<sc_core::sc_out<PacketId>> out_data_o;
  /// Sticky until reset or clear: a packet was lost because a queue was full.
  sc_core::sc_out<bool> error_o{"error_o"};

  /// A router with table.size() ports (1 .. kMaxPorts). `table[p]` is out-port p's program; of its
  /// preload list only the length matters here. `depth` is every out-port's queue depth in packets,
  /// the register included, >= 1.
  Router(const sc_core::sc_module_name& name, std::vector<PortProgram> table, std::uint32_t depth);

  /// The machine's state at out-port `port`: losses and queue lengths.
  [[nodiscard]] const OutPort& out_port(Port port) const { return out_ports_[port]; }
  /// Damages what the register of out-port `port` holds, for fault injection from outside of any
  /// process (between two sc_start calls); in effect one delta cycle later. Does nothing to an idle
  /// register.
  void upset(Port port, const Upset& upset);

 private:
  void clock();

  std::vector<PortProgram> table_;
  std::vector<OutPort> out_ports_;
  std::vector<PacketId> arrivals_;
  /// The step that the next edge ends; 0 at the start edge.
  std::uint64_t step_ = 0;
};

}  // namespace gossamer::systemc
