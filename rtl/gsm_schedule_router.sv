// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The hardwired scheduled router: buffer, own packets, step counter, and the schedule as a ROM.
//
// One ROM word a step says what each out-port sends and which slot each arrival is written to; the
// ROM is the same in every router of a torus. Steps are counted as gsm_step_rom does; after the last
// word the out-ports are idle. Timing and buffer are gsm_schedule_router_table's.
module gsm_schedule_router #(
    // Ports of the router, two for each dimension: 2..16, even.
    parameter int Ports = 4,
    // Data bits of a packet, 1 or more.
    parameter int Width = 32,
    // Own packets of the node, 1..1024.
    parameter int Packets = 1,
    // Slots of the packet buffer, 1..32767.
    parameter int Slots = 1,
    // Words of the ROM, 1..2^30.
    parameter int Steps = 1,
    // Bits of a source field: 0 idle, 1..Packets an own packet, then the slots.
    parameter int SourceWidth = $clog2(Packets + Slots + 1),
    // Bits of a store field: 0 deliver only, then the slots.
    parameter int StoreWidth = $clog2(Slots + 1),
    // Bits (s-1)*Ports*(SourceWidth+StoreWidth) and up: the word of step s; in it the source fields
    // by out-port, then the store fields by in-port.
    parameter logic [Steps*Ports*(SourceWidth+StoreWidth)-1:0] Rom = '0
) (
    // Clock, rising edge.
    input  logic                     clk_i,
    // Asynchronous reset, active low.
    input  logic                     rst_ni,
    // Synchronous clear: buffer and registers empty, error_o low, step counter 0.
    input  logic                     clear_i,
    // The own packets, packet c in bits c*Width +: Width; stable from the first cycle without
    // clear_i to the last step that sends one.
    input  logic [Packets*Width-1:0] own_data_i,
    // Arrivals.
    input  logic [        Ports-1:0] in_valid_i,
    input  logic [  Ports*Width-1:0] in_data_i,
    // The out registers: what crosses the links in this cycle.
    output logic [        Ports-1:0] out_valid_o,
    output logic [  Ports*Width-1:0] out_data_o,
    // By in-port: what arrives in this cycle goes to a slot.
    output logic [        Ports-1:0] stored_o,
    // Sticky: two arrivals were for one slot.
    output logic                     error_o
);

  // The sources of the next step's word and the stores of this step's.
  logic [Ports*SourceWidth-1:0] sources;
  logic [Ports*StoreWidth-1:0] stores;
  gsm_step_rom #(
      .Steps     (Steps),
      .Width     (Ports * (SourceWidth + StoreWidth)),
      .AheadWidth(Ports * SourceWidth),
      .Rom       (Rom)
  ) u_rom (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .ahead_o(sources),
      .now_o  (stores)
  );
  for (genvar q = 0; q < Ports; q++) begin : gen_in_port
    assign stored_o[q] = stores[q*StoreWidth+:StoreWidth] != '0;
  end

  logic [Ports-1:0] inject_valid;
  logic [Ports*Width-1:0] inject_data;
  logic [Ports*StoreWidth-1:0] read;
  for (genvar p = 0; p < Ports; p++) begin : gen_out_port
    logic [SourceWidth-1:0] source;
    logic slot;
    assign source = sources[p*SourceWidth+:SourceWidth];
    assign slot = 32'(source) > Packets;
    assign inject_valid[p] = source != '0 && !slot;
    assign inject_data[p*Width+:Width] = own_packet(source, own_data_i);
    assign read[p*StoreWidth+:StoreWidth] = slot ? StoreWidth'(source - SourceWidth'(Packets)) : '0;
  end

  // The own packet that a source of 1..Packets names; 0 elsewhere.
  function automatic logic [Width-1:0] own_packet(input logic [SourceWidth-1:0] source,
                                                  input logic [Packets*Width-1:0] own);
    own_packet = '0;
    for (int c = 0; c < Packets; c++) begin
      if (32'(source) == c + 1) own_packet = own[c*Width+:Width];
    end
  endfunction

  gsm_schedule_router_table #(
      .Ports     (Ports),
      .Width     (Width),
      .Slots     (Slots),
      .FieldWidth(StoreWidth)
  ) u_table (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .clear_i       (clear_i),
      .read_i        (read),
      .write_i       (stores),
      .inject_valid_i(inject_valid),
      .inject_data_i (inject_data),
      .in_valid_i    (in_valid_i),
      .in_data_i     (in_data_i),
      .out_valid_o   (out_valid_o),
      .out_data_o    (out_data_o),
      .error_o       (error_o)
  );

  `GSM_PARAMETER(PacketsLegal_A, Packets >= 1 && Packets <= 1024, "Packets must be 1..1024")
  `GSM_PARAMETER(SourceWidthLegal_A, SourceWidth == $clog2(Packets + Slots + 1),
                 "SourceWidth must be $clog2(Packets + Slots + 1)")
  `GSM_PARAMETER(StoreWidthLegal_A, StoreWidth == $clog2(Slots + 1),
                 "StoreWidth must be $clog2(Slots + 1)")

endmodule

`default_nettype wire
