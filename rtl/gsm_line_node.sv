// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// A tile of the queued discipline for all broadcasts of a line or ring at once: a stage a direction,
// and what hands it the node's own packets.
//
// start_i in cycle t makes cycle t+1 step 1, done_o is high in the cycle after the last step. A step is
// a cycle; a packet, or a part of one, is a word. On a link the links that it has left stand above its
// data. Port 0 leads to the node before, port 1 to the one behind.
module gsm_line_node #(
    // Data bits of a packet or part, 1 or more.
    parameter int Width = 32,
    // Parts of own packets, 1 or more.
    parameter int Packets = 1,
    // Steps of a round, 1..2^30.
    parameter int Steps = 1,
    // Bits of a number of links, 1..16.
    parameter int HopBits = 8,
    // Entries of a list, 1..65535: as many own packets can wait at a stage.
    parameter int EntriesMax = 1,
    // Bits of an entry: number of the part, and from NumberBits on the links that it goes.
    parameter int NumberBits = Packets > 1 ? $clog2(Packets) : 1,
    parameter int EntryBits = NumberBits + HopBits,
    // Bit p: port p leads to a neighbour.
    parameter logic [1:0] Linked = 2'b11,
    // Bits p*16 +: 16: own parts that leave by port p, and the parts in their order.
    parameter logic [2*16-1:0] ListLength = '0,
    parameter logic [2*EntriesMax*EntryBits-1:0] List = '0
) (
    // Clock, rising edge.
    input  logic                         clk_i,
    // Asynchronous reset, active low.
    input  logic                         rst_ni,
    // Synchronous clear: ends the round, empties the stages, lowers error_o.
    input  logic                         clear_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low.
    input  logic                         start_i,
    // Own parts: part c in bits c*Width +: Width; stable while busy_o is high.
    input  logic [    Packets*Width-1:0] own_data_i,
    // Links.
    input  logic [                  1:0] in_valid_i,
    input  logic [2*(Width+HopBits)-1:0] in_data_i,
    output logic [                  1:0] out_valid_o,
    output logic [2*(Width+HopBits)-1:0] out_data_o,
    // Every arrival, by in-port.
    output logic [                  1:0] deliver_valid_o,
    output logic [          2*Width-1:0] deliver_data_o,
    // This is the cycle of a step.
    output logic                         busy_o,
    // It is the last.
    output logic                         last_o,
    // The cycle after the last step.
    output logic                         done_o,
    // A queue was too short since the last clear, reset or start.
    output logic                         error_o
);

  localparam int StepWidth = $clog2(Steps + 1);
  localparam int LinkBits = Width + HopBits;

  // The next edge begins step + 1.
  logic [StepWidth-1:0] step;
  logic active;
  assign active = (start_i || busy_o) && !last_o;
  gsm_round #(
      .StepWidth(StepWidth)
  ) u_round (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .start_i(start_i),
      .steps_i(StepWidth'(Steps)),
      .step_o (step),
      .busy_o (busy_o),
      .last_o (last_o),
      .done_o (done_o)
  );

  // The parts of a node, of which one at most is not 0.
  function automatic logic [Width-1:0] any_of(input logic [Packets*Width-1:0] words);
    any_of = '0;
    for (int c = 0; c < Packets; c++) any_of = any_of | words[c*Width+:Width];
  endfunction

  logic [1:0] overflow;
  for (genvar p = 0; p < 2; p++) begin : gen_port
    assign deliver_valid_o[p] = in_valid_i[p];
    assign deliver_data_o[p*Width+:Width] = in_data_i[p*LinkBits+:Width];

    if (!Linked[p]) begin : gen_border
      assign out_valid_o[p] = 1'b0;
      assign out_data_o[p*LinkBits+:LinkBits] = '0;
      assign overflow[p] = 1'b0;
      logic unused_in;
      assign unused_in = ^in_data_i[(1-p)*LinkBits+:LinkBits];
    end else begin : gen_stage
      // In cycle t + i the i-th own packet joins the queue: number and links to go.
      localparam int Length = 32'(ListLength[p*16+:16]);
      // That there is one, and what it is.
      logic [EntryBits:0] listed;
      logic own_valid;
      logic [EntryBits-1:0] entry;
      assign listed    = named(step);
      assign own_valid = active && listed[EntryBits];
      assign entry     = listed[EntryBits-1:0];
      function automatic logic [EntryBits:0] named(input logic [StepWidth-1:0] number);
        named = '0;
        for (int i = 0; i < EntriesMax; i++) begin
          if (32'(number) == i) named = {i < Length, List[(p*EntriesMax+i)*EntryBits+:EntryBits]};
        end
      endfunction
      // The part that it names, an OR of them all.
      logic [Packets*Width-1:0] parts;
      for (genvar c = 0; c < Packets; c++) begin : gen_part
        assign parts[c*Width+:Width] = entry[NumberBits-1:0] == NumberBits'(c) ?
                                       own_data_i[c*Width+:Width] : '0;
      end

      // A stage takes what comes in by the port opposite to its own.
      gsm_line_stage #(
          .Width  (Width),
          .HopBits(HopBits),
          .Entries(EntriesMax)
      ) u_stage (
          .clk_i      (clk_i),
          .rst_ni     (rst_ni),
          .clear_i    (clear_i || !active),
          .active_i   (active),
          .begin_i    (start_i),
          .own_valid_i(own_valid),
          .own_data_i (any_of(parts)),
          .own_hops_i (entry[NumberBits+:HopBits]),
          .in_valid_i (in_valid_i[1-p]),
          .in_data_i  (in_data_i[(1-p)*LinkBits+:Width]),
          .in_hops_i  (in_data_i[(1-p)*LinkBits+Width+:HopBits]),
          .valid_o    (out_valid_o[p]),
          .data_o     (out_data_o[p*LinkBits+:Width]),
          .hops_o     (out_data_o[p*LinkBits+Width+:HopBits]),
          .overflow_o (overflow[p])
      );
    end
  end

  gsm_error u_error (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .start_i(start_i),
      .fault_i(overflow != '0),
      .error_o(error_o)
  );

  `GSM_PARAMETER(StepsLegal_A, Steps >= 1 && Steps <= 1073741824, "Steps must be 1..2^30")
  `GSM_PARAMETER(PacketsLegal_A, Packets >= 1, "Packets must be at least 1")
  `GSM_PARAMETER(EntriesLegal_A, EntriesMax >= 1 && EntriesMax <= 65535,
                 "EntriesMax must be 1..65535")
  `GSM_ASSERT(StartWhenIdle_A, !start_i || !busy_o, "start_i while a round is running")
  `GSM_ASSERT(LinksKnown_A, (^out_valid_o) !== 1'bx, "a link is neither idle nor in use")
  `GSM_ASSERT(IdleIsQuiet_A, busy_o || out_valid_o == '0, "a packet leaves outside a round")

endmodule

`default_nettype wire
