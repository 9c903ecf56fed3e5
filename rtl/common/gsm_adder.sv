// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// gsm_combine with a pipeline: two words, either of which may be missing, enter in a cycle, and their combination
// leaves cycles_i cycles later. A pair can enter in every cycle. Of the registers, Stages are between the parts of
// the adder (gsm_float_add), and the others after it, where a synthesis tool may move them.
module gsm_adder #(
    // As in gsm_combine.
    parameter int Width = 32,
    parameter int Operation = 0,
    parameter bit Ripple = 1'b1,
    // Registers inside the adder, 0..4; 0 unless the operation is a sum of floats.
    parameter int Stages = 0,
    // The most cycles, Stages or more.
    parameter int Most = 15
) (
    // Clock, rising edge.
    input  logic             clk_i,
    // Asynchronous reset, active low.
    input  logic             rst_ni,
    // Synchronous clear: nothing leaves from the next cycle on.
    input  logic             clear_i,
    // Cycles, Stages..Most; constant in a round.
    input  logic [      3:0] cycles_i,
    // Two operands; data is ignored without valid.
    input  logic             a_valid_i,
    input  logic [Width-1:0] a_data_i,
    input  logic             b_valid_i,
    input  logic [Width-1:0] b_data_i,
    // Their combination; data is meaningful only with valid_o.
    output logic             valid_o,
    output logic [Width-1:0] data_o
);

  logic valid;
  logic [Width-1:0] data;
  if (Stages == 0) begin : gen_combine
    gsm_combine #(
        .Width    (Width),
        .Operation(Operation),
        .Ripple   (Ripple)
    ) u_combine (
        .a_valid_i(a_valid_i),
        .a_data_i (a_data_i),
        .b_valid_i(b_valid_i),
        .b_data_i (b_data_i),
        .valid_o  (valid),
        .data_o   (data)
    );
  end else begin : gen_float_add
    localparam int ExponentBits = Operation / 16 % 256;
    // A lane has a word and an adder.
    localparam int WordBits = Operation / 1048576 > 0 ? Operation / 1048576 : Width;
    logic [Width-1:0] sum;
    for (genvar l = 0; l < Width / WordBits; l++) begin : gen_lane
      gsm_float_add #(
          .ExponentBits(ExponentBits),
          .FractionBits(WordBits - 1 - ExponentBits),
          .Stages      (Stages)
      ) u_add (
          .clk_i(clk_i),
          .a_i  (a_data_i[l*WordBits+:WordBits]),
          .b_i  (b_data_i[l*WordBits+:WordBits]),
          .sum_o(sum[l*WordBits+:WordBits])
      );
    end
    // A missing word is no operand: the other one goes round the adder.
    logic [1:0] operands;
    logic [Width-1:0] single;
    gsm_delay #(
        .Flags(2),
        .Width(Width),
        .Most (Stages)
    ) u_single (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni),
        .clear_i (clear_i),
        .cycles_i(17'(Stages)),
        .flags_i ({a_valid_i, b_valid_i}),
        .data_i  (a_valid_i ? a_data_i : b_data_i),
        .flags_o (operands),
        .data_o  (single)
    );
    assign valid = operands != 2'b00;
    assign data  = operands == 2'b11 ? sum : single;
  end

  gsm_delay #(
      .Flags(1),
      .Width(Width),
      .Most (Most - Stages)
  ) u_after (
      .clk_i   (clk_i),
      .rst_ni  (rst_ni),
      .clear_i (clear_i),
      .cycles_i(17'(cycles_i) - 17'(Stages)),
      .flags_i (valid),
      .data_i  (data),
      .flags_o (valid_o),
      .data_o  (data_o)
  );

  `GSM_PARAMETER(StagesLegal_A,
                 Stages >= 0 && Stages <= 4 && (Stages == 0 || (Operation >= 16 && Operation % 16 == 0)),
                 "Stages must be 0..4, and 0 unless floats are added")
  `GSM_PARAMETER(MostLegal_A, Most >= Stages && Most <= 15, "Most must be Stages..15")

endmodule

`default_nettype wire
