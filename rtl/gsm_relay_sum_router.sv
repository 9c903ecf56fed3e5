// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The router of reductions by relays: it sends the node's message by a list, and combines what it is
// delivered with the node's, flit by flit.
//
// A flit is the header in its low bits (gsm_relay_switch, without a tag), in heads alone, and in its
// highest SumWidth bits a word. A message of one of the first adding_steps_i steps is combined with the
// node's words, any other takes their place. Sends wait for their step. The words are in a memory
// outside, which is read at two places: flit_o, what is sent, and store_o, what the flit that may arrive
// in this cycle belongs to.
module gsm_relay_sum_router #(
    // Ports of the router, two for each dimension: 2..16, even.
    parameter int Ports = 4,
    // Data bits of a flit: the header's and the word's, or more.
    parameter int Width = 64,
    // Bits of a word.
    parameter int SumWidth = 32,
    // The operation, and how sums are added: gsm_combine.
    parameter int Operation = 0,
    parameter bit Ripple = 1'b1,
    // Stretches that a path can have, 1..16. With 1 every message goes straight.
    parameter int Segments = 2,
    // Bits of a number of links, 1..16.
    parameter int HopBits = 3,
    // Bits of the step number, 1..31.
    parameter int StepBits = 4,
    // Bits of a time, 1..32: flits_i + relay_cycles_i fits.
    parameter int TimeBits = 8,
    // Follow from the others.
    localparam int PortBits = $clog2(Ports),
    localparam int MoreBits = (Segments - 1) * (PortBits + HopBits),
    localparam int MoreWidth = Segments > 1 ? MoreBits : 1
) (
    // Clock, rising edge.
    input  logic                   clk_i,
    // Asynchronous reset, active low.
    input  logic                   rst_ni,
    // Synchronous clear: no message anywhere in the next cycle, error_o low.
    input  logic                   clear_i,
    // Constants: message length and delay; whether a node may send and receive at once; steps that combine.
    input  logic [   TimeBits-1:0] flits_i,
    input  logic [   TimeBits-1:0] relay_cycles_i,
    input  logic                   duplex_i,
    input  logic [   StepBits-1:0] adding_steps_i,
    // The sends of step step_i (from 0) enter their links in the next cycle.
    input  logic                   step_start_i,
    input  logic [   StepBits-1:0] step_i,
    // Pulse at every node: its own words are in its memory. It may be that of the first step.
    input  logic                   start_i,
    // The list: entry number entry_o, its step, the first stretch and the further ones.
    output logic [   StepBits-1:0] entry_o,
    input  logic                   entry_valid_i,
    input  logic [   PortBits-1:0] entry_port_i,
    // Links of the first stretch less one.
    input  logic [    HopBits-1:0] entry_hops_i,
    input  logic [   StepBits-1:0] entry_step_i,
    input  logic [  MoreWidth-1:0] entry_more_i,
    // The node's memory: flit flit_o of the message, its word above.
    output logic [   TimeBits-1:0] flit_o,
    input  logic [      Width-1:0] own_data_i,
    // The memory's word for the flit that may be delivered in this cycle.
    output logic [   TimeBits-1:0] store_o,
    input  logic [   SumWidth-1:0] stored_i,
    // What arrives.
    input  logic [      Ports-1:0] in_valid_i,
    input  logic [      Ports-1:0] in_head_i,
    input  logic [Ports*Width-1:0] in_data_i,
    // The out registers: what crosses the links in this cycle.
    output logic [      Ports-1:0] out_valid_o,
    output logic [      Ports-1:0] out_head_o,
    output logic [Ports*Width-1:0] out_data_o,
    // A flit that arrives for this node, its word replaced by what the memory is to hold from now on.
    output logic                   deliver_valid_o,
    output logic                   deliver_head_o,
    output logic [      Width-1:0] deliver_data_o,
    // The node will act without an arrival: without one and not busy, a clock edge does nothing.
    output logic                   busy_o,
    // Sticky: two messages met.
    output logic                   error_o
);

  localparam int Below = Width - SumWidth;

  // What is delivered, as it comes.
  logic [Width-1:0] arrived;

  // Which word of a message comes next: messages are never interrupted.
  logic [TimeBits-1:0] next_q;
  logic [TimeBits-1:0] next;
  assign next    = next_q + 1'b1;
  assign store_o = next_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) next_q <= '0;
    else if (clear_i || !deliver_valid_o || next == flits_i) next_q <= '0;
    else next_q <= next;
  end

  // Combined or taken, as the step of the message says.
  logic adds;
  logic adds_q;
  assign adds = deliver_head_o ? arrived[HopBits+:StepBits] < adding_steps_i : adds_q;
  always_ff @(posedge clk_i) begin
    if (deliver_head_o) adds_q <= adds;
  end
  logic unused_valid;
  logic [SumWidth-1:0] sum;
  gsm_combine #(
      .Width    (SumWidth),
      .Operation(Operation),
      .Ripple   (Ripple)
  ) u_combine (
      .a_valid_i(1'b1),
      .a_data_i (arrived[Below+:SumWidth]),
      .b_valid_i(adds),
      .b_data_i (stored_i),
      .valid_o  (unused_valid),
      .data_o   (sum)
  );
  assign deliver_data_o = {sum, arrived[Below-1:0]};

  // A step may begin at the edge at which a message of one flit comes: its word goes past the memory.
  logic past_memory;
  logic [Width-1:0] own_data;
  assign past_memory = deliver_valid_o && flits_i == TimeBits'(1) && relay_cycles_i == '0;
  assign own_data = {past_memory ? sum : own_data_i[Below+:SumWidth], own_data_i[Below-1:0]};

  logic send;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) entry_o <= '0;
    else if (clear_i) entry_o <= '0;
    else if (send) entry_o <= entry_o + 1'b1;
  end

  logic deliver_now;
  logic [Ports-1:0] deliver_in;
  gsm_relay_switch #(
      .Ports   (Ports),
      .Width   (Width),
      .Segments(Segments),
      .HopBits (HopBits),
      .StepBits(StepBits),
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
      .duplex_i       (duplex_i),
      .start_i        (start_i),
      .step_sync_i    (1'b1),
      .step_start_i   (step_start_i),
      .entry_valid_i  (entry_valid_i && entry_step_i == step_i),
      .entry_port_i   (entry_port_i),
      .entry_hops_i   (entry_hops_i),
      .entry_step_i   (entry_step_i),
      .entry_tag_i    (1'b0),
      .entry_more_i   (entry_more_i),
      .send_o         (send),
      .flit_o         (flit_o),
      .own_data_i     (own_data),
      .in_valid_i     (in_valid_i),
      .in_head_i      (in_head_i),
      .in_data_i      (in_data_i),
      .out_valid_o    (out_valid_o),
      .out_head_o     (out_head_o),
      .out_data_o     (out_data_o),
      .deliver_o      (deliver_in),
      .deliver_valid_o(deliver_valid_o),
      .deliver_head_o (deliver_head_o),
      .deliver_data_o (arrived),
      .deliver_now_o  (deliver_now),
      .busy_o         (busy_o),
      .error_o        (error_o)
  );

  // Every node has a message from the start on, and none is sent on as it comes.
  logic unused_delivery;
  assign unused_delivery = ^{deliver_in, deliver_now};

  `GSM_PARAMETER(SumLegal_A, SumWidth >= 1 && SumWidth + HopBits + StepBits + MoreBits <= Width,
                 "header and word do not fit a flit")

endmodule

`default_nettype wire
