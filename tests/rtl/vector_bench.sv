// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Reduces random vectors on an emitted network, knowing of it what docs/integration.md and
// docs/tile.md say and nothing else: no file of expected values, no step numbers.
// +scatter=1: a reduce-scatter, whose words are wanted at their owners only. Sums, links of 32 bits.
module vector_bench;
  localparam int Nodes = gsm_plan_pkg::Nodes;
  localparam int Words = gsm_plan_pkg::Words;
  localparam int Blocks = gsm_plan_pkg::Blocks;
  localparam int Width = gsm_plan_pkg::Width;
  localparam int Lanes = gsm_plan_pkg::Lanes;
  localparam int Delivers = gsm_plan_pkg::Delivers;
  localparam int AddressBits = gsm_plan_pkg::DeliverExtra;
  localparam int DeliverBits = Width + AddressBits;
  localparam int BlockBits = gsm_plan_pkg::BlockBits;
  localparam int Rounds = 3;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  logic start = 1'b0;
  logic put = 1'b0;
  logic [31:0] put_node = '0;
  logic [gsm_plan_pkg::TableBits-1:0] put_data = '0;
  logic [gsm_plan_pkg::OwnTotal*Width-1:0] own = '0;
  logic [Nodes*Delivers-1:0] deliver_valid;
  logic [Nodes*Delivers*DeliverBits-1:0] deliver_data;
  logic busy;
  logic done;
  logic error;
  always #5 clk = !clk;

  gsm_fabric dut (
      .clk_i          (clk),
      .rst_ni         (rst_n),
      .clear_i        (1'b0),
      .start_i        (start),
      .table_write_i  (put),
      .table_address_i(put_node),
      .table_data_i   (put_data),
      .own_data_i     (own),
      .deliver_valid_o(deliver_valid),
      .deliver_data_o (deliver_data),
      .link_valid_o   (),
      .link_data_o    (),
      .busy_o         (busy),
      .done_o         (done),
      .error_o        (error)
  );

  // Each node's vector: initially its own words, then the written words.
  logic [Width-1:0] vector[Nodes*Words];
  logic [Width-1:0] sum[Words];
  logic [DeliverBits-1:0] delivery;
  logic [gsm_plan_pkg::Lanes/2*BlockBits-1:0] ranks;
  int owners;
  int cycles;
  int wrong;
  int checked;
  int scatter;

  // Part q runs on cycle q mod the number of cycles; its block t belongs to the node of rank t.
  function automatic bit owns(input int node, input int address);
    int cycle;
    cycle = address / Blocks % (Lanes / 2);
    ranks = gsm_plan_pkg::ranks(gsm_plan_pkg::node_class(node));
    owns  = ranks[cycle*BlockBits+:BlockBits] == BlockBits'(address % Blocks);
  endfunction

  initial begin
    if (!$value$plusargs("scatter=%d", scatter)) scatter = 0;
    wrong   = 0;
    checked = 0;
    repeat (2) @(negedge clk);
    rst_n = 1'b1;
    for (int round = 0; round < Rounds; round++) begin
      for (int a = 0; a < Words; a++) sum[a] = '0;
      for (int n = 0; n < Nodes; n++) begin
        for (int a = 0; a < Words; a++) begin
          vector[n*Words+a] = $urandom;
          sum[a] = sum[a] + vector[n*Words+a];
          if (gsm_plan_pkg::LoadWords == 0) begin
            own[(n*gsm_plan_pkg::OwnStride+a)*Width+:Width] = vector[n*Words+a];
          end else begin
            put      = 1'b1;
            put_node = Nodes * gsm_plan_pkg::Ports + 1 + n;
            put_data = {AddressBits'(a), vector[n*Words+a]};
            @(negedge clk);
          end
        end
      end
      put   = 1'b0;
      start = 1'b1;
      @(negedge clk);
      start  = 1'b0;
      cycles = 1;
      while (!done) begin
        write_deliveries();
        @(negedge clk);
        cycles++;
        if (cycles > 100000) begin
          $display("FAIL done_o never rises");
          $fatal(1);
        end
      end
      write_deliveries();
      for (int a = 0; a < Words; a++) begin
        owners = 0;
        for (int n = 0; n < Nodes; n++) begin
          if (scatter == 0 || owns(n, a)) begin
            owners++;
            checked++;
            if (vector[n*Words+a] !== sum[a]) begin
              wrong++;
              $display("node %0d, word %0d: %h, the sum is %h", n, a, vector[n*Words+a], sum[a]);
            end
          end
        end
        if (owners != (scatter != 0 ? 1 : Nodes)) wrong++;
      end
      if (error || busy) wrong++;
    end
    if (wrong != 0) begin
      $display("FAIL %0d wrong", wrong);
      $fatal(1);
    end
    $display("PASS words=%0d steps=%0d", checked, cycles - 1);
    $finish;
  end

  task automatic write_deliveries;
    for (int n = 0; n < Nodes; n++) begin
      for (int i = 0; i < Delivers; i++) begin
        if (deliver_valid[n*Delivers+i]) begin
          delivery = deliver_data[(n*Delivers+i)*DeliverBits+:DeliverBits];
          vector[n*Words+int'(delivery[Width+:AddressBits])] = delivery[Width-1:0];
        end
      end
    end
  endtask

endmodule

`default_nettype wire
