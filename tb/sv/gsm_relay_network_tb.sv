// SPDX-License-Identifier: Apache-2.0

// Self-checking testbench of gsm_relay_network for a broadcast plan: every node but the source gets
// the whole message exactly once, the last flit exactly in cycle Cycles, no two messages meet, and
// nothing crosses a link after it.
//
// Prints "PASS steps=<n> cycles=<n>" and ends with status 0, otherwise says what is wrong and ends
// with $fatal. +trace=FILE writes every link that the first message takes, as CSV
// (step,hop,from,port,packet); +rounds=N sends N messages, 1 unless given.
module gsm_relay_network_tb;

  localparam int Nodes = gsm_plan_pkg::Nodes;
  localparam int Ports = gsm_plan_pkg::Ports;
  localparam int Width = gsm_plan_pkg::Width;
  localparam int Flits = gsm_plan_pkg::Flits;
  localparam int Steps = gsm_plan_pkg::Steps;
  localparam int Cycles = gsm_plan_pkg::Cycles;
  localparam int MaxHops = gsm_plan_pkg::MaxHops;
  localparam int HopBits = gsm_plan_pkg::HopBits;
  localparam int StepBits = gsm_plan_pkg::StepBits;
  localparam int PortBits = $clog2(Ports);
  localparam int MoreBits = (gsm_plan_pkg::Segments - 1) * (PortBits + HopBits);
  // Bits of a head flit that the network writes.
  localparam int HeaderBits = gsm_plan_pkg::HeaderBits;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  logic start = 1'b0;
  logic [Flits*Width-1:0] message;
  logic [Nodes-1:0] deliver_valid;
  logic [Nodes-1:0] deliver_head;
  logic [Nodes*Width-1:0] deliver_data;
  logic busy;
  logic done;
  logic error;

  gsm_relay_network u_network (
      .clk_i          (clk),
      .rst_ni         (rst_n),
      .clear_i        (1'b0),
      .start_i        (start),
      .message_i      (message),
      .deliver_valid_o(deliver_valid),
      .deliver_head_o (deliver_head),
      .deliver_data_o (deliver_data),
      .busy_o         (busy),
      .done_o         (done),
      .error_o        (error)
  );

  always #5 clk = !clk;

  // Flits that each node has, and the cycle of the last one of all.
  int received[Nodes];
  int nodes_done;
  int complete_cycle;

  task fail(input int cycle);
    begin
      $display("FAIL cycle=%0d nodes with the message=%0d of %0d", cycle, nodes_done, Nodes);
      $fatal;
    end
  endtask

  // Books what is delivered in this cycle.
  task watch(input int cycle);
    logic [Width-1:0] wrong;
    begin
      for (int node = 0; node < Nodes; node++) begin
        if (deliver_valid[node] !== 1'b0) begin
          wrong = deliver_data[node*Width+:Width] ^ message[received[node]*Width+:Width];
          if (received[node] == 0) wrong = wrong >> HeaderBits;
          if (deliver_valid[node] !== 1'b1 || node == gsm_plan_pkg::Source ||
              received[node] == Flits || wrong !== '0 ||
              deliver_head[node] !== (received[node] == 0)) begin
            $display("node %0d: no flit of the message that it lacks", node);
            fail(cycle);
          end
          received[node] = received[node] + 1;
          if (received[node] == Flits) begin
            nodes_done = nodes_done + 1;
            complete_cycle = cycle;
          end
        end else if (received[node] > 0 && received[node] < Flits) begin
          $display("node %0d: a gap in the message", node);
          fail(cycle);
        end
      end
    end
  endtask

  // The heads on the links in this cycle and the HopCycles before, at (cycle % Ages)*Nodes*Ports +
  // link: the step of the send, 0: no head; links behind it; the port by which it goes on at the end
  // of the link, -1: it is delivered.
  localparam int Links = Nodes * Ports;
  localparam int Ages = gsm_plan_pkg::HopCycles + 1;
  int head_step[Ages*Links];
  int head_hop[Ages*Links];
  int head_next[Ages*Links];
  // What the trace has to say, in its order: by (step - 1)*MaxHops + hop a bit a link.
  logic [Links-1:0] crossed[Steps*MaxHops];

  task follow(input int cycle);
    logic [Width-1:0] head;
    int from;
    int at;
    int came;
    begin
      for (int link = 0; link < Links; link++) begin
        at = (cycle % Ages) * Links + link;
        head_step[at] = 0;
        if (u_network.link_valid[link] && u_network.link_head[link]) begin
          head = u_network.link_data[link];
          head_hop[at] = 0;
          head_step[at] = 1;
          if (gsm_plan_pkg::Router != 2) head_step[at] = 1 + head[HopBits+:StepBits];
          // What came into the node now and had to go on by this port.
          for (int q = 0; q < Ports; q++) begin
            from = gsm_plan_pkg::neighbor(link / Ports, q);
            if (from >= 0) begin
              came = ((cycle + 1) % Ages) * Links + from * Ports + (q % 2 == 0 ? q + 1 : q - 1);
              if (head_step[came] != 0) begin
                if (gsm_plan_pkg::Router == 2) head_step[at] = head_step[came] + 1;
                else if (head_next[came] == link % Ports) head_hop[at] = head_hop[came] + 1;
              end
            end
          end
          head_next[at] = -1;
          if (gsm_plan_pkg::Router != 2) begin
            if (head[HopBits-1:0] != 0) begin
              head_next[at] = link % Ports;
            end else if (MoreBits != 0) begin
              head = head >> (HeaderBits - MoreBits);
              if (((head >> PortBits) & ((1 << HopBits) - 1)) != 0) begin
                head_next[at] = head & ((1 << PortBits) - 1);
              end
            end
          end
          if (head_step[at] > Steps || head_hop[at] >= MaxHops) begin
            $display("node %0d out-port %0d: a send of step %0d over %0d links and more",
                     link / Ports, link % Ports, head_step[at], head_hop[at]);
            fail(cycle);
          end
          crossed[(head_step[at]-1)*MaxHops+head_hop[at]][link] = 1'b1;
        end
      end
    end
  endtask

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
      complete_cycle = 0;
      nodes_done = 1;
      for (int i = 0; i < Flits * Width; i++) message[i] = $random;
      for (int node = 0; node < Nodes; node++) received[node] = 0;
      for (int i = 0; i < Ages * Links; i++) head_step[i] = 0;
      for (int i = 0; i < Steps * MaxHops; i++) crossed[i] = '0;
      // All signals change and are looked at in the middle of a clock cycle.
      @(negedge clk);
      start = 1'b1;
      @(negedge clk);
      start = 1'b0;
      for (int cycle = 1; cycle <= Cycles; cycle++) begin
        if (busy !== 1'b1 || done !== 1'b0 || error !== 1'b0) fail(cycle);
        watch(cycle);
        follow(cycle);
        @(negedge clk);
      end
      if (busy !== 1'b0 || done !== 1'b1 || error !== 1'b0) fail(Cycles + 1);
      if (deliver_valid !== '0) fail(Cycles + 1);
      if (complete_cycle != Cycles || nodes_done != Nodes) fail(complete_cycle);
      for (int i = 0; i < Steps * MaxHops; i++) begin
        for (int link = 0; link < Links; link++) begin
          if (trace_file != 0 && round == 0 && crossed[i][link]) begin
            $fwrite(trace_file, "%0d,%0d,%0d,%0d,0\n", i / MaxHops + 1, i % MaxHops, link / Ports,
                    link % Ports);
          end
        end
      end
    end
    if (trace_file != 0) $fclose(trace_file);
    $display("PASS steps=%0d cycles=%0d", Steps, Cycles);
    $finish;
  end

endmodule
