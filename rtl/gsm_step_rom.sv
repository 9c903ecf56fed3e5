// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// A ROM with one word a step, and the counter that walks through it.
//
// The counter is 0 in the first cycle without clear_i and s in the cycle of step s. A word has two
// parts: what has to be known in the cycle before its step, since it decides what the out registers
// take, and what has to be known in it. After the last word both are zero.
module gsm_step_rom #(
    // Words, 1..2^30.
    parameter int Steps = 1,
    // Bits of a word, 2 or more.
    parameter int Width = 2,
    // Its low bits that are shown ahead of the step, 1..Width-1.
    parameter int AheadWidth = 1,
    // Bits (s-1)*Width and up: the word of step s.
    parameter logic [Steps*Width-1:0] Rom = '0
) (
    // Clock, rising edge.
    input  logic                        clk_i,
    // Asynchronous reset, active low.
    input  logic                        rst_ni,
    // Synchronous clear: the step counter is 0.
    input  logic                        clear_i,
    // The low bits of the coming step's word.
    output logic [      AheadWidth-1:0] ahead_o,
    // The others of this step's.
    output logic [Width-AheadWidth-1:0] now_o
);

  localparam int StepWidth = $clog2(Steps + 2);
  localparam int AddressWidth = Steps > 1 ? $clog2(Steps) : 1;

  // Written never: a ROM.
  logic [Width-1:0] rom[Steps];
  initial begin
    for (int i = 0; i < Steps; i++) rom[i] = Rom[i*Width+:Width];
  end

  // Stays at Steps + 1, where there is nothing to do any more.
  logic [StepWidth-1:0] step_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) step_q <= '0;
    else if (clear_i) step_q <= '0;
    else if (step_q != StepWidth'(Steps + 1)) step_q <= step_q + 1'b1;
  end

  logic [Width-1:0] word;
  assign word = 32'(step_q) < Steps ? rom[AddressWidth'(step_q)] : '0;
  assign ahead_o = word[AheadWidth-1:0];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) now_o <= '0;
    else if (clear_i) now_o <= '0;
    else now_o <= word[Width-1:AheadWidth];
  end

  `GSM_PARAMETER(StepsLegal_A, Steps >= 1 && Steps <= 1073741824, "Steps must be 1..2^30")
  `GSM_PARAMETER(AheadWidthLegal_A, AheadWidth >= 1 && AheadWidth < Width,
                 "AheadWidth must be 1..Width-1")

endmodule

`default_nettype wire
