// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Side x Side tiles on a torus. Reads own blocks from a.memh and b.memh, in the order of node, product and word; writes one
// line per block of C, node and product first, to c.txt, and prints cycles and cycles in which multipliers wait.
module matmul_tb #(
    parameter int Side = 4,
    parameter int Block = 8,
    parameter int Mac = 4,
    parameter int WordCycles = 1,
    parameter int Products = 3
);

  localparam int Nodes = Side * Side;
  localparam int Width = 8 * Mac;
  localparam int Words = Block * Block / Mac;
  localparam int Steps = Side / 2;
  localparam int PacketBits = gsm_arrivals_pkg::PacketBits;
  localparam int EntryBits = PacketBits + 1;

  logic clk, rst_n, start;
  initial clk = 1'b0;
  always #5 clk = !clk;

  logic [Width-1:0] a[0:Nodes*Products*Words-1];
  logic [Width-1:0] b[0:Nodes*Products*Words-1];
  initial $readmemh("a.memh", a);
  initial $readmemh("b.memh", b);

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

  logic own_write;
  logic [31:0] own_address;
  logic [Width-1:0] link[0:Nodes*4-1];
  logic [PacketBits-1:0] link_tag[0:Nodes*4-1];
  logic [Block*Block*32-1:0] c[0:Nodes-1];
  logic [Nodes-1:0] c_done, busy, waits;
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
        .WordCycles(WordCycles),
        .Products(Products),
        .PacketBits(PacketBits)
    ) u_tile (
        .clk_i(clk),
        .rst_ni(rst_n),
        .start_i(start),
        .node_i(PacketBits'(node)),
        .contract_i(Contract),
        .own_write_i(own_write),
        .own_address_i(own_address),
        .own_a_i(a[node*Products*Words+own_address]),
        .own_b_i(b[node*Products*Words+own_address]),
        .in_data_i(in_data),
        .out_data_o(out_data),
        .in_tag_i(in_tag),
        .out_tag_o(out_tag),
        .c_o(c[node]),
        .c_done_o(c_done[node]),
        .busy_o(busy[node]),
        .wait_o(waits[node])
    );
  end

  int file, cycles, waiting, done;
  initial begin
    rst_n = 1'b0;
    start = 1'b0;
    own_write = 1'b1;
    own_address = 0;
    repeat (2) @(negedge clk);
    rst_n = 1'b1;
    for (int address = 0; address < Products * Words; address++) begin
      own_address = address;
      @(negedge clk);
    end
    own_write = 1'b0;
    own_address = 0;
    start = 1'b1;
    @(negedge clk);
    start = 1'b0;
    file = $fopen("c.txt", "w");
    cycles = 0;
    waiting = 0;
    done = 0;
    while (done < Products) begin
      if (busy != '0) cycles++;
      waiting += $countones(waits);
      @(negedge clk);
      if (c_done != '0) begin
        if (c_done != '1) $fatal(1, "tiles end in different cycles");
        for (int node = 0; node < Nodes; node++) $fwrite(file, "%0d %0d %h\n", node, done, c[node]);
        done++;
      end
    end
    $fclose(file);
    $display("PASS cycles=%0d waits=%0d", cycles, waiting);
    $finish;
  end

endmodule

`default_nettype wire
