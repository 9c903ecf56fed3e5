// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The combining out-ports of one cycle: a register for each of its two directions (*lanes*, 0 and 1), and
// the adders before them.
//
// The result of a step for a lane is its arrival combined with its own operand. Without an injection it is
// the arrival alone. Without combine_i it is the own operand alone, regardless of the arrival: this is an
// all-gather. cross_i and join_i combine the lanes. The register takes the result of the step; taken_*_o
// shows it one cycle earlier.
//
// With Packets adders take several cycles, and packets have several words. A word that arrives in a cycle is on its
// link step_cycles_i cycles later, and its result is on taken_*_o result_cycles_i cycles later. Between arrival and
// link there is one word per cycle: first in the adders, then in a delay line, the link's register included. Words
// that are forwarded take the way of words that are added, so the words of a packet stay in order. first_i puts a word
// into the link's register instead.
module gsm_combining_pair #(
    // Data bits of a word, 1 or more.
    parameter int Width = 32,
    // As in gsm_combine.
    parameter int Operation = 0,
    parameter bit Ripple = 1'b1,
    // Whether cross_i and join_i are ever high.
    parameter bit Cross = 1'b1,
    parameter bit Join = 1'b1,
    // Whether the registers ever take anything other than the result of the step: first_i, pass_i.
    parameter bit Apart = 1'b1,
    // Packets of several words, or adders of several cycles. first_i may then be high in any case, and pass_i and
    // enter_i are ignored: registers inside an adder (gsm_adder), and the most cycles of one.
    parameter bit Packets = 1'b0,
    parameter int Stages = 0,
    parameter int MostAdderCycles = 15,
    // The most cycles of a step, 1..65535.
    parameter int MostStepCycles = 1
) (
    // Clock, rising edge.
    input  logic               clk_i,
    // Asynchronous reset, active low.
    input  logic               rst_ni,
    // Synchronous clear: the registers are empty in the next cycle.
    input  logic               clear_i,
    // A step begins at the coming edge; otherwise the registers keep their values.
    input  logic               enter_i,
    // With Packets only: cycles of an adder; from arrival to result: as many, or with Join twice as many; from arrival
    // to link, more than those of an adder. A joined word is sent only where they are more than those of a result.
    input  logic [        3:0] adder_cycles_i,
    input  logic [        4:0] result_cycles_i,
    input  logic [       15:0] step_cycles_i,
    // The arrivals of each lane; with Packets this and all below is for the words that arrive in this cycle.
    input  logic [        1:0] arrive_valid_i,
    input  logic [2*Width-1:0] arrive_data_i,
    // Own operands.
    input  logic [        1:0] inject_valid_i,
    input  logic [2*Width-1:0] inject_data_i,
    // An arrival is combined with the own operand instead of being dropped.
    input  logic               combine_i,
    // An arrival is combined with the register of the other lane. Not while injecting.
    input  logic               cross_i,
    // Both arrivals are combined, then the own operand of lane 1; both lanes take the result.
    input  logic               join_i,
    // In the next step, with Packets in the next cycle, the registers take these words instead.
    input  logic               first_i,
    input  logic [        1:0] first_valid_i,
    input  logic [2*Width-1:0] first_data_i,
    // The registers take the arrivals instead.
    input  logic               pass_i,
    // The result of the coming step; with Packets of the words that arrived result_cycles_i cycles ago.
    output logic [        1:0] taken_valid_o,
    output logic [2*Width-1:0] taken_data_o,
    // The registers.
    output logic [        1:0] valid_o,
    output logic [2*Width-1:0] data_o
);

  logic joins;
  logic crosses;
  assign joins   = Join && join_i;
  assign crosses = Cross && cross_i;

  // Arrivals that are not dropped.
  logic [1:0] arrive;
  assign arrive = arrive_valid_i & ({2{combine_i}} | ~inject_valid_i);

  // Operands of the arrivals: on lane 0 with join the other arrival.
  logic low_b_valid;
  logic [Width-1:0] low_b_data;
  logic high_b_valid;
  logic [Width-1:0] high_b_data;
  assign low_b_valid = joins ? arrive[1] : crosses ? valid_o[1] : inject_valid_i[0];
  assign low_b_data  = joins ? arrive_data_i[Width+:Width]
                     : crosses ? data_o[Width+:Width] : inject_data_i[0+:Width];
  assign high_b_valid = crosses ? valid_o[0] : inject_valid_i[1];
  assign high_b_data  = crosses ? data_o[0+:Width] : inject_data_i[Width+:Width];

  if (Packets) begin : gen_packets
    // The sum of each lane; with join lane 0 has that of the arrivals.
    logic [1:0] sum_valid;
    logic [2*Width-1:0] sum_data;
    for (genvar l = 0; l < 2; l++) begin : gen_sum
      gsm_adder #(
          .Width    (Width),
          .Operation(Operation),
          .Ripple   (Ripple),
          .Stages   (Stages),
          .Most     (MostAdderCycles)
      ) u_adder (
          .clk_i    (clk_i),
          .rst_ni   (rst_ni),
          .clear_i  (clear_i),
          .cycles_i (adder_cycles_i),
          .a_valid_i(arrive[l]),
          .a_data_i (arrive_data_i[l*Width+:Width]),
          .b_valid_i(l == 0 ? low_b_valid : high_b_valid),
          .b_data_i (l == 0 ? low_b_data : high_b_data),
          .valid_o  (sum_valid[l]),
          .data_o   (sum_data[l*Width+:Width])
      );
    end

    logic joined_sent;
    if (Join) begin : gen_join
      // The own operand and whether it is for a join, when the sum of the arrivals is there.
      logic own_joins;
      logic own_valid;
      logic [Width-1:0] own_data;
      gsm_delay #(
          .Flags(2),
          .Width(Width),
          .Most (MostAdderCycles)
      ) u_own (
          .clk_i   (clk_i),
          .rst_ni  (rst_ni),
          .clear_i (clear_i),
          .cycles_i(17'(adder_cycles_i)),
          .flags_i ({joins, inject_valid_i[1]}),
          .data_i  (inject_data_i[Width+:Width]),
          .flags_o ({own_joins, own_valid}),
          .data_o  (own_data)
      );
      logic total_valid;
      logic [Width-1:0] total_data;
      gsm_adder #(
          .Width    (Width),
          .Operation(Operation),
          .Ripple   (Ripple),
          .Stages   (Stages),
          .Most     (MostAdderCycles)
      ) u_total (
          .clk_i    (clk_i),
          .rst_ni   (rst_ni),
          .clear_i  (clear_i),
          .cycles_i (adder_cycles_i),
          .a_valid_i(sum_valid[0]),
          .a_data_i (sum_data[0+:Width]),
          .b_valid_i(own_joins && own_valid),
          .b_data_i (own_data),
          .valid_o  (total_valid),
          .data_o   (total_data)
      );
      // The other words wait for as long as the second adder takes.
      logic late_joins;
      logic [1:0] late_valid;
      logic [2*Width-1:0] late_data;
      gsm_delay #(
          .Flags(3),
          .Width(2 * Width),
          .Most (MostAdderCycles)
      ) u_late (
          .clk_i   (clk_i),
          .rst_ni  (rst_ni),
          .clear_i (clear_i),
          .cycles_i(17'(result_cycles_i) - 17'(adder_cycles_i)),
          .flags_i ({own_joins, sum_valid}),
          .data_i  (sum_data),
          .flags_o ({late_joins, late_valid}),
          .data_o  (late_data)
      );
      assign taken_valid_o = late_joins ? {2{total_valid}} : late_valid;
      assign taken_data_o  = late_joins ? {2{total_data}} : late_data;
      assign joined_sent   = step_cycles_i > 16'(result_cycles_i);
    end else begin : gen_plain
      assign taken_valid_o = sum_valid;
      assign taken_data_o  = sum_data;
      assign joined_sent   = 1'b0;
      logic unused_result;
      assign unused_result = ^result_cycles_i;
    end

    // The rest of the way to the link; its last register is the link's.
    logic [1:0] due_valid;
    logic [2*Width-1:0] due_data;
    gsm_delay #(
        .Flags(2),
        .Width(2 * Width),
        .Most (MostStepCycles - 1)
    ) u_wait (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni),
        .clear_i (clear_i),
        .cycles_i(17'(step_cycles_i) - 17'd1 - (joined_sent ? 17'(result_cycles_i) : 17'(adder_cycles_i))),
        .flags_i (joined_sent ? taken_valid_o : sum_valid),
        .data_i  (joined_sent ? taken_data_o : sum_data),
        .flags_o (due_valid),
        .data_o  (due_data)
    );
    logic [1:0] valid_q;
    logic [2*Width-1:0] data_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) valid_q <= '0;
      else if (clear_i) valid_q <= '0;
      else valid_q <= first_i ? first_valid_i : due_valid;
    end
    always_ff @(posedge clk_i) data_q <= first_i ? first_data_i : due_data;
    assign valid_o = valid_q;
    assign data_o  = data_q;
    logic unused_words;
    assign unused_words = ^{enter_i, pass_i};
    `GSM_ASSERT(StepLongEnough_A, step_cycles_i > 16'(adder_cycles_i), "a step is not longer than an addition")
  end else begin : gen_words
    // Lane 0: with join the two arrivals.
    logic low_valid;
    logic [Width-1:0] low_data;
    gsm_combine #(
        .Width    (Width),
        .Operation(Operation),
        .Ripple   (Ripple)
    ) u_low (
        .a_valid_i(arrive[0]),
        .a_data_i (arrive_data_i[0+:Width]),
        .b_valid_i(low_b_valid),
        .b_data_i (low_b_data),
        .valid_o  (low_valid),
        .data_o   (low_data)
    );

    // Lane 1: with join, both arrivals and then the own operand.
    logic high_a_valid;
    logic [Width-1:0] high_a_data;
    logic high_valid;
    logic [Width-1:0] high_data;
    assign high_a_valid = joins ? low_valid : arrive[1];
    assign high_a_data  = joins ? low_data : arrive_data_i[Width+:Width];
    gsm_combine #(
        .Width    (Width),
        .Operation(Operation),
        .Ripple   (Ripple)
    ) u_high (
        .a_valid_i(high_a_valid),
        .a_data_i (high_a_data),
        .b_valid_i(high_b_valid),
        .b_data_i (high_b_data),
        .valid_o  (high_valid),
        .data_o   (high_data)
    );
    assign taken_valid_o = {high_valid, joins ? high_valid : low_valid};
    assign taken_data_o  = {high_data, joins ? high_data : low_data};

    for (genvar l = 0; l < 2; l++) begin : gen_lane
      logic next_valid;
      logic [Width-1:0] next_data;
      if (Apart) begin : gen_apart
        assign next_valid = first_i ? first_valid_i[l] : pass_i ? arrive_valid_i[l]
                                                                : taken_valid_o[l];
        assign next_data  = first_i ? first_data_i[l*Width+:Width]
                          : pass_i ? arrive_data_i[l*Width+:Width] : taken_data_o[l*Width+:Width];
      end else begin : gen_same
        assign next_valid = taken_valid_o[l];
        assign next_data  = taken_data_o[l*Width+:Width];
      end

      logic valid_q;
      logic [Width-1:0] data_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) valid_q <= 1'b0;
        else if (clear_i) valid_q <= 1'b0;
        else if (enter_i) valid_q <= next_valid;
      end
      always_ff @(posedge clk_i) begin
        if (enter_i && next_valid) data_q <= next_data;
      end
      assign valid_o[l]               = valid_q;
      assign data_o[l*Width+:Width] = data_q;
    end

    if (!Apart) begin : gen_unused
      logic unused_apart;
      assign unused_apart = ^{first_i, first_valid_i, first_data_i, pass_i};
    end
    logic unused_cycles;
    assign unused_cycles = ^{adder_cycles_i, result_cycles_i, step_cycles_i, Stages, MostAdderCycles};
  end

  logic unused_control;
  assign unused_control = cross_i ^ join_i;

  `GSM_ASSERT(ControlsUsed_A, !enter_i || ((Cross || !cross_i) && (Join || !join_i)),
              "cross_i or join_i is high, but the pair does not support it")
  `GSM_ASSERT(OneOperation_A, !(cross_i && join_i), "cross_i and join_i in one step")
  `GSM_PARAMETER(CyclesLegal_A, MostStepCycles >= 1 && MostStepCycles <= 65535,
                 "MostStepCycles must be 1..65535")

endmodule

`default_nettype wire
