// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// gsm_combine for floating-point words: combinational. If one word is missing, the result is the other one, bit
// by bit. Sums are those of gsm_float_add. The larger and the smaller word are maximum and minimum of IEEE
// 754-2019: -0 is smaller than +0, and NaN wins. A NaN result is that of gsm_float_add.
module gsm_combine_float #(
    // Bits of the exponent and of the fraction, 2 or more.
    parameter int ExponentBits = 8,
    parameter int FractionBits = 23,
    // 0: sum, 3: larger, 4: smaller.
    parameter int Operation = 0,
    // Bits of a word; not to be set.
    parameter int Width = 1 + ExponentBits + FractionBits
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

  localparam int E = ExponentBits;
  localparam int F = FractionBits;

  logic [Width-1:0] both;
  if (Operation == 0) begin : gen_sum
    gsm_float_add #(
        .ExponentBits(E),
        .FractionBits(F)
    ) u_add (
        .clk_i(1'b0),
        .a_i  (a_data_i),
        .b_i  (b_data_i),
        .sum_o(both)
    );
  end else begin : gen_extreme
    localparam logic [Width-1:0] Nan = {1'b0, {E{1'b1}}, 1'b1, {(F - 1) {1'b0}}};
    localparam logic [Width-2:0] Infinity = {{E{1'b1}}, {F{1'b0}}};
    // Words in the order of unsigned numbers.
    logic [Width-1:0] a_key;
    logic [Width-1:0] b_key;
    assign a_key = {!a_data_i[Width-1], a_data_i[Width-2:0] ^ {(Width - 1) {a_data_i[Width-1]}}};
    assign b_key = {!b_data_i[Width-1], b_data_i[Width-2:0] ^ {(Width - 1) {b_data_i[Width-1]}}};
    logic none;
    assign none = a_data_i[Width-2:0] > Infinity || b_data_i[Width-2:0] > Infinity;
    logic takes_a;
    assign takes_a = (a_key > b_key) == (Operation == 3);
    assign both    = none ? Nan : takes_a ? a_data_i : b_data_i;
  end

  assign valid_o = a_valid_i || b_valid_i;
  assign data_o  = !b_valid_i ? a_data_i : !a_valid_i ? b_data_i : both;

  `GSM_PARAMETER(ExponentLegal_A, ExponentBits >= 2, "ExponentBits must be at least 2")
  `GSM_PARAMETER(FractionLegal_A, FractionBits >= 2, "FractionBits must be at least 2")
  `GSM_PARAMETER(OperationLegal_A, Operation == 0 || Operation == 3 || Operation == 4,
                 "Operation must be 0, 3 or 4")

endmodule

`default_nettype wire
