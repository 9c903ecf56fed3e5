// SPDX-License-Identifier: Apache-2.0

// Self-checking testbench of gsm_line_network: every node gets every other node's packets, each
// once, the last one exactly in step Steps, and no queue is too short.
//
// Prints "PASS steps=<n> cycles=<n>" and ends with status 0, otherwise says what is wrong and ends with $fatal.
// +trace=FILE writes the packets of the first round as CSV (step,hop,from,port,packet); +rounds=N
// runs N rounds, 1 unless given.
module gsm_line_network_tb;

  localparam int Nodes = gsm_plan_pkg::Nodes;
  localparam int Packets = gsm_plan_pkg::Packets;
  localparam int Width = gsm_plan_pkg::Width;
  localparam int Steps = gsm_plan_pkg::Steps;
  localparam int Total = Nodes * Packets;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  logic start = 1'b0;
  logic [Total*Width-1:0] own_data;
  logic [Nodes*2-1:0] deliver_valid;
  logic [Nodes*2*Width-1:0] deliver_data;
  logic busy;
  logic done;
  logic error;

  gsm_line_network u_network (
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

  logic [Total-1:0] known[Nodes];
  int missing;
  int complete_step;
  int trace_file;

  task fail(input int step);
    begin
      $display("FAIL step=%0d, %0d packets are missing", step, missing);
      $fatal;
    end
  endtask

  task watch(input int step);
    logic [Width-1:0] packet;
    begin
      for (int i = 0; i < Nodes * 2; i++) begin
        if (deliver_valid[i] !== 1'b0) begin
          packet = deliver_data[i*Width+:Width];
          if (deliver_valid[i] !== 1'b1 || (^packet) === 1'bx || packet >= Total ||
              known[i/2][packet]) begin
            $display("node %0d in-port %0d: no packet that it lacks", i / 2, i % 2);
            fail(step);
          end
          known[i/2][packet] = 1'b1;
          missing = missing - 1;
          if (missing == 0) complete_step = step;
        end
      end
    end
  endtask

  // The same cycle, seen from the senders, in the order of the trace.
  task write_trace(input int step);
    int to;
    int at;
    begin
      for (int i = 0; i < Nodes * 2; i++) begin
        to = gsm_plan_pkg::neighbor(i / 2, i % 2);
        at = to * 2 + 1 - i % 2;
        if (to >= 0) begin
          if (deliver_valid[at]) begin
            $fwrite(trace_file, "%0d,0,%0d,%0d,%0d\n", step, i / 2, i % 2,
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

    for (int round = 0; round < rounds; round++) begin
      complete_step = 0;
      missing = 0;
      for (int node = 0; node < Nodes; node++) begin
        // Own packets, and numbers that no packet has.
        known[node] = '0;
        for (int i = 0; i < Total; i++) begin
          if (i / Packets == node || i % Packets >= gsm_plan_pkg::packets_of(i / Packets)) begin
            known[node][i] = 1'b1;
          end else begin
            missing = missing + 1;
          end
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
    $display("PASS steps=%0d cycles=%0d", Steps, Steps);
    $finish;
  end

endmodule
