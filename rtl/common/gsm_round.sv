// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The step counter of a round. It indicates whether a round is running and when it is over.
//
// start_i in cycle t makes cycle t+1 step 1. step_o is 0 in the cycle of start_i and outside a round,
// s in the cycle of step s.
module gsm_round #(
    // Bits of a step number, 1..32.
    parameter int StepWidth = 32
) (
    // Clock, rising edge.
    input  logic                 clk_i,
    // Asynchronous reset, active low.
    input  logic                 rst_ni,
    // Synchronous clear: ends the round without done_o.
    input  logic                 clear_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low.
    input  logic                 start_i,
    // Steps of a round, 1 or more; stable while a round is running.
    input  logic [StepWidth-1:0] steps_i,
    // The step of this cycle.
    output logic [StepWidth-1:0] step_o,
    // This is the cycle of a step 1..steps_i.
    output logic                 busy_o,
    // The cycle of the last step.
    output logic                 last_o,
    // The cycle after the last step.
    output logic                 done_o
);

  assign busy_o = step_o != '0;
  assign last_o = busy_o && step_o == steps_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_o <= '0;
      done_o <= 1'b0;
    end else if (clear_i) begin
      step_o <= '0;
      done_o <= 1'b0;
    end else begin
      done_o <= last_o;
      if (last_o) step_o <= '0;
      else if (start_i || busy_o) step_o <= step_o + 1'b1;
    end
  end

  `GSM_PARAMETER(StepWidthLegal_A, StepWidth >= 1 && StepWidth <= 32, "StepWidth must be 1..32")

endmodule

`default_nettype wire
