// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The table-free relay router of eye-directed broadcast: from an eye of a mesh, or on a torus.
//
// It knows the parities of its own coordinates and the sides; everything else is in the header:
// links to go, step, and on a torus a side bit a dimension. After a message of step t it sends in
// every step after t by gsm_relay_rule. Self-timed it needs no common counter, and the last node has
// the message as early as by steps; with step_sync_i every send waits for its step. levels_i,
// parity_i, flits_i, relay_cycles_i and step_sync_i are meant to be tied to constants, which fold
// away.
module gsm_relay_router #(
    // Ports of the router, two for each dimension: 2..16, even.
    parameter int Ports = 4,
    // Data bits of a flit, more than the header's.
    parameter int Width = 32,
    // Bits of a number of links, 1..16.
    parameter int HopBits = 2,
    // Bits of the step number, 1..31.
    parameter int StepBits = 3,
    // 1: the header has side bits.
    parameter bit Torus = 1'b0,
    // Bits of a time, 1..32.
    parameter int TimeBits = 8
) (
    // Clock, rising edge.
    input  logic                   clk_i,
    // Asynchronous reset, active low.
    input  logic                   rst_ni,
    // Synchronous clear: no message anywhere in the next cycle, error_o low.
    input  logic                   clear_i,
    // Constants: log2 of the sides, 4 bits each; coordinate parities; message length and delay.
    input  logic [  Ports/2*4-1:0] levels_i,
    input  logic [    Ports/2-1:0] parity_i,
    input  logic [   TimeBits-1:0] flits_i,
    input  logic [   TimeBits-1:0] relay_cycles_i,
    // Sends wait for their step; constant.
    input  logic                   step_sync_i,
    // Then: the sends of step step_i (from 0) enter their links in the next cycle.
    input  logic                   step_start_i,
    input  logic [   StepBits-1:0] step_i,
    // Pulse at the source: the message is in its memory; the first head crosses in the next cycle.
    input  logic                   start_i,
    // The side bits of the source's messages; of no account on a mesh.
    input  logic [    Ports/2-1:0] start_side_i,
    // The node's memory: flit flit_o of the message.
    output logic [   TimeBits-1:0] flit_o,
    input  logic [      Width-1:0] own_data_i,
    // What arrives.
    input  logic [      Ports-1:0] in_valid_i,
    input  logic [      Ports-1:0] in_head_i,
    input  logic [Ports*Width-1:0] in_data_i,
    // The out registers: what crosses the links in this cycle.
    output logic [      Ports-1:0] out_valid_o,
    output logic [      Ports-1:0] out_head_o,
    output logic [Ports*Width-1:0] out_data_o,
    // What arrives for this node.
    output logic                   deliver_valid_o,
    output logic                   deliver_head_o,
    output logic [      Width-1:0] deliver_data_o,
    // The node will act without an arrival: without one and not busy, a clock edge does nothing.
    output logic                   busy_o,
    // Sticky: two messages met.
    output logic                   error_o
);

  localparam int Dimensions = Ports / 2;
  localparam int PortBits = $clog2(Ports);
  localparam int TagBits = Torus ? Dimensions : 0;

  logic send;
  logic deliver_now;
  logic [Ports-1:0] deliver_in;

  logic entry_valid;
  logic [3:0] entry_port;
  logic [HopBits-1:0] entry_hops;
  logic [StepBits:0] step;
  logic [Dimensions-1:0] side;
  gsm_relay_sender #(
      .Dimensions(Dimensions),
      .Width     (Width),
      .HopBits   (HopBits),
      .StepBits  (StepBits),
      .Torus     (Torus)
  ) u_sender (
      .clk_i         (clk_i),
      .levels_i      (levels_i),
      .parity_i      (parity_i),
      .start_i       (start_i),
      .start_side_i  (start_side_i),
      .deliver_head_i(deliver_head_o),
      .deliver_now_i (deliver_now),
      .deliver_data_i(deliver_data_o),
      .send_i        (send),
      .valid_o       (entry_valid),
      .port_o        (entry_port),
      .hops_o        (entry_hops),
      .step_o        (step),
      .side_o        (side)
  );

  gsm_relay_switch #(
      .Ports   (Ports),
      .Width   (Width),
      .Segments(1),
      .HopBits (HopBits),
      .StepBits(StepBits),
      .TagBits (TagBits),
      .TimeBits(TimeBits)
  ) u_switch (
      .clk_i          (clk_i),
      .rst_ni         (rst_ni),
      .clear_i        (clear_i),
      .stream_i       (1'b0),
      .feed_i         ({Ports*Ports{1'b0}}),
      .inject_valid_i ({Ports{1'b0}}),
      .flits_i        (flits_i),
      .relay_cycles_i (relay_cycles_i),
      .duplex_i       (1'b0),
      .start_i        (start_i),
      .step_sync_i    (step_sync_i),
      .step_start_i   (step_start_i),
      .entry_valid_i  (entry_valid && (!step_sync_i || step == {1'b0, step_i})),
      .entry_port_i   (entry_port[PortBits-1:0]),
      .entry_hops_i   (entry_hops),
      .entry_step_i   (step[StepBits-1:0]),
      .entry_tag_i    (side[(TagBits > 0 ? TagBits : 1)-1:0]),
      .entry_more_i   (1'b0),
      .send_o         (send),
      .flit_o         (flit_o),
      .own_data_i     (own_data_i),
      .in_valid_i     (in_valid_i),
      .in_head_i      (in_head_i),
      .in_data_i      (in_data_i),
      .out_valid_o    (out_valid_o),
      .out_head_o     (out_head_o),
      .out_data_o     (out_data_o),
      .deliver_o      (deliver_in),
      .deliver_valid_o(deliver_valid_o),
      .deliver_head_o (deliver_head_o),
      .deliver_data_o (deliver_data_o),
      .deliver_now_o  (deliver_now),
      .busy_o         (busy_o),
      .error_o        (error_o)
  );

  logic unused_entry;
  assign unused_entry = ^{deliver_in, entry_port, side, step_i};

endmodule

`default_nettype wire
