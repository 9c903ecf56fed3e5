// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The router of contexts: one register per out-port, which all contexts share, and an adder before it.
//
// A context selects one of the wirings: for each out-port, the in-port that feeds it. The *partner* of
// an out-port is the out-port with the number of its feed: the other direction of the same cycle or
// line. At each edge a register takes its arrival combined with an operand: its own word, the register
// of its partner, or its partner's arrival and then its own word. Either may be missing. Latency 1 cycle,
// no header, no queue.
//
// At the edge into step 1 of a round (first_i) the registers take own words or nothing, so no word of
// one round enters the next.
module gsm_context_router #(
    // Ports of the router, two per dimension: 2..16, even.
    parameter int Ports = 4,
    // Wirings of all contexts: 1 or more.
    parameter int Wirings = 2,
    // Data bits of a word, 1 or more.
    parameter int Width = 32,
    // As in gsm_combine.
    parameter int Operation = 0,
    parameter bit Ripple = 1'b1,
    // Whether cross_i and join_i are ever high.
    parameter bit Cross = 1'b1,
    parameter bit Join = 1'b0,
    // Whether flag_i is ever high.
    parameter bit Flag = 1'b0,
    // Whether results are formed at edges at which the registers take first words: a round then follows
    // a reduce-scatter without a cycle in between.
    parameter bit Apart = 1'b0,
    // Whether end_i is ever high.
    parameter bit Ends = 1'b0
) (
    // Clock, rising edge.
    input  logic                                             clk_i,
    // Asynchronous reset, active low.
    input  logic                                             rst_ni,
    // Synchronous clear: the router is empty in the next cycle.
    input  logic                                             clear_i,
    // The wiring of the present step.
    input  logic [(Wirings > 1 ? $clog2(Wirings) : 1)-1:0]   wiring_i,
    // Bit (w*Ports + p)*Ports + q: in wiring w, in-port q feeds out-port p; exactly one q. Constant.
    input  logic [                  Wirings*Ports*Ports-1:0] feed_i,
    // The coming edge leads into step 1 of a round. With Apart the registers take first words, and
    // otherwise own words.
    input  logic                                             first_i,
    input  logic [                                Ports-1:0] first_valid_i,
    input  logic [                          Ports*Width-1:0] first_data_i,
    // By out-port: the arrival is an operand. Low for the root and for ports of other axes.
    input  logic [                                Ports-1:0] take_i,
    // By out-port: own words.
    input  logic [                                Ports-1:0] inject_valid_i,
    input  logic [                          Ports*Width-1:0] inject_data_i,
    // By out-port: the operand is the register of the partner instead, or the partner's arrival as well.
    input  logic [                                Ports-1:0] cross_i,
    input  logic [                                Ports-1:0] join_i,
    // By out-port: the end of a line, whose register takes first words only. Its adder still forms results.
    input  logic [                                Ports-1:0] end_i,
    // Words are flags, in bit 0, and are combined by `and`; the other bits are undefined.
    input  logic                                             flag_i,
    // Links.
    input  logic [                                Ports-1:0] in_valid_i,
    input  logic [                          Ports*Width-1:0] in_data_i,
    // The results of the coming edge: the words that registers take except with first_i.
    output logic [                                Ports-1:0] taken_valid_o,
    output logic [                          Ports*Width-1:0] taken_data_o,
    output logic [                                Ports-1:0] out_valid_o,
    output logic [                          Ports*Width-1:0] out_data_o
);

  localparam int WiringBits = Wirings > 1 ? $clog2(Wirings) : 1;

  // The word of the port that `select` names.
  function automatic logic [Width-1:0] selected(input logic [Ports-1:0] select,
                                                input logic [Ports*Width-1:0] words);
    selected = '0;
    for (int q = 0; q < Ports; q++) begin
      selected = selected | ({Width{select[q]}} & words[q*Width+:Width]);
    end
  endfunction

  // The entry of the wiring.
  function automatic logic [Width-1:0] chosen(input logic [WiringBits-1:0] wiring,
                                              input logic [Wirings*Width-1:0] words);
    chosen = words[0+:Width];
    for (int w = 1; w < Wirings; w++) begin
      if (wiring == WiringBits'(w)) chosen = words[w*Width+:Width];
    end
  endfunction
  function automatic logic chosen_valid(input logic [WiringBits-1:0] wiring,
                                        input logic [Wirings-1:0] valids);
    chosen_valid = valids[0];
    for (int w = 1; w < Wirings; w++) begin
      if (wiring == WiringBits'(w)) chosen_valid = valids[w];
    end
  endfunction

  // The sum of two words; with `flag` bit 0 is the `and` of their flags, either of which may be missing.
  function automatic logic [Width-1:0] with_flag(input logic [Width-1:0] sum, input logic flag,
                                                 input logic a_valid, input logic a,
                                                 input logic b_valid, input logic b);
    with_flag = sum;
    if (flag) with_flag[0] = a_valid && b_valid ? a && b : (a_valid && a) || (b_valid && b);
  endfunction

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    // Arrival and partner in each wiring, then those of this one.
    logic [Wirings-1:0] wired_valid;
    logic [Wirings*Width-1:0] wired_data;
    logic [Wirings-1:0] partner_valid;
    logic [Wirings*Width-1:0] partner_data;
    for (genvar w = 0; w < Wirings; w++) begin : gen_wiring
      logic [Ports-1:0] from;
      assign from                          = feed_i[(w*Ports+p)*Ports+:Ports];
      assign wired_valid[w]                = (from & in_valid_i) != '0;
      assign wired_data[w*Width+:Width]   = selected(from, in_data_i);
      assign partner_valid[w]              = (from & out_valid_o) != '0;
      assign partner_data[w*Width+:Width] = selected(from, out_data_o);
    end
    logic arrive_valid;
    logic [Width-1:0] arrive_data;
    logic cross_valid;
    logic [Width-1:0] cross_data;
    assign arrive_valid = chosen_valid(wiring_i, wired_valid);
    assign arrive_data  = chosen(wiring_i, wired_data);
    assign cross_valid  = chosen_valid(wiring_i, partner_valid);
    assign cross_data   = chosen(wiring_i, partner_data);

    logic crosses;
    logic joins;
    assign crosses = Cross && cross_i[p];
    assign joins   = Join && join_i[p];
    // The partner's arrival enters by the in-port of this number.
    logic operand_valid;
    logic [Width-1:0] operand_data;
    assign operand_valid = joins ? in_valid_i[p] && take_i[p]
                         : crosses ? cross_valid : inject_valid_i[p];
    assign operand_data = joins ? in_data_i[p*Width+:Width]
                        : crosses ? cross_data : inject_data_i[p*Width+:Width];
    logic sum_valid;
    logic [Width-1:0] plain_sum_data;
    logic [Width-1:0] sum_data;
    logic take;
    assign take = arrive_valid && take_i[p] && (Apart || !first_i);
    gsm_combine #(
        .Width    (Width),
        .Operation(Operation),
        .Ripple   (Ripple)
    ) u_sum (
        .a_valid_i(take),
        .a_data_i (arrive_data),
        .b_valid_i(operand_valid),
        .b_data_i (operand_data),
        .valid_o  (sum_valid),
        .data_o   (plain_sum_data)
    );
    assign sum_data = with_flag(plain_sum_data, Flag && flag_i, take, arrive_data[0], operand_valid, operand_data[0]);
    if (Join) begin : gen_join
      logic all_valid;
      logic [Width-1:0] plain_all_data;
      logic [Width-1:0] all_data;
      gsm_combine #(
          .Width    (Width),
          .Operation(Operation),
          .Ripple   (Ripple)
      ) u_all (
          .a_valid_i(sum_valid),
          .a_data_i (sum_data),
          .b_valid_i(inject_valid_i[p]),
          .b_data_i (inject_data_i[p*Width+:Width]),
          .valid_o  (all_valid),
          .data_o   (plain_all_data)
      );
      assign all_data = with_flag(plain_all_data, Flag && flag_i, sum_valid, sum_data[0], inject_valid_i[p],
                                  inject_data_i[p*Width]);
      assign taken_valid_o[p]               = joins ? all_valid : sum_valid;
      assign taken_data_o[p*Width+:Width] = joins ? all_data : sum_data;
    end else begin : gen_no_join
      assign taken_valid_o[p]               = sum_valid;
      assign taken_data_o[p*Width+:Width] = sum_data;
    end

    logic stays_valid;
    logic next_valid;
    logic [Width-1:0] next_data;
    assign stays_valid = taken_valid_o[p] && !(Ends && end_i[p]);
    if (Apart) begin : gen_apart
      assign next_valid = first_i ? first_valid_i[p] : stays_valid;
      assign next_data  = first_i ? first_data_i[p*Width+:Width] : taken_data_o[p*Width+:Width];
    end else begin : gen_same
      assign next_valid = stays_valid;
      assign next_data  = taken_data_o[p*Width+:Width];
    end
    logic valid_q;
    logic [Width-1:0] data_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) valid_q <= 1'b0;
      else if (clear_i) valid_q <= 1'b0;
      else valid_q <= next_valid;
    end
    always_ff @(posedge clk_i) begin
      if (next_valid) data_q <= next_data;
    end
    assign out_valid_o[p]               = valid_q;
    assign out_data_o[p*Width+:Width] = data_q;
  end

  if (!Apart) begin : gen_unused
    logic unused_first;
    assign unused_first = ^{first_valid_i, first_data_i};
  end
  logic unused_control;
  assign unused_control = ^{cross_i, join_i, end_i, flag_i, wiring_i};

  `GSM_PARAMETER(PortsLegal_A, Ports >= 2 && Ports <= 16 && Ports % 2 == 0,
                 "Ports must be even, 2..16")
  `GSM_PARAMETER(WiringsLegal_A, Wirings >= 1, "Wirings must be at least 1")
  `GSM_ASSERT(ControlsUsed_A,
              (Cross || cross_i == '0) && (Join || join_i == '0) && (Ends || end_i == '0) && (Flag || !flag_i),
              "cross_i, join_i, end_i or flag_i is high, but the router does not support it")
  `GSM_ASSERT(OneOperation_A, (cross_i & join_i) == '0, "cross_i and join_i in one step")
  `GSM_ASSERT(FirstAlone_A, Apart || !first_i || (cross_i | join_i) == '0,
              "first words are combined with words of the round before")

endmodule

`default_nettype wire
