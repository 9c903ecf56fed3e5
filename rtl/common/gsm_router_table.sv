// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The stream router with its table as inputs: one simulation model runs every plan.
//
// Out-port p sends, one packet per cycle, its injected packets and then the arrivals of the in-ports that
// feed it (gsm_out_port defines the order). One cycle per hop. No headers, no arbitration, no
// back-pressure: only the table decides. A packet that arrives at a full out-port is lost and raises
// error_o. Reset and clear leave the router empty and error_o low.
//
// The step counter is 0 in the first cycle without clear_i, in which start_i loads the first own packets,
// and s in the cycle of step s.
//
// With Frame > 1 steps form frames of frame_i slots; step s is slot (s - 1) mod frame_i. An out-port then
// has a queue for each slot, and feeds specify the in-port and the slot of the
// arrival: the table's ports are p*Frame + slot. With Frame = 1 frame_i is ignored.
module gsm_router_table #(
    // Ports of the router, two per dimension: 2..16, even.
    parameter int Ports = 4,
    // Data bits of a packet, 1 or more.
    parameter int Width = 32,
    // Capacity of each out-port in packets, including the out register, 1..65535.
    parameter int Depth = 1,
    // Largest number of slots of a frame, 1..16.
    parameter int Frame = 1,
    // Bits of the step counter, 1..32. It saturates at its largest value, which must be at least every
    // switch_step_i.
    parameter int StepWidth = 32
) (
    // Clock, rising edge.
    input  logic                   clk_i,
    // Asynchronous reset, active low.
    input  logic                   rst_ni,
    // Synchronous clear: all queues empty, error_o low, step counter 0.
    input  logic                   clear_i,
    // Bit p*Ports*Frame + q: in-port q feeds out-port p in steps >= the port's switch step, both
    // numbered port*Frame + slot, 0..Ports*Frame-1.
    input  logic [Ports*Frame*Ports*Frame-1:0] feed_i,
    // The same for steps before the switch step.
    input  logic [Ports*Frame*Ports*Frame-1:0] early_feed_i,
    // Bits p*32 +: 32: first step of feed_i at out-port p; 0 for no switch.
    input  logic [Ports*Frame*32-1:0] switch_step_i,
    // Slots of a frame, 1..Frame. Change only in a cycle with clear_i.
    input  logic [            4:0] frame_i,
    // Queue depth in force at every out-port, 1..Depth. Change only in a cycle with clear_i.
    input  logic [           15:0] depth_i,
    // Own packets, one per out-port and cycle, ahead of all waiting packets.
    input  logic [      Ports-1:0] inject_valid_i,
    input  logic [Ports*Width-1:0] inject_data_i,
    // Arrivals.
    input  logic [      Ports-1:0] in_valid_i,
    input  logic [Ports*Width-1:0] in_data_i,
    // The out registers: the content of the links in this cycle.
    output logic [      Ports-1:0] out_valid_o,
    output logic [Ports*Width-1:0] out_data_o,
    // Sticky: a packet was lost because a queue was full.
    output logic                   error_o
);

  logic [StepWidth-1:0] step_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) step_q <= '0;
    else if (clear_i) step_q <= '0;
    else if (step_q != '1) step_q <= step_q + 1'b1;
  end

  // The slot of the coming step; the registers are loaded from its queues. In the cycle of step s the
  // arrivals belong to the previous slot.
  localparam int SlotWidth = Frame > 1 ? $clog2(Frame) : 1;
  logic [SlotWidth-1:0] slot;
  logic [SlotWidth-1:0] arrival_slot;
  if (Frame == 1) begin : gen_no_slots
    assign slot         = '0;
    assign arrival_slot = '0;
    logic unused_frame;
    assign unused_frame = ^frame_i;
  end else begin : gen_slots
    logic [SlotWidth-1:0] slot_q;
    logic [SlotWidth-1:0] last_slot;
    assign last_slot = SlotWidth'(frame_i - 5'd1);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) slot_q <= '0;
      else if (clear_i || slot_q == last_slot) slot_q <= '0;
      else slot_q <= slot_q + 1'b1;
    end
    assign slot         = slot_q;
    assign arrival_slot = slot_q == '0 ? last_slot : slot_q - 1'b1;
  end

  logic [Ports-1:0] overflow;
  for (genvar p = 0; p < Ports; p++) begin : gen_out_port
    // Bit t*Ports + q: in-port q, in the slot of the arrivals, feeds the queue of slot t.
    logic [Frame*Ports-1:0] feed;
    for (genvar t = 0; t < Frame; t++) begin : gen_slot
      localparam int Row = p * Frame + t;
      logic                   early;
      logic [Ports*Frame-1:0] row;
      assign early = 32'(step_q) < switch_step_i[Row*32+:32];
      assign row   = early ? early_feed_i[Row*Ports*Frame+:Ports*Frame]
                           : feed_i[Row*Ports*Frame+:Ports*Frame];
      for (genvar q = 0; q < Ports; q++) begin : gen_in_port
        logic [Frame-1:0] slots;
        assign slots               = row[q*Frame+:Frame];
        assign feed[t*Ports+q]     = slots[arrival_slot];
      end
    end

    gsm_out_port #(
        .Ports(Ports),
        .Width(Width),
        .Depth(Depth),
        .Frame(Frame)
    ) u_out_port (
        .clk_i         (clk_i),
        .rst_ni        (rst_ni),
        .clear_i       (clear_i),
        .depth_i       (depth_i),
        .slot_i        (slot),
        .feed_i        (feed),
        .inject_valid_i(inject_valid_i[p]),
        .inject_data_i (inject_data_i[p*Width+:Width]),
        .in_valid_i    (in_valid_i),
        .in_data_i     (in_data_i),
        .valid_o       (out_valid_o[p]),
        .data_o        (out_data_o[p*Width+:Width]),
        .overflow_o    (overflow[p])
    );
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) error_o <= 1'b0;
    else if (clear_i) error_o <= 1'b0;
    else if (overflow != '0) error_o <= 1'b1;
  end

  `GSM_PARAMETER(PortsLegal_A, Ports >= 2 && Ports <= 16 && Ports % 2 == 0,
                 "Ports must be even, 2..16")
  `GSM_PARAMETER(FrameLegal_A, Frame >= 1 && Frame <= 16, "Frame must be 1..16")
  `GSM_ASSERT(FrameInRange_A, Frame == 1 || clear_i || (frame_i >= 5'd1 && frame_i <= 5'(Frame)),
              "frame_i is outside 1..Frame")
  `GSM_PARAMETER(StepWidthLegal_A, StepWidth >= 1 && StepWidth <= 32, "StepWidth must be 1..32")

endmodule

`default_nettype wire
