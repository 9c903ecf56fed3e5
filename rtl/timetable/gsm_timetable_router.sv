// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The timetable router without its ROM: slots, and the out registers. The fields of the ROM word are
// inputs, so that one simulation model runs every timetable.
//
// In the cycle of step s, the fields of in-ports describe the treatment of the arrivals of step s, and
// those of out-ports the words that are sent in step s + 1, as gsm_slots has it. One cycle per hop.
//
// With adders of several cycles (Late) each cycle treats its own arrivals. Packets
// of several words have a slot for every word.
module gsm_timetable_router #(
    // Ports of the router, two for each dimension: 2..16, even.
    parameter int Ports = 4,
    // Bits of a word, 1 or more.
    parameter int Width = 32,
    // Low bits of a word that are combined; 0: nothing is combined. The operation is as gsm_combine has it.
    parameter int SumWidth = 0,
    parameter int Operation = 0,
    // Slots of the memory, 1..65535.
    parameter int Slots = 1,
    // Adders of several cycles; this and the following parameters are those of gsm_slots.
    parameter bit Late = 1'b0,
    parameter int Stages = 0,
    parameter int MostAdderCycles = 15,
    parameter int Depth = Ports,
    parameter logic [Ports*Ports-1:0] Adders = '1
) (
    // Clock, rising edge.
    input  logic                        clk_i,
    // Asynchronous reset, active low.
    input  logic                        rst_ni,
    // Synchronous clear: slots and registers empty, error_o low.
    input  logic                        clear_i,
    // With Late only: as gsm_slots.
    input  logic [                 3:0] adder_cycles_i,
    input  logic                        steps_wait_i,
    input  logic [Ports*$clog2(Ports+1)-1:0] waits_i,
    // By out-port: an own word that the coming step sends.
    input  logic [           Ports-1:0] inject_valid_i,
    input  logic [     Ports*Width-1:0] inject_data_i,
    // By out-port without an own word, a field that holds 0..Slots: 0, or 1 more than the slot that is sent.
    input  logic [Ports*$clog2(Slots+1)-1:0] read_i,
    // By in-port: as gsm_slots.
    input  logic [Ports*$clog2(Slots+1)-1:0] with_i,
    input  logic [           Ports-1:0] own_valid_i,
    input  logic [     Ports*Width-1:0] own_data_i,
    input  logic [Ports*$clog2(Slots+1)-1:0] write_i,
    // By in-port: the result is for the processing element.
    input  logic [           Ports-1:0] deliver_i,
    // Arrivals.
    input  logic [           Ports-1:0] in_valid_i,
    input  logic [     Ports*Width-1:0] in_data_i,
    // The out registers: the content of the links in this cycle.
    output logic [           Ports-1:0] out_valid_o,
    output logic [     Ports*Width-1:0] out_data_o,
    // By in-port: the result that leaves it in this cycle, valid if it is for the processing element.
    output logic [           Ports-1:0] result_valid_o,
    output logic [     Ports*Width-1:0] result_data_o,
    // Sticky: two arrivals of one step replaced the same slot, or two results of one cycle came to it.
    output logic                        error_o
);

  logic [Ports-1:0] read_valid;
  logic [Ports*Width-1:0] read_data;
  gsm_slots #(
      .Ports          (Ports),
      .Width          (Width),
      .SumWidth       (SumWidth),
      .Operation      (Operation),
      .Slots          (Slots),
      .Late           (Late),
      .Stages         (Stages),
      .MostAdderCycles(MostAdderCycles),
      .Depth          (Depth),
      .Adders         (Adders)
  ) u_slots (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .clear_i       (clear_i),
      .adder_cycles_i(adder_cycles_i),
      .steps_wait_i  (steps_wait_i),
      .waits_i       (waits_i),
      .read_i        (read_i),
      .with_i        (with_i),
      .own_valid_i   (own_valid_i),
      .own_data_i    (own_data_i),
      .write_i       (write_i),
      .deliver_i     (deliver_i),
      .in_valid_i    (in_valid_i),
      .in_data_i     (in_data_i),
      .read_valid_o  (read_valid),
      .read_data_o   (read_data),
      .result_valid_o(result_valid_o),
      .result_data_o (result_data_o),
      .error_o       (error_o)
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

endmodule

`default_nettype wire
