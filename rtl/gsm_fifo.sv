// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"

// A queue with valid and ready on the way out. What comes in cannot be refused: an entry that finds
// the queue full is lost, and overflow_o says so.
module gsm_fifo #(
    // Bits of an entry, 1 or more.
    parameter int Width = 32,
    // Entries, 1..65536.
    parameter int Depth = 16
) (
    // Clock, rising edge.
    input  logic             clk_i,
    // Asynchronous reset, active low.
    input  logic             rst_ni,
    // Synchronous clear: empties the queue.
    input  logic             clear_i,
    // In.
    input  logic             push_i,
    input  logic [Width-1:0] data_i,
    // This cycle's entry is lost.
    output logic             overflow_o,
    // Out: the entry moves on when valid and ready are high at a rising edge.
    output logic             valid_o,
    input  logic             ready_i,
    output logic [Width-1:0] data_o
);

  localparam int IndexWidth = Depth > 1 ? $clog2(Depth) : 1;
  localparam int CountWidth = $clog2(Depth + 1);

  logic [Width-1:0] entry_q[Depth];
  logic [IndexWidth-1:0] head_q;
  logic [IndexWidth-1:0] tail_q;
  logic [CountWidth-1:0] count_q;
  logic full;
  logic push;
  logic pop;

  assign valid_o = count_q != '0;
  assign data_o = entry_q[head_q];
  assign pop = valid_o && ready_i;
  assign full = count_q == CountWidth'(Depth);
  assign push = push_i && (!full || pop);
  assign overflow_o = push_i && full && !pop;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q  <= '0;
      tail_q  <= '0;
      count_q <= '0;
    end else if (clear_i) begin
      head_q  <= '0;
      tail_q  <= '0;
      count_q <= '0;
    end else begin
      if (pop) head_q <= head_q == IndexWidth'(Depth - 1) ? '0 : head_q + 1'b1;
      if (push) tail_q <= tail_q == IndexWidth'(Depth - 1) ? '0 : tail_q + 1'b1;
      if (push && !pop) count_q <= count_q + 1'b1;
      else if (pop && !push) count_q <= count_q - 1'b1;
    end
  end

  // No reset: an entry means something only while it is counted.
  always_ff @(posedge clk_i) begin
    if (push) entry_q[tail_q] <= data_i;
  end

  `GSM_PARAMETER(WidthLegal_A, Width >= 1, "Width must be 1 or more")
  `GSM_PARAMETER(DepthLegal_A, Depth >= 1 && Depth <= 65536, "Depth must be 1..65536")

endmodule
