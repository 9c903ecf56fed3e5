// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// Where a holder sends in a step, by the parity rule of eye-directed broadcast: no table.
//
// Steps are numbered from 0, level by level from the highest, within a level by the dimensions that
// reach it. In the step of level j and dimension i every holder sends straight along i over
// a_j = (2^j - (-1)^j) / 3 links, towards + iff parity(x_i) xor side_i[i] xor parity(j) is 1.
// Combinational; with constant levels_i it folds to a few gates a step.
module gsm_relay_rule #(
    // Dimensions, 1..8.
    parameter int Dimensions = 2,
    // Bits of a step number, 1..32.
    parameter int StepBits = 3,
    // Bits of a number of links, 1..16; 2^HopBits is at least a_K of the highest level K.
    parameter int HopBits = 2
) (
    // Bits i*4 +: 4: log2 of side i, 0..15.
    input  logic [Dimensions*4-1:0] levels_i,
    // Bit i: parity of the node's coordinate i.
    input  logic [  Dimensions-1:0] parity_i,
    // The header's side bits; all zero on a mesh.
    input  logic [  Dimensions-1:0] side_i,
    // Order of the dimensions within level order_level_i: 0 ascending; two dimensions: 1 (y, x);
    // three: 1 (x, z, y), 2 (y, z, x). Other levels are ascending.
    input  logic [             1:0] order_i,
    input  logic [             3:0] order_level_i,
    // The step.
    input  logic [      StepBits:0] step_i,
    // There is such a step.
    output logic                    valid_o,
    // Its level, 1..15.
    output logic [             3:0] level_o,
    // The out-port.
    output logic [             3:0] port_o,
    // Links of the send, less one.
    output logic [     HopBits-1:0] hops_o
);

  // The step's {valid, level, position in the level, links less one}. A function, because Icarus 11
  // never settles on a process that reads what it has just written.
  function automatic logic [8+HopBits:0] find(input logic [Dimensions*4-1:0] sides,
                                              input logic [StepBits:0] wanted);
    int number;
    number = 0;
    find   = '0;
    for (int j = 15; j >= 1; j--) begin
      for (int i = 0; i < Dimensions; i++) begin
        if (32'(sides[i*4+:4]) >= j) begin
          if (32'(wanted) == number) find = {1'b1, 4'(j), 4'(i), HopBits'(((1 << j) + 1) / 3 - 1)};
          number = number + 1;
        end
      end
    end
  endfunction

  logic [3:0] position;
  assign {valid_o, level_o, position, hops_o} = find(levels_i, step_i);

  // The dimension that is at a position in an order.
  function automatic logic [3:0] ordered(input logic [3:0] at, input logic [1:0] order);
    ordered = at;
    if (order == 2'd1) begin
      if (Dimensions == 2) ordered = at ^ 4'd1;
      else if (at != 4'd0) ordered = 4'd3 - at;
    end else if (order == 2'd2) begin
      ordered = at == 4'd2 ? 4'd0 : at + 4'd1;
    end
  endfunction
  // The bit of a dimension; 0 where there is no such dimension.
  function automatic logic bit_of(input logic [3:0] dimension, input logic [Dimensions-1:0] bits);
    bit_of = 1'b0;
    for (int i = 0; i < Dimensions; i++) begin
      if (dimension == 4'(i)) bit_of = bits[i];
    end
  endfunction
  logic [3:0] dimension;
  logic upward;
  assign dimension = ordered(position, level_o == order_level_i ? order_i : 2'd0);
  assign upward = level_o[0] ^ bit_of(dimension, parity_i ^ side_i);
  assign port_o = {dimension[2:0], upward};

  `GSM_PARAMETER(DimensionsLegal_A, Dimensions >= 1 && Dimensions <= 8, "Dimensions must be 1..8")
  `GSM_PARAMETER(StepBitsLegal_A, StepBits >= 1 && StepBits <= 31, "StepBits must be 1..31")
  `GSM_PARAMETER(HopBitsLegal_A, HopBits >= 1 && HopBits <= 16, "HopBits must be 1..16")

endmodule

`default_nettype wire
