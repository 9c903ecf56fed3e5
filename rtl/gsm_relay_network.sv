// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"

// A whole torus or mesh, hardwired for one broadcast plan: relay routers, message memories, links
// of HopCycles registers.
//
// The plan is the package gsm_plan_pkg, which `gossamer emit --format sv` writes next to this file;
// everything else is the same for all plans. start_i in cycle t puts the source's first head on its
// link in cycle t+1; the last node has its last flit in cycle t+Cycles, done_o is high in the cycle
// after. Self-timed routers need nothing in common; step-synchronous ones are told by a counter when
// a step starts. Outside a broadcast the routers are held clear, and the next one can start in the
// cycle of done_o.
module gsm_relay_network #(
    // Data bits of a flit, more than the header's.
    parameter int Width = gsm_plan_pkg::Width
) (
    // Clock, rising edge.
    input logic clk_i,
    // Asynchronous reset, active low.
    input logic rst_ni,
    // Synchronous clear: ends the broadcast, empties the network, lowers error_o.
    input logic clear_i,
    // Pulse of one cycle: begin a broadcast. Only while busy_o is low.
    input logic start_i,
    // The source's message, flit i in bits i*Width +: Width; stable until done_o. The low HeaderBits
    // of flit 0 are replaced by the header.
    input logic [gsm_plan_pkg::Flits*Width-1:0] message_i,
    // What arrives at node n: bit n and bits n*Width +: Width; deliver_head_o with a message's first
    // flit. The source gets nothing.
    output logic [gsm_plan_pkg::Nodes-1:0] deliver_valid_o,
    output logic [gsm_plan_pkg::Nodes-1:0] deliver_head_o,
    output logic [gsm_plan_pkg::Nodes*Width-1:0] deliver_data_o,
    // This is one of the Cycles cycles of a broadcast.
    output logic busy_o,
    // The cycle after them.
    output logic done_o,
    // Two messages met since the last clear, reset or start.
    output logic error_o
);

  localparam int Nodes = gsm_plan_pkg::Nodes;
  localparam int Ports = gsm_plan_pkg::Ports;
  localparam int NodesPerRow = gsm_plan_pkg::NodesPerRow;
  localparam int Cycles = gsm_plan_pkg::Cycles;
  localparam int Steps = gsm_plan_pkg::Steps;
  localparam int StepBits = gsm_plan_pkg::StepBits;
  localparam int TimeBits = gsm_plan_pkg::TimeBits;
  localparam int FlitWidth = Width + 1;
  localparam int CycleWidth = $clog2(Cycles + 1);

  // Cycles since start_i.
  logic [CycleWidth-1:0] cycle;
  logic last;
  logic clear;
  assign clear = clear_i || last || !(start_i || busy_o);
  gsm_round #(
      .StepWidth(CycleWidth)
  ) u_round (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .start_i(start_i),
      .steps_i(CycleWidth'(Cycles)),
      .step_o (cycle),
      .busy_o (busy_o),
      .last_o (last),
      .done_o (done_o)
  );

  // The step whose sends start at the coming edge.
  logic step_start;
  logic [StepBits-1:0] step;
  if (gsm_plan_pkg::StepSync != 0) begin : gen_step_sync
    logic [Steps-1:0] starts;
    for (genvar s = 0; s < Steps; s++) begin : gen_step
      localparam int Start = gsm_plan_pkg::step_start(s);
      assign starts[s] = Start >= 0 && (start_i || busy_o) && cycle == CycleWidth'(Start);
    end
    assign step_start = starts != '0;
    always_comb begin
      step = '0;
      for (int s = 0; s < Steps; s++) begin
        if (starts[s]) step = step | StepBits'(s);
      end
    end
  end else begin : gen_self_timed
    assign step_start = 1'b0;
    assign step = '0;
  end

  // n*Ports + p: out-port p of node n. An array, since simulators look at a vector as a whole.
  logic link_valid[Nodes*Ports];
  logic link_head[Nodes*Ports];
  logic [Width-1:0] link_data[Nodes*Ports];
  logic [Nodes-1:0] error;

  // Two loops, since tools limit the length of one.
  for (genvar row = 0; row < Nodes / NodesPerRow; row++) begin : gen_row
    for (genvar column = 0; column < NodesPerRow; column++) begin : gen_node
      localparam int Node = row * NodesPerRow + column;
      localparam int Class = gsm_plan_pkg::node_class(Node);
      localparam int IsSource = Node == gsm_plan_pkg::Source ? 1 : 0;

      logic [Ports-1:0] in_valid;
      logic [Ports-1:0] in_head;
      logic [Ports*Width-1:0] in_data;
      logic [Ports-1:0] out_valid;
      logic [Ports-1:0] out_head;
      logic [Ports*Width-1:0] out_data;
      logic [TimeBits-1:0] flit;
      logic [Width-1:0] own_data;
      logic deliver_valid;
      logic deliver_head;
      logic [Width-1:0] deliver_data;
      logic start;
      assign start = IsSource != 0 && start_i;

      for (genvar p = 0; p < Ports; p++) begin : gen_out_port
        assign link_valid[Node*Ports+p] = out_valid[p];
        assign link_head[Node*Ports+p]  = out_head[p];
        assign link_data[Node*Ports+p]  = out_data[p*Width+:Width];
      end

      for (genvar q = 0; q < Ports; q++) begin : gen_in_port
        localparam int From = gsm_plan_pkg::neighbor(Node, q);
        if (From < 0) begin : gen_border
          assign in_valid[q] = 1'b0;
          assign in_head[q] = 1'b0;
          assign in_data[q*Width+:Width] = '0;
        end else begin : gen_link
          localparam int Link = From * Ports + (q % 2 == 0 ? q + 1 : q - 1);
          // The out register is the wire's first one.
          logic [gsm_plan_pkg::HopCycles-1:0] valid;
          logic [gsm_plan_pkg::HopCycles*FlitWidth-1:0] flits;
          assign valid[0] = link_valid[Link];
          assign flits[FlitWidth-1:0] = {link_head[Link], link_data[Link]};
          for (genvar i = 1; i < gsm_plan_pkg::HopCycles; i++) begin : gen_wire
            gsm_link #(
                .Width(FlitWidth)
            ) u_wire (
                .clk_i  (clk_i),
                .rst_ni (rst_ni),
                .clear_i(clear),
                .valid_i(valid[i-1]),
                .data_i (flits[(i-1)*FlitWidth+:FlitWidth]),
                .valid_o(valid[i]),
                .data_o (flits[i*FlitWidth+:FlitWidth])
            );
          end
          assign in_valid[q] = valid[gsm_plan_pkg::HopCycles-1];
          assign {in_head[q], in_data[q*Width+:Width]} =
              flits[(gsm_plan_pkg::HopCycles-1)*FlitWidth+:FlitWidth];
        end
      end

      gsm_message_memory #(
          .Width   (Width),
          .Flits   (gsm_plan_pkg::Flits),
          .TimeBits(TimeBits),
          .Source  (IsSource),
          .Relays  (gsm_plan_pkg::relays(Class))
      ) u_memory (
          .clk_i          (clk_i),
          .message_i      (message_i),
          .deliver_valid_i(deliver_valid),
          .deliver_head_i (deliver_head),
          .deliver_data_i (deliver_data),
          .flit_i         (flit),
          .data_o         (own_data)
      );

      gsm_relay_plan_router #(
          .Width(Width),
          .Node (Node)
      ) u_router (
          .clk_i          (clk_i),
          .rst_ni         (rst_ni),
          .clear_i        (clear),
          .step_start_i   (step_start),
          .step_i         (step),
          .start_i        (start),
          .flit_o         (flit),
          .own_data_i     (own_data),
          .in_valid_i     (in_valid),
          .in_head_i      (in_head),
          .in_data_i      (in_data),
          .out_valid_o    (out_valid),
          .out_head_o     (out_head),
          .out_data_o     (out_data),
          .deliver_valid_o(deliver_valid),
          .deliver_head_o (deliver_head),
          .deliver_data_o (deliver_data),
          .error_o        (error[Node])
      );

      assign deliver_valid_o[Node] = deliver_valid;
      assign deliver_head_o[Node] = deliver_head;
      assign deliver_data_o[Node*Width+:Width] = deliver_data;
    end
  end

  // The routers forget with their clear; the network keeps the error until the next broadcast.
  logic error_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) error_q <= 1'b0;
    else if (clear_i || start_i) error_q <= 1'b0;
    else if (error != '0) error_q <= 1'b1;
  end
  assign error_o = error_q || (error != '0);

  `GSM_ASSERT(StartWhenIdle_A, !start_i || !busy_o, "start_i while a broadcast is running")

endmodule
