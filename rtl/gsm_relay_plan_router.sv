// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"

// The router of one node of gsm_relay_network, with what the plan tells it tied to constants: the
// parity rule, a list of sends, or the ports of a tree.
module gsm_relay_plan_router #(
    // Data bits of a flit, more than the header's.
    parameter int Width = gsm_plan_pkg::Width,
    // The node, below Nodes.
    parameter int Node = 0
) (
    // Clock, rising edge.
    input logic clk_i,
    // Asynchronous reset, active low.
    input logic rst_ni,
    // Synchronous clear: no message anywhere in the next cycle, error_o low.
    input logic clear_i,
    // With StepSync: the sends of step step_i (from 0) enter their links in the next cycle.
    input logic step_start_i,
    input logic [gsm_plan_pkg::StepBits-1:0] step_i,
    // Pulse at the source: the message is in its memory; the first head crosses in the next cycle.
    input logic start_i,
    // The node's memory: flit flit_o of the message.
    output logic [gsm_plan_pkg::TimeBits-1:0] flit_o,
    input logic [Width-1:0] own_data_i,
    // What arrives.
    input logic [gsm_plan_pkg::Ports-1:0] in_valid_i,
    input logic [gsm_plan_pkg::Ports-1:0] in_head_i,
    input logic [gsm_plan_pkg::Ports*Width-1:0] in_data_i,
    // The out registers: what crosses the links in this cycle.
    output logic [gsm_plan_pkg::Ports-1:0] out_valid_o,
    output logic [gsm_plan_pkg::Ports-1:0] out_head_o,
    output logic [gsm_plan_pkg::Ports*Width-1:0] out_data_o,
    // What arrives for this node.
    output logic deliver_valid_o,
    output logic deliver_head_o,
    output logic [Width-1:0] deliver_data_o,
    // Sticky: two messages met.
    output logic error_o
);

  localparam int Ports = gsm_plan_pkg::Ports;
  localparam int HopBits = gsm_plan_pkg::HopBits;
  localparam int StepBits = gsm_plan_pkg::StepBits;
  localparam int TimeBits = gsm_plan_pkg::TimeBits;
  localparam int Class = gsm_plan_pkg::node_class(Node);
  localparam int IsSource = Node == gsm_plan_pkg::Source ? 1 : 0;

  if (gsm_plan_pkg::Router == 0) begin : gen_rule
    logic unused_busy;
    gsm_relay_router #(
        .Ports   (Ports),
        .Width   (Width),
        .HopBits (HopBits),
        .StepBits(StepBits),
        .Torus   (gsm_plan_pkg::SideBits),
        .TimeBits(TimeBits)
    ) u_router (
        .clk_i          (clk_i),
        .rst_ni         (rst_ni),
        .clear_i        (clear_i),
        .levels_i       (gsm_plan_pkg::Levels),
        .parity_i       (gsm_plan_pkg::parity(Node)),
        .flits_i        (TimeBits'(gsm_plan_pkg::Flits)),
        .relay_cycles_i (TimeBits'(gsm_plan_pkg::RelayCycles)),
        .start_i        (start_i),
        .start_side_i   (gsm_plan_pkg::StartSide),
        .flit_o         (flit_o),
        .own_data_i     (own_data_i),
        .in_valid_i     (in_valid_i),
        .in_head_i      (in_head_i),
        .in_data_i      (in_data_i),
        .out_valid_o    (out_valid_o),
        .out_head_o     (out_head_o),
        .out_data_o     (out_data_o),
        .deliver_valid_o(deliver_valid_o),
        .deliver_head_o (deliver_head_o),
        .deliver_data_o (deliver_data_o),
        .busy_o         (unused_busy),
        .error_o        (error_o)
    );
  end else if (gsm_plan_pkg::Router == 1) begin : gen_table
    // The node's list of sends.
    localparam int Segments = gsm_plan_pkg::Segments;
    localparam int PortBits = $clog2(Ports);
    localparam int TagBits = Ports / 2 + 2;
    localparam int MoreBits = (Segments - 1) * (PortBits + HopBits);
    localparam int EntryBits = gsm_plan_pkg::EntryBits;
    localparam logic [gsm_plan_pkg::EntriesMax*EntryBits-1:0] List = gsm_plan_pkg::list(Class);
    logic [StepBits-1:0] number;
    logic entry_valid;
    logic [EntryBits-1:0] entry;
    assign entry_valid = 32'(number) < gsm_plan_pkg::list_length(Class);
    always_comb begin
      entry = '0;
      for (int i = 0; i < gsm_plan_pkg::EntriesMax; i++) begin
        if (32'(number) == i) entry = List[i*EntryBits+:EntryBits];
      end
    end

    logic unused_busy;
    gsm_relay_router_table #(
        .Ports   (Ports),
        .Width   (Width),
        .Segments(Segments),
        .HopBits (HopBits),
        .StepBits(StepBits),
        .TimeBits(TimeBits)
    ) u_router (
        .clk_i          (clk_i),
        .rst_ni         (rst_ni),
        .clear_i        (clear_i),
        .levels_i       (gsm_plan_pkg::Levels),
        .parity_i       (gsm_plan_pkg::parity(Node)),
        .flits_i        (TimeBits'(gsm_plan_pkg::Flits)),
        .relay_cycles_i (TimeBits'(gsm_plan_pkg::RelayCycles)),
        .list_i         (gsm_plan_pkg::Rule == 0 || IsSource != 0),
        .step_sync_i    (gsm_plan_pkg::StepSync != 0),
        .step_start_i   (step_start_i),
        .step_i         (step_i),
        .start_i        (start_i),
        .entry_o        (number),
        .entry_valid_i  (entry_valid),
        .entry_port_i   (entry[PortBits-1:0]),
        .entry_hops_i   (entry[PortBits+:HopBits]),
        .entry_step_i   (entry[PortBits+HopBits+:StepBits]),
        .entry_tag_i    (entry[PortBits+HopBits+StepBits+:TagBits]),
        .entry_more_i   (entry[PortBits+HopBits+StepBits+TagBits+:MoreBits]),
        .flit_o         (flit_o),
        .own_data_i     (own_data_i),
        .in_valid_i     (in_valid_i),
        .in_head_i      (in_head_i),
        .in_data_i      (in_data_i),
        .out_valid_o    (out_valid_o),
        .out_head_o     (out_head_o),
        .out_data_o     (out_data_o),
        .deliver_valid_o(deliver_valid_o),
        .deliver_head_o (deliver_head_o),
        .deliver_data_o (deliver_data_o),
        .busy_o         (unused_busy),
        .error_o        (error_o)
    );
  end else begin : gen_fan_out
    gsm_fan_out_router #(
        .Ports   (Ports),
        .Width   (Width),
        .TimeBits(TimeBits),
        .Source  (IsSource),
        .FanIn   (gsm_plan_pkg::fan_in(Class)),
        .FanOut  (gsm_plan_pkg::fan_out(Class))
    ) u_router (
        .clk_i          (clk_i),
        .rst_ni         (rst_ni),
        .clear_i        (clear_i),
        .flits_i        (TimeBits'(gsm_plan_pkg::Flits)),
        .start_i        (start_i),
        .flit_o         (flit_o),
        .own_data_i     (own_data_i),
        .in_valid_i     (in_valid_i),
        .in_head_i      (in_head_i),
        .in_data_i      (in_data_i),
        .out_valid_o    (out_valid_o),
        .out_head_o     (out_head_o),
        .out_data_o     (out_data_o),
        .deliver_valid_o(deliver_valid_o),
        .deliver_head_o (deliver_head_o),
        .deliver_data_o (deliver_data_o)
    );
    assign error_o = 1'b0;
  end

  // Only routers that wait for their step listen to it.
  logic unused_step;
  assign unused_step = ^{step_start_i, step_i};

  `GSM_PARAMETER(NodeLegal_A, Node >= 0 && Node < gsm_plan_pkg::Nodes, "Node must be below Nodes")

endmodule
