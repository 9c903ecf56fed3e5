// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Runs both collectives of the SoC over its buses, checks every word of every node's memory, and measures:
// PASS gather=CYCLES reduce=CYCLES, from the first node's start to the last one's done. +stagger=N starts
// node n N*n cycles late; +rounds=N runs each collective N times, by default 3.
module soc_tb;

  localparam int Words = 1024;
  localparam int Base = 512;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  logic [15:0] awvalid = '0;
  logic [15:0] awready;
  logic [16*32-1:0] awaddr = '0;
  logic [15:0] wvalid = '0;
  logic [15:0] wready;
  logic [16*32-1:0] wdata = '0;
  logic [15:0] bvalid;
  logic [31:0] bresp;
  logic [15:0] arvalid = '0;
  logic [15:0] arready;
  logic [16*32-1:0] araddr = '0;
  logic [15:0] rvalid;
  logic [16*32-1:0] rdata;
  logic [31:0] rresp;
  soc u_soc (
      .clk_i         (clk),
      .node_clk_i    (16'd0),
      .rst_ni        (rst_n),
      .s_axil_awvalid(awvalid),
      .s_axil_awready(awready),
      .s_axil_awaddr (awaddr),
      .s_axil_wvalid (wvalid),
      .s_axil_wready (wready),
      .s_axil_wdata  (wdata),
      .s_axil_wstrb  ({64{1'b1}}),
      .s_axil_bvalid (bvalid),
      .s_axil_bready ({16{1'b1}}),
      .s_axil_bresp  (bresp),
      .s_axil_arvalid(arvalid),
      .s_axil_arready(arready),
      .s_axil_araddr (araddr),
      .s_axil_rvalid (rvalid),
      .s_axil_rready ({16{1'b1}}),
      .s_axil_rdata  (rdata),
      .s_axil_rresp  (rresp)
  );
  always #5 clk = !clk;

  int cycle = 0;
  always @(posedge clk) cycle <= cycle + 1;

  task fail(input string what, input int node, input int at);
    begin
      $display("FAIL: %0s: node %0d, %0d", what, node, at);
      $fatal;
    end
  endtask
  // Writes one address at every node whose bit is set, each with its own word of `data`.
  logic [16*32-1:0] data;
  task write_all(input logic [15:0] nodes, input int address);
    logic [15:0] left;
    begin
      awvalid = nodes;
      wvalid  = nodes;
      awaddr  = {16{address}};
      wdata   = data;
      left    = nodes;
      while (left != '0) begin
        @(posedge clk);
        left = left & ~(awready & awvalid);
        @(negedge clk);
        awvalid = left;
        wvalid  = left;
        for (int n = 0; n < 16; n++) if (bvalid[n] && bresp[n*2+:2] != 2'b00) fail("a write was refused", n, address);
      end
    end
  endtask
  task read_all(input int address);
    begin
      arvalid = '1;
      araddr  = {16{address}};
      @(negedge clk);
      arvalid = '0;
      for (int n = 0; n < 16; n++) begin
        if (!rvalid[n] || rresp[n*2+:2] != 2'b00) fail("a read was refused", n, address);
      end
      data = rdata;
    end
  endtask

  logic [31:0] rank[16*2];
  int node_at[2*16];
  // The word at address w of node n in run r.
  function automatic logic [31:0] own(input int n, input int w, input int r);
    own = (32'(n * Words + w) + 32'(r) * 32'h9e37_79b9) * 32'h846c_a68b;
    own = own ^ (own >> 15);
  endfunction

  int began;
  int ended;
  int took[2];
  int stagger;
  int rounds;
  task run(input int collective, input int number);
    logic [31:0] right;
    int slot;
    int cycles_of;
    begin
      for (int w = 0; w < Words; w++) begin
        for (int n = 0; n < 16; n++) begin
          slot = w / 32 % 16;
          // All-gather: the node's own packets only; all other words are garbage.
          data[n*32+:32] = collective == 0 && slot != rank[n*2+w/512] ? 32'hdead_0000 + 32'(w) : own(n, w, number);
        end
        write_all('1, 4 * (Base + w));
      end
      data = {16{32'(4 * Base)}};
      write_all('1, 32'h2008);
      data = {16{32'(4 * Words)}};
      write_all('1, 32'h200c);
      data  = {16{32'(collective + 1)}};
      began = cycle;
      if (stagger == 0) write_all('1, 32'h2000);
      else begin
        for (int n = 0; n < 16; n++) begin
          write_all(16'd1 << n, 32'h2000);
          repeat (stagger) @(negedge clk);
        end
      end
      data = '0;
      for (int tries = 0; tries < 10000; tries++) begin
        read_all(32'h2004);
        if (tries == 9999) fail("not done", 0, 0);
        ended = cycle;
        slot = 1;
        for (int n = 0; n < 16; n++) begin
          if (data[n*32+2]) fail("error", n, 0);
          if (data[n*32+:2] != 2'b10) slot = 0;
        end
        if (slot == 1) tries = 10000;
      end
      read_all(32'h2010);
      cycles_of = 0;
      for (int n = 0; n < 16; n++) if (data[n*32+:32] > cycles_of) cycles_of = data[n*32+:32];
      took[collective] = cycles_of;
      for (int w = 0; w < Words; w++) begin
        read_all(4 * (Base + w));
        slot = w / 32 % 16;
        right = '0;
        for (int n = 0; n < 16; n++) if (collective == 1) right = right + own(n, w, number);
        if (collective == 0) right = own(node_at[w/512*16+slot], w, number);
        for (int n = 0; n < 16; n++) if (data[n*32+:32] !== right) fail("wrong word", n, w);
      end
    end
  endtask

  initial begin
    if (!$value$plusargs("stagger=%d", stagger)) stagger = 0;
    repeat (4) @(negedge clk);
    rst_n = 1'b1;
    repeat (4) @(negedge clk);
    read_all(32'h2014);
    for (int n = 0; n < 16; n++) begin
      rank[n*2] = 32'(data[n*32+:16]);
      rank[n*2+1] = 32'(data[n*32+16+:16]);
      node_at[rank[n*2]] = n;
      node_at[16+rank[n*2+1]] = n;
    end
    if (!$value$plusargs("rounds=%d", rounds)) rounds = 3;
    for (int i = 0; i < rounds; i++) begin
      run(0, 2 * i);
      run(1, 2 * i + 1);
    end
    $display("PASS gather=%0d reduce=%0d", took[0], took[1]);
    $finish;
  end

endmodule

`default_nettype wire
