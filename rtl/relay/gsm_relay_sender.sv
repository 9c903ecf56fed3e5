// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The next send of a node: by the parity rule of eye-directed broadcast, or by the node's list.
//
// The rule needs no table. Steps are numbered from 0, level by level from the highest, within a level
// by the dimensions that reach it. In the step of level j and dimension i every node that has the
// message sends it straight along i over a_j = (2^j - (-1)^j) / 3 links, towards + iff
// parity(x_i) xor side bit i xor parity(j) is 1. The source starts at step 0, any other node at the
// step after its message's. With constant levels_i the rule folds to a few gates per step.
module gsm_relay_sender #(
    // "rule": by the rule, dimensions in ascending order. "list": by the list or, without list_i, by
    // the rule in the order that the header names. "sums": by the list, and headers have no tag.
    parameter logic [8*4-1:0] Router = "rule",
    // Ports of the router, two for each dimension: 2..16, even.
    parameter int Ports = 4,
    // Data bits of a flit, more than the header's.
    parameter int Width = 32,
    // Stretches that a path can have, 1..16; by the rule alone, 1.
    parameter int Segments = 1,
    // Bits of a number of links, 1..16, and of a step number, 1..31.
    parameter int HopBits = 2,
    parameter int StepBits = 3,
    // By the rule alone: headers have side bits.
    parameter bit Torus = 1'b0,
    // Follow from the others.
    localparam int Dimensions = Ports / 2,
    localparam int PortBits = $clog2(Ports),
    localparam int SideBits = Router == "list" || Router == "rule" && Torus ? Dimensions : 0,
    localparam int TagBits = Router == "list" ? SideBits + 2 : SideBits,
    localparam int EntryBits = Segments * (PortBits + HopBits) + StepBits + TagBits
) (
    // Clock, rising edge.
    input  logic                    clk_i,
    // Asynchronous reset, active low.
    input  logic                    rst_ni,
    // Synchronous clear: the list begins at its first entry.
    input  logic                    clear_i,
    // Constants: log2 of the sides, 0..15, 4 bits each; coordinate parities; the list is used.
    input  logic [Dimensions*4-1:0] levels_i,
    input  logic [  Dimensions-1:0] parity_i,
    input  logic                    list_i,
    // Pulse at the source, and the side bits of its messages; ignored on a mesh.
    input  logic                    start_i,
    input  logic [  Dimensions-1:0] start_side_i,
    // The first flit of a message arrives: its header; the node may send it in this cycle.
    input  logic                    deliver_head_i,
    input  logic                    deliver_now_i,
    input  logic [       Width-1:0] deliver_data_i,
    // The list: entry number number_o.
    output logic [    StepBits-1:0] number_o,
    input  logic                    listed_i,
    input  logic [   EntryBits-1:0] listed_entry_i,
    // The switch takes the send.
    input  logic                    send_i,
    // The next send: its out-port, and above it its header.
    output logic                    valid_o,
    output logic [   EntryBits-1:0] entry_o
);

  if (Router == "rule") begin : gen_no_list
    assign number_o = '0;
    logic unused_list;
    assign unused_list = ^{rst_ni, clear_i, list_i, listed_i, listed_entry_i};
  end else begin : gen_list
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) number_o <= '0;
      else if (clear_i) number_o <= '0;
      else if (send_i) number_o <= number_o + 1'b1;
    end
  end

  if (Router == "sums") begin : gen_listed
    assign valid_o = listed_i;
    assign entry_o = listed_entry_i;
    logic unused_rule;
    assign unused_rule = ^{levels_i, parity_i, list_i, start_i, start_side_i, deliver_head_i,
                           deliver_now_i, deliver_data_i};
  end else begin : gen_rule
    // A step's {valid, level, position in the level, links less one}.
    function automatic logic [8+HopBits:0] find(input logic [Dimensions*4-1:0] sides,
                                                input logic [StepBits:0] wanted);
      int number;
      number = 0;
      find   = '0;
      for (int j = 15; j >= 1; j--) begin
        for (int i = 0; i < Dimensions; i++) begin
          if (32'(sides[i*4+:4]) >= j) begin
            if (32'(wanted) == number) find = {1'b1, 4'(j), 4'(i), HopBits'(((1 << j) + 1) / 3 - 1)};
            number = number + 1;
          end
        end
      end
    endfunction
    // The dimension at a position of an order. Order 0 is ascending; of two dimensions 1 is (y, x); of three
    // 1 is (x, z, y) and 2 is (y, z, x).
    function automatic logic [3:0] ordered(input logic [3:0] at, input logic [1:0] order);
      ordered = at;
      if (order == 2'd1) begin
        if (Dimensions == 2) ordered = at ^ 4'd1;
        else if (at != 4'd0) ordered = 4'd3 - at;
      end else if (order == 2'd2) begin
        ordered = at == 4'd2 ? 4'd0 : at + 4'd1;
      end
    endfunction
    // The bit of a dimension, 0 beyond the last dimension.
    function automatic logic bit_of(input logic [3:0] dimension, input logic [Dimensions-1:0] bits);
      bit_of = 1'b0;
      for (int i = 0; i < Dimensions; i++) begin
        if (dimension == 4'(i)) bit_of = bits[i];
      end
    endfunction

    // The step of the next send.
    logic [StepBits:0] after_arrived;
    logic [StepBits:0] step_q;
    logic [StepBits:0] step;
    assign after_arrived = {1'b0, deliver_data_i[HopBits+:StepBits]} + 1'b1;
    assign step = start_i ? '0 : deliver_now_i ? after_arrived : step_q;
    always_ff @(posedge clk_i) begin
      if (send_i) step_q <= step + 1'b1;
      else if (deliver_head_i) step_q <= after_arrived;
    end

    logic rule_valid;
    logic [3:0] level;
    logic [3:0] position;
    logic [HopBits-1:0] hops;
    assign {rule_valid, level, position, hops} = find(levels_i, step);

    logic [Dimensions-1:0] side;
    if (SideBits > 0) begin : gen_side
      logic [Dimensions-1:0] arrived_side;
      logic [Dimensions-1:0] side_q;
      assign arrived_side = deliver_data_i[HopBits+StepBits+:Dimensions];
      assign side = start_i ? start_side_i : deliver_now_i ? arrived_side : side_q;
      always_ff @(posedge clk_i) begin
        if (start_i || deliver_now_i) side_q <= side;
        else if (deliver_head_i) side_q <= arrived_side;
      end
    end else begin : gen_no_side
      assign side = '0;
      logic unused_side;
      assign unused_side = ^start_side_i;
    end

    // The order of the dimensions holds to the end of the level in which the message arrived.
    logic [1:0] order;
    if (Router == "list") begin : gen_order
      logic arrived_valid;
      logic [3:0] arrived_level;
      logic [3:0] arrived_position;
      logic [HopBits-1:0] arrived_hops;
      assign {arrived_valid, arrived_level, arrived_position, arrived_hops} =
          find(levels_i, {1'b0, deliver_data_i[HopBits+:StepBits]});
      logic [3:0] order_level_q;
      logic [3:0] order_level;
      logic [1:0] arrived_order;
      logic [1:0] order_q;
      assign arrived_order = deliver_data_i[HopBits+StepBits+Dimensions+:2];
      assign order_level = deliver_now_i ? arrived_level : order_level_q;
      assign order = level != order_level ? 2'd0 : deliver_now_i ? arrived_order : order_q;
      always_ff @(posedge clk_i) begin
        if (deliver_head_i) begin
          order_level_q <= arrived_level;
          order_q       <= arrived_order;
        end
      end
      logic unused_arrived;
      assign unused_arrived = ^{arrived_valid, arrived_position, arrived_hops};
    end else begin : gen_ascending
      assign order = 2'd0;
    end

    logic [3:0] dimension;
    logic upward;
    logic [3:0] port;
    assign dimension = ordered(position, order);
    assign upward = level[0] ^ bit_of(dimension, parity_i ^ side);
    assign port = {dimension[2:0], upward};
    logic [EntryBits-1:0] rule_entry;
    assign rule_entry = EntryBits'({order, side, step[StepBits-1:0], hops, port[PortBits-1:0]});
    if (Router == "list") begin : gen_choice
      assign valid_o = list_i ? listed_i : rule_valid;
      assign entry_o = list_i ? listed_entry_i : rule_entry;
    end else begin : gen_rule_alone
      assign valid_o = rule_valid;
      assign entry_o = rule_entry;
    end
    logic unused_rule;
    assign unused_rule = ^{level, dimension, port, step, side, order, deliver_data_i};
  end

  `GSM_PARAMETER(PortsLegal_A, Ports >= 2 && Ports <= 16 && Ports % 2 == 0,
                 "Ports must be even, 2..16")
  `GSM_PARAMETER(StepBitsLegal_A, StepBits >= 1 && StepBits <= 31, "StepBits must be 1..31")
  `GSM_PARAMETER(HopBitsLegal_A, HopBits >= 1 && HopBits <= 16, "HopBits must be 1..16")

endmodule

`default_nettype wire
