// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// What a node sends next by the parity rule of eye-directed broadcast.
//
// It remembers the step and the side bits of the last message, and steps on with every send: the
// source starts at step 0, any other node at the step after its message's.
module gsm_relay_sender #(
    // Dimensions, 1..8.
    parameter int Dimensions = 2,
    // Data bits of a flit, more than the header's.
    parameter int Width = 32,
    // Bits of a number of links, 1..16.
    parameter int HopBits = 2,
    // Bits of the step number, 1..31.
    parameter int StepBits = 3,
    // The header has side bits.
    parameter bit Torus = 1'b0
) (
    // Clock, rising edge.
    input  logic                    clk_i,
    // Constants: log2 of the sides, 4 bits each; coordinate parities.
    input  logic [Dimensions*4-1:0] levels_i,
    input  logic [  Dimensions-1:0] parity_i,
    // Pulse at the source, and the side bits of its messages; of no account on a mesh.
    input  logic                    start_i,
    input  logic [  Dimensions-1:0] start_side_i,
    // A message's first flit is here: the header, and whether its first send may be of this cycle.
    input  logic                    deliver_head_i,
    input  logic                    deliver_now_i,
    input  logic [       Width-1:0] deliver_data_i,
    // The send that is shown is done.
    input  logic                    send_i,
    // The next send: whether there is one, its out-port, its links less one, its step and side bits.
    output logic                    valid_o,
    output logic [             3:0] port_o,
    output logic [     HopBits-1:0] hops_o,
    output logic [      StepBits:0] step_o,
    output logic [  Dimensions-1:0] side_o
);

  logic [StepBits:0] after_arrived;
  logic [Dimensions-1:0] arrived_side;
  assign after_arrived = {1'b0, deliver_data_i[HopBits+:StepBits]} + 1'b1;
  if (Torus) begin : gen_side
    assign arrived_side = deliver_data_i[HopBits+StepBits+:Dimensions];
  end else begin : gen_no_side
    assign arrived_side = '0;
  end

  logic [StepBits:0] step_q;
  logic [Dimensions-1:0] side_q;
  assign step_o = start_i ? '0 : deliver_now_i ? after_arrived : step_q;
  assign side_o = !Torus ? '0 : start_i ? start_side_i : deliver_now_i ? arrived_side : side_q;
  always_ff @(posedge clk_i) begin
    if (send_i) step_q <= step_o + 1'b1;
    else if (deliver_head_i) step_q <= after_arrived;
    if (start_i || deliver_now_i) side_q <= side_o;
    else if (deliver_head_i) side_q <= arrived_side;
  end

  logic [3:0] level;
  gsm_relay_rule #(
      .Dimensions(Dimensions),
      .StepBits  (StepBits),
      .HopBits   (HopBits)
  ) u_rule (
      .levels_i     (levels_i),
      .parity_i     (parity_i),
      .side_i       (side_o),
      .order_i      (2'd0),
      .order_level_i(4'd0),
      .step_i       (step_o),
      .valid_o      (valid_o),
      .level_o      (level),
      .port_o       (port_o),
      .hops_o       (hops_o)
  );

  logic unused;
  assign unused = ^{level, deliver_data_i, start_side_i, side_q};

endmodule

`default_nettype wire
