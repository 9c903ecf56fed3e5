// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// Learns the node's rank on each cycle in the first round after reset, with the step counter alone.
//
// In that round the nodes of rank 0 send one word along the forward lane of each cycle, and all others pass
// it on. The rank is the step in which the word arrives. This takes blocks - 1 steps and no adder, for
// every width and operation. So a tile needs only its wiring and whether it is a head as configuration, but
// no number. The module is connected between a combining node and its legs. Until ranks are known, it gives
// the node a leg for discovery, in which a write marks the arrival of the word; the vector must ignore this
// write.
module gsm_rank_discovery #(
    // As in gsm_combining_interface; StepBits is at least BlockBits.
    parameter int Lanes = 4,
    parameter int StepBits = 8,
    parameter int BlockBits = 8,
    parameter int AddressBits = 8,
    parameter int Runs = 4,
    parameter int LegBits = 2 * StepBits + Runs * (StepBits + 3) +
                            Lanes * (4 + StepBits + BlockBits + AddressBits)
) (
    // Clock, rising edge.
    input  logic                         clk_i,
    // Asynchronous reset, active low: ranks are unknown. If a round is cleared, the next one repeats it.
    input  logic                         rst_ni,
    // Pulse of one cycle: a round begins.
    input  logic                         start_i,
    // Nodes of a cycle, 2 or more, and bit c: the node has rank 0 on cycle c. Constant.
    input  logic [        BlockBits-1:0] blocks_i,
    input  logic [          Lanes/2-1:0] heads_i,
    // From the combining node: the step, its writes, the last cycle of a round.
    input  logic [         StepBits-1:0] step_i,
    input  logic [            Lanes-1:0] write_valid_i,
    input  logic                         last_i,
    // The number of legs and the legs' words: those of the plan, and those for the node.
    input  logic [                 15:0] legs_i,
    input  logic [          LegBits-1:0] leg_i,
    input  logic [          LegBits-1:0] next_leg_i,
    output logic [                 15:0] legs_o,
    output logic [          LegBits-1:0] leg_o,
    output logic [          LegBits-1:0] next_leg_o,
    // The rank on each cycle, once known.
    output logic [Lanes/2*BlockBits-1:0] ranks_o,
    output logic                         known_o,
    // The round of discovery ends in this cycle, and no word has arrived on some cycle.
    output logic                         fault_o
);

  localparam int LaneBits = 4 + StepBits + BlockBits + AddressBits;
  localparam int LanesAt = 2 * StepBits + Runs * (StepBits + 3);

  // The leg of discovery: it writes from the first step on, and passes. When it begins, only the lanes of
  // heads are in use.
  logic [StepBits-1:0] steps;
  logic [LegBits-1:0] learn;
  logic [LegBits-1:0] learn_first;
  assign steps = StepBits'(blocks_i) - 1'b1;
  assign learn[0+:LanesAt]       = LanesAt'({StepBits'(1), steps});
  assign learn_first[0+:LanesAt] = learn[0+:LanesAt];
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    if (l % 2 == 0) begin : gen_forward
      assign learn[LanesAt+l*LaneBits+:LaneBits] = LaneBits'({steps, 4'b0011});
      assign learn_first[LanesAt+l*LaneBits+:LaneBits] =
          LaneBits'({steps, 3'b001, heads_i[l/2]});
    end else begin : gen_backward
      assign learn[LanesAt+l*LaneBits+:LaneBits]       = '0;
      assign learn_first[LanesAt+l*LaneBits+:LaneBits] = '0;
    end
  end

  logic known_q;
  assign known_o    = known_q;
  assign legs_o     = known_q ? legs_i : 16'd1;
  assign leg_o      = known_q ? leg_i : learn;
  assign next_leg_o = known_q ? next_leg_i : learn_first;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) known_q <= 1'b0;
    else if (last_i) known_q <= 1'b1;
  end

  logic [Lanes/2-1:0] missing;
  for (genvar c = 0; c < Lanes / 2; c++) begin : gen_cycle
    logic comes;
    logic came_q;
    logic [BlockBits-1:0] rank_q;
    assign comes                              = !known_q && write_valid_i[2*c];
    assign missing[c]                         = !(heads_i[c] || came_q || comes);
    assign ranks_o[c*BlockBits+:BlockBits] = rank_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        came_q <= 1'b0;
        rank_q <= '0;
      end else if (start_i) begin
        came_q <= 1'b0;
        if (!known_q) rank_q <= '0;
      end else if (comes) begin
        came_q <= 1'b1;
        rank_q <= BlockBits'(step_i);
      end
    end
    `GSM_ASSERT(HeadIsFirst_A, !(heads_i[c] && comes), "a head is sent a word before its ranks are known")
  end
  assign fault_o = last_i && !known_q && missing != '0;

  // Words arrive on the forward lanes, in steps whose numbers are block numbers.
  logic unused_input;
  assign unused_input = ^{write_valid_i, step_i};

  `GSM_PARAMETER(LanesLegal_A, Lanes >= 2 && Lanes <= 16 && Lanes % 2 == 0,
                 "Lanes must be even, 2..16")
  `GSM_PARAMETER(StepBitsLegal_A, StepBits >= BlockBits, "StepBits must be BlockBits or more")

endmodule

`default_nettype wire
