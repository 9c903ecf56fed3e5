// SPDX-License-Identifier: Apache-2.0

// Self-checking testbench of gsm_network for a gossip plan: every node gets every packet, the last
// one exactly in step Steps, nothing is lost, and nothing but the plan's packets is delivered.
//
// Prints "PASS steps=<n>" and ends with status 0, otherwise says what is wrong and ends with
// $fatal. +trace=FILE writes the packets of the first round as CSV (step,hop,from,port,packet);
// +rounds=N runs N rounds, 1 unless given. The macro GSM_NETWORK names another top with the same
// ports; with GSM_TABLE it has tables too, and +table=FILE loads an image into them before the first
// round.
`ifndef GSM_NETWORK
`define GSM_NETWORK gsm_network
`endif
module gsm_network_tb;

  localparam int Nodes = gsm_plan_pkg::Nodes;
  localparam int Ports = gsm_plan_pkg::Ports;
  localparam int Width = gsm_plan_pkg::Width;
  localparam int Steps = gsm_plan_pkg::Steps;
  localparam int Total = gsm_plan_pkg::Nodes * gsm_plan_pkg::Packets;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  logic start = 1'b0;
  logic [Total*Width-1:0] own_data;
  logic [Nodes*Ports-1:0] deliver_valid;
  logic [Nodes*Ports*Width-1:0] deliver_data;
  logic busy;
  logic done;
  logic error;

`ifdef GSM_TABLE
  localparam int TableWidth = 2 * Ports + 48 + 16 * gsm_plan_pkg::PreloadMax;
  logic table_write = 1'b0;
  logic [$clog2(Nodes*Ports)-1:0] table_address = '0;
  logic [TableWidth-1:0] table_data = '0;
  logic [TableWidth-1:0] image[Nodes*Ports];
  string table_name;
`endif

  `GSM_NETWORK u_network (
`ifdef GSM_TABLE
      .table_write_i  (table_write),
      .table_address_i(table_address),
      .table_data_i   (table_data),
      .steps_i        (32'(Steps)),
`endif
      .clk_i          (clk),
      .rst_ni         (rst_n),
      .clear_i        (1'b0),
      .start_i        (start),
      .own_data_i     (own_data),
      .deliver_valid_o(deliver_valid),
      .deliver_data_o (deliver_data),
      .busy_o         (busy),
      .done_o         (done),
      .error_o        (error)
  );

  always #5 clk = !clk;

  // Packets that each node holds, and how many (node, packet) pairs that makes.
  logic [Total-1:0] known[Nodes];
  longint known_pairs;
  // The step at whose end the last node had its last packet; 0 while some packet is missing.
  int complete_step;
  int trace_file;

  task fail(input int step);
    begin
      $display("FAIL step=%0d known=%0d of %0d", step, known_pairs, longint'(Nodes) * Total);
      $fatal;
    end
  endtask

  // Books what is delivered in this cycle, which is the cycle of `step`.
  task watch(input int step);
    logic [Width-1:0] packet;
    begin
      for (int i = 0; i < Nodes * Ports; i++) begin
        if (deliver_valid[i] !== 1'b0) begin
          packet = deliver_data[i*Width+:Width];
          if (deliver_valid[i] !== 1'b1 || (^packet) === 1'bx || packet >= Total) begin
            $display("node %0d in-port %0d: no packet of the plan", i / Ports, i % Ports);
            fail(step);
          end
          if (!known[i/Ports][packet]) begin
            known[i/Ports][packet] = 1'b1;
            known_pairs = known_pairs + 1;
            if (known_pairs == longint'(Nodes) * Total) complete_step = step;
          end
        end
      end
    end
  endtask

  // The same cycle, seen from the senders, in the order of the trace.
  task write_trace(input int step);
    int to;
    int at;
    begin
      for (int i = 0; i < Nodes * Ports; i++) begin
        to = gsm_plan_pkg::neighbor(i / Ports, i % Ports);
        if (to >= 0) begin
          at = to * Ports + (i % 2 == 0 ? i % Ports + 1 : i % Ports - 1);
          if (deliver_valid[at]) begin
            $fwrite(trace_file, "%0d,0,%0d,%0d,%0d\n", step, i / Ports, i % Ports,
                    deliver_data[at*Width+:Width]);
          end
        end
      end
    end
  endtask

  string trace_name;
  int rounds;
  initial begin
    trace_file = 0;
    rounds = 1;
    if ($value$plusargs("trace=%s", trace_name)) begin
      trace_file = $fopen(trace_name, "w");
      if (trace_file == 0) $fatal;
      $fwrite(trace_file, "step,hop,from,port,packet\n");
    end
    if (!$value$plusargs("rounds=%d", rounds)) rounds = 1;
    for (int i = 0; i < Total; i++) own_data[i*Width+:Width] = i;
    @(negedge clk);
    @(negedge clk);
    rst_n = 1'b1;
`ifdef GSM_TABLE
    if ($value$plusargs("table=%s", table_name)) begin
      $readmemh(table_name, image);
      for (int i = 0; i < Nodes * Ports; i++) begin
        @(negedge clk);
        table_write = 1'b1;
        table_address = i;
        table_data = image[i];
      end
      @(negedge clk);
      table_write = 1'b0;
    end
`endif

    for (int round = 0; round < rounds; round++) begin
      complete_step = 0;
      known_pairs = Total;
      for (int node = 0; node < Nodes; node++) begin
        known[node] = '0;
        for (int c = 0; c < gsm_plan_pkg::Packets; c++) begin
          known[node][node*gsm_plan_pkg::Packets+c] = 1'b1;
        end
      end
      // All signals change and are looked at in the middle of a clock cycle.
      @(negedge clk);
      start = 1'b1;
      @(negedge clk);
      start = 1'b0;
      for (int step = 1; step <= Steps; step++) begin
        if (busy !== 1'b1 || done !== 1'b0 || error !== 1'b0) fail(step);
        watch(step);
        if (trace_file != 0 && round == 0) write_trace(step);
        @(negedge clk);
      end
      if (busy !== 1'b0 || done !== 1'b1 || error !== 1'b0) fail(Steps + 1);
      if (deliver_valid !== '0) fail(Steps + 1);
      if (complete_step != Steps) fail(complete_step);
    end
    if (trace_file != 0) $fclose(trace_file);
    $display("PASS steps=%0d", Steps);
    $finish;
  end

endmodule
