// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// gsm_network_interface with the lists of own packets and the number of steps as inputs.
//
// start_i in cycle t makes cycle t+1 step 1. In cycle t + i every out-port gets the i-th own packet
// of its list. Arrivals are delivered in the cycle in which they arrive, without a register. busy_o
// is high in the cycles of steps 1..steps_i, done_o in the cycle after them.
module gsm_network_interface_table #(
    // Ports of the router, two per dimension: 2..16, even.
    parameter int Ports = 4,
    // Data bits of a packet, 1 or more.
    parameter int Width = 32,
    // Own packets of the node, 1..1024.
    parameter int Packets = 1,
    // Entries of a list of own packets, 1..1024.
    parameter int PreloadMax = 1
) (
    // Clock, rising edge.
    input  logic                           clk_i,
    // Asynchronous reset, active low.
    input  logic                           rst_ni,
    // Synchronous clear: ends the round without done_o.
    input  logic                           clear_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low.
    input  logic                           start_i,
    // Steps of a round, 1..2^30; stable while a round is running.
    input  logic [                   31:0] steps_i,
    // Bits p*16 +: 16: number of own packets that out-port p sends, 0..PreloadMax; stable likewise.
    input  logic [           Ports*16-1:0] preload_length_i,
    // Bits (p*PreloadMax + i)*16 +: 16: which own packet out-port p sends as its i-th, < Packets.
    input  logic [Ports*PreloadMax*16-1:0] preload_i,
    // The own packets, packet c in bits c*Width +: Width; stable from start_i until the last one is
    // injected.
    input  logic [      Packets*Width-1:0] own_data_i,
    // To the router.
    output logic [              Ports-1:0] inject_valid_o,
    output logic [        Ports*Width-1:0] inject_data_o,
    // Arrivals at the router, for observation.
    input  logic [              Ports-1:0] in_valid_i,
    input  logic [        Ports*Width-1:0] in_data_i,
    // Every arrival, for the processing element.
    output logic [              Ports-1:0] deliver_valid_o,
    output logic [        Ports*Width-1:0] deliver_data_o,
    // A round is running: this is the cycle of a step 1..steps_i.
    output logic                           busy_o,
    // The cycle of the last step: the router must be clear in the next.
    output logic                           last_o,
    // The cycle after the last step.
    output logic                           done_o
);

  logic [31:0] step;
  gsm_round #(
      .StepWidth(32)
  ) u_round (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .start_i(start_i),
      .steps_i(steps_i),
      .step_o (step),
      .busy_o (busy_o),
      .last_o (last_o),
      .done_o (done_o)
  );

  assign deliver_valid_o = in_valid_i;
  assign deliver_data_o  = in_data_i;

  // The step counter is the index into the lists: 0 in the cycle of start_i.
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    logic [15:0] packet;
    assign packet = listed(step, preload_i[p*PreloadMax*16+:PreloadMax*16]);
    assign inject_valid_o[p] = (start_i || busy_o) && step < 32'(preload_length_i[p*16+:16]);
    assign inject_data_o[p*Width+:Width] = own_packet(packet, own_data_i);
  end
  // The first of each needs no condition: without an injection the value does not matter.
  function automatic logic [15:0] listed(input logic [31:0] number,
                                         input logic [PreloadMax*16-1:0] list);
    listed = list[15:0];
    for (int i = 1; i < PreloadMax; i++) begin
      if (number == i) listed = list[i*16+:16];
    end
  endfunction
  function automatic logic [Width-1:0] own_packet(input logic [15:0] packet,
                                                  input logic [Packets*Width-1:0] own);
    own_packet = own[Width-1:0];
    for (int c = 1; c < Packets; c++) begin
      if (packet == 16'(c)) own_packet = own[c*Width+:Width];
    end
  endfunction

  `GSM_ASSERT(StartWhenIdle_A, !start_i || !busy_o, "start_i while a round is running")
  `GSM_PARAMETER(PortsLegal_A, Ports >= 2 && Ports <= 16 && Ports % 2 == 0,
                 "Ports must be even, 2..16")
  `GSM_PARAMETER(PacketsLegal_A, Packets >= 1 && Packets <= 1024, "Packets must be 1..1024")
  `GSM_PARAMETER(PreloadMaxLegal_A, PreloadMax >= 1 && PreloadMax <= 1024,
                 "PreloadMax must be 1..1024")

endmodule

`default_nettype wire
