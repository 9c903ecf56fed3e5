// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"

// A node's part in the prefix of a line (Varvarigos & Bertsekas, section 3.1): how many packets the
// nodes before it have, and how many there are in all.
//
// Tree prefix: counts run up the line from its first node to its last, which sends (packets before
// the line, packets in all) back down; 2(p-1) steps. The last node's line_* ports join it to the
// line of the next dimension: line_count_o goes up as an own count there, and what that line finds
// comes back on line_before_i and line_total_i. On the last dimension line_valid_i is tied to
// line_valid_o, line_before_i to 0 and line_total_i to line_count_o.
// Two-way prefix: counts run from both ends at once; p-1 steps; line_* are not used.
//
// start_i in cycle t makes cycle t+1 step 1; a message takes one cycle.
module gsm_prefix_unit #(
    // Bits of a count, 1..32; large enough for the number of all packets.
    parameter int Width = 16,
    // 1: the first, the last node of the line.
    parameter int First = 0,
    parameter int Last = 0,
    // 1: two-way prefix.
    parameter int TwoWay = 0
) (
    // Clock, rising edge.
    input  logic             clk_i,
    // Asynchronous reset, active low.
    input  logic             rst_ni,
    // Synchronous clear: as if it had never started.
    input  logic             clear_i,
    // Pulse: begin, with own_i packets at this node.
    input  logic             start_i,
    input  logic [Width-1:0] own_i,
    // Counts from the node before, and to the node behind.
    input  logic             up_valid_i,
    input  logic [Width-1:0] up_count_i,
    output logic             up_valid_o,
    output logic [Width-1:0] up_count_o,
    // From the node behind, and to the node before: tree: packets before the line and in all;
    // two-way: packets of the nodes behind, the second field unused.
    input  logic             down_valid_i,
    input  logic [Width-1:0] down_count_i,
    input  logic [Width-1:0] down_total_i,
    output logic             down_valid_o,
    output logic [Width-1:0] down_count_o,
    output logic [Width-1:0] down_total_o,
    // The last node of a tree's line.
    output logic             line_valid_o,
    output logic [Width-1:0] line_count_o,
    input  logic             line_valid_i,
    input  logic [Width-1:0] line_before_i,
    input  logic [Width-1:0] line_total_i,
    // The result: packets before this node's, and in all; from done_o on.
    output logic             done_o,
    output logic [Width-1:0] before_o,
    output logic [Width-1:0] total_o
);

  // What is known: the own count, from the node before (0 at the first), from behind.
  logic [Width-1:0] own_q;
  logic [Width-1:0] left_q;
  logic left_known_q;
  logic right_known_q;
  logic [Width-1:0] left;
  assign left = First != 0 ? '0 : up_count_i;

  // The edge that brings what the node was waiting for.
  logic left_comes;
  assign left_comes   = First != 0 ? start_i : up_valid_i;
  assign line_valid_o = Last != 0 && TwoWay == 0 && left_comes;
  assign line_count_o = left + (First != 0 ? own_i : own_q);

  logic right_comes;
  logic [Width-1:0] right_count;
  logic [Width-1:0] right_total;
  if (Last == 0) begin : gen_from_behind
    assign right_comes = down_valid_i;
    assign right_count = down_count_i;
    assign right_total = down_total_i;
  end else if (TwoWay == 0) begin : gen_from_next_line
    assign right_comes = line_valid_i;
    assign right_count = line_before_i;
    assign right_total = line_total_i;
  end else begin : gen_end
    assign right_comes = start_i;
    assign right_count = '0;
    assign right_total = '0;
  end

  // Packets from the nodes before this one: a tree's last node may learn them in this very cycle.
  logic [Width-1:0] left_now;
  logic [Width-1:0] own_now;
  assign left_now = left_comes ? left : left_q;
  assign own_now  = start_i ? own_i : own_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      up_valid_o    <= 1'b0;
      down_valid_o  <= 1'b0;
      left_known_q  <= 1'b0;
      right_known_q <= 1'b0;
    end else if (clear_i) begin
      up_valid_o    <= 1'b0;
      down_valid_o  <= 1'b0;
      left_known_q  <= 1'b0;
      right_known_q <= 1'b0;
    end else begin
      up_valid_o   <= Last == 0 && left_comes;
      down_valid_o <= First == 0 && right_comes;
      if (start_i) begin
        left_known_q  <= First != 0;
        right_known_q <= Last != 0 && TwoWay != 0;
      end
      if (left_comes) left_known_q <= 1'b1;
      if (right_comes) right_known_q <= 1'b1;
    end
  end

  // No reset: values mean something only beside their flags.
  always_ff @(posedge clk_i) begin
    if (start_i) own_q <= own_i;
    if (left_comes) left_q <= left;
    up_count_o <= left_now + own_now;
    if (TwoWay == 0) begin
      down_count_o <= right_count;
      down_total_o <= right_total;
      if (right_comes) begin
        before_o <= right_count + left_now;
        total_o  <= right_total;
      end
    end else begin
      down_count_o <= right_count + own_now;
      down_total_o <= '0;
      if (left_comes) before_o <= left;
      if (start_i) total_o <= own_i + (left_comes ? left : '0) + (right_comes ? right_count : '0);
      else total_o <= total_o + (left_comes ? left : '0) + (right_comes ? right_count : '0);
    end
  end

  assign done_o = left_known_q && right_known_q;

  // Ends of a line and the two kinds of prefix leave some inputs without a use.
  logic unused;
  assign unused = up_valid_i ^ (^up_count_i) ^ down_valid_i ^ (^down_count_i) ^ (^down_total_i) ^
      line_valid_i ^ (^line_before_i) ^ (^line_total_i);

  `GSM_ASSERT(OneStart_A, !(start_i && up_valid_i && First == 0), "a count before the start")
  `GSM_PARAMETER(WidthLegal_A, Width >= 1 && Width <= 32, "Width must be 1..32")

endmodule
