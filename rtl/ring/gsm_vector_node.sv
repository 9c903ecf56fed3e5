// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// A tile of a reduction: the combining node with its configuration from the plan, and the node's vector.
//
// start_i in cycle t makes cycle t+1 step 1. A delivery is a word that is written to the vector in this
// cycle: its value and above it its address. In the cycle of done_o all words have been written. With Load
// the vector is loaded word by word, outside a round, and reduced in place. With Discover the first round
// after reset reduces nothing: nodes learn their ranks in Blocks - 1 steps without a delivery.
module gsm_vector_node #(
    // Ports of the router, two per dimension: 2..16, even.
    parameter int Ports = 4,
    // Data bits of a word, 1 or more.
    parameter int Width = 32,
    // Words of the vector.
    parameter int Words = 2,
    // Parameters of the plan, as in gsm_combining_node and gsm_vector_memory.
    parameter int Lanes = 4,
    parameter int Frame = 1,
    parameter int Operation = 0,
    parameter bit Ripple = 1'b1,
    parameter bit Cross = 1'b1,
    parameter bit Join = 1'b1,
    parameter bit Apart = 1'b1,
    parameter bit Keep = 1'b1,
    parameter bit Load = 1'b0,
    parameter int StepBits = 8,
    parameter int BlockBits = 8,
    parameter int AddressBits = 8,
    parameter int Runs = 4,
    // Words of a packet; cycles of an adder, and its inner registers; cycles of a step, and from an arrival to its
    // result: as in gsm_combining_node. With 1 word and 0 cycles there are no packets.
    parameter int Flits = 1,
    parameter int AdderCycles = 0,
    parameter int Stages = 0,
    parameter int StepCycles = Flits > AdderCycles ? Flits : AdderCycles + 1,
    parameter int ResultCycles = AdderCycles,
    // Blocks of a part of the vector, 1 or more.
    parameter int Blocks = 1,
    // The node's rank on each cycle, BlockBits each. With Discover the first round after reset finds them,
    // and bit c of Heads marks a node of rank 0 on cycle c (gsm_rank_discovery).
    parameter logic [Lanes/2*BlockBits-1:0] Ranks = '0,
    parameter bit Discover = 1'b0,
    parameter logic [Lanes/2-1:0] Heads = '0,
    // The columns that feed and send the lanes, and passed-on columns, as in gsm_combining_router.
    parameter logic [Lanes*Ports*Frame-1:0] LaneIn = '0,
    parameter logic [Lanes*Ports*Frame-1:0] LaneOut = '0,
    parameter logic [Ports*Frame*Ports*Frame-1:0] Relay = '0,
    // Number of legs, and their words as in gsm_combining_interface, the first in the low bits.
    parameter int Legs = 1,
    parameter int LegBits = 2 * StepBits + Runs * (StepBits + 3) +
                            Lanes * (4 + StepBits + BlockBits + AddressBits),
    parameter logic [Legs*LegBits-1:0] LegWords = '0,
    // Words of own_data_i, and bits of a loaded word.
    parameter int OwnWords = Load ? 1 : Words,
    parameter int TableBits = Load ? Width + AddressBits : 1
) (
    // Clock, rising edge.
    input  logic                                 clk_i,
    // Asynchronous reset, active low.
    input  logic                                 rst_ni,
    // Synchronous clear: ends the round, empties the router.
    input  logic                                 clear_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low.
    input  logic                                 start_i,
    // Without Load the node's vector, word a in bits a*Width +: Width; stable from start_i to done_o.
    input  logic [           OwnWords*Width-1:0] own_data_i,
    // Load, only while busy_o is low: bit Ports+1 loads the word in table_data_i, with its address above
    // it.
    input  logic [                    Ports+1:0] table_write_i,
    input  logic [                TableBits-1:0] table_data_i,
    // Links.
    input  logic [                    Ports-1:0] in_valid_i,
    input  logic [              Ports*Width-1:0] in_data_i,
    output logic [                    Ports-1:0] out_valid_o,
    output logic [              Ports*Width-1:0] out_data_o,
    // Words that are written to the vector in this cycle, by lane.
    output logic [                    Lanes-1:0] deliver_valid_o,
    output logic [Lanes*(Width+AddressBits)-1:0] deliver_data_o,
    // This is a cycle of a round.
    output logic                                 busy_o,
    // It is the last.
    output logic                                 last_o,
    // The cycle after the last.
    output logic                                 done_o,
    // An expected word did not arrive on a link since the last clear, reset or start; not reported for
    // plans that add passing words to the vector (turn 0).
    output logic                                 error_o
);

  logic [15:0] leg;
  logic [15:0] next_leg;
  logic [LegBits-1:0] leg_word;
  logic [LegBits-1:0] next_leg_word;
  if (Legs == 1) begin : gen_one_leg
    assign leg_word      = LegWords;
    assign next_leg_word = LegWords;
    logic unused_leg;
    assign unused_leg = ^{leg, next_leg};
  end else begin : gen_legs
    function automatic logic [LegBits-1:0] word_of(input logic [15:0] number);
      word_of = '0;
      for (int i = 0; i < Legs; i++) begin
        if (number == 16'(i)) word_of = LegWords[i*LegBits+:LegBits];
      end
    endfunction
    assign leg_word      = word_of(leg);
    assign next_leg_word = word_of(next_leg);
  end

  logic first;
  logic [Lanes*AddressBits-1:0] operand_address;
  logic [Lanes*Width-1:0] operand_data;
  logic [Lanes*AddressBits-1:0] first_address;
  logic [Lanes*Width-1:0] first_data;
  logic [Lanes*AddressBits-1:0] write_address;
  logic [Lanes*Width-1:0] write_data;
  logic [StepBits-1:0] step;
  logic fault;
  logic [Lanes-1:0] write_valid;

  // Configuration of the node: from the plan, or for rank discovery until ranks are known.
  logic [15:0] legs;
  logic [LegBits-1:0] told_leg;
  logic [LegBits-1:0] told_next_leg;
  logic [Lanes/2*BlockBits-1:0] ranks;
  logic known;
  logic unknown_rank;
  if (Discover) begin : gen_discovery
    gsm_rank_discovery #(
        .Lanes      (Lanes),
        .StepBits   (StepBits),
        .BlockBits  (BlockBits),
        .AddressBits(AddressBits),
        .Runs       (Runs)
    ) u_discovery (
        .clk_i        (clk_i),
        .rst_ni       (rst_ni),
        .start_i      (start_i),
        .blocks_i     (BlockBits'(Blocks)),
        .heads_i      (Heads),
        .step_i       (step),
        .write_valid_i(write_valid),
        .last_i       (last_o),
        .legs_i       (16'(Legs)),
        .leg_i        (leg_word),
        .next_leg_i   (next_leg_word),
        .legs_o       (legs),
        .leg_o        (told_leg),
        .next_leg_o   (told_next_leg),
        .ranks_o      (ranks),
        .known_o      (known),
        .fault_o      (unknown_rank)
    );
  end else begin : gen_ranks
    assign legs          = 16'(Legs);
    assign told_leg      = leg_word;
    assign told_next_leg = next_leg_word;
    assign ranks         = Ranks;
    assign known         = 1'b1;
    assign unknown_rank  = 1'b0;
  end
  assign deliver_valid_o = write_valid & {Lanes{known}};

  gsm_combining_node #(
      .Ports      (Ports),
      .Lanes      (Lanes),
      .Width      (Width),
      .Frame      (Frame),
      .Operation  (Operation),
      .Ripple     (Ripple),
      .Cross      (Cross),
      .Join       (Join),
      .Apart      (Apart),
      .StepBits   (StepBits),
      .BlockBits  (BlockBits),
      .AddressBits(AddressBits),
      .Runs       (Runs),
      .Packets    (Flits > 1 || AdderCycles > 0),
      .Stages     (Stages),
      .MostAdderCycles(AdderCycles),
      .MostResultCycles(ResultCycles),
      .MostStepCycles(StepCycles)
  ) u_node (
      .clk_i            (clk_i),
      .rst_ni           (rst_ni),
      .clear_i          (clear_i),
      .start_i          (start_i),
      .lane_in_i        (LaneIn),
      .lane_out_i       (LaneOut),
      .relay_i          (Relay),
      .blocks_i         (BlockBits'(Blocks)),
      .ranks_i          (ranks),
      .legs_i           (legs),
      .flits_i          (16'(Flits)),
      .step_cycles_i    (16'(StepCycles)),
      .adder_cycles_i   (4'(AdderCycles)),
      .result_cycles_i  (5'(ResultCycles)),
      .leg_o            (leg),
      .next_leg_o       (next_leg),
      .leg_i            (told_leg),
      .next_leg_i       (told_next_leg),
      .first_o          (first),
      .operand_address_o(operand_address),
      .operand_data_i   (operand_data),
      .first_address_o  (first_address),
      .first_data_i     (first_data),
      .write_valid_o    (write_valid),
      .write_address_o  (write_address),
      .write_data_o     (write_data),
      .in_valid_i       (in_valid_i),
      .in_data_i        (in_data_i),
      .out_valid_o      (out_valid_o),
      .out_data_o       (out_data_o),
      .step_o           (step),
      .busy_o           (busy_o),
      .last_o           (last_o),
      .done_o           (done_o),
      .fault_o          (fault)
  );

  gsm_error u_error (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .start_i(start_i),
      .fault_i((fault && known) || unknown_rank),
      .error_o(error_o)
  );

  logic [Width+AddressBits-1:0] load_data;
  if (Load) begin : gen_load
    assign load_data = table_data_i;
  end else begin : gen_no_load
    assign load_data = '0;
    logic unused_load;
    assign unused_load = ^{table_write_i, table_data_i};
  end
  logic unused_table;
  assign unused_table = ^table_write_i[Ports:0];

  gsm_vector_memory #(
      .Lanes      (Lanes),
      .Width      (Width),
      .Words      (Words),
      .AddressBits(AddressBits),
      .Keep       (Keep),
      .Load       (Load)
  ) u_memory (
      .clk_i            (clk_i),
      .start_i          (start_i),
      .own_data_i       (own_data_i),
      .load_i           (Load && table_write_i[Ports+1]),
      .load_data_i      (load_data),
      .operand_address_i(operand_address),
      .operand_data_o   (operand_data),
      .first_address_i  (first_address),
      .first_data_o     (first_data),
      .write_valid_i    (deliver_valid_o),
      .write_address_i  (write_address),
      .write_data_i     (write_data)
  );

  for (genvar l = 0; l < Lanes; l++) begin : gen_delivery
    assign deliver_data_o[l*(Width+AddressBits)+:Width+AddressBits] = {
      write_address[l*AddressBits+:AddressBits], write_data[l*Width+:Width]
    };
  end

  // The memory reads both words at all times, and no other module needs the step.
  logic unused_first;
  assign unused_first = ^{first, step};

  `GSM_PARAMETER(LegsLegal_A, Legs >= 1 && Legs <= 65535, "Legs must be 1..65535")
  `GSM_PARAMETER(LoadLegal_A, !Load || TableBits == Width + AddressBits,
                 "TableBits must be Width + AddressBits with Load")
  `GSM_PARAMETER(PacketsLegal_A, !Discover || (Flits == 1 && AdderCycles == 0),
                 "Discover needs 1 word per packet and adders without registers")
  `GSM_PARAMETER(DiscoverLegal_A, !Discover || Blocks >= 2, "Discover needs 2 or more Blocks")
  `GSM_PARAMETER(HeadsLegal_A, Discover || Heads == '0, "Heads requires Discover")
  `GSM_PARAMETER(BlocksLegal_A, Blocks >= 1 && Words >= Blocks, "Blocks must be 1..Words")

endmodule

`default_nettype wire
