// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The stream router that combines: one register per lane, fed by one in-port, with an adder before it.
//
// Lanes 2c and 2c + 1 are the two directions of cycle c (gsm_combining_pair). Inputs select the in-port
// that feeds a lane and the out-port that sends it. In a hardwired router they are constants, and the
// selection is wires. Latency 1 cycle, no header, no queue; all routers execute the same operation in a
// step.
//
// With frames (Frame > 1) a step is Frame cycles. The content of a link then belongs to one lane in one
// slot of the frame and to another, or to a relay, in the next. *Columns* are port*Frame + slot. Early
// arrivals wait for the end of the frame. Out-columns that are on no lane pass on an in-column.
module gsm_combining_router #(
    // Ports of the router, two per dimension: 2..16, even.
    parameter int Ports = 4,
    // Lanes, two for each cycle: 2..16, even.
    parameter int Lanes = 4,
    // Data bits of a word, 1 or more.
    parameter int Width = 32,
    // Slots of a frame, 1..16.
    parameter int Frame = 1,
    // As in gsm_combining_pair.
    parameter int Operation = 0,
    parameter bit Ripple = 1'b1,
    parameter bit Cross = 1'b1,
    parameter bit Join = 1'b1,
    parameter bit Apart = 1'b1,
    // Packets of several words, or adders of several cycles. Frame is 1.
    parameter bit Packets = 1'b0,
    parameter int Stages = 0,
    parameter int MostAdderCycles = 0,
    parameter int MostStepCycles = 1
) (
    // Clock, rising edge.
    input  logic                               clk_i,
    // Asynchronous reset, active low.
    input  logic                               rst_ni,
    // Synchronous clear: the router is empty in the next cycle.
    input  logic                               clear_i,
    // A step begins at the coming edge; the slot of this cycle.
    input  logic                               enter_i,
    input  logic [                        3:0] slot_i,
    // Bit l*Ports*Frame + column: lane l receives from that in-column, sends by that out-column; at most
    // one of each. Constant in a round.
    input  logic [      Lanes*Ports*Frame-1:0] lane_in_i,
    input  logic [      Lanes*Ports*Frame-1:0] lane_out_i,
    // Bit p*Ports*Frame + q: out-column p passes on in-column q. Frames only.
    input  logic [Ports*Frame*Ports*Frame-1:0] relay_i,
    // With Packets: as in gsm_combining_pair.
    input  logic [                         3:0] adder_cycles_i,
    input  logic [                         4:0] result_cycles_i,
    input  logic [                        15:0] step_cycles_i,
    // The lane's register is sent in this cycle, if it is its slot.
    input  logic [                  Lanes-1:0] send_i,
    // As in gsm_combining_pair, for all lanes.
    input  logic [                  Lanes-1:0] inject_valid_i,
    input  logic [            Lanes*Width-1:0] inject_data_i,
    input  logic                               combine_i,
    input  logic                               cross_i,
    input  logic                               join_i,
    input  logic                               first_i,
    input  logic [                  Lanes-1:0] first_valid_i,
    input  logic [            Lanes*Width-1:0] first_data_i,
    input  logic                               pass_i,
    // The arrivals of each lane, and the result of the coming step.
    output logic [                  Lanes-1:0] arrive_valid_o,
    output logic [                  Lanes-1:0] taken_valid_o,
    output logic [            Lanes*Width-1:0] taken_data_o,
    // Links.
    input  logic [                  Ports-1:0] in_valid_i,
    input  logic [            Ports*Width-1:0] in_data_i,
    output logic [                  Ports-1:0] out_valid_o,
    output logic [            Ports*Width-1:0] out_data_o
);

  localparam int Columns = Ports * Frame;

  logic [Lanes*Width-1:0] arrive_data;
  logic [Lanes-1:0] valid;
  logic [Lanes*Width-1:0] data;

  // The word that `select` names among the `Columns` in-columns, which are those of the in-ports in this
  // slot.
  function automatic logic [Width-1:0] selected(input logic [Columns-1:0] select,
                                                input logic [Ports*Width-1:0] words);
    selected = '0;
    for (int c = 0; c < Columns; c++) begin
      selected = selected | ({Width{select[c]}} & words[c/Frame*Width+:Width]);
    end
  endfunction
  function automatic logic selected_valid(input logic [Columns-1:0] select,
                                          input logic [Ports-1:0] valids);
    selected_valid = 1'b0;
    for (int c = 0; c < Columns; c++) begin
      selected_valid = selected_valid | (select[c] & valids[c/Frame]);
    end
  endfunction
  // Bit c: column c belongs to this slot.
  logic [Columns-1:0] here;
  for (genvar c = 0; c < Columns; c++) begin : gen_here
    assign here[c] = Frame == 1 || slot_i == 4'(c % Frame);
  end

  for (genvar l = 0; l < Lanes; l++) begin : gen_arrival
    logic [Columns-1:0] from;
    assign from = lane_in_i[l*Columns+:Columns];
    logic live_valid;
    logic [Width-1:0] live_data;
    assign live_valid = selected_valid(from & here, in_valid_i);
    assign live_data  = selected(from, in_data_i);
    if (Frame == 1) begin : gen_live
      assign arrive_valid_o[l]            = live_valid;
      assign arrive_data[l*Width+:Width] = live_data;
    end else begin : gen_early
      // Words that arrived in an earlier slot of the frame.
      logic valid_q;
      logic [Width-1:0] data_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) valid_q <= 1'b0;
        else if (clear_i) valid_q <= 1'b0;
        else if ((from & here) != '0) valid_q <= live_valid;
      end
      always_ff @(posedge clk_i) begin
        if (live_valid) data_q <= live_data;
      end
      assign arrive_valid_o[l]            = (from & here) != '0 ? live_valid : valid_q;
      assign arrive_data[l*Width+:Width] = (from & here) != '0 ? live_data : data_q;
    end
  end

  for (genvar c = 0; c < Lanes / 2; c++) begin : gen_pair
    gsm_combining_pair #(
        .Width          (Width),
        .Operation      (Operation),
        .Ripple         (Ripple),
        .Cross          (Cross),
        .Join           (Join),
        .Apart          (Apart),
        .Packets        (Packets),
        .Stages         (Stages),
        .MostAdderCycles(MostAdderCycles),
        .MostStepCycles (MostStepCycles)
    ) u_pair (
        .clk_i          (clk_i),
        .rst_ni         (rst_ni),
        .clear_i        (clear_i),
        .enter_i        (Frame == 1 || enter_i),
        .adder_cycles_i (adder_cycles_i),
        .result_cycles_i(result_cycles_i),
        .step_cycles_i  (step_cycles_i),
        .arrive_valid_i (arrive_valid_o[2*c+:2]),
        .arrive_data_i  (arrive_data[2*c*Width+:2*Width]),
        .inject_valid_i (inject_valid_i[2*c+:2]),
        .inject_data_i  (inject_data_i[2*c*Width+:2*Width]),
        .combine_i      (combine_i),
        .cross_i        (cross_i),
        .join_i         (join_i),
        .first_i        (first_i),
        .first_valid_i  (first_valid_i[2*c+:2]),
        .first_data_i   (first_data_i[2*c*Width+:2*Width]),
        .pass_i         (pass_i),
        .taken_valid_o  (taken_valid_o[2*c+:2]),
        .taken_data_o   (taken_data_o[2*c*Width+:2*Width]),
        .valid_o        (valid[2*c+:2]),
        .data_o         (data[2*c*Width+:2*Width])
    );
  end

  // Contents of the relays of each out-column.
  logic [Columns-1:0] relay_valid;
  logic [Columns*Width-1:0] relay_data;
  if (Frame == 1) begin : gen_no_relay
    assign relay_valid = '0;
    assign relay_data  = '0;
    logic unused_frame;
    assign unused_frame = ^{relay_i, slot_i, enter_i};
  end else begin : gen_relay
    for (genvar p = 0; p < Columns; p++) begin : gen_column
      logic [Columns-1:0] from;
      assign from = relay_i[p*Columns+:Columns];
      logic arrives;
      assign arrives = selected_valid(from & here, in_valid_i);
      logic valid_q;
      logic [Width-1:0] data_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) valid_q <= 1'b0;
        else if (clear_i) valid_q <= 1'b0;
        else if ((from & here) != '0) valid_q <= arrives;
      end
      always_ff @(posedge clk_i) begin
        if (arrives) data_q <= selected(from, in_data_i);
      end
      assign relay_valid[p]               = valid_q;
      assign relay_data[p*Width+:Width] = data_q;
    end
  end

  // Each out-port: the lanes and relays of the slot.
  function automatic logic [Lanes-1:0] lanes_of(input int port, input logic [Columns-1:0] now,
                                                input logic [Lanes*Columns-1:0] out);
    lanes_of = '0;
    for (int l = 0; l < Lanes; l++) begin
      for (int s = 0; s < Frame; s++) begin
        lanes_of[l] = lanes_of[l] | (out[l*Columns+port*Frame+s] & now[port*Frame+s]);
      end
    end
  endfunction
  function automatic logic [Width-1:0] lane_word(input logic [Lanes-1:0] select,
                                                 input logic [Lanes*Width-1:0] words);
    lane_word = '0;
    for (int l = 0; l < Lanes; l++) begin
      lane_word = lane_word | ({Width{select[l]}} & words[l*Width+:Width]);
    end
  endfunction
  function automatic logic [Width-1:0] relay_word(input int port, input logic [Columns-1:0] select,
                                                  input logic [Columns*Width-1:0] words);
    relay_word = '0;
    for (int s = 0; s < Frame; s++) begin
      relay_word = relay_word | ({Width{select[port*Frame+s]}} & words[(port*Frame+s)*Width+:Width]);
    end
  endfunction
  for (genvar p = 0; p < Ports; p++) begin : gen_out_port
    logic [Lanes-1:0] lanes;
    logic [Columns-1:0] relays;
    assign lanes                      = lanes_of(p, here, lane_out_i);
    assign relays                     = relay_valid & here;
    assign out_valid_o[p]             = (lanes & valid & send_i) != '0 || relays[p*Frame+:Frame] != '0;
    assign out_data_o[p*Width+:Width] = lane_word(lanes, data) | relay_word(p, relays, relay_data);
  end

  `GSM_PARAMETER(PortsLegal_A, Ports >= 2 && Ports <= 16 && Ports % 2 == 0,
                 "Ports must be even, 2..16")
  `GSM_PARAMETER(LanesLegal_A, Lanes >= 2 && Lanes <= 16 && Lanes % 2 == 0,
                 "Lanes must be even, 2..16")
  `GSM_PARAMETER(PacketsLegal_A, !Packets || Frame == 1, "Packets needs Frame 1")
  `GSM_PARAMETER(CyclesLegal_A, Stages >= 0 && MostAdderCycles >= 0 && MostStepCycles >= 1,
                 "Stages and MostAdderCycles must be at least 0, MostStepCycles at least 1")
  `GSM_PARAMETER(FrameLegal_A, Frame >= 1 && Frame <= 16, "Frame must be 1..16")

endmodule

`default_nettype wire
