// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A tile of the timetable machine whose own words are all at a port: gsm_timetable_stream_node, whose streams it
// serves from there.
//
// The timing of a round is that of gsm_stream_node. The ROM is that of gsm_timetable_rows; its delivery field
// has one bit with Delivery "marked", and none otherwise. In a timetable of several frames, own word i becomes
// the own words of sequence i, one per frame in which its row is executed.
//
// With adders of several cycles, or steps of several, the router is Late. A step then moves packets of Flits words,
// every StepCycles cycles, and each word of a packet has a slot of its own.
module gsm_timetable_node #(
    // Ports of the router, two for each dimension: 2..16, even.
    parameter int Ports = 4,
    // Bits of a word, 1 or more.
    parameter int Width = 32,
    // Own words of the node, and sequences that they form; without frames, each word is a sequence.
    parameter int OwnWords = 1,
    parameter int Own = OwnWords,
    // Bits i*32 +: 32: the number of the first word of sequence i.
    parameter logic [Own*32-1:0] OwnBase = '0,
    // Arrivals are combined, by the operation that gsm_combine gives this number.
    parameter bit Sums = 1'b0,
    parameter int Operation = 0,
    // Arrivals for the processing element: "all", "unstored" (no slot takes them), or "marked".
    parameter logic [8*8-1:0] Delivery = "all",
    // Slots of the memory, 1..65535.
    parameter int Slots = 1,
    // The router is Late, which requires Sums: cycles of an adder, registers inside it, the most additions in
    // series, the adders of each in-port, and by in-port the additions after which results leave it.
    parameter bit Late = 1'b0,
    parameter int AdderCycles = 0,
    parameter int Stages = 0,
    parameter int Depth = 1,
    parameter logic [Ports*Ports-1:0] Adders = '1,
    parameter logic [Ports*$clog2(Ports+1)-1:0] Waits = '0,
    // Words of a packet; cycles of a step that waits for its additions. 0: a step is a cycle and does not wait.
    parameter int Flits = 1,
    parameter int StepCycles = 0,
    // Cycles of a round; words of the ROM and frames, 1..2^30.
    parameter int Steps = 1,
    parameter int Words = Steps,
    parameter int Frames = 1,
    // Bits of the fields First and Before of a row, 0 or more.
    parameter int FirstBits = 0,
    parameter int BeforeBits = 0,
    // As gsm_timetable_rows has it.
    parameter logic [Words*Ports*($clog2(Own+Slots+1)*(Sums ? 2 : 1)+$clog2(Slots+1)
                                  +(Delivery == "marked" ? 1 : 0)+2*(FirstBits+BeforeBits))-1:0] Rom = '0
) (
    // Clock, rising edge.
    input  logic                      clk_i,
    // Asynchronous reset, active low.
    input  logic                      rst_ni,
    // Synchronous clear: ends the round, empties the router, lowers error_o.
    input  logic                      clear_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low.
    input  logic                      start_i,
    // The own words, word c in bits c*Width +: Width; word f of packet c is word c*Flits + f. Stable from start_i to
    // the end of the round.
    input  logic [OwnWords*Flits*Width-1:0] own_data_i,
    // Links.
    input  logic [         Ports-1:0] in_valid_i,
    input  logic [   Ports*Width-1:0] in_data_i,
    output logic [         Ports-1:0] out_valid_o,
    output logic [   Ports*Width-1:0] out_data_o,
    // By in-port: the results for the processing element.
    output logic [         Ports-1:0] deliver_valid_o,
    output logic [   Ports*Width-1:0] deliver_data_o,
    // This is the cycle of a step.
    output logic                      busy_o,
    // It is the last.
    output logic                      last_o,
    // The cycle after the last step.
    output logic                      done_o,
    // Two arrivals replaced the same slot in one step since the last clear, reset or start.
    output logic                      error_o
);

  localparam int Streams = Ports * (Sums ? 2 : 1);
  localparam int AddressWidth = OwnWords * Flits > 1 ? $clog2(OwnWords * Flits) : 1;

  logic [Streams*Width-1:0] own_data;
  logic [Streams*32-1:0] own_index;
  for (genvar s = 0; s < Streams; s++) begin : gen_stream
    assign own_data[s*Width+:Width] = own_data_i[32'(own_index[s*32+:AddressWidth])*Width+:Width];
  end

  logic [Streams-1:0] unused_ready;
  logic [Streams-1:0] unused_next;
  logic [Ports*32-1:0] unused_number;
  logic unused_idle;
  logic unused_index;
  assign unused_index = ^own_index;
  gsm_timetable_stream_node #(
      .Ports      (Ports),
      .Width      (Width),
      .Own        (Own),
      .Sums       (Sums),
      .Operation  (Operation),
      .Delivery   (Delivery),
      .Slots      (Slots),
      .Late       (Late),
      .AdderCycles(AdderCycles),
      .Stages     (Stages),
      .Depth      (Depth),
      .Adders     (Adders),
      .Waits      (Waits),
      .Flits      (Flits),
      .StepCycles (StepCycles),
      .Steps      (Steps),
      .Words      (Words),
      .Frames     (Frames),
      .FirstBits  (FirstBits),
      .BeforeBits (BeforeBits),
      .DeliverBits(Delivery == "marked" ? 1 : 0),
      .IndexBits  (32),
      .Stride     (Flits),
      .Bases      (1'b1),
      .Base       (OwnBase),
      .Rom        (Rom)
  ) u_tile (
      .clk_i          (clk_i),
      .rst_ni         (rst_ni),
      .clear_i        (clear_i),
      .start_i        (start_i),
      .own_valid_i    ({Streams{1'b1}}),
      .own_ready_o    (unused_ready),
      .own_data_i     (own_data),
      .own_next_o     (unused_next),
      .own_index_o    (own_index),
      .in_valid_i     (in_valid_i),
      .in_data_i      (in_data_i),
      .out_valid_o    (out_valid_o),
      .out_data_o     (out_data_o),
      .deliver_valid_o(deliver_valid_o),
      .deliver_ready_i({Ports{1'b1}}),
      .deliver_data_o (deliver_data_o),
      .deliver_index_o(unused_number),
      .busy_o         (busy_o),
      .last_o         (last_o),
      .done_o         (done_o),
      .idle_o         (unused_idle),
      .error_o        (error_o)
  );

endmodule

`default_nettype wire
