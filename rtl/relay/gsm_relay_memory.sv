// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The message of a node of a relay plan: the router sends words from it and stores deliveries in it.
//
// Reads are combinational; a stored word can be read from the next cycle on.
module gsm_relay_memory #(
    // "give": the own words, at the source of a broadcast. "keep": the delivered words. "sums": the own
    // words, then the delivered ones. "none": the node sends nothing.
    parameter logic [8*4-1:0] Memory = "keep",
    // Bits of a word, 1 or more.
    parameter int Width = 32,
    // Words of a message, 1..65535.
    parameter int Flits = 1,
    // Bits of a word's number, 1..32: Flits - 1 fits.
    parameter int TimeBits = 8,
    // Own words that it reads.
    localparam int OwnWords = Memory == "give" || Memory == "sums" ? Flits : 1
) (
    // Clock, rising edge.
    input  logic                   clk_i,
    // "sums": pulse, load the own words. The first one can be read at once.
    input  logic                   start_i,
    // The own words, word i in bits i*Width +: Width; "give": stable while they are sent.
    input  logic [OwnWords*Width-1:0] own_data_i,
    // The router sends word flit_i, below Flits.
    input  logic [   TimeBits-1:0] flit_i,
    output logic [      Width-1:0] data_o,
    // Word store_i, below Flits, arrives: the word that the memory has. Word write_i, below Flits, is stored.
    input  logic [   TimeBits-1:0] store_i,
    output logic [      Width-1:0] stored_o,
    input  logic [   TimeBits-1:0] write_i,
    input  logic                   store_valid_i,
    input  logic [      Width-1:0] store_data_i
);

  localparam int AddressBits = Flits > 1 ? $clog2(Flits) : 1;
  // More bits than a vector has to have (IEEE 1800, 6.9.1).
  localparam bit Long = Flits > 65536 / Width;
  if (Memory == "keep" && Long) begin : gen_memory
    logic [Width-1:0] words_q[Flits];
    always_ff @(posedge clk_i) begin
      if (store_valid_i) words_q[write_i[AddressBits-1:0]] <= store_data_i;
    end
    assign data_o   = words_q[flit_i[AddressBits-1:0]];
    assign stored_o = words_q[store_i[AddressBits-1:0]];
  end else if (Memory == "keep" || Memory == "sums") begin : gen_words
    logic [Flits*Width-1:0] words_q;
    logic [AddressBits-1:0] flit;
    logic [AddressBits-1:0] store;
    logic [AddressBits-1:0] write;
    assign flit = flit_i[AddressBits-1:0];
    assign store = store_i[AddressBits-1:0];
    assign write = write_i[AddressBits-1:0];
    logic load;
    assign load = Memory == "sums" && start_i;
    for (genvar i = 0; i < Flits; i++) begin : gen_word
      always_ff @(posedge clk_i) begin
        if (load) words_q[i*Width+:Width] <= own_data_i[(i%OwnWords)*Width+:Width];
        else if (store_valid_i && write == AddressBits'(i)) words_q[i*Width+:Width] <= store_data_i;
      end
    end
    assign data_o   = load ? own_data_i[Width-1:0] : words_q[flit*Width+:Width];
    assign stored_o = words_q[store*Width+:Width];
  end else begin : gen_wires
    if (Memory == "give") assign data_o = own_data_i[flit_i*Width+:Width];
    else assign data_o = '0;
    assign stored_o = '0;
  end

  logic unused;
  assign unused = ^{clk_i, start_i, own_data_i, flit_i, store_i, write_i, store_valid_i, store_data_i};

  `GSM_PARAMETER(MemoryLegal_A, Memory == "give" || Memory == "keep" || Memory == "sums" || Memory == "none",
                 "Memory must be give, keep, sums or none")
  `GSM_PARAMETER(FlitsLegal_A, Flits >= 1 && Flits <= 65535, "Flits must be 1..65535")

endmodule

`default_nettype wire
