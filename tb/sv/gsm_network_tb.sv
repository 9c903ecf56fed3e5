// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Self-checking testbench of an elastic network: on every in-port exactly the planned flits arrive in the
// planned order, with the right slot, number, last and done, whatever elements and links do; when
// nobody stalls the last one is taken in the planned cycle; and no flag is raised.
//
// What is right stands in gsm_network_expected.txt, which `gossamer emit` writes next to this file. A run
// is one message. Without plusargs: two messages without stalls, the second without a reset
// between, and three with seeded stalls, starts and ends of reset. +seed=N makes one run with the stalls
// of `gossamer simulate --stall random:N:S,M,V:SKEW`: +s=R, +m=R and +v=R are the rates of open cycles of 256 for own flits, elements and
// links (256 unless given), +skew=N the range of starts; all nodes leave reset together. With +stop=N the
// element of node N does nothing from cycle +after=C on (0 unless given): the run has to end unfinished,
// and PASS says whose element the flags name. +trace=FILE writes the first run as CSV
// (cycle,from,port,packet,flit), +expected=FILE names another file of what is right. Prints "PASS" with
// cycles, the sum of all flits' cycles and their number, or what is wrong and "FAIL"; ends with status 0
// or with $fatal.
module gsm_network_tb;

  localparam int Nodes = gsm_pkg::Nodes;
  localparam int Ports = gsm_pkg::Ports;
  localparam int Width = gsm_pkg::Width;
  localparam int SlotBits = gsm_pkg::SlotBits;
  localparam int FlitBits = gsm_pkg::FlitBits;
  localparam int Chunk = gsm_pkg::Chunk;
  localparam int Flits = gsm_pkg::Chunk * gsm_pkg::Rounds;
  localparam int Links = Nodes * Ports;
  // Cycles without any handshake after which nothing is going to happen any more.
  localparam int Patience = 5000;

  logic clk = 1'b0;
  logic [Nodes-1:0] rst_n = '0;
  logic [Links-1:0] s_valid = '0;
  logic [Links-1:0] s_ready;
  logic [Links*Width-1:0] s_data = '0;
  logic [Links-1:0] s_last = '0;
  logic [Links-1:0] m_valid;
  logic [Links-1:0] m_ready = '0;
  logic [Links*Width-1:0] m_data;
  logic [Links-1:0] m_last;
  logic [Links*SlotBits-1:0] m_slot;
  logic [Links*FlitBits-1:0] m_flit;
  logic [Links-1:0] m_done;
  logic [Links-1:0] m_error;
  logic [Nodes-1:0] parity_error;
  logic [Nodes-1:0] order_error;
  logic [Nodes-1:0] length_error;
  logic [Nodes-1:0] stall;
  logic [Nodes-1:0] stall_here;
  logic [Links-1:0] link_valid;
  logic [Links-1:0] gate_open = '0;
  logic [Links-1:0] shown_q = '0;

  gsm_network u_network (
      .clk_i         ({Nodes{clk}}),
      .rst_ni        (rst_n),
      .s_valid_i     (s_valid),
      .s_ready_o     (s_ready),
      .s_data_i      (s_data),
      .s_last_i      (s_last),
      .m_valid_o     (m_valid),
      .m_ready_i     (m_ready),
      .m_data_o      (m_data),
      .m_last_o      (m_last),
      .m_slot_o      (m_slot),
      .m_flit_o      (m_flit),
      .m_done_o      (m_done),
      .m_error_o     (m_error),
      .parity_error_o(parity_error),
      .order_error_o (order_error),
      .length_error_o(length_error),
      .stall_o       (stall),
      .stall_here_o  (stall_here),
      .link_open_i   (gate_open | shown_q),
      .link_valid_o  (link_valid)
  );

  always #5 clk = !clk;

  // What the file says: cycles without stalls; by out-port the own packet, -1
  // for none; by in-port the first of its arrivals and, behind all, their number; by arrival packet*Flits +
  // flit, and slot.
  int file;
  logic [8*128-1:0] line;
  int planned_cycles;
  int own[Links];
  int first[Links+1];
  int arrival[];
  int arrival_slot[];

  task read_right(input string name);
    int number;
    int value;
    int total;
    begin
      file   = $fopen(name, "r");
      number = 0;
      if (file != 0) number = $fgets(line, file);
      if (number != 0) number = $fscanf(file, "%d %d", planned_cycles, total);
      if (number != 2) begin
        $display("FAIL: %0s cannot be read", name);
        $fatal;
      end
      for (int i = 0; i < Links; i++) begin
        number = $fscanf(file, "%d", value);
        own[i] = value;
      end
      first[0] = 0;
      for (int i = 0; i < Links; i++) begin
        number = $fscanf(file, "%d", value);
        first[i+1] = first[i] + value;
      end
      arrival = new[total];
      arrival_slot = new[total];
      for (int i = 0; i < total; i++) begin
        number = $fscanf(file, "%d", value);
        arrival[i] = value;
        number = $fscanf(file, "%d", value);
        arrival_slot[i] = value;
      end
      if (number != 1 || first[Links] != total) begin
        $display("FAIL: %0s ends too early or contradicts itself", name);
        $fatal;
      end
      $fclose(file);
    end
  endtask

  // Stalls.
  int seed = 0;
  int rate_s = 256;
  int rate_m = 256;
  int rate_v = 256;
  int skew = 0;
  int stop = -1;
  int after = 0;
  logic [31:0] hash[3*Links];
  int start[Nodes];

  function automatic logic [31:0] mix(input logic [31:0] value);
    mix = value;
    mix = mix ^ (mix >> 16);
    mix = mix * 32'h7feb352d;
    mix = mix ^ (mix >> 15);
    mix = mix * 32'h846ca68b;
    mix = mix ^ (mix >> 16);
  endfunction
  task make_stalls;
    begin
      for (int kind = 0; kind < 3; kind++) begin
        for (int i = 0; i < Links; i++) begin
          hash[kind*Links+i] = mix(
              mix(32'(seed) + 32'h9e3779b9 * 32'(kind + 1)) + 32'(16 * (i / Ports) + i % Ports)
          );
        end
      end
      for (int n = 0; n < Nodes; n++) begin
        start[n] = skew == 0 ? 0 : 32'(mix(mix(32'(seed) ^ 32'h5eed) + 32'(n)) % 32'(skew));
      end
    end
  endtask

  // The run: 0 nothing, 1 the next edge begins cycle 0, 2 under way.
  int phase = 0;
  int run = 0;
  int cycle = 0;
  int quiet = 0;
  int taken_total = 0;
  real sum = 0.0;
  int last_cycle = 0;
  int sent[Links];
  int taken[Links];
  int trace = 0;

  task fail(input int link);
    begin
      $display("FAIL cycle=%0d node=%0d port=%0d flits=%0d", cycle, link / Ports, link % Ports,
               taken_total);
      $fatal;
    end
  endtask

  // What run `number` makes of a word.
  function automatic logic [Width-1:0] word(input int value, input int number);
    word = Width'(32'(value) ^ (32'(number) * 32'h9e37_79b9));
  endfunction

  // Of the cycle that ends.
  task check_arrival(input int i);
    int at;
    begin
      at = first[i] + taken[i];
      if (at >= first[i+1]) begin
        $display("a flit too many: %h", m_data[i*Width+:Width]);
        fail(i);
      end
      if (m_data[i*Width+:Width] !== word(arrival[at], run) ||
          m_slot[i*SlotBits+:SlotBits] !== SlotBits'(arrival_slot[at]) ||
          m_flit[i*FlitBits+:FlitBits] !== FlitBits'(arrival[at] % Flits) ||
          m_last[i] !== (arrival[at] % Flits == Flits - 1) || m_done[i] !== (at + 1 == first[i+1]) ||
          m_error[i] !== 1'b0) begin
        $display("data %h, slot %0d, flit %0d, last %b, done %b, error %b; right are %h, %0d, %0d",
                 m_data[i*Width+:Width], m_slot[i*SlotBits+:SlotBits], m_flit[i*FlitBits+:FlitBits],
                 m_last[i], m_done[i], m_error[i], word(arrival[at], run), arrival_slot[at],
                 arrival[at] % Flits);
        fail(i);
      end
      if (trace != 0) begin
        $fwrite(trace, "%0d,%0d,%0d,%0d,%0d\n", cycle,
                gsm_pkg::neighbor(i / Ports, i % Ports),
                i % 2 == 0 ? i % Ports + 1 : i % Ports - 1, arrival[at] / Flits, arrival[at] % Flits);
      end
      taken[i]    = taken[i] + 1;
      taken_total = taken_total + 1;
      sum         = sum + cycle;
      last_cycle  = cycle;
      quiet       = 0;
    end
  endtask

  // Own flits that element i may offer: the next after `sent` in `at`.
  logic offered;
  logic open;
  logic stopped;
  always @(posedge clk) begin
    if (phase == 2) begin
      quiet = quiet + 1;
      for (int i = 0; i < Links; i++) begin
        if (m_valid[i] && m_ready[i]) check_arrival(i);
        if (s_valid[i] && s_ready[i]) begin
          sent[i] = sent[i] + 1;
          quiet = 0;
        end
        shown_q[i] <= link_valid[i] && (gate_open[i] || shown_q[i]) && !(m_valid[i] && m_ready[i]);
      end
    end
    if (phase != 0) begin
      cycle = phase == 1 ? 0 : cycle + 1;
      phase = 2;
      for (int i = 0; i < Links; i++) begin
        stopped = i / Ports == stop && cycle >= after;
        offered = s_valid[i] && !s_ready[i];
        open = 1'b1;
        if (rate_s < 256) open = 32'(mix(hash[i] + 32'(cycle)) >> 24) < rate_s;
        s_valid[i] <= own[i] >= 0 && sent[i] < Flits &&
                      (offered || (cycle >= start[i/Ports] && open && !stopped));
        s_last[i] <= sent[i] % Chunk == Chunk - 1;
        s_data[i*Width+:Width] <= word(own[i] * Flits + sent[i], run);
        open = 1'b1;
        if (rate_m < 256) open = 32'(mix(hash[Links+i] + 32'(cycle)) >> 24) < rate_m;
        m_ready[i] <= open && !stopped;
        open = 1'b1;
        if (rate_v < 256) open = 32'(mix(hash[2*Links+i] + 32'(cycle)) >> 24) < rate_v;
        gate_open[i] <= open;
      end
    end else begin
      m_ready <= '0;
      s_valid <= '0;
      gate_open <= '0;
      shown_q <= '0;
    end
  end

  // All nodes leave reset together before cycle 0, or (spread > 0) by and by within it.
  task reset(input int spread);
    begin
      @(negedge clk) rst_n = '0;
      repeat (3) @(negedge clk);
      if (spread == 0) rst_n = '1;
    end
  endtask

  task message(input int spread);
    int when_out;
    begin
      make_stalls;
      for (int i = 0; i < Links; i++) begin
        sent[i]  = 0;
        taken[i] = 0;
      end
      taken_total = 0;
      sum         = 0.0;
      last_cycle  = 0;
      quiet       = 0;
      phase       = 1;
      for (int t = 0; t < spread; t++) begin
        @(negedge clk);
        for (int n = 0; n < Nodes; n++) begin
          when_out = 32'(mix(mix(32'(seed) ^ 32'h7e5e7) + 32'(n)) % 32'(spread));
          if (when_out <= t) rst_n[n] = 1'b1;
        end
      end
      while (taken_total < first[Links]) begin
        @(negedge clk);
        if (quiet > Patience && stop >= 0) begin
          $display("PASS stopped cycles=%0d sum=%0.0f flits=%0d stall=%h stall_here=%h", last_cycle, sum,
                   taken_total, stall, stall_here);
          if (trace != 0) $fclose(trace);
          $finish;
          taken_total = first[Links];
        end else if (quiet > Patience) begin
          for (int i = 0; i < Links; i++) begin
            if (taken[i] < first[i+1] - first[i]) begin
              $display("FAIL: nothing has moved for %0d cycles, %0d of %0d flits are taken", Patience,
                       taken_total, first[Links]);
              fail(i);
            end
          end
        end
      end
      // Nothing may come behind the message.
      repeat (20) @(negedge clk);
      if ({parity_error, order_error, length_error} !== '0) begin
        $display("flags: parity %b order %b length %b", parity_error, order_error, length_error);
        fail(0);
      end
      phase = 0;
      if (trace != 0) $fclose(trace);
      trace = 0;
      run = run + 1;
      @(negedge clk);
    end
  endtask

  string name;
  initial begin
    if (!$value$plusargs("expected=%s", name)) name = "gsm_network_expected.txt";
    read_right(name);
    if ($value$plusargs("trace=%s", name)) begin
      trace = $fopen(name, "w");
      $fwrite(trace, "cycle,from,port,packet,flit\n");
    end
    if ($value$plusargs("s=%d", rate_s)) begin end
    if ($value$plusargs("m=%d", rate_m)) begin end
    if ($value$plusargs("v=%d", rate_v)) begin end
    if ($value$plusargs("skew=%d", skew)) begin end
    if ($value$plusargs("stop=%d", stop)) begin end
    if ($value$plusargs("after=%d", after)) begin end
    if ($value$plusargs("seed=%d", seed)) begin
      reset(0);
      message(0);
    end else if (stop >= 0) begin
      reset(0);
      message(0);
    end else begin
      for (int i = 0; i < 2; i++) begin
        if (i == 0) reset(0);
        message(0);
        if (last_cycle != planned_cycles) begin
          $display("the last flit is taken in cycle %0d, planned is %0d", last_cycle, planned_cycles);
          fail(0);
        end
      end
      for (int i = 1; i <= 3; i++) begin
        seed    = i;
        rate_s  = 160;
        rate_m  = 224 - 32 * i;
        rate_v  = i == 2 ? 256 : 192;
        skew    = 16 * i;
        reset(8 * i);
        message(8 * i);
      end
    end
    if (stop < 0) $display("PASS cycles=%0d sum=%0.0f flits=%0d", last_cycle, sum, taken_total);
    $finish;
  end

endmodule

`default_nettype wire
