// SPDX-License-Identifier: Apache-2.0

// Self-checking testbench of a torus or mesh of gsm_dual_node: gossip and broadcast by turns, without
// a reset between them, the next one started in the cycle of the other's done_o.
//
// Every node gets every packet in gossip, the last one exactly in the last step; in a broadcast it
// gets the message once, flit by flit, and no link carries anything but whole messages in consecutive
// cycles. Prints "PASS steps=<n> cycles=<m>", the lengths of gossip and broadcast, or says what is
// wrong and ends with $fatal. +trace=PREFIX writes each round's trace, PREFIX0.csv and so on.
module gsm_dual_network_tb;

  // As gsm_dual_node; on a mesh all rounds are broadcasts.
  parameter int LevelsX = 2;
  parameter int LevelsY = 2;
  parameter int Torus = 1;
  parameter int Width = 32;
  parameter int Flits = 4;
  parameter int RelayCycles = 1;
  // The broadcast's source, x + y * side of x.
  parameter int Source = 0;
  // Rounds; the even ones are gossips.
  parameter int Rounds = 3;

  localparam int SideX = 1 << LevelsX;
  localparam int SideY = 1 << LevelsY;
  localparam int Nodes = SideX * SideY;
  localparam int Total = 2 * Nodes;
  localparam int AddressWidth = $clog2(Flits + RelayCycles + 1);
  localparam int Words = 1 << AddressWidth;
  localparam int Levels = LevelsX > LevelsY ? LevelsX : LevelsY;
  localparam int Stretch = ((1 << Levels) + 1) / 3;
  localparam int HopBits = Stretch > 2 ? $clog2(Stretch) : 1;
  localparam int StepBits = $clog2(LevelsX + LevelsY);
  localparam int HeaderBits = HopBits + StepBits + (Torus != 0 ? 2 : 0);

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  logic start = 1'b0;
  logic gossip = 1'b0;
  always #5 clk = !clk;

  // i = n*4 + p: out-port p of node n; what arrives on in-port p of node n.
  logic link_valid[Nodes*4];
  logic link_head[Nodes*4];
  logic [Width-1:0] link_data[Nodes*4];
  logic [Nodes*4-1:0] deliver_valid;
  logic [Nodes*4-1:0] deliver_head;
  logic [Nodes*4*Width-1:0] deliver_data;
  logic [Nodes-1:0] busy;
  logic [Nodes-1:0] done;
  logic [Nodes-1:0] error;

  // The neighbour in direction p, -1 beyond the border of a mesh.
  function automatic int neighbor(input int node, input int p);
    int x;
    int y;
    x = node % SideX;
    y = node / SideX;
    if (p < 2) x = p == 0 ? x - 1 : x + 1;
    else y = p == 2 ? y - 1 : y + 1;
    if (Torus != 0) neighbor = (x + SideX) % SideX + (y + SideY) % SideY * SideX;
    else neighbor = x < 0 || x >= SideX || y < 0 || y >= SideY ? -1 : x + y * SideX;
  endfunction

  // Flit k of the round's message; nothing else in the tests looks like it.
  int round = 0;
  function automatic logic [Width-1:0] flit(input int k, input int of_round);
    flit = Width'(32'h5a3c_9600 + 32'(k) * 32'h0101_0101 + (32'(of_round) << 20));
  endfunction

  for (genvar n = 0; n < Nodes; n++) begin : gen_node
    logic [3:0] in_valid;
    logic [3:0] in_head;
    logic [4*Width-1:0] in_data;
    logic [3:0] out_valid;
    logic [3:0] out_head;
    logic [4*Width-1:0] out_data;
    logic [2*AddressWidth-1:0] address;
    logic [2*Width-1:0] own_data;
    for (genvar p = 0; p < 4; p++) begin : gen_port
      localparam int From = neighbor(n, p);
      localparam int Link = From * 4 + (p % 2 == 0 ? p + 1 : p - 1);
      assign link_valid[n*4+p] = out_valid[p];
      assign link_head[n*4+p]  = out_head[p];
      assign link_data[n*4+p]  = out_data[p*Width+:Width];
      if (From < 0) begin : gen_border
        assign in_valid[p] = 1'b0;
        assign in_head[p]  = 1'b0;
        assign in_data[p*Width+:Width] = '0;
      end else begin : gen_link
        assign in_valid[p] = link_valid[Link];
        assign in_head[p]  = link_head[Link];
        assign in_data[p*Width+:Width] = link_data[Link];
      end
    end
    // The node's memory: its packets, the message at the source, and what a broadcast has brought.
    logic [Width-1:0] memory[Words];
    logic [AddressWidth-1:0] word;
    logic [AddressWidth-1:0] word_q;
    for (genvar i = 0; i < 2; i++) begin : gen_read_port
      logic [AddressWidth-1:0] from;
      assign from = address[i*AddressWidth+:AddressWidth];
      assign own_data[i*Width+:Width] = gossip ? Width'(2 * n + 32'(from)) :
                                        n == Source ? flit(32'(from), round) : memory[from];
    end
    assign word = (deliver_valid[n*4+:4] & deliver_head[n*4+:4]) != '0 ? '0 : word_q;
    always_ff @(posedge clk) begin
      for (int p = 0; p < 4; p++) begin
        if (!gossip && deliver_valid[n*4+p]) begin
          memory[word] <= deliver_data[(n*4+p)*Width+:Width];
          word_q       <= word + 1'b1;
        end
      end
    end
    gsm_dual_node #(
        .LevelsX    (LevelsX),
        .LevelsY    (LevelsY),
        .X          (n % SideX),
        .Y          (n / SideX),
        .Torus      (Torus),
        .Width      (Width),
        .Flits      (Flits),
        .RelayCycles(RelayCycles)
    ) u_node (
        .clk_i          (clk),
        .rst_ni         (rst_n),
        .clear_i        (1'b0),
        .start_i        (start),
        .gossip_i       (gossip),
        .source_i       (1'(n == Source)),
        .address_o      (address),
        .own_data_i     (own_data),
        .in_valid_i     (in_valid),
        .in_head_i      (in_head),
        .in_data_i      (in_data),
        .out_valid_o    (out_valid),
        .out_head_o     (out_head),
        .out_data_o     (out_data),
        .deliver_valid_o(deliver_valid[n*4+:4]),
        .deliver_head_o (deliver_head[n*4+:4]),
        .deliver_data_o (deliver_data[n*4*Width+:4*Width]),
        .busy_o         (busy[n]),
        .done_o         (done[n]),
        .error_o        (error[n])
    );
  end

  task fail(input string what, input int at, input int cycle);
    begin
      $display("FAIL cycle %0d, at %0d: %s", cycle, at, what);
      $fatal;
    end
  endtask

  // Links of a send of a step.
  function automatic int links_of(input int step);
    int number;
    number   = 0;
    links_of = 0;
    for (int j = Levels; j >= 1; j--) begin
      for (int i = 0; i < 2; i++) begin
        if ((i == 0 ? LevelsX : LevelsY) >= j) begin
          if (number == step) links_of = ((1 << j) + 1) / 3;
          number++;
        end
      end
    end
  endfunction

  int trace_file;
  // Gossip: packets that each node holds, and how many (node, packet) pairs that makes.
  logic [Total-1:0] known[Nodes];
  int known_pairs;
  int complete_step;
  // Broadcast: flits of the message that have crossed each link, 0 between messages; that each node
  // has got.
  int crossed[Nodes*4];
  int got[Nodes];
  // Nodes that get a flit in this cycle.
  logic [Nodes-1:0] gets;

  task gossip_link(input int i, input int cycle);
    begin
      if (link_valid[i] === 1'b1) begin
        if (link_head[i] !== 1'b0) fail("a head in gossip", i, cycle);
        if (!(link_data[i] < Total)) fail("no packet of the gossip", i, cycle);
        if (trace_file != 0) begin
          $fwrite(trace_file, "%0d,0,%0d,%0d,%0d\n", cycle, i / 4, i % 4, link_data[i]);
        end
      end else if (link_valid[i] !== 1'b0) fail("valid is x", i, cycle);
    end
  endtask

  task gossip_delivery(input int i, input int cycle);
    int packet;
    begin
      if (deliver_valid[i]) begin
        packet = deliver_data[i*Width+:Width];
        if (!known[i/4][packet]) begin
          known[i/4][packet] = 1'b1;
          known_pairs++;
          if (known_pairs == Nodes * Total) complete_step = cycle;
        end
      end
    end
  endtask

  task broadcast_link(input int i, input int cycle);
    int step;
    int links;
    begin
      if (link_valid[i] === 1'b1) begin
        if (link_head[i] !== 1'(crossed[i] == 0)) fail("head out of place", i, cycle);
        if (link_data[i][Width-1:HeaderBits] !== flit(crossed[i], round) >> HeaderBits ||
            (crossed[i] > 0 && link_data[i] !== flit(crossed[i], round))) begin
          fail("a flit is altered", i, cycle);
        end
        if (crossed[i] == 0 && trace_file != 0) begin
          step  = 32'(link_data[i][HopBits+:StepBits]);
          links = links_of(step);
          $fwrite(trace_file, "%0d,%0d,%0d,%0d,0\n", step + 1,
                  links - 1 - 32'(link_data[i][HopBits-1:0]), i / 4, i % 4);
        end
        crossed[i] = crossed[i] == Flits - 1 ? 0 : crossed[i] + 1;
      end else if (link_valid[i] !== 1'b0) fail("valid is x", i, cycle);
      else if (crossed[i] != 0) fail("a message has a gap", i, cycle);
    end
  endtask

  task broadcast_delivery(input int i, input int cycle);
    begin
      if (deliver_valid[i]) begin
        if (i / 4 == Source || got[i/4] >= Flits) fail("delivered twice", i, cycle);
        if (deliver_head[i] !== 1'(got[i/4] == 0)) fail("delivered out of order", i, cycle);
        if (gets[i/4]) fail("two deliveries at once", i, cycle);
        gets[i/4] = 1'b1;
        got[i/4]++;
      end
    end
  endtask

  string trace_name;
  int steps;
  int cycles;
  int cycle;
  initial begin
    trace_file = 0;
    steps = 0;
    cycles = 0;
    if (!$value$plusargs("trace=%s", trace_name)) trace_name = "";
    @(negedge clk);
    @(negedge clk);
    rst_n = 1'b1;
    @(negedge clk);
    for (round = 0; round < Rounds; round++) begin
      if (trace_name.len() > 0) begin
        trace_file = $fopen($sformatf("%s%0d.csv", trace_name, round), "w");
        if (trace_file == 0) $fatal;
        $fwrite(trace_file, "step,hop,from,port,packet\n");
      end
      gossip = Torus != 0 && round % 2 == 0;
      complete_step = 0;
      known_pairs = Total;
      for (int i = 0; i < Nodes * 4; i++) crossed[i] = 0;
      for (int n = 0; n < Nodes; n++) begin
        got[n] = 0;
        known[n] = '0;
        known[n][2*n+:2] = 2'b11;
      end
      // All signals change and are looked at in the middle of a clock cycle; this one is the done_o
      // of the round before.
      start = 1'b1;
      cycle = 0;
      @(negedge clk);
      start = 1'b0;
      while (busy !== '0) begin
        cycle = cycle + 1;
        if (busy !== '1 || done !== '0 || error !== '0) fail("not busy alone", 0, cycle);
        gets = '0;
        for (int i = 0; i < Nodes * 4; i++) begin
          if (gossip) gossip_link(i, cycle);
          else broadcast_link(i, cycle);
        end
        for (int i = 0; i < Nodes * 4; i++) begin
          if (gossip) gossip_delivery(i, cycle);
          else broadcast_delivery(i, cycle);
        end
        @(negedge clk);
      end
      if (done !== '1 || error !== '0) fail("not done", 0, cycle);
      if (deliver_valid !== '0) fail("something is left behind", 0, cycle);
      if (gossip) begin
        if (complete_step != cycle) fail("gossip is not complete in its last step", 0, cycle);
        steps = cycle;
      end else begin
        for (int n = 0; n < Nodes; n++) begin
          if (n != Source && got[n] != Flits) fail("the message is missing", n, cycle);
        end
        cycles = cycle;
      end
      if (trace_file != 0) $fclose(trace_file);
    end
    $display("PASS steps=%0d cycles=%0d", steps, cycles);
    $finish;
  end

endmodule
