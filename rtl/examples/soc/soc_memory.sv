// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A node's memory: a register file of words, read in the same cycle, written at the clock's edge. The ports
// are flat: port i's address is at i*AddressBits. No two ports write one word in one cycle.
module soc_memory #(
    parameter int Words = 2048,
    parameter int Reads = 1,
    parameter int Writes = 1,
    localparam int AddressBits = $clog2(Words)
) (
    input  logic                          clk_i,
    input  logic [ Reads*AddressBits-1:0] read_address_i,
    output logic [          Reads*32-1:0] read_data_o,
    input  logic [            Writes-1:0] write_i,
    input  logic [Writes*AddressBits-1:0] write_address_i,
    input  logic [         Writes*32-1:0] write_data_i
);

  logic [31:0] word[Words];
  for (genvar i = 0; i < Reads; i++) begin : gen_read
    assign read_data_o[i*32+:32] = word[read_address_i[i*AddressBits+:AddressBits]];
  end
  always_ff @(posedge clk_i) begin
    for (int i = 0; i < Writes; i++) begin
      if (write_i[i]) word[write_address_i[i*AddressBits+:AddressBits]] <= write_data_i[i*32+:32];
    end
  end

endmodule

`default_nettype wire
