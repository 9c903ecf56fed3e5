// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The network interface of a combining router. It gives the router one operation per step, and it addresses
// the words of the node's vector that the lanes read and write. It contains ranks, counters and legs, but
// no data.
//
// A *leg* is a sequence of steps in which the lanes keep their parts of the vector. During a leg a lane's
// register holds block (rank + offset + slope (step - 1)) mod blocks: one counter per lane. The vector is a
// memory of `blocks` words per part, one part after the other, block by block. start_i in cycle t makes
// cycle t+1 the first of step 1; a step is Frame cycles. Words are read and written in the cycle before a
// step begins. A word must be available in the cycle of its read address, and a written word can be read
// from the next cycle on. At the edge between two legs a lane may read two words; it reads the first word
// of the next leg as it is after the last step's write.
//
// With Packets a block is a packet of flits_i words, one after the other in the memory. A step moves them word
// by word, one per cycle, and takes step_cycles_i cycles. A word is written result_cycles_i cycles after its
// arrival. The first words of a leg are read in the cycles before they are on their links. The last step of a
// round lasts until its last word is written.
module gsm_combining_interface #(
    // Lanes, two for each cycle: 2..16, even.
    parameter int Lanes = 4,
    // Slots of a frame, 1..16.
    parameter int Frame = 1,
    // Bits of a step number of a leg, of a number of blocks, and of an address.
    parameter int StepBits = 8,
    parameter int BlockBits = 8,
    parameter int AddressBits = 8,
    // Runs of equal operations in a leg, 1..8.
    parameter int Runs = 4,
    // There are several legs, or arrivals are added to the vector (turn 0).
    parameter bit Apart = 1'b1,
    // Steps move packets of several words, or results take several cycles. Then Frame is 1 and Apart is 1.
    parameter bit Packets = 1'b0,
    // Packets: the most cycles from an arrival to its result, 0..30.
    parameter int MostResultCycles = 0,
    // A leg, from bit 0: steps and turn [StepBits each]; Runs times the last step of a run of equal
    // operations [StepBits] and the operation [3] (0 load, 1 add, 2 pass, 3 cross, 4 join; steps after the
    // last run pass); Lanes times in use [1], writes [1], counts up [1], counts down [1], steps [StepBits],
    // offset [BlockBits], address of its part [AddressBits].
    parameter int LegBits = 2 * StepBits + Runs * (StepBits + 3) +
                            Lanes * (4 + StepBits + BlockBits + AddressBits)
) (
    // Clock, rising edge.
    input  logic                         clk_i,
    // Asynchronous reset, active low.
    input  logic                         rst_ni,
    // Synchronous clear: ends the round without done_o.
    input  logic                         clear_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low.
    input  logic                         start_i,
    // Blocks of a part, the node's rank on each cycle, and the number of legs; constant in a round.
    input  logic [        BlockBits-1:0] blocks_i,
    input  logic [Lanes/2*BlockBits-1:0] ranks_i,
    input  logic [                 15:0] legs_i,
    // Packets: words of a packet, cycles of a step, and from an arrival to its result; constant in a round.
    input  logic [                 15:0] flits_i,
    input  logic [                 15:0] step_cycles_i,
    input  logic [                  4:0] result_cycles_i,
    // The number of this leg, and of the leg that can begin next; their descriptions, in the same cycle.
    output logic [                 15:0] leg_o,
    output logic [                 15:0] next_leg_o,
    input  logic [          LegBits-1:0] leg_i,
    input  logic [          LegBits-1:0] next_leg_i,
    // To and from the router.
    output logic                         enter_o,
    output logic [                  3:0] slot_o,
    output logic [            Lanes-1:0] send_o,
    output logic [            Lanes-1:0] inject_valid_o,
    output logic                         combine_o,
    output logic                         cross_o,
    output logic                         join_o,
    output logic                         first_o,
    output logic [            Lanes-1:0] first_valid_o,
    output logic                         pass_o,
    input  logic [            Lanes-1:0] arrive_valid_i,
    // The vector: addresses of own operands, of a leg's first words, and of written words.
    output logic [Lanes*AddressBits-1:0] operand_address_o,
    output logic [Lanes*AddressBits-1:0] first_address_o,
    output logic [            Lanes-1:0] write_valid_o,
    output logic [Lanes*AddressBits-1:0] write_address_o,
    // The step of the leg, 0 outside a round.
    output logic [         StepBits-1:0] step_o,
    // This is a cycle of a round; it is the last; the cycle after it.
    output logic                         busy_o,
    output logic                         last_o,
    output logic                         done_o,
    // A lane of a cycle (turn not 0) has no arrival in this step, although the previous node has something
    // to send: a word is lost.
    output logic                         fault_o
);

  localparam int RunBits = StepBits + 3;
  localparam int LaneBits = 4 + StepBits + BlockBits + AddressBits;
  localparam int LanesAt = 2 * StepBits + Runs * RunBits;

  // The slot of the frame is 0 if there is only one.
  logic [StepBits-1:0] step_q;
  logic [15:0] leg_q;
  logic [3:0] slot_q;
  // Packets: the cycle of the step, from 0.
  logic [16:0] cycle_q;
  logic done_q;
  assign busy_o = step_q != '0;
  assign done_o = done_q;
  assign slot_o = slot_q;
  assign step_o = step_q;

  logic ends_frame;
  logic ends_leg;
  logic is_last_leg;
  logic begins_leg;
  // Words are on the links in this cycle; the first word of a leg is read for the next one.
  logic moves;
  logic begins_word;
  if (Packets) begin : gen_packets
    logic [16:0] cycles;
    assign cycles     = step_q == leg_i[0+:StepBits] && is_last_leg
                        ? 17'(flits_i) + 17'(result_cycles_i) : 17'(step_cycles_i);
    assign ends_frame = cycle_q + 17'd1 == cycles;
    assign moves      = cycle_q < 17'(flits_i);
    assign begins_word = begins_leg || (busy_o && step_q == StepBits'(1) && cycle_q + 17'd1 < 17'(flits_i));
  end else begin : gen_words
    assign ends_frame  = Frame == 1 || slot_q == 4'(Frame - 1);
    assign moves       = 1'b1;
    assign begins_word = begins_leg;
    logic unused_packets;
    assign unused_packets = ^{flits_i, step_cycles_i, result_cycles_i, cycle_q};
  end
  assign ends_leg    = busy_o && ends_frame && step_q == leg_i[0+:StepBits];
  assign is_last_leg = next_leg_o == legs_i;
  assign leg_o       = leg_q;
  assign next_leg_o  = busy_o ? leg_q + 16'd1 : 16'd0;
  assign last_o      = ends_leg && is_last_leg;
  assign begins_leg  = start_i || (ends_leg && !is_last_leg);
  assign enter_o     = start_i || (busy_o && ends_frame);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q <= '0;
      leg_q  <= '0;
      slot_q <= '0;
      cycle_q <= '0;
      done_q <= 1'b0;
    end else if (clear_i) begin
      step_q <= '0;
      leg_q  <= '0;
      slot_q <= '0;
      cycle_q <= '0;
      done_q <= 1'b0;
    end else begin
      done_q <= last_o;
      if (Packets) cycle_q <= enter_o || !busy_o ? '0 : cycle_q + 17'd1;
      if (enter_o) slot_q <= '0;
      else if (busy_o) slot_q <= slot_q + 4'd1;
      if (last_o) begin
        step_q <= '0;
        leg_q  <= '0;
      end else if (begins_leg) begin
        step_q <= StepBits'(1);
        leg_q  <= next_leg_o;
      end else if (enter_o) begin
        step_q <= step_q + 1'b1;
      end
    end
  end

  // The step that follows the coming edge, its operation, and whether it writes.
  logic [StepBits-1:0] entered;
  logic [StepBits-1:0] turn;
  logic [2:0] operation;
  logic adds_to_vector;
  assign entered = step_q + 1'b1;
  assign turn    = leg_i[StepBits+:StepBits];
  function automatic logic [2:0] operation_of(input logic [StepBits-1:0] step,
                                              input logic [Runs*RunBits-1:0] runs);
    operation_of = 3'd2;
    for (int r = Runs - 1; r >= 0; r--) begin
      if (step <= runs[r*RunBits+:StepBits]) operation_of = runs[r*RunBits+StepBits+:3];
    end
  endfunction
  assign operation      = operation_of(entered, leg_i[2*StepBits+:Runs*RunBits]);
  assign adds_to_vector = Apart && busy_o && turn == '0;

  // Without `Apart` the only leg's first word is an own operand like any other.
  logic loads;
  assign loads     = !Apart && start_i;
  assign first_o   = Apart && begins_word;
  assign pass_o    = adds_to_vector;
  assign join_o    = busy_o && (operation == 3'd4 || adds_to_vector);
  assign combine_o = busy_o && (operation == 3'd1 || join_o);
  assign cross_o   = busy_o && operation == 3'd3;

  // All registers of a lane of a cycle send in the same steps.
  assign fault_o = (Packets ? moves : ends_frame) && turn != '0 && (send_o & ~arrive_valid_i) != '0;

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    localparam int At = LanesAt + l * LaneBits;
    localparam int OffsetAt = At + 4 + StepBits;
    localparam int PartAt = OffsetAt + BlockBits;
    logic in_use;
    assign in_use = busy_o && leg_i[At];
    // The lane's part of the leg whose first word is read.
    logic [LaneBits-1:0] first_lane;
    logic unused_first_lane;
    assign unused_first_lane = ^first_lane;
    assign first_lane = !Packets || begins_leg ? next_leg_i[At+:LaneBits] : leg_i[At+:LaneBits];

    // The block of the leg's first step.
    logic [BlockBits:0] sum;
    logic [BlockBits-1:0] first;
    assign sum   = {1'b0, ranks_i[l/2*BlockBits+:BlockBits]} +
                   {1'b0, first_lane[OffsetAt-At+:BlockBits]};
    assign first = BlockBits'(sum >= {1'b0, blocks_i} ? sum - {1'b0, blocks_i} : sum);

    // The block of the coming step.
    logic [BlockBits-1:0] block_q;
    logic [BlockBits-1:0] block;
    logic up;
    logic down;
    assign block = begins_leg ? first : block_q;
    assign up    = begins_leg ? next_leg_i[At+2] : leg_i[At+2];
    assign down  = begins_leg ? next_leg_i[At+3] : leg_i[At+3];
    always_ff @(posedge clk_i) begin
      if (enter_o) begin
        if (up) block_q <= block == blocks_i - 1'b1 ? '0 : block + 1'b1;
        else if (down) block_q <= (block == '0 ? blocks_i : block) - 1'b1;
        else block_q <= block;
      end
    end

    logic [AddressBits-1:0] address;
    logic [AddressBits-1:0] first_address;
    if (Packets) begin : gen_packet_address
      logic [AddressBits-1:0] packet;
      logic [AddressBits-1:0] first_packet;
      assign packet       = leg_i[PartAt+:AddressBits] + AddressBits'(block_q);
      assign first_packet = first_lane[PartAt-At+:AddressBits] + AddressBits'(first);
      assign address       = AddressBits'(packet * AddressBits'(flits_i)) + AddressBits'(cycle_q);
      logic [16:0] first_word;
      // Addresses of the plan's vector have the bits for all of its words.
      logic unused_first_word;
      assign unused_first_word = ^first_word;
      assign first_word    = begins_leg ? 17'd0 : cycle_q + 17'd1;
      assign first_address = AddressBits'(first_packet * AddressBits'(flits_i)) + AddressBits'(first_word);
    end else begin : gen_word_address
      assign address       = leg_i[PartAt+:AddressBits] + AddressBits'(block_q);
      assign first_address = next_leg_i[PartAt+:AddressBits] + AddressBits'(first);
    end
    assign first_address_o[l*AddressBits+:AddressBits]   = first_address;
    assign operand_address_o[l*AddressBits+:AddressBits] = loads ? first_address : address;

    assign send_o[l]         = moves && in_use && step_q <= leg_i[At+4+:StepBits];
    assign first_valid_o[l]  = first_lane[0];
    assign inject_valid_o[l] = loads ? next_leg_i[At]
                             : moves && in_use && (operation == 3'd0 || operation == 3'd1 || join_o);
    // A packet's word is written when its result is there.
    if (Packets) begin : gen_late
      gsm_delay #(
          .Flags(1),
          .Width(AddressBits),
          .Most (MostResultCycles)
      ) u_late (
          .clk_i   (clk_i),
          .rst_ni  (rst_ni),
          .clear_i (clear_i || last_o || start_i),
          .cycles_i(17'(result_cycles_i)),
          .flags_i (moves && in_use && leg_i[At+1] && turn != '0 && entered >= turn),
          .data_i  (address),
          .flags_o (write_valid_o[l]),
          .data_o  (write_address_o[l*AddressBits+:AddressBits])
      );
    end else begin : gen_at_once
      assign write_address_o[l*AddressBits+:AddressBits] = address;
    end
    // Both arrivals of a cycle are added in one step, for its first lane that is in use.
    if (Packets) begin : gen_packet
    end else if (l % 2 == 0) begin : gen_even
      assign write_valid_o[l] = in_use && leg_i[At+1] && ends_frame &&
          (adds_to_vector ? arrive_valid_i[l+:2] != '0 : entered >= turn);
    end else begin : gen_odd
      assign write_valid_o[l] = in_use && leg_i[At+1] && ends_frame &&
          (adds_to_vector ? arrive_valid_i[l-1+:2] != '0 && !leg_i[LanesAt+(l-1)*LaneBits]
                          : entered >= turn);
    end
  end

  // Parts of the words that are not used.
  logic unused_leg;
  assign unused_leg = ^{leg_i, next_leg_i};

  `GSM_ASSERT(StartWhenIdle_A, !start_i || !busy_o, "start_i while a round is running")
  `GSM_PARAMETER(LanesLegal_A, Lanes >= 2 && Lanes <= 16 && Lanes % 2 == 0,
                 "Lanes must be even, 2..16")
  `GSM_PARAMETER(FrameLegal_A, Frame >= 1 && Frame <= 16, "Frame must be 1..16")
  `GSM_PARAMETER(BitsLegal_A, StepBits >= 2 && BlockBits >= 1 && AddressBits >= BlockBits,
                 "StepBits must be at least 2, BlockBits 1, AddressBits no less than BlockBits")
  `GSM_PARAMETER(PacketsLegal_A, !Packets || (Frame == 1 && Apart), "Packets needs Frame 1 and Apart 1")
  `GSM_PARAMETER(ResultCyclesLegal_A, MostResultCycles >= 0, "MostResultCycles must be at least 0")
  `GSM_PARAMETER(RunsLegal_A, Runs >= 1 && Runs <= 8, "Runs must be 1..8")

endmodule

`default_nettype wire
