// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The vector of a node of an emitted reduction: read in the cycle of the address, written at the end of the
// cycle.
//
// A chip has its own memory here; this register file serves simulation and synthesis without one. With
// Load, words are loaded one by one before a round, which reduces them in place. Without Load, start_i
// takes the whole vector from own_data_i. If also Keep is 0, no word is read after it was written: then
// nothing is stored, and own_data_i must be stable during the round.
module gsm_vector_memory #(
    // Lanes that read and write in one cycle, 1..16.
    parameter int Lanes = 4,
    // Data bits of a word, 1 or more.
    parameter int Width = 32,
    // Words of the vector, and bits of an address.
    parameter int Words = 2,
    parameter int AddressBits = 1,
    // Words are read after they have been written.
    parameter bit Keep = 1'b1,
    // Words are loaded by load_i, not from own_data_i.
    parameter bit Load = 1'b0,
    // Words of own_data_i.
    parameter int OwnWords = Load ? 1 : Words
) (
    // Clock, rising edge.
    input  logic                         clk_i,
    // The vector is loaded from own_data_i.
    input  logic                         start_i,
    input  logic [   OwnWords*Width-1:0] own_data_i,
    // Load: loads a word, with its address above it. Not during a round.
    input  logic                         load_i,
    input  logic [AddressBits+Width-1:0] load_data_i,
    // Reads before this cycle's writes.
    input  logic [Lanes*AddressBits-1:0] operand_address_i,
    output logic [      Lanes*Width-1:0] operand_data_o,
    // Reads after this cycle's writes.
    input  logic [Lanes*AddressBits-1:0] first_address_i,
    output logic [      Lanes*Width-1:0] first_data_o,
    // Writes; lanes that write the same address in one cycle write the same word.
    input  logic [            Lanes-1:0] write_valid_i,
    input  logic [Lanes*AddressBits-1:0] write_address_i,
    input  logic [      Lanes*Width-1:0] write_data_i
);

  logic [Lanes*Width-1:0] first;
  if (Load) begin : gen_load
    // Addresses have the width of the plan, which may exceed that of the memory.
    localparam int IndexBits = Words > 1 ? $clog2(Words) : 1;
    logic [Width-1:0] words_q[Words];
    always_ff @(posedge clk_i) begin
      if (load_i) words_q[IndexBits'(load_data_i[Width+:AddressBits])] <= load_data_i[Width-1:0];
      for (int l = 0; l < Lanes; l++) begin
        if (write_valid_i[l])
          words_q[IndexBits'(write_address_i[l*AddressBits+:AddressBits])] <= write_data_i[l*Width+:Width];
      end
    end
    for (genvar l = 0; l < Lanes; l++) begin : gen_lane
      assign operand_data_o[l*Width+:Width] =
          words_q[IndexBits'(operand_address_i[l*AddressBits+:AddressBits])];
      assign first[l*Width+:Width] =
          words_q[IndexBits'(first_address_i[l*AddressBits+:AddressBits])];
    end
    logic unused_own;
    assign unused_own = ^{start_i, own_data_i};
  end else begin : gen_own
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
    end else begin : gen_as_given
      assign words = own_data_i;
    end
    for (genvar l = 0; l < Lanes; l++) begin : gen_lane
      logic [AddressBits-1:0] operand_at;
      logic [AddressBits-1:0] first_at;
      assign operand_at = operand_address_i[l*AddressBits+:AddressBits];
      assign first_at   = first_address_i[l*AddressBits+:AddressBits];
      assign operand_data_o[l*Width+:Width] = words[operand_at*Width+:Width];
      assign first[l*Width+:Width] = words[first_at*Width+:Width];
    end
    logic unused_load;
    assign unused_load = ^{load_i, load_data_i};
  end

  // The word that lanes write.
  function automatic logic [Width-1:0] written(input logic [Lanes-1:0] writes,
                                               input logic [Lanes*Width-1:0] data);
    written = '0;
    for (int l = 0; l < Lanes; l++) begin
      if (writes[l]) written = data[l*Width+:Width];
    end
  endfunction

  // Reads need this cycle's writes only if words are read again.
  if (Keep) begin : gen_bypass
    for (genvar l = 0; l < Lanes; l++) begin : gen_lane
      logic [Lanes-1:0] writes;
      for (genvar w = 0; w < Lanes; w++) begin : gen_write
        assign writes[w] = write_valid_i[w] && write_address_i[w*AddressBits+:AddressBits] ==
                                               first_address_i[l*AddressBits+:AddressBits];
      end
      assign first_data_o[l*Width+:Width] = writes != '0 ? written(writes, write_data_i)
                                                         : first[l*Width+:Width];
    end
  end else begin : gen_direct
    assign first_data_o = first;
    logic unused_writes;
    assign unused_writes = ^{clk_i, start_i, write_valid_i, write_address_i, write_data_i};
  end

endmodule

`default_nettype wire
