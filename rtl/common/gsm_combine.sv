// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The combination of two words, either of which may be missing: combinational. If one is missing, the
// result is the other one; otherwise it is the result of the operation, modulo 2^Width.
module gsm_combine #(
    // Data bits of a word, 1 or more.
    parameter int Width = 32,
    // 0: sum modulo 2^Width, 1: sum that saturates at 2^Width - 1, 2: sum of two's complement that
    // saturates at both ends, 3: larger, 4: smaller (both unsigned), 5: and, 6: or, 7: exclusive or.
    parameter int Operation = 0,
    // Adder structure. 1: ripple carry, the fewest cells; 0: chosen by the synthesis tool, which is faster.
    parameter bit Ripple = 1'b1
) (
    // Two operands; data is ignored without valid.
    input  logic             a_valid_i,
    input  logic [Width-1:0] a_data_i,
    input  logic             b_valid_i,
    input  logic [Width-1:0] b_data_i,
    // Their combination; data is meaningful only with valid_o.
    output logic             valid_o,
    output logic [Width-1:0] data_o
);

  // A missing word is zero, which is enough for the sums and for all bit operations except one.
  logic [Width-1:0] a;
  logic [Width-1:0] b;
  assign valid_o = a_valid_i || b_valid_i;
  assign a       = a_data_i & {Width{a_valid_i}};
  assign b       = b_data_i & {Width{b_valid_i}};

  // Bit by bit, with the carry out of the highest bit: first the carries into all bits, then the sum.
  function automatic logic [Width:0] added(input logic [Width-1:0] x, input logic [Width-1:0] y);
    logic [Width-1:0] half;
    half  = x ^ y;
    added = '0;
    for (int i = 0; i < Width; i++) added[i+1] = half[i] ? added[i] : x[i];
    added[Width-1:0] = added[Width-1:0] ^ half;
  endfunction

  if (Operation <= 2) begin : gen_sum
    // With the carry out of the highest bit.
    logic [Width:0] sum;
    if (Ripple) begin : gen_ripple
      assign sum = added(a, b);
    end else begin : gen_free
      assign sum = {1'b0, a} + {1'b0, b};
    end
    if (Operation == 0) begin : gen_modulo
      assign data_o = sum[Width-1:0];
      logic unused_carry;
      assign unused_carry = sum[Width];
    end else if (Operation == 1) begin : gen_saturating
      assign data_o = sum[Width-1:0] | {Width{sum[Width]}};
    end else begin : gen_signed
      // The sum of two words of one sign has that sign, unless it overflows.
      logic beyond;
      assign beyond = a[Width-1] == b[Width-1] && sum[Width-1] != a[Width-1];
      logic [Width-1:0] limit;
      assign limit  = {Width{!a[Width-1]}} ^ (Width'(1) << (Width - 1));
      assign data_o = beyond ? limit : sum[Width-1:0];
      logic unused_carry;
      assign unused_carry = sum[Width];
    end
  end else if (Operation <= 5) begin : gen_both
    logic [Width-1:0] both;
    if (Operation == 3) begin : gen_larger
      assign both = a > b ? a : b;
    end else if (Operation == 4) begin : gen_smaller
      assign both = a < b ? a : b;
    end else begin : gen_and
      assign both = a & b;
    end
    assign data_o = a_valid_i && b_valid_i ? both : a | b;
  end else if (Operation == 6) begin : gen_or
    assign data_o = a | b;
  end else begin : gen_xor
    assign data_o = a ^ b;
  end

  `GSM_PARAMETER(WidthLegal_A, Width >= 1, "Width must be at least 1")
  `GSM_PARAMETER(OperationLegal_A, Operation >= 0 && Operation <= 7, "Operation must be 0..7")

endmodule

`default_nettype wire
