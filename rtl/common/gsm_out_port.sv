// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// One out-port: the link register and, for Depth > 1, a FIFO of Depth - 1 packets that feeds it.
//
// At every edge the register takes the first of: the injected packet, the FIFO's head, the arrivals of the
// feeding in-ports in ascending order. The other arrivals are appended to the FIFO in ascending order of
// their in-ports, all in the same cycle. Arrivals that find the FIFO full are lost and reported. Latency 1
// cycle through an empty port, throughput 1 packet per cycle. With a constant feed of one in-port and Depth
// = 1, the module reduces to the register.
//
// With Frame > 1 the register serves a FIFO of Depth packets for each slot of a frame, in turn: at every edge
// that of slot_i. An injected packet is one of this slot's own packets. Arrivals that do not go to the register
// join the FIFOs that they feed.
module gsm_out_port #(
    // In-ports of the router, 1..16.
    parameter int Ports = 4,
    // Data bits of a packet, 1 or more.
    parameter int Width = 32,
    // Capacity in packets, for each slot, 1..65535. It includes the packet in the register when it comes from
    // this slot.
    parameter int Depth = 1,
    // Slots of a frame, 1..16.
    parameter int Frame = 1
) (
    // Clock, rising edge.
    input  logic                   clk_i,
    // Asynchronous reset, active low.
    input  logic                   rst_ni,
    // Synchronous clear: register and FIFO are empty in the next cycle; nothing is reported lost.
    input  logic                   clear_i,
    // The limit in force, 1..Depth. Change only in a cycle with clear_i.
    input  logic [           15:0] depth_i,
    // The slot of the coming step, 0..Frame-1.
    input  logic [(Frame > 1 ? $clog2(Frame) : 1)-1:0] slot_i,
    // Bit t*Ports + q: in-port q feeds the FIFO of slot t in this cycle.
    input  logic [Frame*Ports-1:0] feed_i,
    // An own packet, ahead of all waiting packets.
    input  logic                   inject_valid_i,
    input  logic [      Width-1:0] inject_data_i,
    // Arrivals of all in-ports.
    input  logic [      Ports-1:0] in_valid_i,
    input  logic [Ports*Width-1:0] in_data_i,
    // The link register.
    output logic                   valid_o,
    output logic [      Width-1:0] data_o,
    // A packet is lost at the coming edge.
    output logic                   overflow_o
);

  // What feeds the register in this cycle.
  logic [Ports-1:0] feed;
  logic [Ports-1:0] arrive;
  assign arrive = in_valid_i & feed;

  // Data of the first arrival. The last feeding in-port is taken without a condition, so that a hardwired
  // port with one feed is a wire: without an arrival the value does not matter.
  function automatic logic [Width-1:0] first_of(input logic [Ports-1:0] feeds,
                                                input logic [Ports-1:0] valid,
                                                input logic [Ports*Width-1:0] data,
                                                input logic [Width-1:0] without);
    logic feeds_above;
    first_of    = without;
    feeds_above = 1'b0;
    for (int q = Ports - 1; q >= 0; q--) begin
      if (feeds[q] && (valid[q] || !feeds_above)) first_of = data[q*Width+:Width];
      feeds_above = feeds_above || feeds[q];
    end
  endfunction
  logic [Width-1:0] first_data;

  logic             fifo_valid;
  logic [Width-1:0] fifo_data;

  gsm_link #(
      .Width(Width)
  ) u_link (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .valid_i(inject_valid_i || fifo_valid || (arrive != '0)),
      .data_i (inject_valid_i ? inject_data_i : fifo_valid ? fifo_data : first_data),
      .valid_o(valid_o),
      .data_o (data_o)
  );

  if (Frame <= 1) begin : gen_one_slot
    assign feed       = feed_i;
    assign first_data = first_of(feed_i, in_valid_i, in_data_i, inject_data_i);
    logic unused_slot;
    assign unused_slot = ^slot_i;
  end else begin : gen_slots
    // The feeds of a slot change with the slot of the arrivals.
    assign feed       = feed_i[slot_i*Ports+:Ports];
    assign first_data = first_of({Ports{1'b1}}, arrive, in_data_i, inject_data_i);
  end

  if (Frame <= 1 && Depth <= 1) begin : gen_register
    assign fifo_valid = 1'b0;
    assign fifo_data  = '0;

    // There is more than one candidate for the register.
    logic [Ports:0] candidates;
    assign candidates = {arrive, inject_valid_i};
    assign overflow_o = (candidates & (candidates - 1'b1)) != '0 && !clear_i;
  end else begin : gen_fifos
    logic [Frame-1:0]       head_valid;
    logic [Frame*Width-1:0] head_data;
    logic [Frame-1:0]       overflow;
    for (genvar t = 0; t < Frame; t++) begin : gen_slot
      logic serves;
      assign serves = Frame <= 1 || 32'(slot_i) == t;
      gsm_queue #(
          .Ports  (Ports),
          .Width  (Width),
          .Entries(Frame > 1 ? Depth : Depth - 1)
      ) u_queue (
          .clk_i     (clk_i),
          .rst_ni    (rst_ni),
          .clear_i   (clear_i),
          .limit_i   (serves ? depth_i - 16'd1 : depth_i),
          .take_i    (serves && !inject_valid_i),
          .arrive_i  (in_valid_i & feed_i[t*Ports+:Ports]),
          .in_data_i (in_data_i),
          .valid_o   (head_valid[t]),
          .data_o    (head_data[t*Width+:Width]),
          .overflow_o(overflow[t])
      );
    end
    assign overflow_o = overflow != '0;
    if (Frame <= 1) begin : gen_head
      assign fifo_valid = head_valid[0];
      assign fifo_data  = head_data;
    end else begin : gen_heads
      assign fifo_valid = head_valid[slot_i];
      assign fifo_data  = head_data[slot_i*Width+:Width];
    end
  end

  `GSM_ASSERT(DepthInRange_A, clear_i || (depth_i >= 16'd1 && depth_i <= 16'(Depth)),
              "depth_i is outside 1..Depth")
  `GSM_PARAMETER(PortsLegal_A, Ports >= 1 && Ports <= 16, "Ports must be 1..16")
  `GSM_PARAMETER(FrameLegal_A, Frame >= 1 && Frame <= 16, "Frame must be 1..16")
  `GSM_PARAMETER(DepthLegal_A, Depth >= 1 && Depth <= 65535, "Depth must be 1..65535")

endmodule

`default_nettype wire
