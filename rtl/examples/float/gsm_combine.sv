// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// Your own operation instead of the library's: the sum of two floating-point numbers with 8 bits of
// exponent, bfloat16 where Width is 16, IEEE 754 binary32 where it is 32. Rounded to nearest, ties to even,
// with subnormal numbers; a result that is not a number (NaN) has a single fraction bit set. Combinational.
// Parameters and ports are those of the library's gsm_combine, which this file replaces.
module gsm_combine #(
    // Data bits of a word: sign, 8 bits of exponent, and 2 or more of fraction.
    parameter int Width = 32,
    // From the plan; ignored here.
    parameter int Operation = 0,
    parameter bit Ripple = 1'b1
) (
    // Two operands; data is ignored without valid.
    input  logic             a_valid_i,
    input  logic [Width-1:0] a_data_i,
    input  logic             b_valid_i,
    input  logic [Width-1:0] b_data_i,
    // Their sum; data is meaningful only with valid_o.
    output logic             valid_o,
    output logic [Width-1:0] data_o
);

  localparam int F = Width - 9;

  // x is the operand whose magnitude is not smaller.
  logic swap;
  logic [Width-1:0] x;
  logic [Width-1:0] y;
  assign swap = a_data_i[Width-2:0] < b_data_i[Width-2:0];
  assign x    = swap ? b_data_i : a_data_i;
  assign y    = swap ? a_data_i : b_data_i;

  // Exponents as for normal numbers; fractions with the leading bit and three extra bits below.
  logic [7:0] x_exponent;
  logic [7:0] y_exponent;
  logic [F+3:0] x_places;
  logic [F+3:0] y_places;
  assign x_exponent = x[F+:8] == '0 ? 8'd1 : x[F+:8];
  assign y_exponent = y[F+:8] == '0 ? 8'd1 : y[F+:8];
  assign x_places   = {x[F+:8] != '0, x[F-1:0], 3'b0};
  assign y_places   = {y[F+:8] != '0, y[F-1:0], 3'b0};

  // The smaller operand, shifted to the larger exponent. The last bit is sticky: it records whether any
  // lost bit was 1.
  logic [7:0] distance;
  logic [F+3:0] moved;
  assign distance = x_exponent - y_exponent;
  function automatic logic [F+3:0] right(input logic [F+3:0] places, input logic [7:0] by);
    logic lost;
    right = places;
    lost  = 1'b0;
    for (int i = 0; i < F + 4; i++) begin
      if (8'(i) < by) begin
        lost  = lost | right[0];
        right = right >> 1;
      end
    end
    right[0] = right[0] | lost;
  endfunction
  assign moved = right(y_places, distance);

  // The sum, with one more bit at the top.
  logic subtract;
  logic [F+4:0] sum;
  assign subtract = x[Width-1] != y[Width-1];
  assign sum      = subtract ? {1'b0, x_places} - {1'b0, moved} : {1'b0, x_places} + {1'b0, moved};

  // Normalized, as far as the range of exponents permits.
  function automatic logic [F+12:0] left(input logic [F+4:0] places, input logic [7:0] exponent);
    logic [F+4:0] bits;
    logic [8:0] power;
    bits  = places;
    power = {1'b0, exponent};
    if (bits[F+4]) begin
      bits  = {1'b0, bits[F+4:2], bits[1] | bits[0]};
      power = power + 9'd1;
    end
    for (int i = 0; i < F + 3; i++) begin
      if (!bits[F+3] && power > 9'd1) begin
        bits  = bits << 1;
        power = power - 9'd1;
      end
    end
    left = {power, bits[F+3:0]};
  endfunction
  logic [8:0] exponent;
  logic [F+3:0] places;
  assign {exponent, places} = left(sum, x_exponent);

  // Rounded: a carry out of the fraction increments the exponent.
  logic up;
  logic [F+9:0] rounded;
  assign up      = places[2] && (places[1:0] != '0 || places[3]);
  assign rounded = {(places[F+3] ? exponent : 9'd0), places[F+2:3]} + (F + 9)'(up);

  logic no_number;
  logic infinite;
  logic sign;
  logic [Width-1:0] result;
  assign no_number = (x[F+:8] == '1 && x[F-1:0] != '0) || (x[F+:8] == '1 && y[F+:8] == '1 &&
                     (subtract || y[F-1:0] != '0));
  assign infinite  = x[F+:8] == '1 || rounded[F+:9] >= 9'd255;
  // Operands that cancel give a positive zero.
  assign sign      = x[Width-1] && !(subtract && sum == '0);
  assign result    = no_number ? {1'b0, 8'hff, 1'b1, {F - 1{1'b0}}}
                   : infinite ? {x[Width-1], 8'hff, {F{1'b0}}} : {sign, rounded[F+7:0]};

  assign valid_o = a_valid_i || b_valid_i;
  assign data_o  = !b_valid_i ? a_data_i : !a_valid_i ? b_data_i : result;

  `GSM_PARAMETER(WidthLegal_A, Width >= 11, "Width must be at least 11")

endmodule

`default_nettype wire
