// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// Steps of several cycles for a tile whose steps are cycles. The tile's clock has one edge at the end of
// each step, and its output of a step crosses the link word by word.
//
// start_i in cycle t makes cycle t+1 the first of step 1. The first PrefixSteps steps last PrefixCycles
// cycles each, the others Cycles. The tile receives start_i, clear_i and the ends of steps, so busy, done
// and error are its own. Its deliveries are valid in the last cycle of a step, or in the cycle of done. In
// cycle i of a step, from 0, links carry word i of the tile's Words words and, above it, the tile's bits
// above all words. In the last cycle of a step of packets the tile has all words of its arrivals; in a step
// of the prefix only word 0 is meaningful.
module gsm_serial_steps #(
    // Ports, 1 or more, and bits of a word, 1 or more.
    parameter int Ports = 4,
    parameter int Width = 32,
    // Words that a link carries one after the other, 1 or more, and bits above each, 0 or more.
    parameter int Words = 1,
    parameter int Extra = 1,
    // Steps of the prefix, 0 or more, and cycles of each, 1 or more; cycles of the others, Words or more.
    parameter int PrefixSteps = 0,
    parameter int PrefixCycles = 1,
    parameter int Cycles = 2
) (
    // Clock, rising edge.
    input  logic                                 clk_i,
    // Asynchronous reset, active low.
    input  logic                                 rst_ni,
    // Synchronous clear, and the pulse that begins a round; the tile receives the same signals.
    input  logic                                 clear_i,
    input  logic                                 start_i,
    // The tile's clock.
    output logic                                 tile_clk_o,
    // From the tile: this is a step of a round; the round is over.
    input  logic                                 tile_busy_i,
    input  logic                                 tile_done_i,
    // The last cycle of a step; the cycle, from 0; the step is one of packets.
    output logic                                 step_last_o,
    output logic [$clog2((PrefixCycles > Cycles ? PrefixCycles : Cycles)+1)-1:0] cycle_o,
    output logic                                 packets_o,
    // Links of the network.
    input  logic [      Ports*(Width+Extra)-1:0] in_data_i,
    output logic [      Ports*(Width+Extra)-1:0] out_data_o,
    // The same of the tile.
    output logic [Ports*(Words*Width+Extra)-1:0] tile_in_data_o,
    input  logic [Ports*(Words*Width+Extra)-1:0] tile_out_data_i
);

  localparam int LinkBits = Width + Extra;
  localparam int TileBits = Words * Width + Extra;
  localparam int Longest = PrefixCycles > Cycles ? PrefixCycles : Cycles;
  localparam int CountBits = $clog2(Longest + 1);
  localparam int StepBits = $clog2(PrefixSteps + 2);

  // The cycle of the step, and the step as far as the prefix goes.
  logic [CountBits-1:0] count;
  logic [StepBits-1:0] step;
  logic packets;
  assign packets = 32'(step) == PrefixSteps;
  assign cycle_o = count;
  assign packets_o = packets;
  assign step_last_o = tile_busy_i && count == (packets ? CountBits'(Cycles - 1) : CountBits'(PrefixCycles - 1));
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count <= '0;
      step  <= '0;
    end else if (clear_i || start_i) begin
      count <= '0;
      step  <= '0;
    end else begin
      if (step_last_o) count <= '0;
      else if (tile_busy_i) count <= count + 1'b1;
      if (step_last_o && !packets) step <= step + 1'b1;
    end
  end

  gsm_clock_gate u_gate (
      .clk_i   (clk_i),
      .enable_i(clear_i || start_i || step_last_o || tile_done_i),
      .clk_o   (tile_clk_o)
  );

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    logic [Words*Width-1:0] words;
    for (genvar i = 0; i < Words; i++) begin : gen_word
      logic now;
      assign now = count == CountBits'(i);
      assign words[i*Width+:Width] = {Width{now}} & tile_out_data_i[p*TileBits+i*Width+:Width];
      // An arrived word stays until the end of the step; the last one arrives in the last cycle.
      logic [Width-1:0] in_word;
      assign in_word = in_data_i[p*LinkBits+:Width];
      if (i + 1 < Words) begin : gen_come
        logic [Width-1:0] come;
        always_ff @(posedge clk_i) begin
          if (now) come <= in_word;
        end
        assign tile_in_data_o[p*TileBits+i*Width+:Width] = now ? in_word : come;
      end else begin : gen_last
        assign tile_in_data_o[p*TileBits+i*Width+:Width] = in_word;
      end
    end
    if (Words > 1) begin : gen_words
      function automatic logic [Width-1:0] any_word(input logic [Words*Width-1:0] all);
        any_word = '0;
        for (int i = 0; i < Words; i++) any_word = any_word | all[i*Width+:Width];
      endfunction
      assign out_data_o[p*LinkBits+:Width] = any_word(words);
    end else begin : gen_held
      // One word is on the link for the whole step.
      assign out_data_o[p*LinkBits+:Width] = tile_out_data_i[p*TileBits+:Width];
      logic unused_words;
      assign unused_words = ^words;
    end
    if (Extra > 0) begin : gen_extra
      assign out_data_o[p*LinkBits+Width+:Extra] = tile_out_data_i[p*TileBits+Words*Width+:Extra];
      assign tile_in_data_o[p*TileBits+Words*Width+:Extra] = in_data_i[p*LinkBits+Width+:Extra];
    end
  end

  `GSM_PARAMETER(WordsLegal_A, Words >= 1, "Words must be at least 1")
  `GSM_PARAMETER(PrefixCyclesLegal_A, PrefixCycles >= 1, "PrefixCycles must be at least 1")
  `GSM_PARAMETER(CyclesLegal_A, Cycles >= Words, "Cycles must be Words or more")

endmodule

`default_nettype wire
