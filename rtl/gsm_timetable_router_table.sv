// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The router of timetables without its ROM: slots with an adder before them, and the out registers.
// The fields of the ROM word are inputs, so that one simulation model runs every timetable.
//
// In the cycle of step s, write_i, add_i and hand_over_i say what becomes of the arrivals of step s,
// and read_i what the out-ports send in step s + 1, as gsm_slots has it. One cycle a hop. The node's own
// words are loaded before step 1, in the cycle before it at the latest.
module gsm_timetable_router_table #(
    // Ports of the router, two for each dimension: 2..16, even.
    parameter int Ports = 4,
    // Bits of a word, 1 or more.
    parameter int Width = 32,
    // Its low bits that are added, a sum has the others from what was in the slot; 0: nothing is added.
    parameter int SumWidth = 32,
    // Slots of the memory, 1..65535.
    parameter int Slots = 1,
    // Own words that are loaded at once, 1..Slots.
    parameter int Loads = 1,
    // Bits of a field, which holds 0..Slots: leave it at $clog2(Slots + 1).
    parameter int FieldWidth = $clog2(Slots + 1)
) (
    // Clock, rising edge.
    input  logic                        clk_i,
    // Asynchronous reset, active low.
    input  logic                        rst_ni,
    // Synchronous clear: memory and registers empty, error_o low.
    input  logic                        clear_i,
    // Bit i: own word i of load_data_i is for slot load_slot_i - 1 + i. Only while nothing arrives.
    input  logic [           Loads-1:0] load_valid_i,
    input  logic [      FieldWidth-1:0] load_slot_i,
    input  logic [     Loads*Width-1:0] load_data_i,
    // Bits p*FieldWidth +: FieldWidth: 0, or 1 more than the slot that out-port p sends in the
    // coming step.
    input  logic [Ports*FieldWidth-1:0] read_i,
    // Bits q*FieldWidth +: FieldWidth: 0, or 1 more than the slot that the arrival on in-port q goes
    // to.
    input  logic [Ports*FieldWidth-1:0] write_i,
    // The arrival is added to the slot; else it takes its place.
    input  logic [           Ports-1:0] add_i,
    // The slot behind the writes (without one: the arrival) is a finished output.
    input  logic [           Ports-1:0] hand_over_i,
    // Arrivals.
    input  logic [           Ports-1:0] in_valid_i,
    input  logic [     Ports*Width-1:0] in_data_i,
    // The out registers: what crosses the links in this cycle.
    output logic [           Ports-1:0] out_valid_o,
    output logic [     Ports*Width-1:0] out_data_o,
    // By in-port: the outputs of this step.
    output logic [           Ports-1:0] handed_valid_o,
    output logic [     Ports*Width-1:0] handed_data_o,
    // Sticky: two arrivals were stored to one slot in one step.
    output logic                        error_o
);

  logic [Ports-1:0] read_valid;
  logic [Ports*Width-1:0] read_data;
  gsm_slots #(
      .Ports     (Ports),
      .Width     (Width),
      .SumWidth  (SumWidth),
      .Slots     (Slots),
      .Loads     (Loads),
      .FieldWidth(FieldWidth)
  ) u_slots (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .clear_i     (clear_i),
      .load_valid_i(load_valid_i),
      .load_slot_i (load_slot_i),
      .load_data_i (load_data_i),
      .read_i      (read_i),
      .write_i     (write_i),
      .add_i       (add_i),
      .in_valid_i  (in_valid_i),
      .in_data_i   (in_data_i),
      .read_valid_o(read_valid),
      .read_data_o (read_data),
      .after_data_o(handed_data_o),
      .error_o     (error_o)
  );
  assign handed_valid_o = in_valid_i & hand_over_i;

  for (genvar p = 0; p < Ports; p++) begin : gen_out_port
    gsm_link #(
        .Width(Width)
    ) u_link (
        .clk_i  (clk_i),
        .rst_ni (rst_ni),
        .clear_i(clear_i),
        .valid_i(read_valid[p]),
        .data_i (read_data[p*Width+:Width]),
        .valid_o(out_valid_o[p]),
        .data_o (out_data_o[p*Width+:Width])
    );
  end

  `GSM_PARAMETER(PortsLegal_A, Ports >= 2 && Ports <= 16 && Ports % 2 == 0,
                 "Ports must be even, 2..16")

endmodule

`default_nettype wire
