// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// A ROM with one word per step, and the counters that walk through it, once or several times.
//
// The first cycle without clear_i comes before step 1, the next one is the cycle of step 1. A word has two parts:
// one is needed in the cycle before its step, since it selects the input of the out registers; the other is needed
// in the step itself. A pass through all words is a frame. After the last frame both parts are zero. Where steps take
// several cycles, advance_i is high in the last of each, and in the cycle before step 1.
module gsm_step_rom #(
    // Words, 1..2^30.
    parameter int Words = 1,
    // Frames, 1..2^30.
    parameter int Frames = 1,
    // Bits of a word, 2 or more.
    parameter int Width = 2,
    // Its low bits that are shown ahead of the step, 1..Width-1.
    parameter int AheadWidth = 1,
    // Bits i*Width and up: word i, that of step i + 1 of each frame.
    parameter logic [Words*Width-1:0] Rom = '0
) (
    // Clock, rising edge.
    input  logic                        clk_i,
    // Asynchronous reset, active low.
    input  logic                        rst_ni,
    // Synchronous clear: back to the first word of the first frame.
    input  logic                        clear_i,
    // The next cycle is that of another step.
    input  logic                        advance_i,
    // The low bits of the coming step's word, and its frame.
    output logic [      AheadWidth-1:0] ahead_o,
    output logic [(Frames > 1 ? $clog2(Frames) : 1)-1:0] ahead_frame_o,
    // The other bits of this step's word, and its frame.
    output logic [Width-AheadWidth-1:0] now_o,
    output logic [(Frames > 1 ? $clog2(Frames) : 1)-1:0] now_frame_o
);

  localparam int FrameWidth = Frames > 1 ? $clog2(Frames) : 1;
  localparam int AddressWidth = Words > 1 ? $clog2(Words) : 1;

  // Never written: a ROM.
  logic [Width-1:0] rom[Words];
  initial begin
    for (int i = 0; i < Words; i++) rom[i] = Rom[i*Width+:Width];
  end

  logic [AddressWidth-1:0] word_q;
  logic last_word;
  assign last_word = word_q == AddressWidth'(Words - 1);
  // The words are over.
  logic over_q;
  if (Frames > 1) begin : gen_frames
    logic [FrameWidth-1:0] frame_q;
    logic [FrameWidth-1:0] now_frame_q;
    logic last_frame;
    assign last_frame = frame_q == FrameWidth'(Frames - 1);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        frame_q     <= '0;
        now_frame_q <= '0;
        over_q      <= 1'b0;
      end else if (clear_i) begin
        frame_q     <= '0;
        now_frame_q <= '0;
        over_q      <= 1'b0;
      end else if (advance_i) begin
        now_frame_q <= frame_q;
        if (last_word && !last_frame) frame_q <= frame_q + 1'b1;
        if (last_word && last_frame) over_q <= 1'b1;
      end
    end
    assign ahead_frame_o = frame_q;
    assign now_frame_o   = now_frame_q;
  end else begin : gen_once
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) over_q <= 1'b0;
      else if (clear_i) over_q <= 1'b0;
      else if (advance_i && last_word) over_q <= 1'b1;
    end
    assign ahead_frame_o = '0;
    assign now_frame_o   = '0;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) word_q <= '0;
    else if (clear_i) word_q <= '0;
    else if (!advance_i) word_q <= word_q;
    else if (last_word) word_q <= '0;
    else word_q <= word_q + 1'b1;
  end

  logic [Width-1:0] word;
  assign word    = over_q ? '0 : rom[word_q];
  assign ahead_o = word[AheadWidth-1:0];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) now_o <= '0;
    else if (clear_i) now_o <= '0;
    else if (advance_i) now_o <= word[Width-1:AheadWidth];
  end

  `GSM_PARAMETER(WordsLegal_A, Words >= 1 && Words <= 1073741824, "Words must be 1..2^30")
  `GSM_PARAMETER(FramesLegal_A, Frames >= 1 && Frames <= 1073741824, "Frames must be 1..2^30")
  `GSM_PARAMETER(AheadWidthLegal_A, AheadWidth >= 1 && AheadWidth < Width,
                 "AheadWidth must be 1..Width-1")

endmodule

`default_nettype wire
