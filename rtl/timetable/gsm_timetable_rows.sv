// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The rows of a timetable tile: the ROM, walked step by step, and its fields by port.
//
// A ROM word has, for each out-port, a source: the word that is sent; and for each in-port, a source: the word
// that the arrival is combined with, the slot that takes the result, and a field for its delivery. A source is 0
// for none, 1..Own for an own word, and above that a slot. In a timetable of several frames, rows are executed
// in the frames from First to the last but Before. A frame is a pass through all words; after the last one no row
// is executed.
//
// The first cycle without clear_i comes before step 1, the next one is the first cycle of step 1. Fields of out-ports
// are needed in the cycle before a word is sent, since they select the input of the out registers; those of in-ports
// in the cycle of the arrival.
//
// A step of several cycles moves packets of Flits words, one per cycle from its first cycle on. Word f of slot s is
// slot s * Flits + f. In the other cycles of a step all fields are 0.
module gsm_timetable_rows #(
    // Ports of the router, two for each dimension: 2..16, even.
    parameter int Ports = 4,
    // Own sequences and slots, 1..65535.
    parameter int Own = 1,
    parameter int Slots = 1,
    // Arrivals are combined.
    parameter bit Sums = 1'b0,
    // Words of a packet; cycles of a step, Flits or more. 0: a step is a cycle, with one word.
    parameter int Flits = 1,
    parameter int StepCycles = 0,
    // Words of the ROM and frames, 1..2^30.
    parameter int Words = 1,
    parameter int Frames = 1,
    // Bits of the fields First, Before and delivery of a row, 0 or more.
    parameter int FirstBits = 0,
    parameter int BeforeBits = 0,
    parameter int DeliverBits = 0,
    // A word has from bit 0 on, by out-port: source, First, Before; then by in-port: source (with Sums), slot,
    // delivery, First, Before. A source has $clog2(Own + Slots + 1) bits, a slot $clog2(Slots + 1).
    parameter logic [Words*Ports*($clog2(Own+Slots+1)*(Sums ? 2 : 1)+$clog2(Slots+1)
                                  +DeliverBits+2*(FirstBits+BeforeBits))-1:0] Rom = '0
) (
    // Clock, rising edge.
    input  logic                      clk_i,
    // Asynchronous reset, active low.
    input  logic                      rst_ni,
    // Synchronous clear: back to the first step.
    input  logic                      clear_i,
    // By out-port, for the next cycle: the number of the own sequence that is sent, 0 for none, and which of its
    // packets; or 1 more than the slot that is sent, 0 for none. The number of the word in its packet.
    output logic [Ports*$clog2(Own+1)-1:0] send_own_o,
    output logic [Ports*(Frames > 1 ? $clog2(Frames) : 1)-1:0] send_n_o,
    output logic [Ports*$clog2(Slots*Flits+1)-1:0] send_slot_o,
    output logic [(Flits > 1 ? $clog2(Flits) : 1)-1:0] send_flit_o,
    // By in-port, for this cycle: the same for the word that the arrival is combined with.
    output logic [Ports*$clog2(Own+1)-1:0] with_own_o,
    output logic [Ports*(Frames > 1 ? $clog2(Frames) : 1)-1:0] with_n_o,
    output logic [Ports*$clog2(Slots*Flits+1)-1:0] with_slot_o,
    output logic [(Flits > 1 ? $clog2(Flits) : 1)-1:0] with_flit_o,
    // By in-port: 1 more than the slot of the result, 0 for none.
    output logic [Ports*$clog2(Slots*Flits+1)-1:0] write_o,
    // By in-port: the delivery field, 0 where it has no bits.
    output logic [Ports*(DeliverBits > 0 ? DeliverBits : 1)-1:0] deliver_o
);

  localparam int SourceWidth = $clog2(Own + Slots + 1);
  localparam int OwnWidth = $clog2(Own + 1);
  localparam int SlotWidth = $clog2(Slots + 1);
  localparam int BankedWidth = $clog2(Slots * Flits + 1);
  localparam int FlitWidth = Flits > 1 ? $clog2(Flits) : 1;
  localparam int FrameWidth = Frames > 1 ? $clog2(Frames) : 1;
  localparam int DeliverWidth = DeliverBits > 0 ? DeliverBits : 1;
  localparam int OutWidth = SourceWidth + FirstBits + BeforeBits;
  localparam int WithWidth = Sums ? SourceWidth : 0;
  localparam int InWidth = WithWidth + SlotWidth + DeliverBits + FirstBits + BeforeBits;
  localparam int WordWidth = Ports * (OutWidth + InWidth);
  localparam int AddressWidth = Words > 1 ? $clog2(Words) : 1;

  // The next cycle is the first one of a step; words arrive in this one, and are sent in the next one.
  logic advance;
  logic arrives;
  logic sends;
  if (StepCycles > 1) begin : gen_step
    localparam int CycleWidth = $clog2(StepCycles);
    logic [CycleWidth-1:0] cycle_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) cycle_q <= CycleWidth'(StepCycles - 1);
      else if (clear_i) cycle_q <= CycleWidth'(StepCycles - 1);
      else cycle_q <= advance ? '0 : cycle_q + 1'b1;
    end
    assign advance = cycle_q == CycleWidth'(StepCycles - 1);
    assign arrives = 32'(cycle_q) < Flits;
    assign sends   = advance || 32'(cycle_q) + 1 < Flits;
    assign with_flit_o = Flits > 1 ? FlitWidth'(cycle_q) : '0;
    assign send_flit_o = Flits > 1 && !advance ? FlitWidth'(cycle_q + 1'b1) : '0;
  end else begin : gen_cycle
    assign advance     = 1'b1;
    assign arrives     = 1'b1;
    assign sends       = 1'b1;
    assign with_flit_o = '0;
    assign send_flit_o = '0;
  end
  // Of a slot, from 1, that of a word, from 1; 0 for none.
  function automatic logic [BankedWidth-1:0] banked(input logic [SlotWidth-1:0] slot,
                                                    input logic [FlitWidth-1:0] word);
    banked = slot == '0 || Flits == 1 ? BankedWidth'(slot)
                                      : BankedWidth'((32'(slot) - 1) * Flits + 32'(word) + 1);
  endfunction

  logic [Ports*OutWidth-1:0] outs;
  logic [Ports*InWidth-1:0] ins;
  logic [FrameWidth-1:0] out_frame;
  logic [FrameWidth-1:0] in_frame;
  // Never written: a ROM.
  logic [WordWidth-1:0] rom[Words];
  initial begin
    for (int i = 0; i < Words; i++) rom[i] = Rom[i*WordWidth+:WordWidth];
  end

  logic [AddressWidth-1:0] word_q;
  logic last_word;
  assign last_word = word_q == AddressWidth'(Words - 1);
  // The words are over.
  logic over_q;
  if (Frames > 1) begin : gen_frames
    logic [FrameWidth-1:0] frame_q;
    logic [FrameWidth-1:0] in_frame_q;
    logic last_frame;
    assign last_frame = frame_q == FrameWidth'(Frames - 1);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        frame_q    <= '0;
        in_frame_q <= '0;
        over_q     <= 1'b0;
      end else if (clear_i) begin
        frame_q    <= '0;
        in_frame_q <= '0;
        over_q     <= 1'b0;
      end else if (advance) begin
        in_frame_q <= frame_q;
        if (last_word && !last_frame) frame_q <= frame_q + 1'b1;
        if (last_word && last_frame) over_q <= 1'b1;
      end
    end
    assign out_frame = frame_q;
    assign in_frame  = in_frame_q;
  end else begin : gen_once
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) over_q <= 1'b0;
      else if (clear_i) over_q <= 1'b0;
      else if (advance && last_word) over_q <= 1'b1;
    end
    assign out_frame = '0;
    assign in_frame  = '0;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) word_q <= '0;
    else if (clear_i) word_q <= '0;
    else if (!advance) word_q <= word_q;
    else if (last_word) word_q <= '0;
    else word_q <= word_q + 1'b1;
  end

  logic [WordWidth-1:0] word;
  assign word    = over_q ? '0 : rom[word_q];
  assign outs    = word[Ports*OutWidth-1:0];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) ins <= '0;
    else if (clear_i) ins <= '0;
    else if (advance) ins <= word[WordWidth-1:Ports*OutWidth];
  end

  logic unused_frames;
  assign unused_frames = ^{out_frame, in_frame};

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    // The row of the out-port for the coming step.
    logic [OutWidth-1:0] out_row;
    logic out_active;
    // The word that is sent, and which of its sequence: those of the coming step in the cycle before it.
    logic [SourceWidth-1:0] coming;
    logic [FrameWidth-1:0] coming_n;
    logic [SourceWidth-1:0] source;
    logic sends_slot;
    assign out_row = outs[p*OutWidth+:OutWidth];
    assign coming = out_active ? out_row[SourceWidth-1:0] : '0;
    if (StepCycles > 1) begin : gen_held
      logic [SourceWidth-1:0] source_q;
      logic [FrameWidth-1:0] n_q;
      always_ff @(posedge clk_i) begin
        if (advance) source_q <= coming;
        if (advance) n_q <= coming_n;
      end
      assign source = !sends ? '0 : advance ? coming : source_q;
      assign send_n_o[p*FrameWidth+:FrameWidth] = Frames == 1 ? '0 : advance ? coming_n : n_q;
    end else begin : gen_coming
      assign source = coming;
      assign send_n_o[p*FrameWidth+:FrameWidth] = coming_n;
      logic unused_sends;
      assign unused_sends = sends;
    end
    assign sends_slot = 32'(source) > Own;
    assign send_own_o[p*OwnWidth+:OwnWidth] = sends_slot ? '0 : OwnWidth'(source);
    assign send_slot_o[p*BankedWidth+:BankedWidth] =
        banked(sends_slot ? SlotWidth'(source - SourceWidth'(Own)) : '0, send_flit_o);
    // The row of the in-port for this step.
    logic [InWidth-1:0] in_row;
    logic in_active;
    assign in_row = ins[p*InWidth+:InWidth];
    assign write_o[p*BankedWidth+:BankedWidth] =
        banked(in_active ? in_row[WithWidth+:SlotWidth] : '0, with_flit_o);
    if (Sums) begin : gen_with
      logic [SourceWidth-1:0] with_source;
      logic with_is_slot;
      assign with_source = in_active ? in_row[SourceWidth-1:0] : '0;
      assign with_is_slot = 32'(with_source) > Own;
      assign with_own_o[p*OwnWidth+:OwnWidth] = with_is_slot ? '0 : OwnWidth'(with_source);
      assign with_slot_o[p*BankedWidth+:BankedWidth] =
          banked(with_is_slot ? SlotWidth'(with_source - SourceWidth'(Own)) : '0, with_flit_o);
    end else begin : gen_copy
      assign with_own_o[p*OwnWidth+:OwnWidth] = '0;
      assign with_slot_o[p*BankedWidth+:BankedWidth] = '0;
    end
    if (DeliverBits > 0) begin : gen_deliver
      assign deliver_o[p*DeliverWidth+:DeliverWidth] =
          in_active ? in_row[WithWidth+SlotWidth+:DeliverWidth] : '0;
    end else begin : gen_no_delivery
      assign deliver_o[p] = 1'b0;
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
        assign in_first  = FrameWidth'(in_row[WithWidth+SlotWidth+DeliverBits+:FirstBits]);
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
                          - FrameWidth'(in_row[WithWidth+SlotWidth+DeliverBits+FirstBits+:BeforeBits]);
        assign out_over = out_frame > out_last;
        assign in_over  = in_frame > in_last;
      end else begin : gen_to_the_end
        assign out_over = 1'b0;
        assign in_over  = 1'b0;
      end
      assign out_active = out_begun && !out_over;
      assign in_active  = arrives && in_begun && !in_over;
      assign coming_n = out_frame - out_first;
      assign with_n_o[p*FrameWidth+:FrameWidth] = in_frame - in_first;
    end else begin : gen_once
      assign out_active = 1'b1;
      assign in_active  = arrives;
      assign coming_n = '0;
      assign with_n_o[p] = 1'b0;
    end
  end

  `GSM_PARAMETER(WordsLegal_A, Words >= 1 && Words <= 1073741824, "Words must be 1..2^30")
  `GSM_PARAMETER(FramesLegal_A, Frames >= 1 && Frames <= 1073741824, "Frames must be 1..2^30")

endmodule

`default_nettype wire
