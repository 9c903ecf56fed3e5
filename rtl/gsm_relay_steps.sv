// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// When the steps of a relay program begin, as constants: combinational.
module gsm_relay_steps #(
    // Steps, 1 or more, and bits of a step's number.
    parameter int Steps = 1,
    parameter int StepBits = 3,
    // Bits of a number of cycles, at most StartBits.
    parameter int CycleBits = 4,
    // By step, from the low bits on, the cycles from the start of the round to that at whose end its first
    // flits enter their links; all ones: it has no sends.
    parameter int StartBits = 4,
    parameter logic [Steps*StartBits-1:0] StepStarts = '0
) (
    // Cycles since the start of the round, and whether there is one.
    input  logic                 running_i,
    input  logic [CycleBits-1:0] cycle_i,
    // The sends of step step_o (from 0) enter their links in the next cycle.
    output logic                 step_start_o,
    output logic [ StepBits-1:0] step_o
);

  logic [Steps-1:0] starts;
  for (genvar s = 0; s < Steps; s++) begin : gen_step
    localparam logic [StartBits-1:0] Start = StepStarts[s*StartBits+:StartBits];
    assign starts[s] = Start != '1 && running_i && StartBits'(cycle_i) == Start;
  end
  assign step_start_o = starts != '0;
  assign step_o = number_of(starts);
  function automatic logic [StepBits-1:0] number_of(input logic [Steps-1:0] one);
    number_of = '0;
    for (int s = 0; s < Steps; s++) begin
      if (one[s]) number_of = number_of | StepBits'(s);
    end
  endfunction

  `GSM_PARAMETER(StepsLegal_A, Steps >= 1, "Steps must be at least 1")
  `GSM_PARAMETER(StartBitsLegal_A, StartBits >= CycleBits, "CycleBits must be at most StartBits")

endmodule

`default_nettype wire
