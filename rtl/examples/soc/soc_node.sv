// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A node's memory at the element interface of its tile. A packet's word is at the base of the running round
// plus the packet's number and piece; words of step 1 are at the base of the round that begins.
module soc_node #(
    parameter int Ports = 4,
    parameter int PacketBits = 5,
    parameter int AddressBits = 11
) (
    input  logic                        clk_i,
    // Base of the round that begins, and of the running one. `whole`: two pieces of a number, otherwise one.
    input  logic [     AddressBits-1:0] next_base_i,
    input  logic                        next_whole_i,
    input  logic [     AddressBits-1:0] base_i,
    input  logic                        whole_i,
    // The running round is a barrier, whose words are bit 0.
    input  logic                        flag_i,
    // The tile.
    input  logic [Ports*PacketBits-1:0] first_packet_i,
    output logic [        Ports*32-1:0] first_data_o,
    input  logic [Ports*PacketBits-1:0] own_packet_i,
    output logic [        Ports*32-1:0] own_data_o,
    input  logic [           Ports-1:0] deliver_valid_i,
    input  logic [Ports*PacketBits-1:0] deliver_packet_i,
    input  logic [        Ports*32-1:0] deliver_data_i,
    input  logic                        deliver_add_i,
    // The bus.
    input  logic [     AddressBits-1:0] bus_address_i,
    input  logic                        bus_write_i,
    input  logic [                31:0] bus_data_i,
    output logic [                31:0] bus_data_o
);

  function automatic logic [AddressBits-1:0] address_of(
      input logic [AddressBits-1:0] base, input logic [PacketBits-1:0] packet, input logic whole);
    address_of = base + (whole ? AddressBits'(packet) : AddressBits'(packet) >> 1);
  endfunction

  logic [Ports*AddressBits-1:0] first_address;
  logic [Ports*AddressBits-1:0] own_address;
  logic [Ports*AddressBits-1:0] deliver_address;
  logic [Ports*32-1:0] present;
  logic [Ports*32-1:0] result;
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    assign first_address[p*AddressBits+:AddressBits] =
        address_of(next_base_i, first_packet_i[p*PacketBits+:PacketBits], next_whole_i);
    assign own_address[p*AddressBits+:AddressBits] =
        address_of(base_i, own_packet_i[p*PacketBits+:PacketBits], whole_i);
    assign deliver_address[p*AddressBits+:AddressBits] =
        address_of(base_i, deliver_packet_i[p*PacketBits+:PacketBits], whole_i);
    // A root adds all deliveries of one word; their ports write the same sum.
    logic [Ports*32-1:0] term;
    for (genvar q = 0; q < Ports; q++) begin : gen_term
      assign term[q*32+:32] = deliver_valid_i[q] && deliver_address[q*AddressBits+:AddressBits] ==
          deliver_address[p*AddressBits+:AddressBits] ? deliver_data_i[q*32+:32] : '0;
    end
    assign result[p*32+:32] = deliver_add_i ? present[p*32+:32] + sum_of(term) :
        flag_i ? {31'd0, deliver_data_i[p*32]} : deliver_data_i[p*32+:32];
  end
  function automatic logic [31:0] sum_of(input logic [Ports*32-1:0] term);
    sum_of = '0;
    for (int q = 0; q < Ports; q++) sum_of = sum_of + term[q*32+:32];
  endfunction

  soc_memory #(
      .Words (2 ** AddressBits),
      .Reads (3 * Ports + 1),
      .Writes(Ports + 1)
  ) u_memory (
      .clk_i          (clk_i),
      .read_address_i ({bus_address_i, deliver_address, own_address, first_address}),
      .read_data_o    ({bus_data_o, present, own_data_o, first_data_o}),
      .write_i        ({bus_write_i, deliver_valid_i}),
      .write_address_i({bus_address_i, deliver_address}),
      .write_data_i   ({bus_data_i, result})
  );

endmodule

`default_nettype wire
