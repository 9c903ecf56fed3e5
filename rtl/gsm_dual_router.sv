// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// One router for two collectives: hardwired gossip and table-free eye-directed broadcast, one at a
// time, over the same out registers.
//
// With gossip_i it is gsm_router with one feed an out-port: every flit is a packet of its own and
// none a head. Without, it is gsm_relay_router by the rule: messages of flits_i flits, the header in the first.
// The constants fold away, so that an out-port is a register, a multiplexer of own words, and
// another one only where gossip turns. What arrives for the node is marked in-port by in-port, with
// no multiplexer; of a message never more than one.
module gsm_dual_router #(
    // Ports of the router, two for each dimension: 2..16, even.
    parameter int Ports = 4,
    // Data bits of a flit, more than the header's.
    parameter int Width = 32,
    // Bits of a number of links, 1..16.
    parameter int HopBits = 2,
    // Bits of the step number, 1..31.
    parameter int StepBits = 3,
    // 1: the header has side bits.
    parameter bit Torus = 1'b1,
    // Bits of a time, 1..32.
    parameter int TimeBits = 8
) (
    // Clock, rising edge.
    input  logic                   clk_i,
    // Asynchronous reset, active low.
    input  logic                   rst_ni,
    // Synchronous clear: no flit anywhere in the next cycle, error_o low.
    input  logic                   clear_i,
    // 1: gossip, 0: broadcast. Constant while not clear.
    input  logic                   gossip_i,
    // Constants of gossip: bit p*Ports + q: in-port q feeds out-port p; one in-port each.
    input  logic [Ports*Ports-1:0] feed_i,
    // Constants of broadcast: log2 of the sides, 4 bits each; coordinate parities; message length
    // and delay.
    input  logic [  Ports/2*4-1:0] levels_i,
    input  logic [    Ports/2-1:0] parity_i,
    input  logic [   TimeBits-1:0] flits_i,
    input  logic [   TimeBits-1:0] relay_cycles_i,
    // Pulse at a broadcast's source: the first head crosses its link in the next cycle.
    input  logic                   start_i,
    // Gossip's own packets, one an out-port and cycle.
    input  logic [      Ports-1:0] inject_valid_i,
    // The own word of each out-port: in gossip its packet, in a broadcast flit flit_o of the message
    // for all of them. flit_o is 0 in gossip.
    output logic [   TimeBits-1:0] flit_o,
    input  logic [Ports*Width-1:0] own_data_i,
    // What arrives.
    input  logic [      Ports-1:0] in_valid_i,
    input  logic [      Ports-1:0] in_head_i,
    input  logic [Ports*Width-1:0] in_data_i,
    // The out registers: what crosses the links in this cycle.
    output logic [      Ports-1:0] out_valid_o,
    output logic [      Ports-1:0] out_head_o,
    output logic [Ports*Width-1:0] out_data_o,
    // In-ports whose arrival is for this node.
    output logic [      Ports-1:0] deliver_valid_o,
    // The node will act without an arrival.
    output logic                   busy_o,
    // Sticky: two flits were for one link, or two messages for this node.
    output logic                   error_o
);

  localparam int Dimensions = Ports / 2;
  localparam int TagBits = Torus ? Dimensions : 0;
  localparam int EntryBits = $clog2(Ports) + HopBits + StepBits + TagBits;

  logic send;
  logic deliver;
  logic deliver_head;
  logic deliver_now;
  logic [Width-1:0] deliver_data;

  // What makes a source an eye of the torus.
  logic [Dimensions-1:0] start_side;
  for (genvar i = 0; i < Dimensions; i++) begin : gen_dimension
    assign start_side[i] = !(parity_i[i] ^ levels_i[i*4]);
  end

  logic entry_valid;
  logic [EntryBits-1:0] entry;
  logic [StepBits-1:0] unused_number;
  gsm_relay_sender #(
      .Ports   (Ports),
      .Width   (Width),
      .HopBits (HopBits),
      .StepBits(StepBits),
      .Torus   (Torus)
  ) u_sender (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .clear_i       (clear_i),
      .levels_i      (levels_i),
      .parity_i      (parity_i),
      .list_i        (1'b0),
      .start_i       (start_i),
      .start_side_i  (start_side),
      .deliver_head_i(deliver_head),
      .deliver_now_i (deliver_now),
      .deliver_data_i(deliver_data),
      .number_o      (unused_number),
      .listed_i      (1'b0),
      .listed_entry_i({EntryBits{1'b0}}),
      .send_i        (send),
      .valid_o       (entry_valid),
      .entry_o       (entry)
  );

  gsm_relay_switch #(
      .Ports   (Ports),
      .Width   (Width),
      .Segments(1),
      .HopBits (HopBits),
      .StepBits(StepBits),
      .TagBits (TagBits),
      .TimeBits(TimeBits),
      .Stream  (1'b1)
  ) u_switch (
      .clk_i          (clk_i),
      .rst_ni         (rst_ni),
      .clear_i        (clear_i),
      .stream_i       (gossip_i),
      .feed_i         (feed_i),
      .inject_valid_i (inject_valid_i),
      .flits_i        (flits_i),
      .relay_cycles_i (relay_cycles_i),
      .duplex_i       (1'b0),
      .start_i        (start_i),
      .step_sync_i    (1'b0),
      .step_start_i   (1'b0),
      .step_i         ({StepBits{1'b0}}),
      .entry_valid_i  (entry_valid),
      .entry_i        (entry),
      .send_o         (send),
      .flit_o         (flit_o),
      .own_data_i     (own_data_i),
      .in_valid_i     (in_valid_i),
      .in_head_i      (in_head_i),
      .in_data_i      (in_data_i),
      .out_valid_o    (out_valid_o),
      .out_head_o     (out_head_o),
      .out_data_o     (out_data_o),
      .deliver_o      (deliver_valid_o),
      .deliver_valid_o(deliver),
      .deliver_head_o (deliver_head),
      .deliver_data_o (deliver_data),
      .deliver_now_o  (deliver_now),
      .busy_o         (busy_o),
      .error_o        (error_o)
  );

  logic unused_deliver;
  assign unused_deliver = deliver;

  `GSM_ASSERT(OneCollective_A, clear_i || (gossip_i ? !start_i : inject_valid_i == '0),
              "the other collective is told to start")

endmodule

`default_nettype wire
