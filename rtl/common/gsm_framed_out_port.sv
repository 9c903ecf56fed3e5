// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// One out-port that serves several queues in turn, one for each slot of a frame.
//
// At every edge the link register takes the first of: the injected packet, the head of the queue of
// slot_i, the arrivals that feed this queue in ascending order of their in-ports. All other
// arrivals join the queues that they feed. An injected packet is one of the served slot's own
// packets.
// Latency 1 cycle for a packet of the served slot, throughput 1 packet per cycle.
module gsm_framed_out_port #(
    // In-ports of the router, 1..16.
    parameter int Ports = 4,
    // Data bits of a packet, 1 or more.
    parameter int Width = 32,
    // Capacity of each queue in packets, 1..65535. It includes the packet in the register when it comes
    // from this queue.
    parameter int Depth = 1,
    // Slots of a frame, 2..16.
    parameter int Frame = 2
) (
    // Clock, rising edge.
    input  logic                     clk_i,
    // Asynchronous reset, active low.
    input  logic                     rst_ni,
    // Synchronous clear: register and queues are empty in the next cycle; nothing is reported lost.
    input  logic                     clear_i,
    // The limit in force, 1..Depth. Change only in a cycle with clear_i.
    input  logic [             15:0] depth_i,
    // The slot of the coming step.
    input  logic [$clog2(Frame)-1:0] slot_i,
    // Bit t*Ports + q: in-port q feeds the queue of slot t in this cycle.
    input  logic [  Frame*Ports-1:0] feed_i,
    // An own packet, ahead of all waiting packets.
    input  logic                     inject_valid_i,
    input  logic [        Width-1:0] inject_data_i,
    // Arrivals of all in-ports.
    input  logic [        Ports-1:0] in_valid_i,
    input  logic [  Ports*Width-1:0] in_data_i,
    // The link register.
    output logic                     valid_o,
    output logic [        Width-1:0] data_o,
    // A packet is lost at the coming edge.
    output logic                     overflow_o
);

  logic [Frame-1:0]       head_valid;
  logic [Frame*Width-1:0] head_data;
  logic [Frame-1:0]       overflow;
  for (genvar t = 0; t < Frame; t++) begin : gen_slot
    logic serves;
    assign serves = 32'(slot_i) == t;
    gsm_queue #(
        .Ports  (Ports),
        .Width  (Width),
        .Entries(Depth)
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

  // The packet that the served queue offers: its head, or the first arrival for it.
  logic [Ports-1:0] arrive;
  logic             queue_valid;
  logic [Width-1:0] queue_data;
  logic [Width-1:0] first_data;
  assign arrive      = in_valid_i & feed_i[slot_i*Ports+:Ports];
  assign queue_valid = head_valid[slot_i];
  assign queue_data  = head_data[slot_i*Width+:Width];
  assign first_data  = first_of(arrive, in_data_i);

  function automatic logic [Width-1:0] first_of(input logic [Ports-1:0] valid,
                                                input logic [Ports*Width-1:0] data);
    first_of = '0;
    for (int q = Ports - 1; q >= 0; q--) begin
      if (valid[q]) first_of = data[q*Width+:Width];
    end
  endfunction

  gsm_link #(
      .Width(Width)
  ) u_link (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .valid_i(inject_valid_i || queue_valid || (arrive != '0)),
      .data_i (inject_valid_i ? inject_data_i : queue_valid ? queue_data : first_data),
      .valid_o(valid_o),
      .data_o (data_o)
  );

  `GSM_ASSERT(DepthInRange_A, clear_i || (depth_i >= 16'd1 && depth_i <= 16'(Depth)),
              "depth_i is outside 1..Depth")
  `GSM_PARAMETER(FrameLegal_A, Frame >= 2 && Frame <= 16, "Frame must be 2..16")
  `GSM_PARAMETER(DepthLegal_A, Depth >= 1 && Depth <= 65535, "Depth must be 1..65535")

endmodule

`default_nettype wire
