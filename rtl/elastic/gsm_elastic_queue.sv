// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The FIFO of an elastic link, with valid and ready on both sides.
//
// A flit is pushed at a rising edge with in_valid_i and in_ready_o, and taken at one with out_valid_o and
// out_ready_i; it can be taken one cycle after its push. in_ready_o, out_valid_o and out_data_o are
// registers, so no combinational path leads through the queue; a slot is free in the cycle after the take.
// With a single slot, in_ready_o follows out_ready_i in the same cycle, which keeps the full rate. In
// reset, and until the first edge after it, in_ready_o and out_valid_o are low: neighbours may leave their
// resets at different times.
module gsm_elastic_queue #(
    // Bits of a flit, 1 or more.
    parameter int Width = 32,
    // Capacity in flits, 1 or more; 2 or more for registered outputs.
    parameter int Slots = 2,
    localparam int RoomBits = Slots > 1 ? $clog2(Slots + 1) : 1
) (
    // Clock, rising edge.
    input  logic             clk_i,
    // Asynchronous reset, active low, released in step with the clock.
    input  logic             rst_ni,
    // Constant: the usable capacity in flits, 1..Slots; normally Slots.
    input  logic [RoomBits-1:0] slots_i,
    // Input.
    input  logic             in_valid_i,
    output logic             in_ready_o,
    input  logic [Width-1:0] in_data_i,
    // The oldest flit.
    output logic             out_valid_o,
    input  logic             out_ready_i,
    output logic [Width-1:0] out_data_o
);

  if (Slots == 1) begin : gen_one
    logic live_q;
    logic valid_q;
    logic [Width-1:0] data_q;
    logic unused_slots;
    assign unused_slots = ^slots_i;
    assign in_ready_o  = live_q && (!valid_q || out_ready_i);
    assign out_valid_o = valid_q;
    assign out_data_o  = data_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        live_q  <= 1'b0;
        valid_q <= 1'b0;
      end else begin
        live_q <= 1'b1;
        if (in_ready_o) valid_q <= in_valid_i;
      end
    end
    always_ff @(posedge clk_i) begin
      if (in_valid_i && in_ready_o) data_q <= in_data_i;
    end
  end else begin : gen_more
    localparam int IndexBits = Slots > 2 ? $clog2(Slots) : 1;
    // Entry 0 is the oldest; the valid entries are the first ones. The last entry is valid iff the previous
    // one is valid and ready_q is low, so two slots have the state {valid, ready}: 00 after reset, then 01
    // empty, 11 one flit, 10 two.
    logic ready_q;
    logic [Slots-2:0] valid_q;
    logic [Slots*Width-1:0] data_q;
    logic [Slots:0] valid;
    logic [Slots-1:0] valid_d;
    logic push;
    // The last entry to be filled.
    logic [IndexBits-1:0] last;
    assign last        = IndexBits'(slots_i - 1'b1);
    assign valid       = {1'b0, valid_q[Slots-2] && !ready_q && slots_i == RoomBits'(Slots), valid_q};
    assign push        = in_valid_i && ready_q;
    assign in_ready_o  = ready_q;
    assign out_valid_o = valid_q[0];
    assign out_data_o  = data_q[Width-1:0];

    for (genvar i = 0; i < Slots; i++) begin : gen_entry
      // A push fills the first entry that is free after the take.
      if (i == 0) begin : gen_first
        assign valid_d[i] = push || (out_ready_i ? valid[1] : valid[0]);
      end else begin : gen_later
        assign valid_d[i] = out_ready_i ? valid[i+1] || (push && valid[i])
                                        : valid[i] || (push && valid[i-1]);
      end
      // The content of an invalid entry does not matter.
      logic [Width-1:0] data_d;
      if (i + 1 < Slots) begin : gen_shift
        assign data_d = valid[i+1] ? data_q[(i+1)*Width+:Width] : in_data_i;
      end else begin : gen_last
        assign data_d = in_data_i;
      end
      always_ff @(posedge clk_i) begin
        if ((out_ready_i || !valid[i]) && (valid[i+1] || push)) data_q[i*Width+:Width] <= data_d;
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        ready_q <= 1'b0;
        valid_q <= '0;
      end else begin
        ready_q <= !valid_d[last];
        valid_q <= valid_d[Slots-2:0];
      end
    end
  end

  `GSM_ASSERT(KnownOutputs_A, (in_ready_o ^ out_valid_o) !== 1'bx, "valid or ready is unknown")
  `GSM_PARAMETER(WidthLegal_A, Width >= 1, "Width must be at least 1")
  `GSM_PARAMETER(SlotsLegal_A, Slots >= 1, "Slots must be at least 1")

endmodule

`default_nettype wire
