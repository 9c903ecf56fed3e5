// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// An elastic link between two clocks: a FIFO whose pointers cross in Gray code.
//
// The clocks may have any frequencies and phases. With 8 slots and 2 flip-flops per pointer the link runs
// at the full rate of the slower clock. A hop takes about 3.5 periods, including the out-port's queue. At
// some point in time both halves must be in reset; they may leave it in any order, any time apart, since
// each half holds valid or ready low until its first edge. Timing constraints: the paths from in_gray_q and
// out_gray_q into the first flip-flops of the synchronizers need less than a period of the faster clock
// (all bits of a pointer within one period); the paths from data_q to out_data_o need less than the time of
// the pointer.
module gsm_elastic_crossing #(
    // Bits of a flit, 1 or more.
    parameter int Width = 32,
    // Capacity in flits, a power of two, 4 or more.
    parameter int Slots = 8,
    // Flip-flops that synchronize a pointer to the other clock, 2 or more.
    parameter int Sync  = 2
) (
    // The sender's clock, rising edge, and asynchronous reset, active low.
    input  logic             in_clk_i,
    input  logic             in_rst_ni,
    // From the out-port.
    input  logic             in_valid_i,
    output logic             in_ready_o,
    input  logic [Width-1:0] in_data_i,
    // The receiver's clock, rising edge, and asynchronous reset, active low.
    input  logic             out_clk_i,
    input  logic             out_rst_ni,
    // To the in-port.
    output logic             out_valid_o,
    input  logic             out_ready_i,
    output logic [Width-1:0] out_data_o
);

  localparam int Bits = $clog2(Slots);

  // A pointer has one bit more than an address: equal pointers mean empty, a difference of one turn means
  // full.
  logic [Bits:0] in_count_q;
  logic [Bits:0] in_count_d;
  logic [Bits:0] in_gray_q;
  logic [Bits:0] out_count_q;
  logic [Bits:0] out_count_d;
  logic [Bits:0] out_gray_q;
  // The other side's pointer, the newest value in the lowest bits.
  logic [Sync*(Bits+1)-1:0] in_sync_q;
  logic [Sync*(Bits+1)-1:0] out_sync_q;
  logic [Bits:0] in_seen;
  logic [Bits:0] out_seen;
  logic in_live_q;
  logic [Width-1:0] data_q[Slots];

  assign out_seen    = in_sync_q[(Sync-1)*(Bits+1)+:Bits+1];
  assign in_seen     = out_sync_q[(Sync-1)*(Bits+1)+:Bits+1];
  // One turn ahead in Gray code: the two highest bits differ.
  assign in_ready_o  = in_live_q && in_gray_q != {~out_seen[Bits:Bits-1], out_seen[Bits-2:0]};
  assign out_valid_o = out_gray_q != in_seen;
  assign out_data_o  = data_q[out_count_q[Bits-1:0]];
  assign in_count_d  = in_count_q + 1'b1;
  assign out_count_d = out_count_q + 1'b1;

  always_ff @(posedge in_clk_i or negedge in_rst_ni) begin
    if (!in_rst_ni) begin
      in_live_q  <= 1'b0;
      in_count_q <= '0;
      in_gray_q  <= '0;
      in_sync_q  <= '0;
    end else begin
      in_live_q <= 1'b1;
      in_sync_q <= {in_sync_q[(Sync-1)*(Bits+1)-1:0], out_gray_q};
      if (in_valid_i && in_ready_o) begin
        in_count_q <= in_count_d;
        in_gray_q  <= in_count_d ^ (in_count_d >> 1);
      end
    end
  end
  always_ff @(posedge in_clk_i) begin
    if (in_valid_i && in_ready_o) data_q[in_count_q[Bits-1:0]] <= in_data_i;
  end

  always_ff @(posedge out_clk_i or negedge out_rst_ni) begin
    if (!out_rst_ni) begin
      out_count_q <= '0;
      out_gray_q  <= '0;
      out_sync_q  <= '0;
    end else begin
      out_sync_q <= {out_sync_q[(Sync-1)*(Bits+1)-1:0], in_gray_q};
      if (out_valid_o && out_ready_i) begin
        out_count_q <= out_count_d;
        out_gray_q  <= out_count_d ^ (out_count_d >> 1);
      end
    end
  end

  `GSM_PARAMETER(WidthLegal_A, Width >= 1, "Width must be at least 1")
  `GSM_PARAMETER(SlotsLegal_A, Slots >= 4 && Slots == 1 << Bits,
                 "Slots must be a power of two, at least 4")
  `GSM_PARAMETER(SyncLegal_A, Sync >= 2, "Sync must be at least 2")

endmodule

`default_nettype wire
