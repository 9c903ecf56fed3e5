// SPDX-License-Identifier: Apache-2.0

// Self-checking testbench of gsm_prefix_network: in every class every node learns the sum of all
// counts and every node with packets how many are before it; counted here from the nodes' numbers.
//
// The first round has the plan's counts, further ones others. Prints "PASS steps=<n> cycles=<n>" and ends with
// status 0, otherwise says what is wrong and ends with $fatal. +trace=FILE writes the messages of the
// first round as CSV (step,hop,from,port,packet); +rounds=N runs N rounds, 1 unless given.
module gsm_prefix_network_tb;

  localparam int Nodes = gsm_plan_pkg::Nodes;
  localparam int Ports = gsm_plan_pkg::Ports;
  localparam int Classes = gsm_plan_pkg::Classes;
  localparam int Phases = gsm_plan_pkg::Phases;
  localparam int CountBits = gsm_plan_pkg::CountBits;
  localparam int Steps = gsm_plan_pkg::Steps;
  localparam int Levels = Ports / 2;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  logic start = 1'b0;
  logic [Nodes*CountBits-1:0] own;
  logic [Nodes*Classes*CountBits-1:0] before_now;
  logic [Nodes*Classes*CountBits-1:0] total_now;
  logic busy;
  logic done;

  gsm_prefix_network u_network (
      .clk_i   (clk),
      .rst_ni  (rst_n),
      .clear_i (1'b0),
      .start_i (start),
      .own_i   (own),
      .before_o(before_now),
      .total_o (total_now),
      .busy_o  (busy),
      .done_o  (done)
  );

  always #5 clk = !clk;

  task fail(input int step);
    begin
      $display("FAIL step=%0d", step);
      $fatal;
    end
  endtask

  // The node's number in the order of a class, dimension `index` least significant.
  function automatic int rotated(input int node, input int index);
    rotated = 0;
    for (int j = Levels - 1; j >= 0; j--) begin
      rotated = rotated * gsm_plan_pkg::Side + gsm_plan_pkg::coordinate(node, (j + index) % Levels);
    end
  endfunction

  task check;
    int sum;
    int ahead;
    begin
      sum = 0;
      for (int node = 0; node < Nodes; node++) sum = sum + own[node*CountBits+:CountBits];
      for (int node = 0; node < Nodes; node++) begin
        for (int c = 0; c < Classes; c++) begin
          ahead = 0;
          for (int other = 0; other < Nodes; other++) begin
            if (rotated(other, c) < rotated(node, c)) begin
              ahead = ahead + own[other*CountBits+:CountBits];
            end
          end
          if (total_now[(node*Classes+c)*CountBits+:CountBits] !== CountBits'(sum) ||
              (own[node*CountBits+:CountBits] != 0 &&
               before_now[(node*Classes+c)*CountBits+:CountBits] !== CountBits'(ahead))) begin
            $display("node %0d class %0d: %0d of %0d, not %0d of %0d", node, c,
                     before_now[(node*Classes+c)*CountBits+:CountBits],
                     total_now[(node*Classes+c)*CountBits+:CountBits], ahead, sum);
            fail(Steps + 1);
          end
        end
      end
    end
  endtask

  // The class whose phase of this step runs along the dimension.
  function automatic int class_along(input int step, input int dimension);
    class_along = -1;
    for (int c = 0; c < Classes; c++) begin
      for (int i = 0; i < Phases; i++) begin
        if (gsm_plan_pkg::phase_start(c * Phases + i) <= step &&
            step < gsm_plan_pkg::phase_start(c * Phases + i) +
                   gsm_plan_pkg::phase_length(c * Phases + i) &&
            gsm_plan_pkg::phase_dimension(c * Phases + i) == dimension) class_along = c;
      end
    end
  endfunction

  string trace_name;
  int trace_file;
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
    @(negedge clk);
    @(negedge clk);
    rst_n = 1'b1;

    for (int round = 0; round < rounds; round++) begin
      for (int node = 0; node < Nodes; node++) begin
        own[node*CountBits+:CountBits] = (gsm_plan_pkg::packets_of(node) + round * node) % 2;
        if (round == 0) own[node*CountBits+:CountBits] = gsm_plan_pkg::packets_of(node);
      end
      // All signals change and are looked at in the middle of a clock cycle.
      @(negedge clk);
      start = 1'b1;
      @(negedge clk);
      start = 1'b0;
      for (int step = 1; step <= Steps; step++) begin
        if (busy !== 1'b1 || done !== 1'b0) fail(step);
        for (int link = 0; link < Nodes * Ports; link++) begin
          if (u_network.link_valid[link] === 1'bx) fail(step);
          if (u_network.link_valid[link]) begin
            if (class_along(step, link % Ports / 2) < 0) fail(step);
            if (trace_file != 0 && round == 0) begin
              $fwrite(trace_file, "%0d,0,%0d,%0d,%0d\n", step, link / Ports, link % Ports,
                      link / Ports * Classes + class_along(step, link % Ports / 2));
            end
          end
        end
        @(negedge clk);
      end
      if (busy !== 1'b0 || done !== 1'b1) fail(Steps + 1);
      check;
    end
    if (trace_file != 0) $fclose(trace_file);
    $display("PASS steps=%0d cycles=%0d", Steps, Steps);
    $finish;
  end

endmodule
