// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// A tile of the timetable discipline: slots and adder, the node's own rows as a ROM, and its network
// interface.
//
// Timing of a round is gsm_stream_node's. The own words are taken with start_i.
module gsm_timetable_node #(
    // Ports of the router, two for each dimension: 2..16, even.
    parameter int Ports = 4,
    // Bits of a word, 1 or more.
    parameter int Width = 32,
    // Own words of the node, 1..Slots: those of slots 0 and up at the start; with Own = 0 it has none.
    parameter int Packets = 1,
    parameter bit Own = 1'b1,
    // Arrivals are added, modulo 2^Width, where the rows say so; 0: there is no adder.
    parameter bit Sums = 1'b1,
    // Steps of a round and words of the ROM, 1..2^30.
    parameter int Steps = 1,
    // Slots of the memory, 1..65535.
    parameter int Slots = 1,
    // The word of step s has, from bit (s-1)*Ports*(2*F+2) on, F = $clog2(Slots + 1): by out-port the
    // slot that is sent in the step, by in-port the slot that the arrival goes to, F bits each, 0 for
    // none, else one more than the slot; by in-port a bit, added; by in-port a bit, handed over.
    parameter logic [Steps*Ports*(2*$clog2(Slots+1)+2)-1:0] Rom = '0
) (
    // Clock, rising edge.
    input  logic                     clk_i,
    // Asynchronous reset, active low.
    input  logic                     rst_ni,
    // Synchronous clear: ends the round, empties the router, lowers error_o.
    input  logic                     clear_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low.
    input  logic                     start_i,
    // The own words, word c in bits c*Width +: Width, in the cycle of start_i.
    input  logic [Packets*Width-1:0] own_data_i,
    // Links.
    input  logic [        Ports-1:0] in_valid_i,
    input  logic [  Ports*Width-1:0] in_data_i,
    output logic [        Ports-1:0] out_valid_o,
    output logic [  Ports*Width-1:0] out_data_o,
    // By in-port: what the node has got by this step's arrival, finished. Which output it is follows from
    // the plan's rows, as the step does.
    output logic [        Ports-1:0] deliver_valid_o,
    output logic [  Ports*Width-1:0] deliver_data_o,
    // This is the cycle of a step.
    output logic                     busy_o,
    // It is the last.
    output logic                     last_o,
    // The cycle after the last step.
    output logic                     done_o,
    // Two arrivals were stored to one slot in one step since the last clear, reset or start.
    output logic                     error_o
);

  localparam int FieldWidth = $clog2(Slots + 1);
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

  // Between rounds nothing is kept.
  logic clear;
  assign clear = clear_i || last_o || !(start_i || busy_o);

  logic [Ports*FieldWidth-1:0] read;
  logic [Ports*FieldWidth-1:0] write;
  logic [Ports-1:0] add;
  logic [Ports-1:0] hand_over;
  gsm_step_rom #(
      .Steps     (Steps),
      .Width     (Ports * (2 * FieldWidth + 2)),
      .AheadWidth(Ports * FieldWidth),
      .Rom       (Rom)
  ) u_rom (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear),
      .ahead_o(read),
      .now_o  ({hand_over, add, write})
  );

  logic error;
  gsm_timetable_router_table #(
      .Ports   (Ports),
      .Width   (Width),
      .SumWidth(Sums ? Width : 0),
      .Slots   (Slots),
      .Loads   (Packets)
  ) u_router (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .clear_i       (clear),
      .load_valid_i  ({Packets{start_i && Own}}),
      .load_slot_i   (FieldWidth'(1)),
      .load_data_i   (own_data_i),
      .read_i        (read),
      .write_i       (write),
      .add_i         (add),
      .hand_over_i   (hand_over),
      .in_valid_i    (in_valid_i),
      .in_data_i     (in_data_i),
      .out_valid_o   (out_valid_o),
      .out_data_o    (out_data_o),
      .handed_valid_o(deliver_valid_o),
      .handed_data_o (deliver_data_o),
      .error_o       (error)
  );

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
  `GSM_ASSERT(IdleIsQuiet_A, busy_o || out_valid_o == '0, "a word leaves outside a round")

endmodule

`default_nettype wire
