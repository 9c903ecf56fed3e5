// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The interface between a router and its processing element: injects the own packets of a round, delivers
// the arrivals, and detects the end of the round.
//
// start_i in cycle t makes cycle t+1 step 1. In cycle t + i every out-port gets the i-th own packet of its
// list. In frames of several slots there is a list per out-port and slot, and its i-th packet is sent in
// cycle t + slot + i*Frame. Arrivals are delivered in the cycle in which they arrive, without a register.
// busy_o is high in the cycles of steps 1..Steps, done_o in the cycle after them.
module gsm_network_interface #(
    // Ports of the router, two per dimension: 2..16, even.
    parameter int Ports = 4,
    // Data bits of a packet, 1 or more.
    parameter int Width = 32,
    // Own packets of the node, 1..1024.
    parameter int Packets = 1,
    // Steps of a round, 1..2^30.
    parameter int Steps = 1,
    // Slots of a frame, 1..16. The lists are numbered out-port*Frame + slot.
    parameter int Frame = 1,
    // Length of each list in Preload, 1..1024.
    parameter int PreloadMax = 1,
    // Bits p*16 +: 16: number of own packets in list p, 0..PreloadMax.
    parameter logic [Ports*Frame*16-1:0] PreloadLength = '0,
    // Bits (p*PreloadMax + i)*16 +: 16: which own packet is the i-th of list p, < Packets.
    parameter logic [Ports*Frame*PreloadMax*16-1:0] Preload = '0
) (
    // Clock, rising edge.
    input  logic                     clk_i,
    // Asynchronous reset, active low.
    input  logic                     rst_ni,
    // Synchronous clear: ends the round without done_o.
    input  logic                     clear_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low.
    input  logic                     start_i,
    // The own packets, packet c in bits c*Width +: Width; stable from start_i until the last one is
    // injected.
    input  logic [Packets*Width-1:0] own_data_i,
    // To the router.
    output logic [        Ports-1:0] inject_valid_o,
    output logic [  Ports*Width-1:0] inject_data_o,
    // Arrivals at the router, for observation.
    input  logic [        Ports-1:0] in_valid_i,
    input  logic [  Ports*Width-1:0] in_data_i,
    // Every arrival, for the processing element.
    output logic [        Ports-1:0] deliver_valid_o,
    output logic [  Ports*Width-1:0] deliver_data_o,
    // A round is running: this is the cycle of a step 1..Steps.
    output logic                     busy_o,
    // The cycle of step Steps: the router must be clear in the next.
    output logic                     last_o,
    // The cycle after step Steps.
    output logic                     done_o
);

  localparam int StepWidth = $clog2(Steps + 1);

  logic [StepWidth-1:0] step;
  gsm_round #(
      .StepWidth(StepWidth)
  ) u_round (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .start_i(start_i),
      .steps_i(StepWidth'(Steps)),
      .step_o (step),
      .busy_o (busy_o),
      .last_o (last_o),
      .done_o (done_o)
  );

  assign deliver_valid_o = in_valid_i;
  assign deliver_data_o  = in_data_i;

  // The step counter selects the entry: 0 in the cycle of start_i.
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    logic [Frame*PreloadMax-1:0] at;
    logic [Frame*PreloadMax*Width-1:0] entry;
    for (genvar k = 0; k < Frame * PreloadMax; k++) begin : gen_entry
      // Entry k / Frame of the list of slot k % Frame.
      localparam int List = p * Frame + k % Frame;
      localparam int Length = 32'(PreloadLength[List*16+:16]);
      localparam int Packet = 32'(Preload[(List*PreloadMax+k/Frame)*16+:16]);
      if (k / Frame >= Length) begin : gen_none
        assign at[k] = 1'b0;
      end else if (k == 0) begin : gen_first
        assign at[k] = start_i;
      end else begin : gen_later
        assign at[k] = 32'(step) == k;
      end
      assign entry[k*Width+:Width] = own_data_i[Packet*Width+:Width];
    end
    assign inject_valid_o[p]             = at != '0;
    assign inject_data_o[p*Width+:Width] = last_of(at, entry);
  end
  // The first entry needs no condition: without an injection the value does not matter.
  function automatic logic [Width-1:0] last_of(input logic [Frame*PreloadMax-1:0] valid,
                                               input logic [Frame*PreloadMax*Width-1:0] data);
    last_of = data[Width-1:0];
    for (int k = 1; k < Frame * PreloadMax; k++) begin
      if (valid[k]) last_of = data[k*Width+:Width];
    end
  endfunction

  // A packet that is in no list is not injected; a list with one entry does not depend on the step.
  logic unused_own;
  assign unused_own = ^{own_data_i, step};

  `GSM_ASSERT(StartWhenIdle_A, !start_i || !busy_o, "start_i while a round is running")
  `GSM_PARAMETER(PortsLegal_A, Ports >= 2 && Ports <= 16 && Ports % 2 == 0,
                 "Ports must be even, 2..16")
  `GSM_PARAMETER(PacketsLegal_A, Packets >= 1 && Packets <= 1024, "Packets must be 1..1024")
  `GSM_PARAMETER(StepsLegal_A, Steps >= 1 && Steps <= 1073741824, "Steps must be 1..2^30")
  `GSM_PARAMETER(FrameLegal_A, Frame >= 1 && Frame <= 16, "Frame must be 1..16")
  `GSM_PARAMETER(PreloadMaxLegal_A, PreloadMax >= 1 && PreloadMax <= 1024,
                 "PreloadMax must be 1..1024")

endmodule

`default_nettype wire
