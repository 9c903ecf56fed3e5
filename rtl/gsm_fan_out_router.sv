// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// A node of a broadcast along a tree: the stream router copies what comes in by one in-port to a set
// of out-ports, flit by flit; the source sends the message on its out-ports.
//
// start_i in cycle t puts the source's head on its links in cycle t+1. A hop takes a cycle.
module gsm_fan_out_router #(
    // Ports of the router, two for each dimension: 2..16, even.
    parameter int Ports = 4,
    // Data bits of a flit, 1 or more.
    parameter int Width = 32,
    // Bits of a time, 1..32: the number of flits fits.
    parameter int TimeBits = 8,
    // 1: the node is the source, and nothing is to come in.
    parameter bit Source = 1'b0,
    // The in-port that the message comes by, 0..Ports-1.
    parameter int FanIn = 0,
    // Bit p: the message leaves by out-port p.
    parameter logic [Ports-1:0] FanOut = '0
) (
    // Clock, rising edge.
    input  logic                   clk_i,
    // Asynchronous reset, active low.
    input  logic                   rst_ni,
    // Synchronous clear: no message anywhere in the next cycle.
    input  logic                   clear_i,
    // Flits of a message, 1 or more; constant.
    input  logic [   TimeBits-1:0] flits_i,
    // Pulse at the source: the message is in its memory.
    input  logic                   start_i,
    // The node's memory: flit flit_o of the message.
    output logic [   TimeBits-1:0] flit_o,
    input  logic [      Width-1:0] own_data_i,
    // What arrives.
    input  logic [      Ports-1:0] in_valid_i,
    input  logic [      Ports-1:0] in_head_i,
    input  logic [Ports*Width-1:0] in_data_i,
    // The out registers: what crosses the links in this cycle.
    output logic [      Ports-1:0] out_valid_o,
    output logic [      Ports-1:0] out_head_o,
    output logic [Ports*Width-1:0] out_data_o,
    // What arrives for this node.
    output logic                   deliver_valid_o,
    output logic                   deliver_head_o,
    output logic [      Width-1:0] deliver_data_o
);

  localparam int FlitWidth = Width + 1;

  function automatic logic [Ports*Ports-1:0] fan_out_feed();
    fan_out_feed = '0;
    for (int p = 0; p < Ports; p++) begin
      if (!Source && FanOut[p]) fan_out_feed[p*Ports+FanIn] = 1'b1;
    end
  endfunction

  logic own_valid;
  logic [FlitWidth-1:0] own_flit;
  if (Source) begin : gen_source
    // Flits sent so far; 0: none or all.
    logic [TimeBits-1:0] sent_q;
    assign own_valid = start_i || sent_q != '0;
    assign own_flit = {start_i, own_data_i};
    assign flit_o = start_i ? '0 : sent_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) sent_q <= '0;
      else if (clear_i) sent_q <= '0;
      else if (own_valid) sent_q <= flit_o == flits_i - 1'b1 ? '0 : flit_o + 1'b1;
    end
    assign deliver_valid_o = 1'b0;
  end else begin : gen_receiver
    assign own_valid = 1'b0;
    assign own_flit = '0;
    assign flit_o = '0;
    assign deliver_valid_o = in_valid_i[FanIn];
    logic unused_own;
    assign unused_own = ^{flits_i, start_i, own_data_i};
  end
  assign deliver_head_o = deliver_valid_o && in_head_i[FanIn];
  assign deliver_data_o = in_data_i[FanIn*Width+:Width];

  logic [Ports*FlitWidth-1:0] in_flit;
  logic [Ports*FlitWidth-1:0] out_flit;
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    assign in_flit[p*FlitWidth+:FlitWidth] = {in_head_i[p], in_data_i[p*Width+:Width]};
    assign {out_head_o[p], out_data_o[p*Width+:Width]} = out_flit[p*FlitWidth+:FlitWidth];
  end

  logic error;
  gsm_router #(
      .Ports     (Ports),
      .Width     (FlitWidth),
      .Depth     (1),
      .Feed      (fan_out_feed()),
      .InjectMask(Source ? FanOut : '0)
  ) u_router (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .clear_i       (clear_i),
      .inject_valid_i(own_valid ? FanOut : '0),
      .inject_data_i ({Ports{own_flit}}),
      .in_valid_i    (in_valid_i),
      .in_data_i     (in_flit),
      .out_valid_o   (out_valid_o),
      .out_data_o    (out_flit),
      .error_o       (error)
  );
  // One feed a port: nothing can be lost.
  logic unused_error;
  assign unused_error = error;

  `GSM_PARAMETER(FanInLegal_A, FanIn >= 0 && FanIn < Ports, "FanIn must be below Ports")

endmodule

`default_nettype wire
