// SPDX-License-Identifier: Apache-2.0
/// The pin-level network interface between a router and its processing element:
/// `gsm_network_interface` in SystemC.
///
/// Guarantees: injects each out-port's own packets in the order of its preload list, one a cycle,
/// the first one in the cycle in which start_i is high, so that the cycle after is step 1. Hands
/// every arrival of the round to the processing element in the cycle in which it arrives (no
/// latency). It stores no packets: own packets must stand on own_data_i until they are injected.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "gossamer/plan/plan.hpp"

namespace gossamer::systemc {

class NetworkInterface : public sc_core::sc_module {
 public:
  /// Clock, rising edge.
  sc_core::sc_in<bool> clk_i{"clk_i"};
  /// Asynchronous reset, active low.
  sc_core::sc_in<bool> rst_ni{"rst_ni"};
  /// Synchronous clear: ends a running round.
  sc_core::sc_in<bool> clear_i{"clear_i"};
  /// High for one cycle: begin a round. The cycle after is step 1. Without effect while a round is
  /// running.
  sc_core::sc_in<bool> start_i{"start_i"};
  /// The own packets, by index.
  sc_core::sc_vector<sc_core::sc_in<PacketId>> own_data_i;
  /// Per out-port: the own packet for the router to take at the next edge.
  sc_core::sc_vector<sc_core::sc_out<bool>> inject_valid_o;
  sc_core::sc_vector<sc_core::sc_out<PacketId>> inject_data_o;
  /// Per in-port: what arrives at the router.
  sc_core::sc_vector<sc_core::sc_in<bool>> in_valid_i;
  sc_core::sc_vector<sc_core::sc_in<PacketId>> in_data_i;
  /// Per in-port: every arrival of the round, in the cycle in which it arrives.
  sc_core::sc_vector<sc_core::sc_out<bool>> deliver_valid_o;
  sc_core::sc_vector<sc_core::sc_out<PacketId>> deliver_data_o;
  /// A round is running: high in the cycles of steps 1 .. steps.
  sc_core::sc_out<bool> busy_o{"busy_o"};
  /// High for one cycle, the one after step `steps`.
  sc_core::sc_out<bool> done_o{"done_o"};

  /// `preload[p]` lists the own packets (indices < packets) that out-port p sends first, in sending
  /// order; the router has preload.size() ports. `steps` is the length of a round in cycles; 0: a
  /// round runs until it is cleared.
  NetworkInterface(const sc_core::sc_module_name& name,
                   std::vector<std::vector<std::uint16_t>> preload, std::uint32_t packets,
                   std::uint64_t steps);

 private:
  /// The combinational paths: injection and delivery.
  void drive();
  void clock();

  std::vector<std::vector<std::uint16_t>> preload_;
  std::uint64_t steps_;
  /// The step of this cycle; 0 while no round is running.
  sc_core::sc_signal<std::uint64_t> step_{"step"};
};

}  // namespace gossamer::systemc
