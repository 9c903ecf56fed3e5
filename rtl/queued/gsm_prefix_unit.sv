// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// Counts in, rank out: one node's part of a prefix over the active nodes, by tree or two-way, and of the
// sums along rows and columns.
//
// The unit acts at edges at which a count arrives, a phase begins, or it starts; all three may happen at
// one edge, in that order. A message is in its out register in the cycle after the edge that created it,
// and is the neighbour's input at the end of that cycle. (A prefix step is a cycle, or the inputs are valid
// in the last cycle of a step only.) The unit does not know step numbers: counts meet because they are sent
// in time. If a phase begins while a message of the previous phase is missing, the unit stops sending.
// Every node that depends on it then also misses a message. So if no message is missing, the counts are
// right.
module gsm_prefix_unit #(
    // Digits of a node number, that is dimensions, 1..8.
    parameter int Levels = 2,
    // Bits of a count, 1..32.
    parameter int CountBits = 16
) (
    // Clock, rising edge.
    input  logic                 clk_i,
    // Asynchronous reset, active low.
    input  logic                 rst_ni,
    // Synchronous clear: all counts are 0, no message leaves.
    input  logic                 clear_i,
    // The node has own_i packets; it knows no other counts yet.
    input  logic                 start_i,
    input  logic [CountBits-1:0] own_i,
    // With start_i: own_i depends on a missing message.
    input  logic                 lost_i,
    // A phase begins: 0 tree forward, 1 tree backward, 2 two-way, 3 sum along the line.
    input  logic                 begin_i,
    input  logic [          1:0] kind_i,
    // The node's place on the line of the beginning phase: it is the first node, the last node, before the
    // middle node (side / 2), after it. The middle node is neither before nor after.
    input  logic                 first_i,
    input  logic                 last_i,
    input  logic                 below_i,
    input  logic                 above_i,
    // Tree: the digit, 0 for the least significant; it is the most significant; all less significant digits
    // of the node have their last value.
    input  logic [          2:0] level_i,
    input  logic                 root_level_i,
    input  logic                 on_tree_i,
    // A message that travels towards higher coordinates arrives.
    input  logic                 up_valid_i,
    input  logic [CountBits-1:0] up_count_i,
    // A message that travels towards lower coordinates arrives; its total on the tree's way back.
    input  logic                 down_valid_i,
    input  logic [CountBits-1:0] down_count_i,
    input  logic [CountBits-1:0] down_total_i,
    // The out registers.
    output logic                 up_valid_o,
    output logic [CountBits-1:0] up_count_o,
    output logic                 down_valid_o,
    output logic [CountBits-1:0] down_count_o,
    output logic [CountBits-1:0] down_total_o,
    // Packets at nodes before this one, and in total; final after the last phase.
    output logic [CountBits-1:0] before_o,
    output logic [CountBits-1:0] total_o,
    // The same after the coming edge.
    output logic [CountBits-1:0] next_before_o,
    output logic [CountBits-1:0] next_total_o,
    // A message of the phases that have begun is overdue, and the counts are invalid. The same after the
    // coming edge, if no phase begins at it.
    output logic                 missing_o,
    output logic                 next_missing_o
);

  localparam logic [1:0] Forward = 2'd0;
  localparam logic [1:0] Backward = 2'd1;
  localparam logic [1:0] TwoWay = 2'd2;

  // The node's place in the current phase.
  logic [1:0] kind_q;
  logic first_q, last_q, below_q, above_q;
  logic [2:0] level_q;

  logic [CountBits-1:0] count_q, count_d;
  logic [CountBits-1:0] before_q, before_d;
  logic [CountBits-1:0] total_q, total_d;
  // Two-way: counts from either end.
  logic [CountBits-1:0] left_q, left_d;
  logic [CountBits-1:0] right_q, right_d;
  // Outstanding messages of the current phase: upwards, downwards.
  logic [1:0] due_q, due_d, left_due;
  // A message of an earlier phase never arrived.
  logic lost_q, lost_d;
  // By level: counts from the smaller digits of the line.
  logic [Levels*CountBits-1:0] from_left_q, from_left_d;

  logic up_valid_d, down_valid_d;
  logic [CountBits-1:0] up_count_d, down_count_d, down_total_d;

  logic [CountBits-1:0] from_left;
  logic [CountBits-1:0] both;
  always_comb begin
    count_d      = count_q;
    before_d     = before_q;
    total_d      = total_q;
    left_d       = left_q;
    right_d      = right_q;
    from_left_d  = from_left_q;
    up_valid_d   = 1'b0;
    up_count_d   = up_count_o;
    down_valid_d = 1'b0;
    down_count_d = down_count_o;
    down_total_d = down_total_o;
    from_left    = '0;
    left_due     = due_q & ~{down_valid_i, up_valid_i};
    due_d        = left_due;
    lost_d       = start_i ? lost_i : lost_q || begin_i && left_due != 2'd0;
    both         = (up_valid_i ? up_count_i : '0) + (down_valid_i ? down_count_i : '0);

    // Arrivals belong to the current phase.
    if (kind_q == Forward) begin
      if (up_valid_i) begin
        for (int level = 0; level < Levels; level++) begin
          if (32'(level_q) == level) from_left_d[level*CountBits+:CountBits] = up_count_i;
        end
        count_d    = count_q + up_count_i;
        up_valid_d = !last_q;
        up_count_d = count_d;
      end
    end else if (kind_q == Backward) begin
      if (down_valid_i) begin
        for (int level = 0; level < Levels; level++) begin
          if (32'(level_q) == level) from_left = from_left_q[level*CountBits+:CountBits];
        end
        before_d     = down_count_i + from_left;
        total_d      = down_total_i;
        down_valid_d = !first_q;
        down_count_d = down_count_i;
        down_total_d = down_total_i;
      end
    end else if (kind_q == TwoWay) begin
      if (up_valid_i) begin
        left_d     = up_count_i;
        up_valid_d = !last_q;
        up_count_d = up_count_i + count_q;
      end
      if (down_valid_i) begin
        right_d      = down_count_i;
        down_valid_d = !first_q;
        down_count_d = down_count_i + count_q;
        down_total_d = '0;
      end
      // Until the counts of both ends have arrived, the node's own count is that of the previous
      // dimensions.
      if ((up_valid_i || down_valid_i) && left_due == 2'd0) begin
        before_d = before_q + left_d;
        count_d  = count_q + left_d + right_d;
        total_d  = count_d;
      end
    end else if (!below_q && !above_q) begin
      // The middle node of a line, which sends the counts back.
      count_d    = count_q + both;
      if ((up_valid_i || down_valid_i) && left_due == 2'd0) begin
        total_d      = count_d;
        up_valid_d   = !last_q;
        up_count_d   = count_d;
        down_valid_d = 1'b1;
        down_count_d = count_d;
        down_total_d = '0;
      end
    end else begin
      if (up_valid_i && below_q) begin
        count_d    = count_q + up_count_i;
        up_valid_d = 1'b1;
        up_count_d = count_d;
      end else if (up_valid_i) begin
        total_d    = up_count_i;
        up_valid_d = !last_q;
        up_count_d = up_count_i;
      end
      if (down_valid_i && above_q) begin
        count_d      = count_q + down_count_i;
        down_valid_d = 1'b1;
        down_count_d = count_d;
        down_total_d = '0;
      end else if (down_valid_i) begin
        total_d      = down_count_i;
        down_valid_d = !first_q;
        down_count_d = down_count_i;
        down_total_d = '0;
      end
    end

    if (start_i) begin
      count_d     = own_i;
      before_d    = '0;
      total_d     = own_i;
      from_left_d = '0;
      due_d       = 2'd0;
    end

    if (begin_i) begin
      left_d  = '0;
      right_d = '0;
      // From each existing end; on a tree from the previous node in the direction of the messages.
      due_d = {!last_i, !first_i};
      if (kind_i == Forward) begin
        due_d      = {1'b0, on_tree_i && !first_i};
        up_valid_d = on_tree_i && first_i;
        up_count_d = count_d;
      end else if (kind_i == Backward) begin
        due_d = {on_tree_i && !last_i, 1'b0};
        if (on_tree_i && last_i) begin
          from_left = '0;
          for (int level = 0; level < Levels; level++) begin
            if (32'(level_i) == level) from_left = from_left_d[level*CountBits+:CountBits];
          end
          // before_d is the count before the whole line, from one level up.
          if (root_level_i) total_d = count_d;
          down_valid_d = 1'b1;
          down_count_d = before_d;
          down_total_d = total_d;
          before_d     = before_d + from_left;
        end
      end else begin
        up_valid_d   = first_i;
        up_count_d   = count_d;
        down_valid_d = last_i && (kind_i == TwoWay || above_i);
        down_count_d = count_d;
        down_total_d = '0;
      end
    end

    if (lost_d) begin
      up_valid_d   = 1'b0;
      down_valid_d = 1'b0;
    end
  end

  assign before_o = before_q;
  assign total_o  = total_q;
  assign next_before_o = before_d;
  assign next_total_o  = total_d;
  assign missing_o = lost_q || due_q != 2'd0;
  assign next_missing_o = lost_q || left_due != 2'd0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      kind_q       <= 2'd0;
      first_q      <= 1'b0;
      last_q       <= 1'b0;
      below_q      <= 1'b0;
      above_q      <= 1'b0;
      level_q      <= 3'd0;
      count_q      <= '0;
      before_q     <= '0;
      total_q      <= '0;
      left_q       <= '0;
      right_q      <= '0;
      due_q        <= 2'd0;
      lost_q       <= 1'b0;
      from_left_q  <= '0;
      up_valid_o   <= 1'b0;
      up_count_o   <= '0;
      down_valid_o <= 1'b0;
      down_count_o <= '0;
      down_total_o <= '0;
    end else if (clear_i) begin
      count_q      <= '0;
      before_q     <= '0;
      total_q      <= '0;
      due_q        <= 2'd0;
      lost_q       <= 1'b0;
      from_left_q  <= '0;
      up_valid_o   <= 1'b0;
      down_valid_o <= 1'b0;
    end else begin
      if (begin_i) begin
        kind_q  <= kind_i;
        first_q <= first_i;
        last_q  <= last_i;
        below_q <= below_i;
        above_q <= above_i;
        level_q <= level_i;
      end
      count_q      <= count_d;
      before_q     <= before_d;
      total_q      <= total_d;
      left_q       <= left_d;
      right_q      <= right_d;
      due_q        <= due_d;
      lost_q       <= lost_d;
      from_left_q  <= from_left_d;
      up_valid_o   <= up_valid_d;
      up_count_o   <= up_count_d;
      down_valid_o <= down_valid_d;
      down_count_o <= down_count_d;
      down_total_o <= down_total_d;
    end
  end

  `GSM_ASSERT(PlaceLegal_A, !(begin_i && below_i && above_i),
              "a node is both before and after the middle node")
  `GSM_ASSERT(LevelLegal_A, !begin_i || 32'(level_i) < Levels, "level_i is not below Levels")
  `GSM_PARAMETER(LevelsLegal_A, Levels >= 1 && Levels <= 8, "Levels must be 1..8")
  `GSM_PARAMETER(CountBitsLegal_A, CountBits >= 1 && CountBits <= 32, "CountBits must be 1..32")

endmodule

`default_nettype wire
