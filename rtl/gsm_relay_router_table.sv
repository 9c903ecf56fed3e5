// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The relay router for every one-port plan: by the node's list of sends or by the parity rule.
//
// With list_i the node's sends are those of a list (entry number entry_o on the entry pins);
// without it, those of gsm_relay_rule, in the order that the header of the node's own message
// names. The tag of the header is {order, side bits}. Sends in step mode wait for step_start_i with
// their step on step_i.
module gsm_relay_router_table #(
    // Ports of the router, two for each dimension: 2..16, even.
    parameter int Ports = 4,
    // Data bits of a flit, more than the header's.
    parameter int Width = 256,
    // Stretches that a path can have, 2..16.
    parameter int Segments = 10,
    // Bits of a number of links, 1..16.
    parameter int HopBits = 16,
    // Bits of the step number, 1..31.
    parameter int StepBits = 31,
    // Bits of a time, 1..32.
    parameter int TimeBits = 18,
    // Follow from the others.
    localparam int PortBits = $clog2(Ports),
    localparam int MoreBits = (Segments - 1) * (PortBits + HopBits)
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
    // Constants: sends by the list; sends wait for their step.
    input  logic                   list_i,
    input  logic                   step_sync_i,
    // The sends of step step_i (from 0) enter their links in the next cycle.
    input  logic                   step_start_i,
    input  logic [   StepBits-1:0] step_i,
    // Pulse at the source: the message is in its memory; the first head crosses in the next cycle.
    input  logic                   start_i,
    // The list: entry number entry_o, its step and tag, the first stretch and the further ones.
    output logic [   StepBits-1:0] entry_o,
    input  logic                   entry_valid_i,
    input  logic [   PortBits-1:0] entry_port_i,
    // Links of the first stretch less one.
    input  logic [    HopBits-1:0] entry_hops_i,
    input  logic [   StepBits-1:0] entry_step_i,
    input  logic [  Ports/2+2-1:0] entry_tag_i,
    input  logic [   MoreBits-1:0] entry_more_i,
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
  localparam int TagBits = Dimensions + 2;

  logic send;
  logic deliver_now;
  logic [Ports-1:0] deliver_in;
  logic [StepBits-1:0] arrived_step;
  logic [TagBits-1:0] arrived_tag;
  assign arrived_step = deliver_data_o[HopBits+:StepBits];
  assign arrived_tag  = deliver_data_o[HopBits+StepBits+:TagBits];

  // The step after the arrived message's and its tag; by the rule, the step of the next send.
  logic [StepBits:0] step_q;
  logic [StepBits:0] step;
  logic [TagBits-1:0] tag_q;
  logic [TagBits-1:0] tag;
  assign step = deliver_now ? {1'b0, arrived_step} + 1'b1 : step_q;
  assign tag  = deliver_now ? arrived_tag : tag_q;

  // The level in which the message arrived: its order holds to the level's end.
  logic [3:0] level_q;
  logic [3:0] level;
  logic [3:0] arrived_level;
  assign level = deliver_now ? arrived_level : level_q;
  logic [Dimensions-1:0] no_side;
  assign no_side = '0;
  logic arrived_valid;
  logic [3:0] arrived_port;
  logic [HopBits-1:0] arrived_hops;
  gsm_relay_rule #(
      .Dimensions(Dimensions),
      .StepBits  (StepBits),
      .HopBits   (HopBits)
  ) u_arrived (
      .levels_i     (levels_i),
      .parity_i     (parity_i),
      .side_i       (no_side),
      .order_i      (2'd0),
      .order_level_i(4'd0),
      .step_i       ({1'b0, arrived_step}),
      .valid_o      (arrived_valid),
      .level_o      (arrived_level),
      .port_o       (arrived_port),
      .hops_o       (arrived_hops)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) entry_o <= '0;
    else if (clear_i) entry_o <= '0;
    else if (send) entry_o <= entry_o + 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (send) step_q <= step + 1'b1;
    else if (deliver_head_o) step_q <= {1'b0, arrived_step} + 1'b1;
    if (deliver_head_o) begin
      tag_q   <= arrived_tag;
      level_q <= arrived_level;
    end
  end

  logic rule_valid;
  logic [3:0] rule_level;
  logic [3:0] rule_port;
  logic [HopBits-1:0] rule_hops;
  gsm_relay_rule #(
      .Dimensions(Dimensions),
      .StepBits  (StepBits),
      .HopBits   (HopBits)
  ) u_rule (
      .levels_i     (levels_i),
      .parity_i     (parity_i),
      .side_i       (tag[Dimensions-1:0]),
      .order_i      (tag[Dimensions+:2]),
      .order_level_i(level),
      .step_i       (step),
      .valid_o      (rule_valid),
      .level_o      (rule_level),
      .port_o       (rule_port),
      .hops_o       (rule_hops)
  );

  logic entry_valid;
  logic [StepBits-1:0] entry_step;
  assign entry_step  = list_i ? entry_step_i : step[StepBits-1:0];
  assign entry_valid = (list_i ? entry_valid_i : rule_valid) &&
                       (!step_sync_i || entry_step == step_i);

  // By the rule an order is passed on only within its level.
  logic [TagBits-1:0] entry_tag;
  assign entry_tag = list_i ? entry_tag_i :
                     rule_level == level ? tag : {2'd0, tag[Dimensions-1:0]};

  gsm_relay_switch #(
      .Ports   (Ports),
      .Width   (Width),
      .Segments(Segments),
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
      .entry_valid_i  (entry_valid),
      .entry_port_i   (list_i ? entry_port_i : rule_port[PortBits-1:0]),
      .entry_hops_i   (list_i ? entry_hops_i : rule_hops),
      .entry_step_i   (entry_step),
      .entry_tag_i    (entry_tag),
      .entry_more_i   (list_i ? entry_more_i : '0),
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

  logic unused_rule;
  assign unused_rule = ^{deliver_in, arrived_valid, arrived_port, arrived_hops, rule_port};

  `GSM_PARAMETER(SegmentsLegal_A, Segments >= 2 && Segments <= 16, "Segments must be 2..16")

endmodule

`default_nettype wire
