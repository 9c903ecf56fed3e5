// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// A tile of the timetable machine: the router, its rows as a ROM, and its network interface.
//
// The timing of a round is that of gsm_stream_node. A ROM word has, for each out-port, a source: the word
// that is sent; and for each in-port, a source: the word that the arrival is combined with, the slot that
// takes the result, and a bit for its delivery. A source is 0 for none, 1..Own for an own word, and above
// that a slot. In a timetable of several frames, rows are executed in the frames from First to the last
// but Before, and own word i becomes the own words of sequence i, one per frame in which its row is
// executed.
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
    // Steps of a round; words of the ROM and frames, 1..2^30.
    parameter int Steps = 1,
    parameter int Words = Steps,
    parameter int Frames = 1,
    // Bits of the fields First and Before of a row, 0 or more.
    parameter int FirstBits = 0,
    parameter int BeforeBits = 0,
    // A word has from bit 0 on, by out-port: source, First, Before; then by in-port: source (with Sums),
    // slot, delivery ("marked"), First, Before. A source has $clog2(Own + Slots + 1) bits, a slot
    // $clog2(Slots + 1).
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
    // The own words, word c in bits c*Width +: Width; stable from start_i to the end of the round.
    input  logic [OwnWords*Width-1:0] own_data_i,
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
  localparam int SourceWidth = $clog2(Own + Slots + 1);
  localparam int SlotWidth = $clog2(Slots + 1);
  localparam int FrameWidth = Frames > 1 ? $clog2(Frames) : 1;
  localparam int Marked = Delivery == "marked" ? 1 : 0;
  localparam int OutWidth = SourceWidth + FirstBits + BeforeBits;
  localparam int WithWidth = Sums ? SourceWidth : 0;
  localparam int InWidth = WithWidth + SlotWidth + Marked + FirstBits + BeforeBits;

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

  logic [Ports*OutWidth-1:0] outs;
  logic [Ports*InWidth-1:0] ins;
  logic [FrameWidth-1:0] out_frame;
  logic [FrameWidth-1:0] in_frame;
  gsm_step_rom #(
      .Words     (Words),
      .Frames    (Frames),
      .Width     (Ports * (OutWidth + InWidth)),
      .AheadWidth(Ports * OutWidth),
      .Rom       (Rom)
  ) u_rom (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .clear_i      (clear),
      .ahead_o      (outs),
      .ahead_frame_o(out_frame),
      .now_o        (ins),
      .now_frame_o  (in_frame)
  );
  logic unused_frames;
  assign unused_frames = ^{out_frame, in_frame};

  // The own word of a sequence in the `n`-th frame of its row.
  function automatic logic [Width-1:0] own_word(input logic [SourceWidth-1:0] source,
                                                input logic [FrameWidth-1:0] n,
                                                input logic [OwnWords*Width-1:0] own);
    own_word = '0;
    for (int c = 0; c < Own; c++) begin
      if (32'(source) == c + 1) own_word = own[(OwnBase[c*32+:32]+32'(n))*Width+:Width];
    end
  endfunction

  logic [Ports-1:0] inject_valid;
  logic [Ports*Width-1:0] inject_data;
  logic [Ports*SlotWidth-1:0] read;
  logic [Ports*SlotWidth-1:0] with_slot;
  logic [Ports-1:0] own_valid;
  logic [Ports*Width-1:0] own_data;
  logic [Ports*SlotWidth-1:0] write;
  logic [Ports-1:0] stored;
  logic [Ports-1:0] marked;
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    // The row of the out-port for the coming step.
    logic [OutWidth-1:0] out_row;
    logic out_active;
    logic [FrameWidth-1:0] out_n;
    logic [SourceWidth-1:0] source;
    logic sends_slot;
    assign out_row = outs[p*OutWidth+:OutWidth];
    assign source = out_active ? out_row[SourceWidth-1:0] : '0;
    assign sends_slot = 32'(source) > Own;
    assign inject_valid[p] = source != '0 && !sends_slot;
    assign inject_data[p*Width+:Width] = own_word(source, out_n, own_data_i);
    assign read[p*SlotWidth+:SlotWidth] = sends_slot ? SlotWidth'(source - SourceWidth'(Own)) : '0;
    // The row of the in-port for this step.
    logic [InWidth-1:0] in_row;
    logic in_active;
    logic [FrameWidth-1:0] in_n;
    assign in_row = ins[p*InWidth+:InWidth];
    assign write[p*SlotWidth+:SlotWidth] = in_active ? in_row[WithWidth+:SlotWidth] : '0;
    assign stored[p] = write[p*SlotWidth+:SlotWidth] != '0;
    if (Sums) begin : gen_with
      logic [SourceWidth-1:0] with_source;
      logic with_is_slot;
      assign with_source = in_row[SourceWidth-1:0];
      assign with_is_slot = 32'(with_source) > Own;
      assign own_valid[p] = with_source != '0 && !with_is_slot;
      assign own_data[p*Width+:Width] = own_word(with_source, in_n, own_data_i);
      assign with_slot[p*SlotWidth+:SlotWidth] =
          with_is_slot ? SlotWidth'(with_source - SourceWidth'(Own)) : '0;
    end else begin : gen_copy
      assign own_valid[p] = 1'b0;
      assign own_data[p*Width+:Width] = '0;
      assign with_slot[p*SlotWidth+:SlotWidth] = '0;
      logic unused_n;
      assign unused_n = ^in_n;
    end
    if (Marked != 0) begin : gen_marked
      assign marked[p] = in_active && in_row[WithWidth+SlotWidth];
    end else begin : gen_unmarked
      assign marked[p] = 1'b0;
    end
    if (Frames > 1) begin : gen_repeat
      logic [FrameWidth-1:0] out_first;
      logic [FrameWidth-1:0] in_first;
      logic out_begun;
      logic in_begun;
      logic out_over;
      logic in_over;
      if (FirstBits > 0) begin : gen_first
        assign out_first = FrameWidth'(out_row[SourceWidth+:FirstBits]);
        assign in_first  = FrameWidth'(in_row[WithWidth+SlotWidth+Marked+:FirstBits]);
        assign out_begun = out_frame >= out_first;
        assign in_begun  = in_frame >= in_first;
      end else begin : gen_at_once
        assign out_first = '0;
        assign in_first  = '0;
        assign out_begun = 1'b1;
        assign in_begun  = 1'b1;
      end
      if (BeforeBits > 0) begin : gen_before
        logic [FrameWidth-1:0] out_last;
        logic [FrameWidth-1:0] in_last;
        assign out_last = FrameWidth'(Frames - 1) - FrameWidth'(out_row[SourceWidth+FirstBits+:BeforeBits]);
        assign in_last  = FrameWidth'(Frames - 1)
                          - FrameWidth'(in_row[WithWidth+SlotWidth+Marked+FirstBits+:BeforeBits]);
        assign out_over = out_frame > out_last;
        assign in_over  = in_frame > in_last;
      end else begin : gen_to_the_end
        assign out_over = 1'b0;
        assign in_over  = 1'b0;
      end
      assign out_active = out_begun && !out_over;
      assign in_active  = in_begun && !in_over;
      assign out_n      = out_frame - out_first;
      assign in_n       = in_frame - in_first;
    end else begin : gen_once
      assign out_active = 1'b1;
      assign in_active  = 1'b1;
      assign out_n      = '0;
      assign in_n       = '0;
    end
  end

  logic [Ports*Width-1:0] result;
  logic error;
  gsm_timetable_router #(
      .Ports    (Ports),
      .Width    (Width),
      .SumWidth (Sums ? Width : 0),
      .Operation(Operation),
      .Slots    (Slots)
  ) u_router (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .clear_i       (clear),
      .inject_valid_i(inject_valid),
      .inject_data_i (inject_data),
      .read_i        (read),
      .with_i        (with_slot),
      .own_valid_i   (own_valid),
      .own_data_i    (own_data),
      .write_i       (write),
      .in_valid_i    (in_valid_i),
      .in_data_i     (in_data_i),
      .out_valid_o   (out_valid_o),
      .out_data_o    (out_data_o),
      .result_data_o (result),
      .error_o       (error)
  );
  assign deliver_data_o = result;
  if (Delivery == "marked") begin : gen_marked
    assign deliver_valid_o = in_valid_i & marked;
  end else begin : gen_arrivals
    assign deliver_valid_o = Delivery == "all" ? in_valid_i : in_valid_i & ~stored;
  end
  logic unused_delivery;
  assign unused_delivery = ^{stored, marked};

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
