// SPDX-License-Identifier: Apache-2.0

// One example_element on every node of the network that was emitted: several rounds back to back
// with new values, a reset in the middle of a round, and one more. Prints PASS.
module example_elements_tb;

  localparam int Nodes = gsm_plan_pkg::Nodes;
  localparam int Ports = gsm_plan_pkg::Ports;
  localparam int Packets = gsm_plan_pkg::Packets;
  localparam int Total = Nodes * Packets;
  localparam int Rounds = 4;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  logic start = 1'b0;
  logic again = 1'b0;
  logic [31:0] base = 0;
  logic ready;
  logic busy;
  logic done;
  logic overflow;
  logic parity_error;
  logic network_error;
  logic [Nodes-1:0] tx_valid;
  logic [Nodes-1:0] tx_ready;
  logic [Nodes*32-1:0] tx_data;
  logic [Nodes*Ports-1:0] rx_valid;
  logic [Nodes*Ports-1:0] rx_ready;
  logic [Nodes*Ports*32-1:0] rx_data;
  logic [Nodes*Ports-1:0] rx_flit;
  logic [Nodes-1:0] complete;
  logic [Nodes*32-1:0] sum;

  gsm_collective #(
      .Width    (32),
      .Flits    (2),
      .Parity   (1),
      .FlitWidth(1)
  ) u_collective (
      .clk_i          (clk),
      .rst_ni         (rst_n),
      .clear_i        (1'b0),
      .start_i        (start),
      .ready_o        (ready),
      .busy_o         (busy),
      .done_o         (done),
      .overflow_o     (overflow),
      .parity_error_o (parity_error),
      .network_error_o(network_error),
      .tx_valid_i     (tx_valid),
      .tx_ready_o     (tx_ready),
      .tx_data_i      (tx_data),
      .rx_valid_o     (rx_valid),
      .rx_ready_i     (rx_ready),
      .rx_data_o      (rx_data),
      .rx_step_o      (),
      .rx_flit_o      (rx_flit)
  );

  for (genvar n = 0; n < Nodes; n++) begin : gen_element
    logic [31:0] element_sum;
    example_element #(
        .Node   (n),
        .Packets(Packets),
        .Total  (Total),
        .Ports  (Ports)
    ) u_element (
        .clk_i     (clk),
        .rst_ni    (rst_n),
        .base_i    (base),
        .again_i   (again),
        .tx_valid_o(tx_valid[n]),
        .tx_ready_i(tx_ready[n]),
        .tx_data_o (tx_data[n*32+:32]),
        .rx_valid_i(rx_valid[n*Ports+:Ports]),
        .rx_ready_o(rx_ready[n*Ports+:Ports]),
        .rx_data_i (rx_data[n*Ports*32+:Ports*32]),
        .rx_flit_i (rx_flit[n*Ports+:Ports]),
        .complete_o(complete[n]),
        .sum_o     (element_sum)
    );
    // What the element has not from the network it has itself.
    assign sum[n*32+:32] = element_sum;
  end

  always #5 clk = !clk;

  int waited;
  task fail(input int round);
    begin
      $display("FAIL round=%0d ready=%b done=%b errors=%b complete=%b", round, ready, done,
               {overflow, parity_error, network_error}, complete);
      $fatal;
    end
  endtask

  // One round from loading to everybody's sum.
  task run_round(input int round);
    logic [31:0] expected;
    begin
      waited = 0;
      while (!ready) begin
        @(negedge clk);
        waited = waited + 1;
        if (waited > 100 + 4 * Total) fail(round);
      end
      start = 1'b1;
      @(negedge clk);
      start  = 1'b0;
      waited = 1;
      while (!done) begin
        @(negedge clk);
        waited = waited + 1;
        if (waited > 10 + 2 * (gsm_plan_pkg::Steps + 1)) fail(round);
      end
      // One cycle to take the packets, Steps + 1 for each of the two flits.
      if (waited != 1 + 2 * (gsm_plan_pkg::Steps + 1)) fail(round);
      waited = 0;
      while (rx_valid != '0) begin
        @(negedge clk);
        waited = waited + 1;
        if (waited > 10 * Ports * Total) fail(round);
      end
      @(negedge clk);
      if (complete != '1 || overflow || parity_error || network_error) fail(round);
    end
  endtask

  // Values add up to Total * base + 0 + 1 + ...; an element's sum lacks its own packets.
  task check_sums(input int round);
    logic [31:0] all;
    logic [31:0] own;
    begin
      all = Total * base + Total * (Total - 1) / 2;
      for (int n = 0; n < Nodes; n++) begin
        own = 0;
        for (int c = 0; c < Packets; c++) own = own + base + n * Packets + c;
        if (sum[n*32+:32] != all - own) fail(round);
      end
    end
  endtask

  initial begin
    @(negedge clk);
    @(negedge clk);
    base  = 1000;
    rst_n = 1'b1;
    for (int round = 1; round <= Rounds; round++) begin
      run_round(round);
      check_sums(round);
      base  = base + 77;
      again = 1'b1;
      @(negedge clk);
      again = 1'b0;
    end
    // A round that a reset ends leaves nothing behind.
    while (!ready) @(negedge clk);
    start = 1'b1;
    @(negedge clk);
    start = 1'b0;
    @(negedge clk);
    @(negedge clk);
    rst_n = 1'b0;
    @(negedge clk);
    if (busy || rx_valid != '0) fail(Rounds + 1);
    base  = 5;
    rst_n = 1'b1;
    run_round(Rounds + 2);
    check_sums(Rounds + 2);
    $display("PASS %0d elements, %0d rounds", Nodes, Rounds + 1);
    $finish;
  end

endmodule
