// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A chip whose links die, controlled by `run`: gsm_fabric with loadable tables, an element at every node
// that stores its deliveries, and wires that can break. It executes commands from standard input, one per
// line:
//
//   load FILE              writes an image of the tables, a word a cycle
//   break NODE PORT MODE CYCLE  from CYCLE of the next round on (0: from now on) in-port PORT of NODE is broken;
//                          MODE 0: it brings nothing, 1: a wrong word in every cycle
//   round WANTED STEPS     runs a round of STEPS cycles; an element that has WANTED packets is done
//   received FILE          writes node,packet: what every element has
//   end
//
// and answers each with a line. A word is a packet's number; elements ignore all other words.
module loop_tb;

  localparam int Nodes = gsm_plan_pkg::Nodes;
  localparam int Ports = gsm_plan_pkg::Ports;
  localparam int Width = gsm_plan_pkg::Width;
  localparam int Packets = gsm_plan_pkg::Packets;
  localparam int TableBits = gsm_plan_pkg::TableBits;
  localparam int Words = Nodes * Ports + 1 + Nodes;
  localparam int Total = Nodes * Packets;
  localparam int Stdin = 32'h8000_0000;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  logic start = 1'b0;
  logic table_write = 1'b0;
  logic [31:0] table_address = '0;
  logic [TableBits-1:0] table_data = '0;
  logic [Total*Width-1:0] own_data;
  logic [Nodes*Ports-1:0] deliver_valid;
  logic [Nodes*Ports*Width-1:0] deliver_data;
  logic busy;
  logic done;
  logic error;

  // In-port q of node n at n*Ports + q; breakable_tile reads it.
  logic [Nodes*Ports-1:0] broken = '0;
  logic [Nodes*Ports-1:0] noisy = '0;

  for (genvar i = 0; i < Total; i++) begin : gen_own
    assign own_data[i*Width+:Width] = Width'(i);
  end

  gsm_fabric u_fabric (
      .clk_i          (clk),
      .rst_ni         (rst_n),
      .clear_i        (1'b0),
      .start_i        (start),
      .table_write_i  (table_write),
      .table_address_i(table_address),
      .table_data_i   (table_data),
      .own_data_i     (own_data),
      .own_valid_i    ('0),
      .own_ready_o    (),
      .own_last_i     ('0),
      .deliver_valid_o(deliver_valid),
      .deliver_ready_i('0),
      .deliver_data_o (deliver_data),
      .link_valid_o   (),
      .link_data_o    (),
      .link_open_i    ('0),
      .node_clk_i     ('0),
      .node_rst_ni    ('0),
      .flags_o        (),
      .busy_o         (busy),
      .done_o         (done),
      .error_o        (error)
  );

  always #5 clk = !clk;

  // Packets of element n, at n*Total + packet.
  logic [Nodes*Total-1:0] has;
  always @(posedge clk) begin
    for (int i = 0; i < Nodes * Ports; i++) begin
      if (deliver_valid[i] && deliver_data[i*Width+:Width] < Total) begin
        has[i/Ports*Total+deliver_data[i*Width+:Width]] <= 1'b1;
      end
    end
  end

  logic [TableBits-1:0] image[Words];
  task load_tables(input string name);
    begin
      $readmemh(name, image, 0, Words - 1);
      for (int i = 0; i < Words; i++) begin
        @(negedge clk);
        table_write   = 1'b1;
        table_address = i;
        table_data    = image[i];
      end
      @(negedge clk);
      table_write = 1'b0;
      $display("loaded");
    end
  endtask

  // A break that waits for its cycle.
  int break_at[64];
  int break_port[64];
  int break_mode[64];
  int breaks = 0;
  task break_now(input int cycle);
    begin
      for (int i = 0; i < breaks; i++) begin
        if (break_at[i] == cycle) begin
          broken[break_port[i]] = 1'b1;
          noisy[break_port[i]]  = break_mode[i] != 0;
        end
      end
    end
  endtask

  task run_round(input int wanted, input int steps);
    int cycle;
    int complete;
    int count;
    begin
      // Every element has its own packets; those of a dead element do not count.
      has = '0;
      for (int n = 0; n < Nodes; n++) begin
        for (int c = 0; c < Packets; c++) has[n*Total+n*Packets+c] = 1'b1;
      end
      @(negedge clk);
      start = 1'b1;
      @(negedge clk);
      start = 1'b0;
      cycle = 1;
      while (!done) begin
        break_now(cycle);
        @(negedge clk);
        cycle = cycle + 1;
      end
      breaks = 0;
      complete = 0;
      for (int n = 0; n < Nodes; n++) begin
        count = 0;
        for (int i = 0; i < Total; i++) if (has[n*Total+i]) count = count + 1;
        if (count >= wanted) complete = complete + 1;
      end
      $display("round of %0d cycles: %0d elements are done, error_o is %0b", cycle - 1, complete, error);
      if (cycle - 1 != steps || busy) $display("FAIL: not %0d cycles", steps);
    end
  endtask

  task write_received(input string name);
    int file;
    begin
      file = $fopen(name, "w");
      $fwrite(file, "node,packet\n");
      for (int n = 0; n < Nodes; n++) begin
        for (int i = 0; i < Total; i++) begin
          if (has[n*Total+i]) $fwrite(file, "%0d,%0d\n", n, i);
        end
      end
      $fclose(file);
      $display("received");
    end
  endtask

  logic [8*16-1:0] word;
  logic [8*256-1:0] path;
  int number;
  int a;
  int b;
  int c;
  int d;
  initial begin
    @(negedge clk);
    @(negedge clk);
    rst_n = 1'b1;
    number = 1;
    while (number == 1) begin
      number = $fscanf(Stdin, "%s", word);
      if (word == "load" || word == "received") begin
        number = $fscanf(Stdin, "%s", path);
        if (word == "load") load_tables($sformatf("%0s", path));
        else write_received($sformatf("%0s", path));
      end else if (word == "round") begin
        number = $fscanf(Stdin, "%d", a);
        number = $fscanf(Stdin, "%d", b);
        run_round(a, b);
      end else if (word == "break") begin
        number = $fscanf(Stdin, "%d", a);
        number = $fscanf(Stdin, "%d", b);
        number = $fscanf(Stdin, "%d", c);
        number = $fscanf(Stdin, "%d", d);
        if (d == 0) begin
          broken[a*Ports+b] = 1'b1;
          noisy[a*Ports+b]  = c != 0;
        end else begin
          break_at[breaks] = d;
          break_port[breaks] = a * Ports + b;
          break_mode[breaks] = c;
          breaks = breaks + 1;
        end
        $display("noted");
      end else begin
        number = 0;
      end
      $fflush;
    end
    $finish;
  end

endmodule

`default_nettype wire
