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
module gsm_out_port #(
    // In-ports of the router, 1..16.
    parameter int Ports = 4,
    // Data bits of a packet, 1 or more.
    parameter int Width = 32,
    // Capacity in packets, including the register, 1..65535.
    parameter int Depth = 1
) (
    // Clock, rising edge.
    input  logic                   clk_i,
    // Asynchronous reset, active low.
    input  logic                   rst_ni,
    // Synchronous clear: register and FIFO are empty in the next cycle; nothing is reported lost.
    input  logic                   clear_i,
    // The limit in force, 1..Depth. Change only in a cycle with clear_i.
    input  logic [           15:0] depth_i,
    // Bit q: in-port q feeds this out-port in this cycle.
    input  logic [      Ports-1:0] feed_i,
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

  logic [Ports-1:0] arrive;
  assign arrive = in_valid_i & feed_i;

  // Data of the first arrival. The last feeding in-port is taken without a condition, so that a hardwired
  // port with one feed is a wire: without an arrival the value does not matter.
  function automatic logic [Width-1:0] first_of(input logic [Ports-1:0] feed,
                                                input logic [Ports-1:0] valid,
                                                input logic [Ports*Width-1:0] data,
                                                input logic [Width-1:0] without);
    logic feeds_above;
    first_of    = without;
    feeds_above = 1'b0;
    for (int q = Ports - 1; q >= 0; q--) begin
      if (feed[q] && (valid[q] || !feeds_above)) first_of = data[q*Width+:Width];
      feeds_above = feeds_above || feed[q];
    end
  endfunction
  logic [Width-1:0] first_data;
  assign first_data = first_of(feed_i, in_valid_i, in_data_i, inject_data_i);

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

  if (Depth <= 1) begin : gen_register
    assign fifo_valid = 1'b0;
    assign fifo_data  = '0;

    // There is more than one candidate for the register.
    logic [Ports:0] candidates;
    assign candidates = {arrive, inject_valid_i};
    assign overflow_o = (candidates & (candidates - 1'b1)) != '0 && !clear_i;
  end else begin : gen_fifo
    gsm_queue #(
        .Ports  (Ports),
        .Width  (Width),
        .Entries(Depth - 1)
    ) u_queue (
        .clk_i     (clk_i),
        .rst_ni    (rst_ni),
        .clear_i   (clear_i),
        .limit_i   (depth_i - 16'd1),
        .take_i    (!inject_valid_i),
        .arrive_i  (arrive),
        .in_data_i (in_data_i),
        .valid_o   (fifo_valid),
        .data_o    (fifo_data),
        .overflow_o(overflow_o)
    );
  end

  `GSM_ASSERT(DepthInRange_A, clear_i || (depth_i >= 16'd1 && depth_i <= 16'(Depth)),
              "depth_i is outside 1..Depth")
  `GSM_PARAMETER(PortsLegal_A, Ports >= 1 && Ports <= 16, "Ports must be 1..16")
  `GSM_PARAMETER(DepthLegal_A, Depth >= 1 && Depth <= 65535, "Depth must be 1..65535")

endmodule

`default_nettype wire
