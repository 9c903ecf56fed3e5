// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The router of one node of a broadcast or of a reduction by relays: a cut-through switch
// (gsm_relay_switch), the node's next send (gsm_relay_sender) and in "sums" an adder.
//
// A node that has the message sends it in the order of its list or of the rule: self-timed, without a
// common counter, or with step_sync_i each send in its step. In "sums" the highest SumWidth bits of a flit
// are a word. A message of the first adding_steps_i steps is combined with the node's words, a later one
// replaces them. The words are in a memory outside (gsm_relay_memory) with three addresses: flit_o, the flit
// to send, store_o, the flit that may arrive in this cycle, and write_o, the flit to store. The sum of a flit
// is stored adder_cycles_i after its arrival; steps have to leave that time between two messages for a node.
//
// In "tree" the router is a stream router. It copies every flit of one in-port to a set of out-ports; the
// source's message leaves by its out-ports. A hop takes a cycle.
//
// Constants fold away in synthesis. Each configuration ignores the inputs that it does not need.
module gsm_relay_router #(
    // "rule", "list" or "sums" as in gsm_relay_sender, or "tree". Four letters each: yosys 0.23 does not
    // support `string`.
    parameter logic [8*4-1:0] Router = "rule",
    // Ports of the router, two for each dimension: 2..16, even.
    parameter int Ports = 4,
    // Data bits of a flit, more than the header's.
    parameter int Width = 32,
    // Sums: bits of a word; the operation, and how sums are added: gsm_combine.
    parameter int SumWidth = 1,
    parameter int Operation = 0,
    parameter bit Ripple = 1'b1,
    // Sums: registers inside the adder (gsm_adder), and its most cycles, 0..15.
    parameter int Stages = 0,
    parameter int MostAdderCycles = 0,
    // Stretches that a path can have, 1..16; by the rule, 1.
    parameter int Segments = 1,
    // Bits of a number of links, 1..16, and of a step number, 1..31.
    parameter int HopBits = 2,
    parameter int StepBits = 3,
    // Rule: headers have side bits.
    parameter bit Torus = 1'b0,
    // Bits of a time, 1..32: flits_i + relay_cycles_i fits.
    parameter int TimeBits = 8,
    // Tree: the node is the source, which receives nothing; the in-port of the message; bit p: the message
    // leaves by out-port p.
    parameter bit Source = 1'b0,
    parameter int FanIn = 0,
    parameter logic [Ports-1:0] FanOut = '0,
    // Follow from the others.
    localparam int TagBits = Router == "list" ? Ports / 2 + 2 : Router == "rule" && Torus ? Ports / 2 : 0,
    localparam int EntryBits = Segments * ($clog2(Ports) + HopBits) + StepBits + TagBits
) (
    // Clock, rising edge.
    input  logic                   clk_i,
    // Asynchronous reset, active low.
    input  logic                   rst_ni,
    // Synchronous clear: no message anywhere in the next cycle, error_o low.
    input  logic                   clear_i,
    // Constants of the rule: log2 of the sides, 4 bits each; coordinate parities.
    input  logic [  Ports/2*4-1:0] levels_i,
    input  logic [    Ports/2-1:0] parity_i,
    // Constants: message length, 1 or more, and delay.
    input  logic [   TimeBits-1:0] flits_i,
    input  logic [   TimeBits-1:0] relay_cycles_i,
    // Constants: the node sends by its list; it may send and receive at once; steps that combine.
    input  logic                   list_i,
    input  logic                   duplex_i,
    input  logic [   StepBits-1:0] adding_steps_i,
    // Sums: cycles of the adder, Stages..MostAdderCycles; constant while not clear.
    input  logic [            3:0] adder_cycles_i,
    // Sends wait for their step; constant.
    input  logic                   step_sync_i,
    // Then: the sends of step step_i (from 0) enter their links in the next cycle.
    input  logic                   step_start_i,
    input  logic [   StepBits-1:0] step_i,
    // Pulse at the source, in "sums" at every node: the message is in the node's memory, and its first
    // head may cross in the next cycle.
    input  logic                   start_i,
    // Rule: the side bits of the source's messages; ignored on a mesh.
    input  logic [    Ports/2-1:0] start_side_i,
    // The list: entry number entry_o, from bit 0 on its out-port, links of the first stretch less one,
    // step, tag and further stretches (gsm_relay_switch).
    output logic [   StepBits-1:0] entry_o,
    input  logic                   entry_valid_i,
    input  logic [  EntryBits-1:0] entry_i,
    // The node's memory: flit flit_o of the message.
    output logic [   TimeBits-1:0] flit_o,
    // That flit is sent in this cycle.
    output logic                   flit_valid_o,
    input  logic [      Width-1:0] own_data_i,
    // The number of the flit that may arrive in this cycle; in "sums", the memory's word of it.
    output logic [   TimeBits-1:0] store_o,
    input  logic [   SumWidth-1:0] stored_i,
    // The number of the flit that may be delivered in this cycle; another one only with adder cycles.
    output logic [   TimeBits-1:0] write_o,
    // Arrivals.
    input  logic [      Ports-1:0] in_valid_i,
    input  logic [      Ports-1:0] in_head_i,
    input  logic [Ports*Width-1:0] in_data_i,
    // The out registers, which drive the links.
    output logic [      Ports-1:0] out_valid_o,
    output logic [      Ports-1:0] out_head_o,
    output logic [Ports*Width-1:0] out_data_o,
    // A flit for this node; in "sums" with the word that the memory has to store.
    output logic                   deliver_valid_o,
    output logic                   deliver_head_o,
    output logic [      Width-1:0] deliver_data_o,
    // The node will act without an arrival: without one and not busy, a clock edge does nothing.
    output logic                   busy_o,
    // Sticky: two messages met.
    output logic                   error_o
);

  // A message that is delivered is complete.
  logic arrives;
  logic [TimeBits-1:0] next;
  assign next = store_o + 1'b1;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) store_o <= '0;
    else if (clear_i) store_o <= '0;
    else if (arrives) store_o <= next == flits_i ? '0 : next;
  end
  if (MostAdderCycles == 0) begin : gen_write_arrival
    assign write_o = store_o;
  end else begin : gen_write
    logic [TimeBits-1:0] next_write;
    assign next_write = write_o + 1'b1;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) write_o <= '0;
      else if (clear_i) write_o <= '0;
      else if (deliver_valid_o) write_o <= next_write == flits_i ? '0 : next_write;
    end
  end

  // Each configuration reads only some of these.
  logic unused_inputs;
  assign unused_inputs = ^{levels_i, parity_i, relay_cycles_i, list_i, duplex_i, adding_steps_i,
                           adder_cycles_i, step_sync_i, step_start_i, step_i, start_i, start_side_i, entry_valid_i,
                           entry_i, own_data_i, stored_i};

  // Tree: the table of the stream router.
  function automatic logic [Ports*Ports-1:0] fan_out_feed();
    fan_out_feed = '0;
    for (int p = 0; p < Ports; p++) begin
      if (!Source && FanOut[p]) fan_out_feed[p*Ports+FanIn] = 1'b1;
    end
  endfunction

  if (Router == "tree") begin : gen_tree
    localparam int FlitWidth = Width + 1;

    logic own_valid;
    assign flit_valid_o = own_valid;
    assign entry_o = '0;
    assign deliver_valid_o = !Source && in_valid_i[FanIn];
    assign arrives = deliver_valid_o;
    assign deliver_head_o = deliver_valid_o && in_head_i[FanIn];
    assign deliver_data_o = in_data_i[FanIn*Width+:Width];
    if (Source) begin : gen_source
      // Flits sent so far; 0: none or all.
      logic [TimeBits-1:0] sent_q;
      assign own_valid = start_i || sent_q != '0;
      assign flit_o = start_i ? '0 : sent_q;
      assign busy_o = sent_q != '0;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) sent_q <= '0;
        else if (clear_i) sent_q <= '0;
        else if (own_valid) sent_q <= flit_o == flits_i - 1'b1 ? '0 : flit_o + 1'b1;
      end
    end else begin : gen_receiver
      assign own_valid = 1'b0;
      assign flit_o = '0;
      assign busy_o = 1'b0;
    end

    logic [Ports*FlitWidth-1:0] in_flit;
    logic [Ports*FlitWidth-1:0] out_flit;
    for (genvar p = 0; p < Ports; p++) begin : gen_port
      assign in_flit[p*FlitWidth+:FlitWidth] = {in_head_i[p], in_data_i[p*Width+:Width]};
      assign {out_head_o[p], out_data_o[p*Width+:Width]} = out_flit[p*FlitWidth+:FlitWidth];
    end
    gsm_router #(
        .Ports     (Ports),
        .Width     (FlitWidth),
        .Feed      (fan_out_feed()),
        .InjectMask(Source ? FanOut : '0)
    ) u_router (
        .clk_i         (clk_i),
        .rst_ni        (rst_ni),
        .clear_i       (clear_i),
        .inject_valid_i(own_valid ? FanOut : '0),
        .inject_data_i ({Ports{start_i, own_data_i}}),
        .in_valid_i    (in_valid_i),
        .in_data_i     (in_flit),
        .out_valid_o   (out_valid_o),
        .out_data_o    (out_flit),
        .error_o       (error_o)
    );
  end else begin : gen_cut_through
    // The delivered flit as it arrives; the own flit.
    logic arrived_head;
    logic [Width-1:0] arrived;
    logic [Width-1:0] own_data;
    // Sums are in the adder.
    logic adding;
    logic switch_busy;
    assign busy_o = switch_busy || adding;
    if (Router == "sums") begin : gen_sum
      localparam int Below = Width - SumWidth;
      logic adds;
      logic adds_q;
      assign adds = arrived_head ? arrived[HopBits+:StepBits] < adding_steps_i : adds_q;
      always_ff @(posedge clk_i) begin
        if (arrived_head) adds_q <= adds;
      end
      logic [SumWidth-1:0] sum;
      logic past_memory;
      if (MostAdderCycles == 0) begin : gen_at_once
        logic unused_valid;
        gsm_combine #(
            .Width    (SumWidth),
            .Operation(Operation),
            .Ripple   (Ripple)
        ) u_combine (
            .a_valid_i(1'b1),
            .a_data_i (arrived[Below+:SumWidth]),
            .b_valid_i(adds),
            .b_data_i (stored_i),
            .valid_o  (unused_valid),
            .data_o   (sum)
        );
        assign deliver_valid_o = arrives;
        assign deliver_head_o = arrived_head;
        assign deliver_data_o = {sum, arrived[Below-1:0]};
        assign adding = 1'b0;
        // A step may begin at the edge at which a message of one flit arrives: its word bypasses the memory.
        assign past_memory = arrives && flits_i == TimeBits'(1) && relay_cycles_i == '0;
      end else begin : gen_late
        logic sum_valid;
        logic [SumWidth-1:0] late;
        gsm_adder #(
            .Width    (SumWidth),
            .Operation(Operation),
            .Ripple   (Ripple),
            .Stages   (Stages),
            .Most     (MostAdderCycles)
        ) u_adder (
            .clk_i    (clk_i),
            .rst_ni   (rst_ni),
            .clear_i  (clear_i),
            .cycles_i (adder_cycles_i),
            .a_valid_i(arrives && adds),
            .a_data_i (arrived[Below+:SumWidth]),
            .b_valid_i(arrives && adds),
            .b_data_i (stored_i),
            .valid_o  (sum_valid),
            .data_o   (late)
        );
        logic late_head;
        logic [Below-1:0] late_header;
        gsm_delay #(
            .Flags(1),
            .Width(Below),
            .Most (MostAdderCycles)
        ) u_header (
            .clk_i   (clk_i),
            .rst_ni  (rst_ni),
            .clear_i (clear_i),
            .cycles_i(17'(adder_cycles_i)),
            .flags_i (arrived_head && adds),
            .data_i  (arrived[Below-1:0]),
            .flags_o (late_head),
            .data_o  (late_header)
        );
        logic copies;
        assign copies = arrives && !adds;
        assign sum = sum_valid ? late : arrived[Below+:SumWidth];
        assign deliver_valid_o = sum_valid || copies;
        assign deliver_head_o = sum_valid ? late_head : copies && arrived_head;
        assign deliver_data_o = {sum, sum_valid ? late_header : arrived[Below-1:0]};
        // A step may begin at the edge at which the memory stores the first sum: sums bypass it.
        assign past_memory = deliver_valid_o && write_o == flit_o &&
                             33'(flits_i) + 33'(relay_cycles_i) <= 33'(adder_cycles_i) + 33'd1;

        logic [3:0] left_q;
        assign adding = left_q != '0;
        always_ff @(posedge clk_i or negedge rst_ni) begin
          if (!rst_ni) left_q <= '0;
          else if (clear_i) left_q <= '0;
          else if (arrives && adds) left_q <= adder_cycles_i;
          else if (adding) left_q <= left_q - 1'b1;
        end

        `GSM_ASSERT(OneStore_A, clear_i || !(sum_valid && copies), "two words for the memory at once")
      end
      assign own_data = {past_memory ? sum : own_data_i[Below+:SumWidth], own_data_i[Below-1:0]};
    end else begin : gen_copy
      assign deliver_valid_o = arrives;
      assign deliver_head_o = arrived_head;
      assign deliver_data_o = arrived;
      assign own_data = own_data_i;
      assign adding = 1'b0;
    end

    logic valid;
    logic [EntryBits-1:0] entry;
    logic send;
    logic deliver_now;
    gsm_relay_sender #(
        .Router  (Router),
        .Ports   (Ports),
        .Width   (Width),
        .Segments(Segments),
        .HopBits (HopBits),
        .StepBits(StepBits),
        .Torus   (Torus)
    ) u_sender (
        .clk_i         (clk_i),
        .rst_ni        (rst_ni),
        .clear_i       (clear_i),
        .levels_i      (levels_i),
        .parity_i      (parity_i),
        .list_i        (list_i),
        .start_i       (start_i),
        .start_side_i  (start_side_i),
        .deliver_head_i(arrived_head),
        .deliver_now_i (deliver_now),
        .deliver_data_i(arrived),
        .number_o      (entry_o),
        .listed_i      (entry_valid_i),
        .listed_entry_i(entry_i),
        .send_i        (send),
        .valid_o       (valid),
        .entry_o       (entry)
    );

    logic [Ports-1:0] unused_deliver;
    gsm_relay_switch #(
        .Ports   (Ports),
        .Width   (Width),
        .Segments(Segments),
        .HopBits (HopBits),
        .StepBits(StepBits),
        .TagBits (TagBits),
        .TimeBits(TimeBits)
    ) u_switch (
        .clk_i          (clk_i),
        .rst_ni         (rst_ni),
        .clear_i        (clear_i),
        .stream_i       (1'b0),
        .feed_i         ({Ports * Ports{1'b0}}),
        .inject_valid_i ({Ports{1'b0}}),
        .flits_i        (flits_i),
        .relay_cycles_i (relay_cycles_i),
        .duplex_i       (duplex_i),
        .start_i        (start_i),
        .step_sync_i    (step_sync_i),
        .step_start_i   (step_start_i),
        .step_i         (step_i),
        .entry_valid_i  (valid),
        .entry_i        (entry),
        .send_o         (send),
        .flit_o         (flit_o),
        .flit_valid_o   (flit_valid_o),
        .own_data_i     (own_data),
        .in_valid_i     (in_valid_i),
        .in_head_i      (in_head_i),
        .in_data_i      (in_data_i),
        .out_valid_o    (out_valid_o),
        .out_head_o     (out_head_o),
        .out_data_o     (out_data_o),
        .deliver_o      (unused_deliver),
        .deliver_valid_o(arrives),
        .deliver_head_o (arrived_head),
        .deliver_data_o (arrived),
        .deliver_now_o  (deliver_now),
        .busy_o         (switch_busy),
        .error_o        (error_o)
    );
  end

  `GSM_PARAMETER(RouterLegal_A, Router == "rule" || Router == "list" || Router == "sums" || Router == "tree",
                 "Router must be rule, list, sums or tree")
  `GSM_PARAMETER(SumLegal_A, SumWidth >= 1 && (Router != "sums" || SumWidth + EntryBits - $clog2(Ports) <= Width),
                 "header and word do not fit a flit")
  `GSM_PARAMETER(AdderLegal_A, MostAdderCycles == 0 ? Stages == 0 : Router == "sums" && MostAdderCycles <= 15,
                 "adder cycles must be 0..15, and 0 unless words are added")
  `GSM_PARAMETER(FanInLegal_A, FanIn >= 0 && FanIn < Ports, "FanIn must be below Ports")

endmodule

`default_nettype wire
