// SPDX-License-Identifier: Apache-2.0
/// The pin-level network: `gsm_network` in SystemC. Routers and network interfaces of a plan, wired
/// by signals, for use in a testbench among other modules.
///
/// Guarantees: executes the plan's stream program, one step a clock cycle; the cycle after the
/// start edge is step 1. Every link is a pair of signals that can be traced. Costs about 1 us per
/// router and cycle, whether packets move or not, and 76 KB per router: the arena form
/// (arena_network.hpp) is the one for speed.
#pragma once

#include <cstdint>
#include <string>
#include <systemc>

#include "gossamer/plan/plan.hpp"
#include "gossamer/systemc/network_interface.hpp"
#include "gossamer/systemc/router.hpp"

namespace gossamer::systemc {

class Network : public sc_core::sc_module {
 public:
  /// Clock, rising edge.
  sc_core::sc_in<bool> clk_i{"clk_i"};
  /// Asynchronous reset, active low.
  sc_core::sc_in<bool> rst_ni{"rst_ni"};
  /// Synchronous clear of all routers and interfaces. High at the edge before the start edge.
  sc_core::sc_in<bool> clear_i{"clear_i"};
  /// High for one cycle: begin a round with the packets on own_data_i. The cycle after is step 1.
  sc_core::sc_in<bool> start_i{"start_i"};
  /// Own packets, packets_per_node a node: node * packets_per_node + index.
  sc_core::sc_vector<sc_core::sc_in<PacketId>> own_data_i;
  /// What arrives at each node in this cycle, per in-port: node * ports + in-port.
  sc_core::sc_vector<sc_core::sc_out<bool>> deliver_valid_o;
  sc_core::sc_vector<sc_core::sc_out<PacketId>> deliver_data_o;
  /// Per node: a round is running; pulses in the cycle after the last step.
  sc_core::sc_vector<sc_core::sc_out<bool>> busy_o;
  sc_core::sc_vector<sc_core::sc_out<bool>> done_o;
  /// Per node: its router lost a packet (sticky).
  sc_core::sc_vector<sc_core::sc_out<bool>> error_o;

  /// The network of `plan`, which must be a stream program and need not outlive the module. A round
  /// lasts `steps` cycles; 0: until it is cleared.
  Network(const sc_core::sc_module_name& name, const Plan& plan, std::uint64_t steps);

  /// The packet on `link` in this cycle, kNoPacket on an idle one.
  [[nodiscard]] PacketId packet(LinkId link) const {
    return link_valid_[link].read() ? link_data_[link].read() : kNoPacket;
  }
  [[nodiscard]] Router& router(NodeId node) { return routers_[node]; }
  [[nodiscard]] const Router& router(NodeId node) const { return routers_[node]; }
  /// Adds valid and packet of every link that exists to a wave file, as `node_N.x+.valid` and so
  /// on.
  void trace(sc_core::sc_trace_file* file) const;

 private:
  Topology topology_;
  sc_core::sc_vector<Router> routers_;
  sc_core::sc_vector<NetworkInterface> interfaces_;
  /// By link slot.
  sc_core::sc_vector<sc_core::sc_signal<bool>> link_valid_;
  sc_core::sc_vector<sc_core::sc_signal<PacketId>> link_data_;
  sc_core::sc_vector<sc_core::sc_signal<bool>> inject_valid_;
  sc_core::sc_vector<sc_core::sc_signal<PacketId>> inject_data_;
  /// What in-ports at the border of a mesh see.
  sc_core::sc_signal<bool> idle_valid_{"idle_valid"};
  sc_core::sc_signal<PacketId> idle_data_{"idle_data"};
};

/// Name of a link in waves: "node_12.x+".
[[nodiscard]] std::string link_wave_name(const Topology& topology, LinkId link);

}  // namespace gossamer::systemc
