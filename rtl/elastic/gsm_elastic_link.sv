// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// A long elastic link: relay stages of two slots in series.
//
// Each stage adds one cycle to the latency of a flit and one to the return of a free slot. It has room for
// two flits, so the link runs at the full rate of one flit per cycle. Stages are placed along the wire;
// without stages the link is a wire.
module gsm_elastic_link #(
    // Bits of a flit, 1 or more.
    parameter int Width  = 32,
    // Relay stages, 0 or more: the latency of the link minus the cycle of the out-port's queue.
    parameter int Stages = 1
) (
    // Clock, rising edge.
    input  logic             clk_i,
    // Asynchronous reset, active low.
    input  logic             rst_ni,
    // From the out-port.
    input  logic             in_valid_i,
    output logic             in_ready_o,
    input  logic [Width-1:0] in_data_i,
    // To the in-port.
    output logic             out_valid_o,
    input  logic             out_ready_i,
    output logic [Width-1:0] out_data_o
);

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
        .clk_i      (clk_i),
        .rst_ni     (rst_ni),
        .slots_i    (2'd2),
        .in_valid_i (valid[i]),
        .in_ready_o (ready[i]),
        .in_data_i  (data[i*Width+:Width]),
        .out_valid_o(valid[i+1]),
        .out_ready_i(ready[i+1]),
        .out_data_o (data[(i+1)*Width+:Width])
    );
  end
  if (Stages == 0) begin : gen_wire
    logic unused_clock;
    assign unused_clock = clk_i ^ rst_ni;
  end

  `GSM_PARAMETER(StagesLegal_A, Stages >= 0, "Stages must not be negative")

endmodule

`default_nettype wire
