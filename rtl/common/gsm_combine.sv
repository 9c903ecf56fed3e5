// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The combination of two words, either of which may be missing: combinational. If one is missing, the
// result is the other one; otherwise it is the result of the operation, modulo 2^Width.
module gsm_combine #(
    // Data bits of a word, 1 or more.
    parameter int Width = 32,
    // 0: sum modulo 2^Width, 1: sum that saturates at 2^Width - 1, 2: sum of two's complement that
    // saturates at both ends, 3: larger, 4: smaller (both unsigned), 5: and, 6: or, 7: exclusive or,
    // 8: larger, 9: smaller (both two's complement).
    // Floating-point words: 16 * the bits of their exponent, and 0, 3 or 4. The sum of float32 or of bfloat16 is
    // 128, that of float16 80, that of float64 176. Sums are those of gsm_float_add. The larger and the smaller word
    // are maximum and minimum of IEEE 754-2019: -0 is smaller than +0, and NaN wins, as that of gsm_float_add.
    // Simulation models of such words also have 4096 * the bits, from bit 0, of a number that is added.
    // Lanes: also 1048576 * the bits of a word. Width is then that of all words, each combined by itself.
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

  localparam int Kind = Operation % 16;
  localparam int ExponentBits = Operation / 16 % 256;
  localparam int CountBits = Operation / 4096 % 256;
  localparam int WordBits = Operation / 1048576;
  localparam int Lanes = WordBits > 0 ? (Width - CountBits) / WordBits : 1;

  // A missing word is zero, which is enough for the sums and for all bit operations except one.
  logic [Width-1:0] a;
  logic [Width-1:0] b;
  assign valid_o = a_valid_i || b_valid_i;
  assign a       = a_data_i & {Width{a_valid_i}};
  assign b       = b_data_i & {Width{b_valid_i}};

  // Bit by bit, with the carry out of the highest bit: first the carries into all bits, then the sum.
  // The module of a lane has the same function; Verilator takes that for a name hidden here.
  /* verilator lint_off VARHIDDEN */
  function automatic logic [Width:0] added(input logic [Width-1:0] x, input logic [Width-1:0] y);
    logic [Width-1:0] half;
    half  = x ^ y;
    added = '0;
    for (int i = 0; i < Width; i++) added[i+1] = half[i] ? added[i] : x[i];
    added[Width-1:0] = added[Width-1:0] ^ half;
  endfunction
  /* verilator lint_on VARHIDDEN */

  if (Lanes > 1) begin : gen_lanes
    for (genvar l = 0; l < Lanes; l++) begin : gen_lane
      logic unused_valid;
      gsm_combine #(
          .Width    (WordBits),
          .Operation(Operation % 4096),
          .Ripple   (Ripple)
      ) u_word (
          .a_valid_i(a_valid_i),
          .a_data_i (a_data_i[CountBits+l*WordBits+:WordBits]),
          .b_valid_i(b_valid_i),
          .b_data_i (b_data_i[CountBits+l*WordBits+:WordBits]),
          .valid_o  (unused_valid),
          .data_o   (data_o[CountBits+l*WordBits+:WordBits])
      );
    end
    if (CountBits > 0) begin : gen_count
      assign data_o[CountBits-1:0] = a[CountBits-1:0] + b[CountBits-1:0];
    end
    logic unused_words;
    assign unused_words = ^{a, b};
  end else if (ExponentBits > 0) begin : gen_float
    localparam int Bits = Width - CountBits;
    localparam int FractionBits = Bits - 1 - ExponentBits;
    logic [Bits-1:0] x;
    logic [Bits-1:0] y;
    assign x = a_data_i[Width-1:CountBits];
    assign y = b_data_i[Width-1:CountBits];
    logic [Bits-1:0] both;
    if (Kind == 0) begin : gen_sum
      gsm_float_add #(
          .ExponentBits(ExponentBits),
          .FractionBits(FractionBits)
      ) u_add (
          .clk_i(1'b0),
          .a_i  (x),
          .b_i  (y),
          .sum_o(both)
      );
    end else begin : gen_extreme
      localparam logic [Bits-1:0] Nan = {1'b0, {ExponentBits{1'b1}}, 1'b1, {(FractionBits - 1) {1'b0}}};
      localparam logic [Bits-2:0] Infinity = {{ExponentBits{1'b1}}, {FractionBits{1'b0}}};
      // Words in the order of unsigned numbers.
      logic [Bits-1:0] x_key;
      logic [Bits-1:0] y_key;
      assign x_key = {!x[Bits-1], x[Bits-2:0] ^ {(Bits - 1) {x[Bits-1]}}};
      assign y_key = {!y[Bits-1], y[Bits-2:0] ^ {(Bits - 1) {y[Bits-1]}}};
      logic none;
      assign none = x[Bits-2:0] > Infinity || y[Bits-2:0] > Infinity;
      logic takes_x;
      assign takes_x = (x_key > y_key) == (Kind == 3);
      assign both    = none ? Nan : takes_x ? x : y;
    end
    // A missing word is no operand: +0 would change -0 and NaN.
    logic [Bits-1:0] word;
    assign word = !b_valid_i ? x : !a_valid_i ? y : both;
    if (CountBits > 0) begin : gen_count
      logic [CountBits-1:0] count;
      assign count  = a[CountBits-1:0] + b[CountBits-1:0];
      assign data_o = {word, count};
    end else begin : gen_no_count
      assign data_o = word;
    end
    logic unused_words;
    assign unused_words = ^{a, b};
  end else if (Kind <= 2) begin : gen_sum
    // With the carry out of the highest bit.
    logic [Width:0] sum;
    if (Ripple) begin : gen_ripple
      assign sum = added(a, b);
    end else begin : gen_free
      assign sum = {1'b0, a} + {1'b0, b};
    end
    if (Kind == 0) begin : gen_modulo
      assign data_o = sum[Width-1:0];
      logic unused_carry;
      assign unused_carry = sum[Width];
    end else if (Kind == 1) begin : gen_saturating
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
  end else if (Kind <= 5 || Kind >= 8) begin : gen_both
    logic [Width-1:0] both;
    if (Kind == 3) begin : gen_larger
      assign both = a > b ? a : b;
    end else if (Kind == 4) begin : gen_smaller
      assign both = a < b ? a : b;
    end else if (Kind == 8) begin : gen_signed_larger
      assign both = $signed(a) > $signed(b) ? a : b;
    end else if (Kind == 9) begin : gen_signed_smaller
      assign both = $signed(a) < $signed(b) ? a : b;
    end else begin : gen_and
      assign both = a & b;
    end
    assign data_o = a_valid_i && b_valid_i ? both : a | b;
  end else if (Kind == 6) begin : gen_or
    assign data_o = a | b;
  end else begin : gen_xor
    assign data_o = a ^ b;
  end

  `GSM_PARAMETER(WidthLegal_A, Width >= 1, "Width must be at least 1")
  `GSM_PARAMETER(OperationLegal_A,
                 Operation >= 0 && (ExponentBits > 0 ? Kind == 0 || Kind == 3 || Kind == 4
                                                     : Kind <= 9 && (CountBits == 0 || Lanes > 1)),
                 "Operation must be 0..9, or 0, 3 or 4 of floating-point words")
  `GSM_PARAMETER(FractionLegal_A, ExponentBits == 0 || Lanes > 1
                                  || (ExponentBits >= 2 && Width - CountBits - ExponentBits >= 3),
                 "exponent and fraction of floating-point words must have 2 bits or more")
  `GSM_PARAMETER(WordsLegal_A, WordBits == 0 || WordBits * Lanes + CountBits == Width,
                 "words must fill Width")

endmodule

`default_nettype wire
