// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The vector of a node of an emitted reduction: read in the cycle of the address, written at its end.
//
// A chip has its own memory here; a register file is what simulates and synthesizes without one.
// start_i takes the whole vector from own_data_i. Without Keep no word is read again after it was
// written: then there is nothing to store, and own_data_i has to be stable during the round.
module gsm_vector_memory #(
    // Lanes that read and write in one cycle, 1..16.
    parameter int Lanes = 4,
    // Data bits of a word, 1 or more.
    parameter int Width = 32,
    // Words of the vector, and bits of an address.
    parameter int Words = 2,
    parameter int AddressBits = 1,
    // Words are read after they were written.
    parameter bit Keep = 1'b1
) (
    // Clock, rising edge.
    input  logic                         clk_i,
    // The vector is that of own_data_i.
    input  logic                         start_i,
    input  logic [      Words*Width-1:0] own_data_i,
    // Reads of the words as they are.
    input  logic [Lanes*AddressBits-1:0] operand_address_i,
    output logic [      Lanes*Width-1:0] operand_data_o,
    // Reads of the words as they are at the end of this cycle.
    input  logic [Lanes*AddressBits-1:0] first_address_i,
    output logic [      Lanes*Width-1:0] first_data_o,
    // Writes; lanes that write the same word in one cycle write the same.
    input  logic [            Lanes-1:0] write_valid_i,
    input  logic [Lanes*AddressBits-1:0] write_address_i,
    input  logic [      Lanes*Width-1:0] write_data_i
);

  logic [Words*Width-1:0] words;
  if (Keep) begin : gen_keep
    logic [Words*Width-1:0] words_q;
    for (genvar i = 0; i < Words; i++) begin : gen_word
      logic [Lanes-1:0] writes;
      for (genvar l = 0; l < Lanes; l++) begin : gen_lane
        assign writes[l] = write_valid_i[l] &&
                           write_address_i[l*AddressBits+:AddressBits] == AddressBits'(i);
      end
      always_ff @(posedge clk_i) begin
        if (start_i) words_q[i*Width+:Width] <= own_data_i[i*Width+:Width];
        else if (writes != '0) words_q[i*Width+:Width] <= written(writes, write_data_i);
      end
    end
    assign words = start_i ? own_data_i : words_q;
  end else begin : gen_own
    assign words = own_data_i;
  end

  // The word that lanes write.
  function automatic logic [Width-1:0] written(input logic [Lanes-1:0] writes,
                                               input logic [Lanes*Width-1:0] data);
    written = '0;
    for (int l = 0; l < Lanes; l++) begin
      if (writes[l]) written = data[l*Width+:Width];
    end
  endfunction

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic [AddressBits-1:0] operand;
    logic [AddressBits-1:0] first;
    assign operand = operand_address_i[l*AddressBits+:AddressBits];
    assign first   = first_address_i[l*AddressBits+:AddressBits];
    assign operand_data_o[l*Width+:Width] = words[operand*Width+:Width];
    if (Keep) begin : gen_bypass
      logic [Lanes-1:0] writes;
      for (genvar w = 0; w < Lanes; w++) begin : gen_write
        assign writes[w] = write_valid_i[w] && write_address_i[w*AddressBits+:AddressBits] == first;
      end
      assign first_data_o[l*Width+:Width] = writes != '0 ? written(writes, write_data_i)
                                                         : words[first*Width+:Width];
    end else begin : gen_direct
      assign first_data_o[l*Width+:Width] = words[first*Width+:Width];
    end
  end

  if (!Keep) begin : gen_unused
    logic unused_writes;
    assign unused_writes = ^{clk_i, start_i, write_valid_i, write_address_i, write_data_i};
  end

endmodule

`default_nettype wire
