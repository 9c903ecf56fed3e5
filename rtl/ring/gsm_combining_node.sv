// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The combining router with its network interface, connected to a memory that holds the node's vector. Read
// data are needed in the cycle of their address; writes take effect at the end of the cycle.
// gsm_combining_interface defines the timing of a round. If a link has lost a word, no word is written
// instead, and fault_o is high in the cycle in which the word is missing.
module gsm_combining_node #(
    // Ports of the router, two per dimension: 2..16, even.
    parameter int Ports = 4,
    // Lanes, two for each cycle: 2..16, even.
    parameter int Lanes = 4,
    // Data bits of a word, 1 or more.
    parameter int Width = 32,
    // As in gsm_combining_router and gsm_combining_interface.
    parameter int Frame = 1,
    parameter int Operation = 0,
    parameter bit Ripple = 1'b1,
    parameter bit Cross = 1'b1,
    parameter bit Join = 1'b1,
    parameter bit Apart = 1'b1,
    parameter int StepBits = 8,
    parameter int BlockBits = 8,
    parameter int AddressBits = 8,
    parameter int Runs = 4,
    // Packets of several words, or adders of several cycles, as in gsm_combining_interface; the most cycles, and
    // the registers inside an adder, as in gsm_combining_pair.
    parameter bit Packets = 1'b0,
    parameter int Stages = 0,
    parameter int MostAdderCycles = 0,
    parameter int MostResultCycles = 0,
    parameter int MostStepCycles = 1,
    parameter int LegBits = 2 * StepBits + Runs * (StepBits + 3) +
                            Lanes * (4 + StepBits + BlockBits + AddressBits)
) (
    // Clock, rising edge.
    input  logic                               clk_i,
    // Asynchronous reset, active low.
    input  logic                               rst_ni,
    // Synchronous clear: ends the round, empties the router.
    input  logic                               clear_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low.
    input  logic                               start_i,
    // Configuration from the plan, as in gsm_combining_router and gsm_combining_interface.
    input  logic [      Lanes*Ports*Frame-1:0] lane_in_i,
    input  logic [      Lanes*Ports*Frame-1:0] lane_out_i,
    input  logic [Ports*Frame*Ports*Frame-1:0] relay_i,
    input  logic [              BlockBits-1:0] blocks_i,
    input  logic [      Lanes/2*BlockBits-1:0] ranks_i,
    input  logic [                       15:0] legs_i,
    // Packets: words of a packet; cycles of a step, of an adder, and from an arrival to its result.
    input  logic [                       15:0] flits_i,
    input  logic [                       15:0] step_cycles_i,
    input  logic [                        3:0] adder_cycles_i,
    input  logic [                        4:0] result_cycles_i,
    output logic [                       15:0] leg_o,
    output logic [                       15:0] next_leg_o,
    input  logic [                LegBits-1:0] leg_i,
    input  logic [                LegBits-1:0] next_leg_i,
    // The vector, lane by lane. first_o says that a leg begins at the coming edge.
    output logic                               first_o,
    output logic [      Lanes*AddressBits-1:0] operand_address_o,
    input  logic [            Lanes*Width-1:0] operand_data_i,
    output logic [      Lanes*AddressBits-1:0] first_address_o,
    input  logic [            Lanes*Width-1:0] first_data_i,
    output logic [                  Lanes-1:0] write_valid_o,
    output logic [      Lanes*AddressBits-1:0] write_address_o,
    output logic [            Lanes*Width-1:0] write_data_o,
    // Links.
    input  logic [                  Ports-1:0] in_valid_i,
    input  logic [            Ports*Width-1:0] in_data_i,
    output logic [                  Ports-1:0] out_valid_o,
    output logic [            Ports*Width-1:0] out_data_o,
    // The step of the leg, 0 outside a round.
    output logic [               StepBits-1:0] step_o,
    // This is a cycle of a round; it is the last; the cycle after it.
    output logic                               busy_o,
    output logic                               last_o,
    output logic                               done_o,
    // As in gsm_combining_interface.
    output logic                               fault_o
);

  logic enter;
  logic [3:0] slot;
  logic [Lanes-1:0] send;
  logic [Lanes-1:0] inject_valid;
  logic combine;
  logic crosses;
  logic joins;
  logic [Lanes-1:0] first_valid;
  logic pass;
  logic [Lanes-1:0] arrive_valid;
  logic [Lanes-1:0] taken_valid;
  logic [Lanes-1:0] write_due;

  gsm_combining_interface #(
      .Lanes      (Lanes),
      .Frame      (Frame),
      .StepBits   (StepBits),
      .BlockBits  (BlockBits),
      .AddressBits(AddressBits),
      .Runs       (Runs),
      .Apart      (Apart),
      .Packets    (Packets),
      .MostResultCycles(MostResultCycles)
  ) u_network_interface (
      .clk_i            (clk_i),
      .rst_ni           (rst_ni),
      .clear_i          (clear_i),
      .start_i          (start_i),
      .blocks_i         (blocks_i),
      .ranks_i          (ranks_i),
      .legs_i           (legs_i),
      .flits_i          (flits_i),
      .step_cycles_i    (step_cycles_i),
      .result_cycles_i  (result_cycles_i),
      .leg_o            (leg_o),
      .next_leg_o       (next_leg_o),
      .leg_i            (leg_i),
      .next_leg_i       (next_leg_i),
      .enter_o          (enter),
      .slot_o           (slot),
      .send_o           (send),
      .inject_valid_o   (inject_valid),
      .combine_o        (combine),
      .cross_o          (crosses),
      .join_o           (joins),
      .first_o          (first_o),
      .first_valid_o    (first_valid),
      .pass_o           (pass),
      .arrive_valid_i   (arrive_valid),
      .operand_address_o(operand_address_o),
      .first_address_o  (first_address_o),
      .write_valid_o    (write_due),
      .write_address_o  (write_address_o),
      .step_o           (step_o),
      .busy_o           (busy_o),
      .last_o           (last_o),
      .done_o           (done_o),
      .fault_o          (fault_o)
  );
  assign write_valid_o = write_due & taken_valid;

  gsm_combining_router #(
      .Ports    (Ports),
      .Lanes    (Lanes),
      .Width    (Width),
      .Frame    (Frame),
      .Operation(Operation),
      .Ripple   (Ripple),
      .Cross    (Cross),
      .Join     (Join),
      .Apart    (Apart),
      .Packets  (Packets),
      .Stages   (Stages),
      .MostAdderCycles(MostAdderCycles),
      .MostStepCycles(MostStepCycles)
  ) u_router (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .clear_i       (clear_i || last_o || !(start_i || busy_o)),
      .enter_i       (enter),
      .slot_i        (slot),
      .lane_in_i     (lane_in_i),
      .lane_out_i    (lane_out_i),
      .relay_i       (relay_i),
      .adder_cycles_i(adder_cycles_i),
      .result_cycles_i(result_cycles_i),
      .step_cycles_i (step_cycles_i),
      .send_i        (send),
      .inject_valid_i(inject_valid),
      .inject_data_i (operand_data_i),
      .combine_i     (combine),
      .cross_i       (crosses),
      .join_i        (joins),
      .first_i       (first_o),
      .first_valid_i (first_valid),
      .first_data_i  (first_data_i),
      .pass_i        (pass),
      .arrive_valid_o(arrive_valid),
      .taken_valid_o (taken_valid),
      .taken_data_o  (write_data_o),
      .in_valid_i    (in_valid_i),
      .in_data_i     (in_data_i),
      .out_valid_o   (out_valid_o),
      .out_data_o    (out_data_o)
  );

  `GSM_ASSERT(LinksKnown_A, (^out_valid_o) !== 1'bx, "a link is neither idle nor in use")
  `GSM_ASSERT(IdleIsQuiet_A, busy_o || out_valid_o == '0, "a word leaves outside a round")

endmodule

`default_nettype wire
