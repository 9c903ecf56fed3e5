// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The scheduled router without its ROM: a packet buffer of addressable slots and the out registers.
// The two fields of the ROM word that concern the buffer are inputs, so that one simulation model
// runs every schedule.
//
// In the cycle of step s, write_i says where the arrivals of step s go, and read_i what the
// out-ports send in step s + 1: the injected packet, or the content of a slot with the writes of
// step s already in it, or nothing where the slot is empty. One cycle a hop. A slot keeps its
// packet until another one is written to it. When two arrivals are for one slot that of the higher in-port
// stays, the other is lost and raises error_o. Reset and clear leave the buffer empty.
module gsm_schedule_router_table #(
    // Ports of the router, two for each dimension: 2..16, even.
    parameter int Ports = 4,
    // Data bits of a packet, 1 or more.
    parameter int Width = 32,
    // Slots of the packet buffer, 1..32767.
    parameter int Slots = 1,
    // Bits of a field, which holds 0..Slots: leave it at $clog2(Slots + 1).
    parameter int FieldWidth = $clog2(Slots + 1)
) (
    // Clock, rising edge.
    input  logic                        clk_i,
    // Asynchronous reset, active low.
    input  logic                        rst_ni,
    // Synchronous clear: buffer and registers empty, error_o low.
    input  logic                        clear_i,
    // Bits p*FieldWidth +: FieldWidth: 0, or 1 more than the slot that out-port p sends in the
    // coming step.
    input  logic [Ports*FieldWidth-1:0] read_i,
    // Bits q*FieldWidth +: FieldWidth: 0, or 1 more than the slot that takes the arrival on
    // in-port q.
    input  logic [Ports*FieldWidth-1:0] write_i,
    // Own packets, ahead of what read_i says.
    input  logic [           Ports-1:0] inject_valid_i,
    input  logic [     Ports*Width-1:0] inject_data_i,
    // Arrivals.
    input  logic [           Ports-1:0] in_valid_i,
    input  logic [     Ports*Width-1:0] in_data_i,
    // The out registers: what crosses the links in this cycle.
    output logic [           Ports-1:0] out_valid_o,
    output logic [     Ports*Width-1:0] out_data_o,
    // Sticky: two arrivals were for one slot.
    output logic                        error_o
);

  logic [Ports-1:0] read_valid;
  logic [Ports*Width-1:0] read_data;
  logic [Ports*Width-1:0] unused_after;
  gsm_slots #(
      .Ports     (Ports),
      .Width     (Width),
      .Slots     (Slots),
      .FieldWidth(FieldWidth)
  ) u_slots (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .clear_i     (clear_i),
      .load_valid_i(1'b0),
      .load_slot_i ({FieldWidth{1'b0}}),
      .load_data_i ({Width{1'b0}}),
      .read_i      (read_i),
      .write_i     (write_i),
      .add_i       ({Ports{1'b0}}),
      .in_valid_i  (in_valid_i),
      .in_data_i   (in_data_i),
      .read_valid_o(read_valid),
      .read_data_o (read_data),
      .after_data_o(unused_after),
      .error_o     (error_o)
  );

  for (genvar p = 0; p < Ports; p++) begin : gen_out_port
    gsm_link #(
        .Width(Width)
    ) u_link (
        .clk_i  (clk_i),
        .rst_ni (rst_ni),
        .clear_i(clear_i),
        .valid_i(inject_valid_i[p] || read_valid[p]),
        .data_i (inject_valid_i[p] ? inject_data_i[p*Width+:Width] : read_data[p*Width+:Width]),
        .valid_o(out_valid_o[p]),
        .data_o (out_data_o[p*Width+:Width])
    );
  end

  `GSM_PARAMETER(PortsLegal_A, Ports >= 2 && Ports <= 16 && Ports % 2 == 0,
                 "Ports must be even, 2..16")
  `GSM_PARAMETER(SlotsLegal_A, Slots >= 1 && Slots <= 32767, "Slots must be 1..32767")

endmodule

`default_nettype wire
