// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// A link of an elastic network after the out-port's queue: relay stages if both ends have one clock, a
// crossing if each has its own.
//
// Each stage adds one cycle to the latency of a flit and one to the return of a free slot. It has room for
// two flits, so the link runs at the full rate of one flit per cycle. Stages are placed along the wire;
// without stages the link is a wire.
module gsm_elastic_channel #(
    // Bits of a flit, 1 or more.
    parameter int Width    = 32,
    // Relay stages of a link with one clock, 0 or more: the latency of the link minus the cycle of the out-port's
    // queue.
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
  end else begin : gen_stages
    // Between stage i - 1 and stage i.
    logic [Stages:0] valid;
    logic [Stages:0] ready;
    logic [(Stages+1)*Width-1:0] data;
    assign valid[0]       = in_valid_i;
    assign in_ready_o     = ready[0];
    assign data[0+:Width] = in_data_i;
    assign out_valid_o    = valid[Stages];
    assign ready[Stages]  = out_ready_i;
    assign out_data_o     = data[Stages*Width+:Width];

    for (genvar i = 0; i < Stages; i++) begin : gen_stage
      gsm_elastic_queue #(
          .Width(Width),
          .Slots(2)
      ) u_stage (
          .clk_i      (in_clk_i),
          .rst_ni     (in_rst_ni),
          .slots_i    (2'd2),
          .in_valid_i (valid[i]),
          .in_ready_o (ready[i]),
          .in_data_i  (data[i*Width+:Width]),
          .out_valid_o(valid[i+1]),
          .out_ready_i(ready[i+1]),
          .out_data_o (data[(i+1)*Width+:Width])
      );
    end
    logic unused_clocks;
    assign unused_clocks = ^{in_clk_i, in_rst_ni, out_clk_i, out_rst_ni};
  end

  `GSM_PARAMETER(StagesLegal_A, Stages >= 0, "Stages must not be negative")

endmodule

`default_nettype wire
