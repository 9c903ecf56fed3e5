// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"

// All broadcasts on a line or ring at once, hardwired for one plan: two stages a node, one for each
// direction, and what hands them the node's own packets.
//
// The plan is the package gsm_plan_pkg, which `gossamer emit --format sv` writes next to this file.
// A step is a cycle; a packet, or a part of one, is a word. start_i in cycle t makes cycle t+1 step 1;
// done_o is high in the cycle after step Steps. Port 0 leads to the node before, port 1 to the one
// behind.
module gsm_line_network #(
    // Data bits of a packet or part, 1 or more.
    parameter int Width = gsm_plan_pkg::Width
) (
    // Clock, rising edge.
    input logic clk_i,
    // Asynchronous reset, active low.
    input logic rst_ni,
    // Synchronous clear: ends the round, empties the network, lowers error_o.
    input logic clear_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low.
    input logic start_i,
    // Own packets: part c of node n in bits (n*Packets + c)*Width +: Width; stable while busy_o is
    // high.
    input logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::Packets*Width-1:0] own_data_i,
    // Arrivals: what comes into node n by in-port q is bit n*2 + q.
    output logic [gsm_plan_pkg::Nodes*2-1:0] deliver_valid_o,
    output logic [gsm_plan_pkg::Nodes*2*Width-1:0] deliver_data_o,
    // This is the cycle of a step 1..Steps.
    output logic busy_o,
    // The cycle after step Steps.
    output logic done_o,
    // A queue was too short since the last clear, reset or start.
    output logic error_o
);

  localparam int Nodes = gsm_plan_pkg::Nodes;
  localparam int Packets = gsm_plan_pkg::Packets;
  localparam int Steps = gsm_plan_pkg::Steps;
  localparam int HopBits = gsm_plan_pkg::HopBits;
  localparam int StepWidth = $clog2(Steps + 1);
  localparam int NumberBits = Packets > 1 ? $clog2(Packets) : 1;
  localparam int EntryBits = NumberBits + HopBits;

  // The next edge begins step + 1.
  logic [StepWidth-1:0] step;
  logic last;
  logic active;
  assign active = (start_i || busy_o) && !last;
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
      .last_o (last),
      .done_o (done_o)
  );

  // The parts of a node, of which one at most is not 0.
  function automatic logic [Width-1:0] any_of(input logic [Packets*Width-1:0] parts);
    any_of = '0;
    for (int c = 0; c < Packets; c++) any_of = any_of | parts[c*Width+:Width];
  endfunction

  // n*2 + p: what node n sends by port p.
  logic link_valid[Nodes*2];
  logic [Width-1:0] link_data[Nodes*2];
  logic [HopBits-1:0] link_hops[Nodes*2];
  logic [Nodes*2-1:0] overflow;

  for (genvar link = 0; link < Nodes * 2; link++) begin : gen_stage
    localparam int Node = link / 2;
    localparam int Port = link % 2;
    // A stage takes what comes in by the port opposite to its own.
    localparam int From = gsm_plan_pkg::neighbor(Node, 1 - Port);
    if (gsm_plan_pkg::neighbor(Node, Port) < 0) begin : gen_border
      assign link_valid[link] = 1'b0;
      assign link_data[link] = '0;
      assign link_hops[link] = '0;
      assign overflow[link] = 1'b0;
    end else begin : gen_link
      // In cycle t + i the i-th own packet joins the queue: number and links to go.
      localparam int Length = gsm_plan_pkg::list_length(link);
      localparam logic [gsm_plan_pkg::EntriesMax*EntryBits-1:0] List = gsm_plan_pkg::list(link);
      logic own_valid;
      logic [EntryBits-1:0] entry;
      logic [Width-1:0] own_data;
      always_comb begin
        own_valid = 1'b0;
        entry     = '0;
        for (int i = 0; i < gsm_plan_pkg::EntriesMax; i++) begin
          if (32'(step) == i) begin
            own_valid = active && i < Length;
            entry     = List[i*EntryBits+:EntryBits];
          end
        end
      end
      // The part that it names, an OR of them all.
      logic [Packets*Width-1:0] named;
      for (genvar c = 0; c < Packets; c++) begin : gen_part
        assign named[c*Width+:Width] = entry[NumberBits-1:0] == NumberBits'(c) ?
                                       own_data_i[(Node*Packets+c)*Width+:Width] : '0;
      end
      assign own_data = any_of(named);

      logic in_valid;
      logic [Width-1:0] in_data;
      logic [HopBits-1:0] in_hops;
      if (From < 0) begin : gen_end
        assign in_valid = 1'b0;
        assign in_data = '0;
        assign in_hops = '0;
      end else begin : gen_in
        assign in_valid = link_valid[From*2+Port];
        assign in_data = link_data[From*2+Port];
        assign in_hops = link_hops[From*2+Port];
      end

      gsm_line_stage #(
          .Width  (Width),
          .HopBits(HopBits),
          .Entries(gsm_plan_pkg::Entries)
      ) u_stage (
          .clk_i      (clk_i),
          .rst_ni     (rst_ni),
          .clear_i    (clear_i || !active),
          .active_i   (active),
          .begin_i    (start_i),
          .own_valid_i(own_valid),
          .own_data_i (own_data),
          .own_hops_i (entry[NumberBits+:HopBits]),
          .in_valid_i (in_valid),
          .in_data_i  (in_data),
          .in_hops_i  (in_hops),
          .valid_o    (link_valid[link]),
          .data_o     (link_data[link]),
          .hops_o     (link_hops[link]),
          .overflow_o (overflow[link])
      );
    end
  end

  for (genvar arrival = 0; arrival < Nodes * 2; arrival++) begin : gen_deliver
    localparam int From = gsm_plan_pkg::neighbor(arrival / 2, arrival % 2);
    if (From < 0) begin : gen_border
      assign deliver_valid_o[arrival] = 1'b0;
      assign deliver_data_o[arrival*Width+:Width] = '0;
    end else begin : gen_link
      assign deliver_valid_o[arrival] = link_valid[From*2+1-arrival%2];
      assign deliver_data_o[arrival*Width+:Width] = link_data[From*2+1-arrival%2];
    end
  end

  logic error_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) error_q <= 1'b0;
    else if (clear_i) error_q <= 1'b0;
    else if (overflow != '0) error_q <= 1'b1;
    else if (start_i) error_q <= 1'b0;
  end
  assign error_o = error_q;

  `GSM_ASSERT(StartWhenIdle_A, !start_i || !busy_o, "start_i while a round is running")

endmodule
