// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// A tile of the timetable machine: the router, its rows as a ROM, and its network interface.
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
    // Bits i*32 +: 32: the first word of sequence i.
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
    // The own words, word c in bits c*Width +: Width; word f of packet c is word c*Flits + f. Stable from start_i to the end of the round.
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

  localparam int StepWidth = $clog2(Steps + 1);
  localparam int OwnWidth = $clog2(Own + 1);
  localparam int SlotWidth = $clog2(Slots * Flits + 1);
  localparam int FrameWidth = Frames > 1 ? $clog2(Frames) : 1;
  localparam int FlitWidth = Flits > 1 ? $clog2(Flits) : 1;

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

  logic [Ports*OwnWidth-1:0] send_own;
  logic [Ports*FrameWidth-1:0] send_n;
  logic [Ports*SlotWidth-1:0] send_slot;
  logic [FlitWidth-1:0] send_flit;
  logic [Ports*OwnWidth-1:0] with_own;
  logic [Ports*FrameWidth-1:0] with_n;
  logic [Ports*SlotWidth-1:0] with_slot;
  logic [FlitWidth-1:0] with_flit;
  logic [Ports*SlotWidth-1:0] write;
  logic [Ports-1:0] marked;
  gsm_timetable_rows #(
      .Ports      (Ports),
      .Own        (Own),
      .Slots      (Slots),
      .Sums       (Sums),
      .Flits      (Flits),
      .StepCycles (StepCycles),
      .Words      (Words),
      .Frames     (Frames),
      .FirstBits  (FirstBits),
      .BeforeBits (BeforeBits),
      .DeliverBits(Delivery == "marked" ? 1 : 0),
      .Rom        (Rom)
  ) u_rows (
      .clk_i      (clk_i),
      .rst_ni     (rst_ni),
      .clear_i    (clear),
      .send_own_o (send_own),
      .send_n_o   (send_n),
      .send_slot_o(send_slot),
      .send_flit_o(send_flit),
      .with_own_o (with_own),
      .with_n_o   (with_n),
      .with_slot_o(with_slot),
      .with_flit_o(with_flit),
      .write_o    (write),
      .deliver_o  (marked)
  );

  // The own word of a sequence in the `n`-th frame of its row.
  function automatic logic [Width-1:0] own_word(input logic [OwnWidth-1:0] sequence_,
                                                input logic [FrameWidth-1:0] n,
                                                input logic [FlitWidth-1:0] word,
                                                input logic [OwnWords*Flits*Width-1:0] own);
    own_word = '0;
    for (int c = 0; c < Own; c++) begin
      if (32'(sequence_) == c + 1) begin
        own_word = own[((OwnBase[c*32+:32]+32'(n))*Flits+32'(word))*Width+:Width];
      end
    end
  endfunction

  // Without frames a constant, also in synthesis module by module.
  logic [Ports*FrameWidth-1:0] send_frame;
  logic [Ports*FrameWidth-1:0] with_frame;
  assign send_frame = Frames > 1 ? send_n : '0;
  assign with_frame = Frames > 1 ? with_n : '0;
  logic [Ports-1:0] inject_valid;
  logic [Ports*Width-1:0] inject_data;
  logic [Ports-1:0] own_valid;
  logic [Ports*Width-1:0] own_data;
  logic [Ports-1:0] stored;
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    assign inject_valid[p] = send_own[p*OwnWidth+:OwnWidth] != '0;
    assign inject_data[p*Width+:Width] =
        own_word(send_own[p*OwnWidth+:OwnWidth], send_frame[p*FrameWidth+:FrameWidth], send_flit,
                 own_data_i);
    assign stored[p] = write[p*SlotWidth+:SlotWidth] != '0;
    if (Sums) begin : gen_with
      assign own_valid[p] = with_own[p*OwnWidth+:OwnWidth] != '0;
      assign own_data[p*Width+:Width] =
          own_word(with_own[p*OwnWidth+:OwnWidth], with_frame[p*FrameWidth+:FrameWidth], with_flit,
                   own_data_i);
    end else begin : gen_copy
      assign own_valid[p] = 1'b0;
      assign own_data[p*Width+:Width] = '0;
    end
  end
  logic unused_rows;
  assign unused_rows = ^{with_own, send_n, with_n, with_frame, with_flit};

  logic [Ports-1:0] delivers;
  if (Delivery == "marked") begin : gen_marked
    assign delivers = marked;
  end else begin : gen_arrivals
    assign delivers = Delivery == "all" ? '1 : ~stored;
  end
  logic unused_delivery;
  assign unused_delivery = ^{stored, marked};

  logic error;
  gsm_timetable_router #(
      .Ports          (Ports),
      .Width          (Width),
      .SumWidth       (Sums ? Width : 0),
      .Operation      (Operation),
      .Slots          (Slots * Flits),
      .Late           (Late),
      .Stages         (Stages),
      .MostAdderCycles(AdderCycles),
      .Depth          (Depth),
      .Adders         (Adders)
  ) u_router (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .clear_i       (clear),
      .adder_cycles_i(4'(AdderCycles)),
      .steps_wait_i  (StepCycles != 0),
      .waits_i       (Waits),
      .inject_valid_i(inject_valid),
      .inject_data_i (inject_data),
      .read_i        (send_slot),
      .with_i        (with_slot),
      .own_valid_i   (own_valid),
      .own_data_i    (own_data),
      .write_i       (write),
      .deliver_i     (delivers),
      .in_valid_i    (in_valid_i),
      .in_data_i     (in_data_i),
      .out_valid_o   (out_valid_o),
      .out_data_o    (out_data_o),
      .result_valid_o(deliver_valid_o),
      .result_data_o (deliver_data_o),
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
  `GSM_PARAMETER(DeliveryLegal_A, Delivery == "all" || Delivery == "unstored" || Delivery == "marked",
                 "Delivery must be all, unstored or marked")
  `GSM_ASSERT(StartWhenIdle_A, !start_i || !busy_o, "start_i while a round is running")
  `GSM_ASSERT(LinksKnown_A, (^out_valid_o) !== 1'bx, "a link is neither idle nor in use")
  `GSM_ASSERT(IdleIsQuiet_A, busy_o || out_valid_o == '0, "a word leaves outside a round")

endmodule

`default_nettype wire
