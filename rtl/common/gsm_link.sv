// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The register of one out-port: the content of the link in this clock cycle.
//
// Latency 1 cycle, throughput 1 packet per cycle. Reset and clear empty it. The data flip-flops have no
// reset and keep their value while nothing arrives (data_o is meaningful only with valid_o). There is no
// back-pressure: a stream plan never needs any.
module gsm_link #(
    // Data bits of a packet, 1 or more.
    parameter int Width = 32
) (
    // Clock, rising edge.
    input  logic             clk_i,
    // Asynchronous reset, active low.
    input  logic             rst_ni,
    // Synchronous clear: the link is idle in the next cycle, regardless of valid_i.
    input  logic             clear_i,
    // A packet is on data_i.
    input  logic             valid_i,
    input  logic [Width-1:0] data_i,
    // A packet is on data_o and crosses the link in this cycle.
    output logic             valid_o,
    output logic [Width-1:0] data_o
);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_o <= 1'b0;
    else valid_o <= valid_i && !clear_i;
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) data_o <= data_i;
  end

  `GSM_PARAMETER(WidthLegal_A, Width >= 1, "Width must be at least 1")

endmodule

`default_nettype wire
