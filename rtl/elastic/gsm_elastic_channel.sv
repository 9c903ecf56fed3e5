// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// A link of an elastic network after the out-port's queue: relay stages if both ends have one clock, a
// crossing if each has its own.
module gsm_elastic_channel #(
    // Bits of a flit, 1 or more.
    parameter int Width    = 32,
    // Relay stages of a link with one clock, 0 or more.
    parameter int Stages   = 0,
    // 1: the ends have two clocks; 0: in_clk_i is the clock of both.
    parameter bit Crossing = 1'b0
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

  if (Crossing) begin : gen_crossing
    gsm_elastic_crossing #(
        .Width(Width)
    ) u_crossing (
        .in_clk_i   (in_clk_i),
        .in_rst_ni  (in_rst_ni),
        .in_valid_i (in_valid_i),
        .in_ready_o (in_ready_o),
        .in_data_i  (in_data_i),
        .out_clk_i  (out_clk_i),
        .out_rst_ni (out_rst_ni),
        .out_valid_o(out_valid_o),
        .out_ready_i(out_ready_i),
        .out_data_o (out_data_o)
    );
  end else begin : gen_link
    gsm_elastic_link #(
        .Width (Width),
        .Stages(Stages)
    ) u_link (
        .clk_i      (in_clk_i),
        .rst_ni     (in_rst_ni),
        .in_valid_i (in_valid_i),
        .in_ready_o (in_ready_o),
        .in_data_i  (in_data_i),
        .out_valid_o(out_valid_o),
        .out_ready_i(out_ready_i),
        .out_data_o (out_data_o)
    );
    logic unused_receiver;
    assign unused_receiver = out_clk_i ^ out_rst_ni;
  end

endmodule

`default_nettype wire
