// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The message of a node of a reduction by relays: its own words at first, then what it has been told.
//
// Reads are of the same cycle; a word that is stored can be read from the next cycle on.
module gsm_sum_memory #(
    // Bits of a word, 1 or more.
    parameter int Width = 32,
    // Words of a message, 1..65535.
    parameter int Flits = 1,
    // Bits of a word's number, 1..32: Flits - 1 fits.
    parameter int TimeBits = 8
) (
    // Clock, rising edge.
    input  logic                   clk_i,
    // Pulse: the own words are taken, word i from bits i*Width +: Width. The first can be read at once.
    input  logic                   start_i,
    input  logic [Flits*Width-1:0] own_data_i,
    // The router sends word flit_i, below Flits.
    input  logic [   TimeBits-1:0] flit_i,
    output logic [      Width-1:0] data_o,
    // It is delivered what belongs to word store_i, below Flits, and stores what becomes of it.
    input  logic [   TimeBits-1:0] store_i,
    output logic [      Width-1:0] stored_o,
    input  logic                   store_valid_i,
    input  logic [      Width-1:0] store_data_i
);

  logic [Flits*Width-1:0] words_q;
  for (genvar i = 0; i < Flits; i++) begin : gen_word
    always_ff @(posedge clk_i) begin
      if (start_i) words_q[i*Width+:Width] <= own_data_i[i*Width+:Width];
      else if (store_valid_i && store_i == TimeBits'(i)) words_q[i*Width+:Width] <= store_data_i;
    end
  end
  assign data_o   = start_i ? own_data_i[Width-1:0] : words_q[flit_i*Width+:Width];
  assign stored_o = words_q[store_i*Width+:Width];

  `GSM_PARAMETER(FlitsLegal_A, Flits >= 1 && Flits <= 65535, "Flits must be 1..65535")

endmodule

`default_nettype wire
