// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// A tile of the schedule discipline: the scheduled router with its ROM and its network interface.
//
// Timing of a round is gsm_stream_node's.
module gsm_schedule_node #(
    // Ports of the router, two for each dimension: 2..16, even.
    parameter int Ports = 4,
    // Data bits of a packet, 1 or more.
    parameter int Width = 32,
    // Own packets of the node, 1..1024.
    parameter int Packets = 1,
    // Steps of a round, 1..2^30.
    parameter int Steps = 1,
    // Slots of the packet buffer, 1..32767.
    parameter int Slots = 1,
    // Words of the ROM, 1..2^30, and the ROM as gsm_schedule_router has it.
    parameter int ScheduleSteps = 1,
    parameter logic [ScheduleSteps*Ports*($clog2(Packets+Slots+1)+$clog2(Slots+1))-1:0] Rom = '0,
    // 1: every arrival is for the processing element; 0: what goes to a slot is on its way to others.
    parameter bit TakesAll = 1'b1
) (
    // Clock, rising edge.
    input  logic                     clk_i,
    // Asynchronous reset, active low.
    input  logic                     rst_ni,
    // Synchronous clear: ends the round, empties the router, lowers error_o.
    input  logic                     clear_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low.
    input  logic                     start_i,
    // The own packets, packet c in bits c*Width +: Width; stable during the whole round.
    input  logic [Packets*Width-1:0] own_data_i,
    // Links.
    input  logic [        Ports-1:0] in_valid_i,
    input  logic [  Ports*Width-1:0] in_data_i,
    output logic [        Ports-1:0] out_valid_o,
    output logic [  Ports*Width-1:0] out_data_o,
    // Arrivals for the processing element, by in-port.
    output logic [        Ports-1:0] deliver_valid_o,
    output logic [  Ports*Width-1:0] deliver_data_o,
    // This is the cycle of a step.
    output logic                     busy_o,
    // It is the last.
    output logic                     last_o,
    // The cycle after the last step.
    output logic                     done_o,
    // Two arrivals were for one slot since the last clear, reset or start.
    output logic                     error_o
);

  localparam int StepWidth = $clog2(Steps + 1);

  logic [StepWidth-1:0] unused_step;
  gsm_round #(
      .StepWidth(StepWidth)
  ) u_round (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .start_i(start_i),
      .steps_i(StepWidth'(Steps)),
      .step_o (unused_step),
      .busy_o (busy_o),
      .last_o (last_o),
      .done_o (done_o)
  );

  logic [Ports-1:0] stored;
  logic error;
  gsm_schedule_router #(
      .Ports  (Ports),
      .Width  (Width),
      .Packets(Packets),
      .Slots  (Slots),
      .Steps  (ScheduleSteps),
      .Rom    (Rom)
  ) u_router (
      .clk_i      (clk_i),
      .rst_ni     (rst_ni),
      .clear_i    (clear_i || last_o || !(start_i || busy_o)),
      .own_data_i (own_data_i),
      .in_valid_i (in_valid_i),
      .in_data_i  (in_data_i),
      .out_valid_o(out_valid_o),
      .out_data_o (out_data_o),
      .stored_o   (stored),
      .error_o    (error)
  );
  assign deliver_valid_o = in_valid_i & ({Ports{TakesAll}} | ~stored);
  assign deliver_data_o  = in_data_i;

  gsm_error u_error (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .start_i(start_i),
      .fault_i(error),
      .error_o(error_o)
  );

  `GSM_PARAMETER(StepsLegal_A, Steps >= 1 && Steps <= 1073741824, "Steps must be 1..2^30")
  `GSM_ASSERT(StartWhenIdle_A, !start_i || !busy_o, "start_i while a round is running")
  `GSM_ASSERT(LinksKnown_A, (^out_valid_o) !== 1'bx, "a link is neither idle nor in use")
  `GSM_ASSERT(IdleIsQuiet_A, busy_o || out_valid_o == '0, "a packet leaves outside a round")

endmodule

`default_nettype wire
