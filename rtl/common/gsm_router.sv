// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The hardwired stream router: gsm_router_table with its table as parameters.
//
// The constants fold away in synthesis: an out-port with one feed, no own packets and Depth 1 is a wire
// into a register. Behaviour and timing are those of gsm_router_table.
module gsm_router #(
    // Ports of the router, two per dimension: 2..16, even.
    parameter int Ports = 4,
    // Data bits of a packet, 1 or more.
    parameter int Width = 32,
    // Capacity of each out-port in packets, including the out register, 1..65535.
    parameter int Depth = 1,
    // Slots of a frame, 1..16: step s is slot (s - 1) mod Frame. The table's ports are
    // port*Frame + slot, the ports themselves for Frame = 1.
    parameter int Frame = 1,
    // Bit p*Ports*Frame + q: in-port q feeds out-port p in steps >= the port's switch step.
    parameter logic [Ports*Frame*Ports*Frame-1:0] Feed = '0,
    // The same for steps before the switch step.
    parameter logic [Ports*Frame*Ports*Frame-1:0] EarlyFeed = '0,
    // Bits p*32 +: 32: first step of Feed at out-port p, 0..2^31-1; 0 for no switch.
    parameter logic [Ports*Frame*32-1:0] SwitchStep = '0,
    // Bit p: out-port p has own packets. Injections elsewhere are ignored; each set bit costs a
    // two-way multiplexer of Width bits.
    parameter logic [Ports-1:0] InjectMask = {Ports{1'b1}}
) (
    // Clock, rising edge.
    input  logic                   clk_i,
    // Asynchronous reset, active low.
    input  logic                   rst_ni,
    // Synchronous clear: all queues empty, error_o low, step counter 0.
    input  logic                   clear_i,
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

  // Width of the largest switch step.
  function automatic int step_width(input logic [Ports*Frame*32-1:0] switch_step);
    logic [31:0] largest;
    largest = 32'd1;
    for (int p = 0; p < Ports * Frame; p++) begin
      if (switch_step[p*32+:32] > largest) largest = switch_step[p*32+:32];
    end
    step_width = $clog2(largest + 32'd1);
  endfunction

  // True if some out-port can get two packets for one place: only then can error_o rise. Queues that wait
  // for their slot may gain one packet per frame.
  function automatic logic can_lose(input logic [Ports*Frame*Ports*Frame-1:0] feed,
                                    input logic [Ports-1:0] inject);
    can_lose = Frame > 1;
    for (int p = 0; p < Ports; p++) begin
      if ($countones(feed[p*Frame*Ports*Frame+:Ports*Frame]) + 32'(inject[p]) > 1) begin
        can_lose = 1'b1;
      end
    end
  endfunction

  logic error;

  gsm_router_table #(
      .Ports    (Ports),
      .Width    (Width),
      .Depth    (Depth),
      .Frame    (Frame),
      .StepWidth(step_width(SwitchStep))
  ) u_table (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .clear_i       (clear_i),
      .feed_i        (Feed),
      .early_feed_i  (EarlyFeed),
      .switch_step_i (SwitchStep),
      .frame_i       (5'(Frame)),
      .depth_i       (16'(Depth)),
      .inject_valid_i(inject_valid_i & InjectMask),
      .inject_data_i (inject_data_i),
      .in_valid_i    (in_valid_i),
      .in_data_i     (in_data_i),
      .out_valid_o   (out_valid_o),
      .out_data_o    (out_data_o),
      .error_o       (error)
  );

  assign error_o = can_lose(Feed, InjectMask) || can_lose(EarlyFeed, InjectMask) ? error : 1'b0;

  `GSM_PARAMETER(DepthLegal_A, Depth >= 1 && Depth <= 65535, "Depth must be 1..65535")

endmodule

`default_nettype wire
