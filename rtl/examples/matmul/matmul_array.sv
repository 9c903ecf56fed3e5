// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Side x Side tiles on a torus, with the constants of the arrival contract gsm_arrivals_pkg.
module matmul_array #(
    // As in matmul_tile.
    parameter int Side = 4,
    parameter int Block = 8,
    parameter int Mac = 4,
    parameter int Float = 0,
    parameter int WordCycles = 1,
    parameter int Products = 3,
    // Derived.
    parameter int Nodes = Side * Side,
    parameter int Width = (Float != 0 ? 16 : 8) * Mac
) (
    // Clock, rising edge.
    input  logic                clk_i,
    // Asynchronous reset, active low.
    input  logic                rst_ni,
    // The next cycle is the first of the run.
    input  logic                start_i,
    // A word of the own blocks of node own_node_i, before the run.
    input  logic                own_write_i,
    input  logic [        31:0] own_node_i,
    input  logic [        31:0] own_address_i,
    input  logic [   Width-1:0] own_a_i,
    input  logic [   Width-1:0] own_b_i,
    // By node, in this cycle: its block of C is complete; the run is on; its multipliers wait.
    output logic [   Nodes-1:0] c_done_o,
    output logic [   Nodes-1:0] busy_o,
    output logic [   Nodes-1:0] wait_o,
    // A row of the block of C of node c_node_i.
    input  logic [        31:0] c_node_i,
    input  logic [        31:0] c_row_i,
    output logic [Block*32-1:0] c_o
);

  localparam int Steps = Side / 2;
  localparam int PacketBits = gsm_arrivals_pkg::PacketBits;
  localparam int EntryBits = PacketBits + 1;

  // The constants of a node, from the contract alone.
  function automatic logic [Steps*4*EntryBits-1:0] contract_of(input int node);
    contract_of = '0;
    for (int step = 1; step <= Steps; step++) begin
      for (int port = 0; port < 4; port++) begin
        contract_of[((step-1)*4+port)*EntryBits+:EntryBits] = gsm_arrivals_pkg::arrival(node, step, port);
      end
    end
  endfunction
  // The neighbour in the direction of a port.
  function automatic int neighbor(input int node, input int port);
    case (port)
      0: neighbor = node / Side * Side + (node % Side + Side - 1) % Side;
      1: neighbor = node / Side * Side + (node % Side + 1) % Side;
      2: neighbor = (node + Nodes - Side) % Nodes;
      default: neighbor = (node + Side) % Nodes;
    endcase
  endfunction

  logic [Width-1:0] link[0:Nodes*4-1];
  logic [PacketBits-1:0] link_tag[0:Nodes*4-1];
  logic [Block*Block*32-1:0] c[0:Nodes-1];
  assign c_o = c[c_node_i][c_row_i*Block*32+:Block*32];
  for (genvar node = 0; node < Nodes; node++) begin : gen_node
    localparam logic [Steps*4*EntryBits-1:0] Contract = contract_of(node);
    logic [4*Width-1:0] in_data, out_data;
    logic [4*PacketBits-1:0] in_tag, out_tag;
    for (genvar port = 0; port < 4; port++) begin : gen_port
      assign link[node*4+port] = out_data[port*Width+:Width];
      assign link_tag[node*4+port] = out_tag[port*PacketBits+:PacketBits];
      assign in_data[port*Width+:Width] = link[neighbor(node, port)*4+(port^1)];
      assign in_tag[port*PacketBits+:PacketBits] = link_tag[neighbor(node, port)*4+(port^1)];
    end
    matmul_tile #(
        .Side(Side),
        .Block(Block),
        .Mac(Mac),
        .Float(Float),
        .WordCycles(WordCycles),
        .Products(Products),
        .PacketBits(PacketBits)
    ) u_tile (
        .clk_i(clk_i),
        .rst_ni(rst_ni),
        .start_i(start_i),
        .node_i(PacketBits'(node)),
        .contract_i(Contract),
        .own_write_i(own_write_i && own_node_i == node),
        .own_address_i(own_address_i),
        .own_a_i(own_a_i),
        .own_b_i(own_b_i),
        .in_data_i(in_data),
        .out_data_o(out_data),
        .in_tag_i(in_tag),
        .out_tag_o(out_tag),
        .c_o(c[node]),
        .c_done_o(c_done_o[node]),
        .busy_o(busy_o[node]),
        .wait_o(wait_o[node])
    );
  end

endmodule

`default_nettype wire
