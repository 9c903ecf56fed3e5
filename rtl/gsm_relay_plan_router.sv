// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The router of one node of a broadcast, with what the plan tells it tied to constants: the parity rule,
// a list of sends, or the ports of a tree.
//
// Timing and ports are those of gsm_relay_router_table, without what is constant.
module gsm_relay_plan_router #(
    // "rule" for gsm_relay_router, "list" for gsm_relay_router_table with a list of sends, "tree" for
    // gsm_fan_out_router. Four letters each: yosys 0.23 knows no `string`.
    parameter logic [8*4-1:0] Router = "rule",
    // Ports of the router, two for each dimension: 2..16, even.
    parameter int Ports = 4,
    // Data bits of a flit, more than the header's.
    parameter int Width = 32,
    // Flits of a message, 1..65535; cycles between having it and sending it on.
    parameter int Flits = 1,
    parameter int RelayCycles = 0,
    // Bits of a number of flits and relay cycles, of a number of links, of a step.
    parameter int TimeBits = 8,
    parameter int HopBits = 2,
    parameter int StepBits = 3,
    // The node is the source.
    parameter bit Source = 1'b0,
    // The parity rule: log2 of the sides, 4 bits each; parities of the coordinates; side bits at the
    // source; whether headers have side bits.
    parameter logic [Ports/2*4-1:0] Levels = '0,
    parameter logic [Ports/2-1:0] Parity = '0,
    parameter logic [Ports/2-1:0] StartSide = '0,
    parameter bit Torus = 1'b0,
    // Lists: stretches of a path; whether this node has one (otherwise it obeys the rule); its sends,
    // each out-port, links less one, step, tag and further stretches.
    parameter int Segments = 2,
    parameter bit ByList = 1'b1,
    parameter int ListLength = 0,
    parameter int EntriesMax = 1,
    parameter int EntryBits = $clog2(Ports) + HopBits + StepBits + Ports / 2 + 2 +
                              (Segments - 1) * ($clog2(Ports) + HopBits),
    parameter logic [EntriesMax*EntryBits-1:0] List = '0,
    // Rule, lists: sends wait for their step.
    parameter bit StepSync = 1'b0,
    // Tree: the in-port that the message comes by, and its out-ports.
    parameter int FanIn = 0,
    parameter logic [Ports-1:0] FanOut = '0
) (
    // Clock, rising edge.
    input  logic                   clk_i,
    // Asynchronous reset, active low.
    input  logic                   rst_ni,
    // Synchronous clear: no message anywhere in the next cycle, error_o low.
    input  logic                   clear_i,
    // With StepSync: the sends of step step_i (from 0) enter their links in the next cycle.
    input  logic                   step_start_i,
    input  logic [   StepBits-1:0] step_i,
    // Pulse at the source: the message is in its memory; the first head crosses in the next cycle.
    input  logic                   start_i,
    // The node's memory: flit flit_o of the message.
    output logic [   TimeBits-1:0] flit_o,
    input  logic [      Width-1:0] own_data_i,
    // What arrives.
    input  logic [      Ports-1:0] in_valid_i,
    input  logic [      Ports-1:0] in_head_i,
    input  logic [Ports*Width-1:0] in_data_i,
    // The out registers: what crosses the links in this cycle.
    output logic [      Ports-1:0] out_valid_o,
    output logic [      Ports-1:0] out_head_o,
    output logic [Ports*Width-1:0] out_data_o,
    // What arrives for this node.
    output logic                   deliver_valid_o,
    output logic                   deliver_head_o,
    output logic [      Width-1:0] deliver_data_o,
    // Sticky: two messages met.
    output logic                   error_o
);

  localparam int PortBits = $clog2(Ports);
  localparam int TagBits = Ports / 2 + 2;
  localparam int MoreBits = (Segments - 1) * (PortBits + HopBits);

  if (Router == "rule") begin : gen_rule
    logic unused_busy;
    gsm_relay_router #(
        .Ports   (Ports),
        .Width   (Width),
        .HopBits (HopBits),
        .StepBits(StepBits),
        .Torus   (Torus),
        .TimeBits(TimeBits)
    ) u_router (
        .clk_i          (clk_i),
        .rst_ni         (rst_ni),
        .clear_i        (clear_i),
        .levels_i       (Levels),
        .parity_i       (Parity),
        .flits_i        (TimeBits'(Flits)),
        .relay_cycles_i (TimeBits'(RelayCycles)),
        .step_sync_i    (StepSync),
        .step_start_i   (step_start_i),
        .step_i         (step_i),
        .start_i        (start_i),
        .start_side_i   (StartSide),
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
  end else if (Router == "list") begin : gen_list
    // The node's list of sends.
    logic [StepBits-1:0] number;
    logic entry_valid;
    logic [EntryBits-1:0] entry;
    gsm_relay_list #(
        .EntryBits (EntryBits),
        .NumberBits(StepBits),
        .ListLength(ListLength),
        .EntriesMax(EntriesMax),
        .List      (List)
    ) u_list (
        .number_i(number),
        .valid_o (entry_valid),
        .entry_o (entry)
    );

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
        .levels_i       (Levels),
        .parity_i       (Parity),
        .flits_i        (TimeBits'(Flits)),
        .relay_cycles_i (TimeBits'(RelayCycles)),
        .list_i         (ByList),
        .step_sync_i    (StepSync),
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
  end else begin : gen_tree
    gsm_fan_out_router #(
        .Ports   (Ports),
        .Width   (Width),
        .TimeBits(TimeBits),
        .Source  (Source),
        .FanIn   (FanIn),
        .FanOut  (FanOut)
    ) u_router (
        .clk_i          (clk_i),
        .rst_ni         (rst_ni),
        .clear_i        (clear_i),
        .flits_i        (TimeBits'(Flits)),
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

  `GSM_PARAMETER(RouterLegal_A, Router == "rule" || Router == "list" || Router == "tree",
                 "Router must be rule, list or tree")

endmodule

`default_nettype wire
