// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// One multiply-accumulate step, combinational: sum_o = sum_i + a_i * b_i.
//
// Integers: int8 times int8 added to int32, modulo 2^32. Floating point: bfloat16 times bfloat16 added to binary32. The product
// has 16 significant bits, so binary32 holds it exactly, except for subnormal results, which are rounded to nearest, ties
// to even, and those beyond the largest number, which become infinite. Products that are not numbers are Nan below.
module matmul_mac #(
    // 1: floating point.
    parameter int Float = 0,
    // Bits of an operand; not to be set.
    parameter int Bits  = Float != 0 ? 16 : 8
) (
    input  logic [Bits-1:0] a_i,
    input  logic [Bits-1:0] b_i,
    input  logic [    31:0] sum_i,
    output logic [    31:0] sum_o
);
  // One copy of the code for all of them.
  /* verilator no_inline_module */

  if (Float != 0) begin : gen_float
    localparam logic [31:0] Nan = 32'h7fc00000;
    // Exponents, and significands with their hidden bit. A subnormal number has the exponent 1 and no hidden bit.
    logic [7:0] a_exponent, b_exponent, a_significand, b_significand;
    assign a_exponent    = a_i[14:7];
    assign b_exponent    = b_i[14:7];
    assign a_significand = {a_exponent != '0, a_i[6:0]};
    assign b_significand = {b_exponent != '0, b_i[6:0]};
    logic sign;
    assign sign = a_i[15] ^ b_i[15];

    logic [15:0] product, normal;
    assign product = 16'(a_significand) * 16'(b_significand);
    // Zeros above the highest bit.
    logic [4:0] zeros;
    always_comb begin
      zeros = 5'd16;
      for (int i = 0; i < 16; i++) if (product[i]) zeros = 5'(15 - i);
    end
    assign normal = product << zeros;

    // Exponent of the result, if it is normal: from 1 to 254.
    logic signed [10:0] exponent;
    assign exponent = $signed({3'b0, a_exponent}) + $signed({10'b0, a_exponent == '0}) + $signed({3'b0, b_exponent}) +
        $signed({10'b0, b_exponent == '0}) - 11'sd126 - $signed({6'b0, zeros});
    // Subnormal results are shifted right. After 26 places only bits below half of the last place are left.
    logic signed [10:0] right;
    logic [4:0] places;
    assign right  = 11'sd1 - exponent;
    assign places = right > 11'sd26 ? 5'd26 : right[4:0];
    logic [48:0] shifted;
    assign shifted = {normal, 33'b0} >> places;
    logic up;
    assign up = shifted[24] && (shifted[25] || shifted[23:0] != '0);

    logic [31:0] result;
    always_comb begin
      if (&a_exponent || &b_exponent) begin
        // Infinite, unless an operand is not a number, or the other one is 0.
        result = {sign, 8'hff, 23'b0};
        if (&a_exponent && a_i[6:0] != '0 || &b_exponent && b_i[6:0] != '0 || a_i[14:0] == '0 || b_i[14:0] == '0) result = Nan;
      end else if (product == '0) begin
        result = {sign, 31'b0};
      end else if (exponent > 11'sd254) begin
        result = {sign, 8'hff, 23'b0};
      end else if (exponent < 11'sd1) begin
        result = {sign, {7'b0, shifted[48:25]} + 31'(up)};
      end else begin
        result = {sign, exponent[7:0], normal[14:0], 8'b0};
      end
    end

    gsm_float_add u_add (
        .clk_i(1'b0),
        .a_i(sum_i),
        .b_i(result),
        .sum_o(sum_o)
    );
  end else begin : gen_integer
    assign sum_o = sum_i + 32'($signed(a_i)) * 32'($signed(b_i));
  end

  `GSM_PARAMETER(FloatLegal_A, Float == 0 || Float == 1, "Float must be 0 or 1")

endmodule

`default_nettype wire
