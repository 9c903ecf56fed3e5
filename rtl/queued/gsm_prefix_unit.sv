// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// Counts in, rank out: one node's part of a prefix over the active nodes, tree or two-way, and of
// the sums along rows and columns.
//
// Acts at edges at which a count arrives, a phase begins, or it starts; all three may be one edge,
// in that order. A message stands in its out register in the cycle after the edge that made it and
// is the neighbour's input at that cycle's end (a prefix step is a cycle, or the inputs are valid
// in the last cycle of a step only). Knows no step number: counts meet because they are sent in time.
// Once a phase begins while a message of the phase before is still missing, it sends nothing more, so
// that whoever depends on it misses one, too: where nothing is missing, the counts are right.
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
    // The node has own_i packets; nothing else is known.
    input  logic                 start_i,
    input  logic [CountBits-1:0] own_i,
    // With start_i: own_i follows from what is missing.
    input  logic                 lost_i,
    // A phase begins: 0 tree forward, 1 tree backward, 2 two-way, 3 sum along the line.
    input  logic                 begin_i,
    input  logic [          1:0] kind_i,
    // The node's place on the line of the phase that begins: the first node, the last one, before
    // the middle node (side / 2), behind it. The middle node is neither before nor behind.
    input  logic                 first_i,
    input  logic                 last_i,
    input  logic                 below_i,
    input  logic                 above_i,
    // Tree: the digit, least significant 0, whether it is the most significant, and whether all
    // less significant digits of the node are the last.
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
    // Packets at nodes before this one, and in all; final when the last phase is over.
    output logic [CountBits-1:0] before_o,
    output logic [CountBits-1:0] total_o,
    // The same behind the coming edge.
    output logic [CountBits-1:0] next_before_o,
    output logic [CountBits-1:0] next_total_o,
    // A message that is due in the phases that have begun has not come, and the counts are none. The
    // same behind the coming edge, if no phase begins at it.
    output logic                 missing_o,
    output logic                 next_missing_o
);

  localparam logic [1:0] Forward = 2'd0;
  localparam logic [1:0] Backward = 2'd1;
  localparam logic [1:0] TwoWay = 2'd2;

  // The place in the phase that runs.
  logic [1:0] kind_q;
  logic first_q, last_q, below_q, above_q;
  logic [2:0] level_q;

  logic [CountBits-1:0] count_q, count_d;
  logic [CountBits-1:0] before_q, before_d;
  logic [CountBits-1:0] total_q, total_d;
  // Two-way: what came from either end.
  logic [CountBits-1:0] left_q, left_d;
  logic [CountBits-1:0] right_q, right_d;
  // Messages still to come in the phase that runs: upwards, downwards.
  logic [1:0] due_q, due_d, left_due;
  // One that was due in an earlier phase never came.
  logic lost_q, lost_d;
  // By level: what came from the smaller digits of the line.
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

    // What arrives belongs to the phase that runs.
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
      // The node's own count stays that of the dimensions before until both ends are heard.
      if ((up_valid_i || down_valid_i) && left_due == 2'd0) begin
        before_d = before_q + left_d;
        count_d  = count_q + left_d + right_d;
        total_d  = count_d;
      end
    end else if (!below_q && !above_q) begin
      // The middle node of a line, which turns the counts round.
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
      // From either end that there is; on a tree from the one behind.
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
          // before_d is the count before the whole line, learned one level up.
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
              "a node is before the middle node and behind it")
  `GSM_ASSERT(LevelLegal_A, !begin_i || 32'(level_i) < Levels, "level_i is not below Levels")
  `GSM_PARAMETER(LevelsLegal_A, Levels >= 1 && Levels <= 8, "Levels must be 1..8")
  `GSM_PARAMETER(CountBitsLegal_A, CountBits >= 1 && CountBits <= 32, "CountBits must be 1..32")

endmodule

`default_nettype wire
