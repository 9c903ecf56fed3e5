// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// A tile of a matrix product C = A B by two-way Cannon: a router with two blocks per port, and Mac x Mac
// multipliers of int8 that add to int32, or of bfloat16 that add to binary32.
//
// Sums are taken in the order of slots, in a slot the pair of in-ports x+ and y+ before that of x- and y-, and in a pair of
// blocks in the order of the columns of A. The first addition is to 0.
//
// The tile has no valid, no ready and no header. The arrival contract of the plan (gsm_arrivals_pkg) says which block comes
// in by which port in which step; which operands are multiplied, and when, follows from it alone.
//
// In slot s, 0 .. Side/2, the tile multiplies the pairs of blocks that arrived in step s (in slot 0 its own pair),
// and links carry the blocks of step s + 1. A slot ends when both are over, so transfers of a step are exposed only
// if they take longer than its products. Products of matrices follow each other without a gap.
module matmul_tile #(
    // Side of the network, 2 or more.
    parameter int Side = 4,
    // Rows of a block, a multiple of Mac.
    parameter int Block = 8,
    // Rows and columns of the multiplier array; a link carries a word of Mac elements.
    parameter int Mac = 4,
    // 1: elements are bfloat16 and sums binary32; 0: int8 and int32.
    parameter int Float = 0,
    // Cycles in which a link carries a word, 1 or more.
    parameter int WordCycles = 1,
    // Matrix products of a run, 1 or more.
    parameter int Products = 3,
    // Bits of a packet's number.
    parameter int PacketBits = 8,
    // Derived.
    parameter int ElementBits = Float != 0 ? 16 : 8,
    parameter int Width = ElementBits * Mac,
    parameter int Words = Block * Block / Mac,
    parameter int Steps = Side / 2
) (
    // Clock, rising edge.
    input  logic                                clk_i,
    // Asynchronous reset, active low.
    input  logic                                rst_ni,
    // The next cycle is the first of the run; the same cycle for all tiles.
    input  logic                                start_i,
    // Constants: the node, and by step and in-port, from bit ((step - 1) * 4 + port) * (PacketBits + 1), the packet that
    // arrives; the highest bit: there is one.
    input  logic [              PacketBits-1:0] node_i,
    input  logic [Steps*4*(PacketBits+1)-1:0] contract_i,
    // Own blocks, before the run: word g * Block + k of product p, at address p * Words + word, holds rows
    // g * Mac .. of column k of A, and columns g * Mac .. of row k of B, lowest first.
    input  logic                                own_write_i,
    input  logic [                        31:0] own_address_i,
    input  logic [                   Width-1:0] own_a_i,
    input  logic [                   Width-1:0] own_b_i,
    // Links, by port: x-, x+, y-, y+. Tags are for the assertion: the node where a block began.
    input  logic [                 4*Width-1:0] in_data_i,
    output logic [                 4*Width-1:0] out_data_o,
    input  logic [            4*PacketBits-1:0] in_tag_i,
    output logic [            4*PacketBits-1:0] out_tag_o,
    // The block of C, row by row, 32 bits each, in the cycle of c_done_o.
    output logic [          Block*Block*32-1:0] c_o,
    output logic                                c_done_o,
    // The run is on; in this cycle the multipliers wait.
    output logic                                busy_o,
    output logic                                wait_o
);
  // One copy of the code for all tiles.
  /* verilator no_inline_module */

  localparam int Groups = Block / Mac;
  localparam int Transfer = Words * WordCycles;
  // Cycles of the product of two blocks.
  localparam int Product = Groups * Groups * Block;
  localparam int First = Transfer > Product ? Transfer : Product;
  localparam int Middle = Transfer > 2 * Product ? Transfer : 2 * Product;
  localparam int Last = Side % 2 == 0 ? Product : 2 * Product;
  localparam int EntryBits = PacketBits + 1;

  // Place in the schedule: product, slot, cycle of the slot.
  logic [31:0] product, slot, cycle, length;
  logic slot_ends;
  assign length = slot == 0 ? First : slot == Steps ? Last : Middle;
  assign slot_ends = cycle == length - 1;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_o <= 1'b0;
      product <= 0;
      slot <= 0;
      cycle <= 0;
    end else if (!busy_o) begin
      busy_o <= start_i;
      product <= 0;
    end else if (!slot_ends) begin
      cycle <= cycle + 1;
    end else begin
      cycle <= 0;
      slot <= slot == Steps ? 0 : slot + 1;
      if (slot == Steps) begin
        product <= product + 1;
        busy_o <= product != Products - 1;
      end
    end
  end

  // Blocks: own ones, and by half, in-port and word those that arrived. Slot s reads half s mod 2.
  logic [Width-1:0] own_a[0:Products*Words-1];
  logic [Width-1:0] own_b[0:Products*Words-1];
  logic [Width-1:0] block[0:2*4*Words-1];
  logic [PacketBits-1:0] tag[0:7];
  always_ff @(posedge clk_i) begin
    if (own_write_i) begin
      own_a[own_address_i] <= own_a_i;
      own_b[own_address_i] <= own_b_i;
    end
  end

  // Links. A block goes straight on: what came in by port x+ leaves by port x-.
  logic sends;
  logic [31:0] word;
  assign sends = busy_o && slot != Steps && cycle < Transfer;
  assign word = cycle / WordCycles;
  always_comb begin
    for (int port = 0; port < 4; port++) begin
      if (slot == 0) begin
        out_data_o[port*Width+:Width] = port < 2 ? own_a[product*Words+word] : own_b[product*Words+word];
        out_tag_o[port*PacketBits+:PacketBits] = node_i;
      end else begin
        out_data_o[port*Width+:Width] = block[((slot%2)*4+(port^1))*Words+word];
        out_tag_o[port*PacketBits+:PacketBits] = tag[(slot%2)*4+(port^1)];
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (sends && cycle % WordCycles == WordCycles - 1) begin
      for (int port = 0; port < 4; port++) begin
        block[(((slot+1)%2)*4+port)*Words+word] <= in_data_i[port*Width+:Width];
        tag[((slot+1)%2)*4+port] <= in_tag_i[port*PacketBits+:PacketBits];
      end
    end
  end

  // The contract of the arrivals that this slot multiplies: by in-port, whether there is one, and the index k of
  // A(i, k) or B(k, j). Its first node was k - i or k - j links along the row or column, modulo Side.
  logic [3:0] comes;
  logic [31:0] index[0:3];
  always_comb begin
    for (int port = 0; port < 4; port++) begin
      automatic logic [EntryBits-1:0] entry = slot == 0 ? '0 : contract_i[((slot-1)*4+port)*EntryBits+:EntryBits];
      automatic logic [31:0] from = 32'(entry[PacketBits-1:0]);
      comes[port] = entry[PacketBits];
      index[port] = port < 2 ? (32'(node_i) / Side + from % Side) % Side : (32'(node_i) % Side + from / Side) % Side;
    end
  end
  // Pairs of one index: that of in-port x+, then that of x-, unless it is the same again.
  logic [1:0] pair_valid, pair_b;
  assign pair_b[0] = comes[3] && index[3] == index[1];
  assign pair_valid[0] = comes[1] && (pair_b[0] || (comes[2] && index[2] == index[1]));
  assign pair_b[1] = comes[3] && index[3] == index[0];
  assign pair_valid[1] = comes[0] && (pair_b[1] || (comes[2] && index[2] == index[0])) &&
      !(pair_valid[0] && index[0] == index[1]);

  // Multipliers: one word of A with one word of B per cycle, sub-block after sub-block.
  logic [31:0] step_of, pair, row, column, inner;
  logic works;
  assign pair = cycle / Product;
  assign step_of = cycle % Product;
  assign inner = step_of % Block;
  assign column = step_of / Block % Groups;
  assign row = step_of / Block / Groups;
  assign works = busy_o && (slot == 0 ? pair == 0 : pair < 2 && pair_valid[pair[0]]);
  assign wait_o = busy_o && !works;
  logic [Width-1:0] a_word, b_word;
  always_comb begin
    if (slot == 0) begin
      a_word = own_a[product*Words+row*Block+inner];
      b_word = own_b[product*Words+column*Block+inner];
    end else begin
      a_word = block[((slot%2)*4+(pair[0]?0:1))*Words+row*Block+inner];
      b_word = block[((slot%2)*4+(pair_b[pair[0]]?3:2))*Words+column*Block+inner];
    end
  end
  logic [31:0] sum[0:Block*Block-1];
  logic [31:0] next_sum[0:Mac*Mac-1];
  for (genvar i = 0; i < Mac; i++) begin : gen_row
    for (genvar j = 0; j < Mac; j++) begin : gen_column
      matmul_mac #(
          .Float(Float)
      ) u_mac (
          .a_i(a_word[i*ElementBits+:ElementBits]),
          .b_i(b_word[j*ElementBits+:ElementBits]),
          .sum_i(slot == 0 && inner == 0 ? '0 : sum[(row*Mac+i)*Block+column*Mac+j]),
          .sum_o(next_sum[i*Mac+j])
      );
    end
  end
  always_ff @(posedge clk_i) begin
    if (works) begin
      for (int i = 0; i < Mac; i++) begin
        for (int j = 0; j < Mac; j++) sum[(row*Mac+i)*Block+column*Mac+j] <= next_sum[i*Mac+j];
      end
    end
  end

  // The sums are complete one cycle after the last slot, before the next product's first sum replaces them.
  logic ended;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ended <= 1'b0;
      c_done_o <= 1'b0;
    end else begin
      ended <= busy_o && slot == Steps && slot_ends;
      c_done_o <= ended;
    end
  end
  always_ff @(posedge clk_i) begin
    if (ended) for (int i = 0; i < Block * Block; i++) c_o[i*32+:32] <= sum[i];
  end

  // Every word that comes in belongs to the block of the contract. Its tag is that of the block's first node.
  logic [3:0] kept;
  always_comb begin
    for (int port = 0; port < 4; port++) begin
      kept[port] = !sends ||
          contract_i[(slot*4+port)*EntryBits+:EntryBits] == {1'b1, in_tag_i[port*PacketBits+:PacketBits]};
    end
  end
  `GSM_ASSERT(ContractKept_A, kept == 4'hf, "a block arrives that the contract does not promise")
  // Matching blocks arrive together: two pairs per step, or one if both are the same.
  `GSM_ASSERT(PairsMet_A, !busy_o || slot == 0 || $countones(pair_valid) == length_pairs(slot),
              "the contract does not bring the pairs of a step")
  `GSM_PARAMETER(BlockLegal_A, Block % Mac == 0 && Block >= Mac, "Block must be a multiple of Mac")
  `GSM_PARAMETER(SideLegal_A, Side >= 2, "Side must be at least 2")

  function automatic int length_pairs(input logic [31:0] of_slot);
    length_pairs = of_slot == Steps && Side % 2 == 0 ? 1 : 2;
  endfunction

endmodule

`default_nettype wire
