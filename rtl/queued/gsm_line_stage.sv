// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// One direction of a line's or ring's broadcast at one node: passing packets go before own packets, which
// wait in a queue.
//
// At every edge with active_i the link register takes the arriving packet if it has links left. Otherwise
// it takes the head of the queue, otherwise an own packet that joins at this edge. A packet's hops_o is the
// number of links left after this link, and thus in_hops_i of the next stage. A cycle is a sub-step of one
// flit.
module gsm_line_stage #(
    // Data bits of a packet, 1 or more.
    parameter int Width = 32,
    // Bits of a number of links, 1..16.
    parameter int HopBits = 8,
    // Capacity in own packets, 1..65535.
    parameter int Entries = 4
) (
    // Clock, rising edge.
    input  logic               clk_i,
    // Asynchronous reset, active low.
    input  logic               rst_ni,
    // Synchronous clear: register and queue are empty in the next cycle.
    input  logic               clear_i,
    // The cycle after the coming edge belongs to a broadcast phase; otherwise nothing leaves.
    input  logic               active_i,
    // A phase begins at the coming edge: arrivals belong to the previous phase and are not sent on.
    input  logic               begin_i,
    // An own packet joins the queue; it has own_hops_i links left, at least 1.
    input  logic               own_valid_i,
    input  logic [  Width-1:0] own_data_i,
    input  logic [HopBits-1:0] own_hops_i,
    // Arrival, and the links that it has left.
    input  logic               in_valid_i,
    input  logic [  Width-1:0] in_data_i,
    input  logic [HopBits-1:0] in_hops_i,
    // The link register.
    output logic               valid_o,
    output logic [  Width-1:0] data_o,
    output logic [HopBits-1:0] hops_o,
    // An own packet is lost at the coming edge: the queue is full.
    output logic               overflow_o
);

  logic passes;
  assign passes = active_i && !begin_i && in_valid_i && in_hops_i != '0;

  logic                     waits;
  logic [Width+HopBits-1:0] head;
  gsm_queue #(
      .Ports  (1),
      .Width  (Width + HopBits),
      .Entries(Entries)
  ) u_queue (
      .clk_i     (clk_i),
      .rst_ni    (rst_ni),
      .clear_i   (clear_i),
      .limit_i   (16'(Entries)),
      .take_i    (active_i && !passes),
      .arrive_i  (own_valid_i),
      .in_data_i ({own_hops_i, own_data_i}),
      .valid_o   (waits),
      .data_o    (head),
      .overflow_o(overflow_o)
  );

  logic [  Width-1:0] data;
  logic [HopBits-1:0] hops;
  assign {hops, data} = passes ? {in_hops_i, in_data_i} : waits ? head : {own_hops_i, own_data_i};

  gsm_link #(
      .Width(Width + HopBits)
  ) u_link (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .valid_i(active_i && (passes || waits || own_valid_i)),
      .data_i ({hops - 1'b1, data}),
      .valid_o(valid_o),
      .data_o ({hops_o, data_o})
  );

  `GSM_ASSERT(OwnHops_A, clear_i || !own_valid_i || own_hops_i != '0,
              "an own packet has no links left")
  `GSM_PARAMETER(HopBitsLegal_A, HopBits >= 1 && HopBits <= 16, "HopBits must be 1..16")

endmodule

`default_nettype wire
