// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Self-checking testbench of gsm_fabric, for every plan and discipline. It uses ports only, so that a
// netlist can replace the RTL. The expected values are in gsm_fabric_expected.txt, which `gossamer emit`
// writes next to this file from a run of the plan on its own engine; docs/integration.md describes it. Prints
// "PASS" with figures and ends with status 0; otherwise it prints the error and "FAIL" and ends with
// $fatal. The file also contains every constant of the package: a wrong one fails, unless +unchecked=1.
// +expected=FILE selects another file of expected values; +trace=FILE writes the first round or message as
// CSV.
//
// Rounds (gen_rounds): in each cycle exactly the planned links are in use, each with the right word. Every
// delivery comes in its cycle with the right word, and there are no others. The round has its planned
// length, and there is no error. Own words of streams (Streams) are given by their numbers, in the cycle in
// which they are taken, and numbers of deliveries (Indexed) are those of the words; +late=N withholds the own
// words of node N, and +full=N does not take its results. +rounds=N runs N rounds (default 1), each with other data (reductions: the
// same). Rows of the trace are step,hop,from,port,packet, in reductions also terms. +table=FILE loads an
// image of the tables before the first round. Vectors that are loaded word by word (LoadWords) are loaded
// before each round. Tiles that learn their ranks (LearnCycles) do so in a round before the first, without
// deliveries.
//
// Elastic plans (gen_messages): on every in-port exactly the planned flits arrive in the planned order,
// with the right slot, number, last and done, regardless of stalls of elements and links. Without stalls
// the last flit is taken in the planned cycle. No flag is raised. Without plusargs: two messages without
// stalls, the second without a reset between, and three with seeded stalls, starts and ends of reset.
// +seed=N makes one run with the stalls of `gossamer simulate --stall random:N:S,M,V:SKEW`: +s=R, +m=R and
// +v=R are the rates of open cycles of 256 for own flits, elements and links (default 256), +skew=N the
// range of starts; all nodes leave reset together. With +stop=N the element of node N is inactive from
// cycle +after=C (default 0) until the network stands still, which must happen before the end. PASS then
// lists the elements that the flags name, and after the element continues, all other flits must arrive. The
// network stands still when nothing has moved for +patience=C cycles (default 5000). Rows of the trace are
// cycle,from,port,packet,flit. PASS prints the last cycle, the sum of all flits' cycles and their number,
// with +stop those of the standstill.
module gsm_fabric_tb #(
    // Streams of own words: cycles from the number of a word to the word, and of a round before step 1.
    parameter int Ahead = 0
);

  localparam int Nodes = gsm_plan_pkg::Nodes;
  localparam int Ports = gsm_plan_pkg::Ports;
  localparam int Width = gsm_plan_pkg::Width;
  localparam int Links = Nodes * Ports;
  localparam int LinkBits = gsm_plan_pkg::LinkWords * Width + gsm_plan_pkg::LinkExtra;
  localparam int Deliveries = Nodes * gsm_plan_pkg::Delivers;
  localparam int DeliverBits = gsm_plan_pkg::DeliverWords * Width + gsm_plan_pkg::DeliverExtra;
  localparam int OwnTotal = gsm_plan_pkg::OwnTotal;
  localparam int OwnStreams = gsm_plan_pkg::OwnStreams;
  localparam int IndexBits = gsm_plan_pkg::IndexBits;
  localparam bit Streams = gsm_plan_pkg::Streams != 0;
  localparam int Flags = gsm_plan_pkg::Flags;
  localparam int TableBits = gsm_plan_pkg::TableBits;
  // Bounds of loops, not constants: Verilator would unroll every loop, and take minutes to compile the
  // passes.
  int links = Links;
  int deliveries = Deliveries;
  int own_listed = gsm_plan_pkg::LoadWords > 0 ? Nodes * gsm_plan_pkg::LoadWords : OwnTotal;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  logic [Nodes-1:0] node_rst_n = '0;
  logic start = 1'b0;
  logic table_write = 1'b0;
  logic [31:0] table_address = '0;
  logic [TableBits-1:0] table_data = '0;
  logic [(Streams ? Nodes*OwnStreams : OwnTotal)*Width-1:0] own_data;
  logic [Nodes*OwnStreams-1:0] own_valid = '0;
  logic [Nodes*OwnStreams-1:0] own_ready;
  logic [Nodes*OwnStreams-1:0] own_next;
  logic [Nodes*OwnStreams*IndexBits-1:0] own_index;
  logic [Nodes*OwnStreams-1:0] own_last = '0;
  logic [Deliveries-1:0] deliver_valid;
  logic [Deliveries-1:0] deliver_ready = '0;
  logic [Deliveries*DeliverBits-1:0] deliver_data;
  logic [Deliveries*IndexBits-1:0] deliver_index;
  logic [Links-1:0] link_valid;
  logic [Links*LinkBits-1:0] link_data;
  logic [Links-1:0] link_open = '0;
  logic busy;
  logic done;
  logic error;
  logic [Nodes*Flags-1:0] flags;

  gsm_fabric u_fabric (
      .clk_i          (clk),
      .rst_ni         (rst_n),
      .node_clk_i     ({Nodes{1'b0}}),
      .node_rst_ni    (node_rst_n),
      .clear_i        (1'b0),
      .start_i        (start),
      .table_write_i  (table_write),
      .table_address_i(table_address),
      .table_data_i   (table_data),
      .own_data_i     (own_data),
      .own_valid_i    (own_valid),
      .own_ready_o    (own_ready),
      .own_last_i     (own_last),
      .deliver_valid_o(deliver_valid),
      .deliver_ready_i(deliver_ready),
      .deliver_data_o (deliver_data),
      .link_valid_o   (link_valid),
      .link_data_o    (link_data),
      .link_open_i    (link_open),
      .busy_o         (busy),
      .done_o         (done),
      .error_o        (error),
      .flags_o        (flags)
  );

  always #5 clk = !clk;

  // The file of expected values, after its comment and the constants, and the trace; 0: none.
  string name;
  int file;
  int trace = 0;
  logic [8*128-1:0] line;
  // The package does not match the file. `own`: this testbench was compiled with the constant. An image of
  // tables replaces those of the package and the other constants that describe them.
  int unchecked = 0;
  int has_tables = 0;
  string tables;
  task constant_is_wrong(input string constant, input int own);
    begin
      if (unchecked == 0 && (own != 0 || has_tables == 0)) begin
        $display("FAIL: gsm_plan_pkg::%0s is not what %0s says", constant, name);
        $fatal;
      end
    end
  endtask
  task check_constants;
    begin
      if ($value$plusargs("unchecked=%d", unchecked)) begin end
      if ($value$plusargs("table=%s", tables)) has_tables = 1;
      // CONSTANTS
      if ($fgets(line, file) == 0) ends_early;
    end
  endtask
  task open_right;
    begin
      if (!$value$plusargs("expected=%s", name)) name = "gsm_fabric_expected.txt";
      file = $fopen(name, "r");
      if (file == 0 || $fgets(line, file) == 0) begin
        $display("FAIL: %0s cannot be read", name);
        $fatal;
      end
      check_constants;
    end
  endtask
  task ends_early;
    begin
      $display("FAIL: %0s ends too early or contradicts itself", name);
      $fatal;
    end
  endtask
  task open_trace;
    begin
      if ($value$plusargs("trace=%s", name)) begin
        trace = $fopen(name, "w");
        if (trace == 0) begin
          $display("FAIL: %0s cannot be written", name);
          $fatal;
        end
      end
    end
  endtask

  if (gsm_plan_pkg::Elastic != 0) begin : gen_messages
    localparam int SlotBits = gsm_plan_pkg::SlotBits;
    localparam int FlitBits = gsm_plan_pkg::FlitBits;
    localparam int Chunk = gsm_plan_pkg::ChunkFlits;
    localparam int Flits = gsm_plan_pkg::PacketFlits;
    // After so many cycles without a handshake no further one can happen.
    int patience = 5000;

    // By in-port: a link that shows a flit keeps showing it.
    logic [Links-1:0] shown = '0;
    logic [Nodes-1:0] stall;
    logic [Nodes-1:0] stall_here;
    // By in-port: its link, as the out-port at its start; -1: none.
    int link_into[Links];
    initial begin
      for (int i = 0; i < links; i++) begin
        link_into[i] = gsm_plan_pkg::neighbor(i / Ports, i % Ports);
        if (link_into[i] >= 0) link_into[i] = link_into[i] * Ports + (i % 2 == 0 ? i % Ports + 1 : i % Ports - 1);
      end
    end

    // Contents of the file: cycles without stalls; whether messages differ; by out-port the index of the
    // first of its own flits (after all: their number), and the in-port that feeds it; by in-port the index
    // of the first of its arrivals (after all: their number). By own flit its data, the number of flits
    // that must have arrived on both sides of its cycle before it can be offered, and whether it is added
    // to an arrival, which is then taken with it. By arrival packet*Flits + flit, slot and data.
    int planned_cycles;
    int vary;
    int first_own[Links+1];
    int fed_by[Links];
    int first[Links+1];
    logic [Width-1:0] own_word[];
    int own_behind[];
    int own_adds[];
    int arrival[];
    int arrival_slot[];
    logic [Width-1:0] arrival_word[];

    task read_right;
      int number;
      int value;
      int total;
      logic [Width-1:0] bits;
      begin
        open_right;
        number = $fscanf(file, "%d %d %d", planned_cycles, total, vary);
        if (number != 3) ends_early;
        first_own[0] = 0;
        for (int i = 0; i < Links; i++) begin
          number = $fscanf(file, "%d", value);
          first_own[i+1] = first_own[i] + value;
          number = $fscanf(file, "%d", value);
          fed_by[i] = value;
        end
        first[0] = 0;
        for (int i = 0; i < Links; i++) begin
          number = $fscanf(file, "%d", value);
          first[i+1] = first[i] + value;
        end
        own_word = new[first_own[Links]];
        own_behind = new[first_own[Links]];
        own_adds = new[first_own[Links]];
        for (int i = 0; i < first_own[Links]; i++) begin
          number = $fscanf(file, "%h %d", bits, value);
          own_word[i] = bits;
          own_behind[i] = value;
          number = $fscanf(file, "%d", value);
          own_adds[i] = value;
        end
        arrival = new[total];
        arrival_slot = new[total];
        arrival_word = new[total];
        for (int i = 0; i < total; i++) begin
          number = $fscanf(file, "%d", value);
          arrival[i] = value;
          number = $fscanf(file, "%d", value);
          arrival_slot[i] = value;
          number = $fscanf(file, "%h", bits);
          arrival_word[i] = bits;
        end
        if (number != 1 || first[Links] != total) ends_early;
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
    // Time of the standstill and number of flits taken by then, -1: there was none.
    int stood_cycle;
    int stood_flits = -1;
    real stood_sum;
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

    // The run: 0 inactive, 1 the next edge begins cycle 0, 2 active.
    int phase = 0;
    int run = 0;
    int cycle = 0;
    int quiet = 0;
    int taken_total = 0;
    int sent_total = 0;
    // Messages that have ended by done_o.
    int ends = 0;
    real sum = 0.0;
    int last_cycle = 0;
    int sent[Links];
    int taken[Links];

    task fail(input int link);
      begin
        $display("FAIL cycle=%0d node=%0d port=%0d flits=%0d", cycle, link / Ports, link % Ports,
                 taken_total);
        $fatal;
      end
    endtask

    // The value of a word in run `number`.
    function automatic logic [Width-1:0] word(input logic [Width-1:0] value, input int number);
      word = vary == 0 ? value : value ^ Width'(32'(number) * 32'h9e37_79b9);
    endfunction

    // By out-port, whether its next own flit is available: sums must be complete.
    function automatic logic there(input int i);
      int behind;
      there = first_own[i] + sent[i] < first_own[i+1];
      if (there) begin
        behind = own_behind[first_own[i]+sent[i]];
        // The outgoing direction of a cycle is the opposite of the incoming one.
        if (behind > 0) there = taken[i] >= behind && taken[fed_by[i]] >= behind;
      end
    endfunction

    // Of the ending cycle.
    logic [DeliverBits-1:0] right;
    task check_arrival(input int i);
      int at;
      begin
        at = first[i] + taken[i];
        if (at >= first[i+1]) begin
          $display("a flit too many: %h", deliver_data[i*DeliverBits+:Width]);
          fail(i);
        end
        right = {1'b0, at + 1 == first[i+1], arrival[at] % Flits == Flits - 1, SlotBits'(arrival_slot[at]),
                 FlitBits'(arrival[at] % Flits), word(arrival_word[at], run)};
        if (deliver_data[i*DeliverBits+:DeliverBits] !== right) begin
          $display("error, done, last, slot, flit and data are %b; right are %b",
                   deliver_data[i*DeliverBits+:DeliverBits], right);
          fail(i);
        end
        if (trace != 0) begin
          $fwrite(trace, "%0d,%0d,%0d,%0d,%0d\n", cycle, link_into[i] / Ports, link_into[i] % Ports,
                  arrival[at] / Flits, arrival[at] % Flits);
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
    // In-ports at which an arrival has just been added to an own flit.
    logic [Links-1:0] added;
    logic open;
    logic stopped;
    always @(posedge clk) begin
      if (done) ends = ends + 1;
      if (phase == 2) begin
        quiet = quiet + 1;
        added = '0;
        for (int i = 0; i < links; i++) begin
          if (own_valid[i] && own_ready[i] && own_adds[first_own[i]+sent[i]] != 0) added[fed_by[i]] = 1'b1;
        end
        for (int i = 0; i < links; i++) begin
          if (deliver_valid[i] && deliver_ready[i]) check_arrival(i);
          if (own_valid[i] && own_ready[i]) begin
            sent[i] = sent[i] + 1;
            sent_total = sent_total + 1;
            quiet = 0;
          end
          if (link_into[i] >= 0) begin
            shown[i] = link_valid[link_into[i]] && link_open[link_into[i]] &&
                !(deliver_valid[i] && deliver_ready[i]) && !added[i];
          end
        end
      end
      if (phase != 0) begin
        cycle = phase == 1 ? 0 : cycle + 1;
        phase = 2;
        for (int i = 0; i < links; i++) begin
          stopped = i / Ports == stop && cycle >= after;
          offered = own_valid[i] && !own_ready[i];
          open = 1'b1;
          if (rate_s < 256) open = 32'(mix(hash[i] + 32'(cycle)) >> 24) < rate_s;
          own_valid[i] <= there(i) && (offered || (cycle >= start[i/Ports] && open && !stopped));
          own_last[i] <= sent[i] % Chunk == Chunk - 1;
          if (there(i)) own_data[i*Width+:Width] <= word(own_word[first_own[i]+sent[i]], run);
          open = 1'b1;
          if (rate_m < 256) open = 32'(mix(hash[Links+i] + 32'(cycle)) >> 24) < rate_m;
          deliver_ready[i] <= open && !stopped;
          open = 1'b1;
          if (rate_v < 256) open = 32'(mix(hash[2*Links+i] + 32'(cycle)) >> 24) < rate_v;
          if (link_into[i] >= 0) link_open[link_into[i]] <= open || shown[i];
        end
      end else begin
        deliver_ready <= '0;
        own_valid <= '0;
        link_open <= '0;
        shown = '0;
      end
    end

    // All nodes leave reset together before cycle 0, or (spread > 0) one by one within it.
    task reset(input int spread);
      begin
        @(negedge clk);
        rst_n      = 1'b0;
        node_rst_n = '0;
        repeat (3) @(negedge clk);
        rst_n = 1'b1;
        if (spread == 0) node_rst_n = '1;
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
        sent_total  = 0;
        sum         = 0.0;
        last_cycle  = 0;
        quiet       = 0;
        phase       = 1;
        for (int t = 0; t < spread; t++) begin
          @(negedge clk);
          for (int n = 0; n < Nodes; n++) begin
            when_out = 32'(mix(mix(32'(seed) ^ 32'h7e5e7) + 32'(n)) % 32'(spread));
            if (when_out <= t) node_rst_n[n] = 1'b1;
          end
        end
        while (taken_total < first[Links]) begin
          @(negedge clk);
          if (sent_total > 0 && taken_total < first[Links] && busy !== 1'b1) begin
            $display("FAIL: busy_o is low within a message");
            fail(0);
          end
          if (quiet > patience && stop >= 0) begin
            for (int n = 0; n < Nodes; n++) {stall_here[n], stall[n]} = flags[n*Flags+3+:2];
            stood_sum   = sum;
            stood_flits = taken_total;
            stood_cycle = last_cycle;
            // The element continues, and no flit has been lost.
            stop        = -1;
            quiet       = 0;
          end else if (quiet > patience) begin
            for (int i = 0; i < Links; i++) begin
              if (taken[i] < first[i+1] - first[i]) begin
                $display("FAIL: nothing has moved for %0d cycles, %0d of %0d flits are taken", patience,
                         taken_total, first[Links]);
                fail(i);
              end
            end
          end
        end
        // No flit may arrive after the message.
        repeat (20) @(negedge clk);
        if (busy !== 1'b0 || ends != run + 1) begin
          $display("FAIL: busy_o is %b after message %0d, and done_o was high %0d times", busy, run, ends);
          fail(0);
        end
        if (error !== 1'b0) begin
          $display("flags: stall_here, stall, length, order, parity by node %b", flags);
          fail(0);
        end
        phase = 0;
        if (trace != 0) $fclose(trace);
        trace = 0;
        run = run + 1;
        @(negedge clk);
      end
    endtask

    initial begin
      read_right;
      open_trace;
      if (trace != 0) $fwrite(trace, "cycle,from,port,packet,flit\n");
      if ($value$plusargs("s=%d", rate_s)) begin end
      if ($value$plusargs("m=%d", rate_m)) begin end
      if ($value$plusargs("v=%d", rate_v)) begin end
      if ($value$plusargs("skew=%d", skew)) begin end
      if ($value$plusargs("stop=%d", stop)) begin end
      if ($value$plusargs("after=%d", after)) begin end
      if ($value$plusargs("patience=%d", patience)) begin end
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
      if (stood_flits >= 0) begin
        $display("PASS stopped cycles=%0d sum=%0.0f flits=%0d stall=%h stall_here=%h", stood_cycle, stood_sum,
                 stood_flits, stall, stall_here);
      end else if (stop < 0) begin
        $display("PASS cycles=%0d sum=%0.0f flits=%0d", last_cycle, sum, taken_total);
      end
      $finish;
    end
  end else begin : gen_rounds
    // Bits of a word on a link or of a delivery.
    localparam int Bits = LinkBits > DeliverBits ? LinkBits : DeliverBits;
    // The file: the figures of PASS, then numbers.
    int cycles;
    int words;
    // Bits of a word that differ between rounds, and the round of the present data.
    logic [Bits-1:0] vary;
    // Own words of the ports, or loaded words; a word by its number from 1 on: data, the bits that count,
    // and its row of the trace, where a step of 0 represents the cycle and -1 no row.
    localparam int LoadWords = gsm_plan_pkg::LoadWords;
    localparam int LoadStride = LoadWords > 0 ? LoadWords : 1;
    localparam int OwnListed = LoadWords > 0 ? Nodes * LoadWords : OwnTotal;
    logic [Width-1:0] own[OwnListed];
    logic [Bits-1:0] word_data[];
    logic [Bits-1:0] word_mask[];
    int word_step[];
    int word_hop[];
    int word_packet[];
    // Reductions: number of contributions in the word.
    int has_terms;
    int word_terms[];
    // Several collectives: the number of the word's collective.
    int has_member;
    int word_member[];
    // The link on which a word with its own step was seen: link + 1, 0 for none.
    int seen[];
    // (cycle - 1) * (Links + Deliveries) + link, then + Links + delivery: number of the word, 0: none.
    int right[];

    task read_right;
      logic [Bits-1:0] bits;
      int number;
      int step;
      int hop;
      int packet;
      begin
        open_right;
        number = $fgets(line, file);
        if (number != 0) number = $fscanf(file, "%d %d %h %d", cycles, words, vary, has_terms);
        if (number != 4) ends_early;
        has_member = has_terms / 2;
        has_terms = has_terms % 2;
        for (int i = 0; i < own_listed; i++) begin
          number = $fscanf(file, "%h", bits);
          own[i] = bits;
        end
        word_data = new[words + 1];
        word_mask = new[words + 1];
        word_step = new[words + 1];
        word_hop = new[words + 1];
        word_packet = new[words + 1];
        word_terms = new[words + 1];
        word_member = new[words + 1];
        seen = new[words + 1];
        for (int i = 1; i <= words; i++) begin
          number = $fscanf(file, "%h", bits);
          word_data[i] = bits;
          number = $fscanf(file, "%h", bits);
          word_mask[i] = bits;
          number = $fscanf(file, "%d %d %d", step, hop, packet);
          word_step[i] = step;
          word_hop[i] = hop;
          word_packet[i] = packet;
          if (has_terms != 0) begin
            number = $fscanf(file, "%d", step);
            word_terms[i] = step;
          end
          if (has_member != 0) begin
            number = $fscanf(file, "%d", step);
            word_member[i] = step;
          end
        end
        right = new[(cycles + 1) * (Links + Deliveries)];
        for (int i = 0; i < (cycles + 1) * (Links + Deliveries); i++) begin
          number = $fscanf(file, "%d", packet);
          right[i] = packet;
          if (number != 1 || right[i] > words) ends_early;
        end
        $fclose(file);
      end
    endtask

    // Busy, done and error of this cycle. Verilator copies the logic that drives them, that of all nodes,
    // to every place that reads them.
    logic [2:0] state;
    task fail(input int cycle);
      begin
        $display("FAIL cycle=%0d of %0d busy=%b done=%b error=%b", cycle, cycles, state[2], state[1], state[0]);
        $fatal;
      end
    endtask
    task check_state(input int cycle, input logic [2:0] expected);
      begin
        state = {busy, done, error};
        if (state !== expected) fail(cycle);
      end
    endtask

    // The bits that round `number` inverts: the same in every word.
    function automatic logic [Bits-1:0] varied(input int number);
      logic [Width-1:0] word;
      word   = Width'({((Width + 31) / 32) {32'(number * 32'h9e37_79b9)}});
      varied = Bits'({((Bits + Width - 1) / Width) {word}}) & vary;
    endfunction
    // Bits above the words of a link do not vary.
    localparam logic [Bits-1:0] LinkVary = Bits'({gsm_plan_pkg::LinkWords * Width{1'b1}});

    // Driven by registers, as in a design; Verilator 5.006 misses some changes that a process makes.
    // Written once per round and as a whole: Icarus passes the whole vector to all readers whenever a part
    // is assigned.
    int round = 0;
    if (Streams) begin : gen_own_streams
      // The elements know the order: each word comes in the cycle in which it is taken.
      int late = -1;
      int full = -1;
      int streams = Nodes * OwnStreams;
      // Numbers of earlier cycles; those of this one are in own_index.
      logic [Nodes*OwnStreams-1:0] next_of[Ahead+1];
      logic [Nodes*OwnStreams*IndexBits-1:0] index_of[Ahead+1];
      always @(posedge clk) begin
        next_of[0]  = own_next;
        index_of[0] = own_index;
        for (int i = Ahead; i > 0; i--) begin
          next_of[i]  = next_of[i-1];
          index_of[i] = index_of[i-1];
        end
      end
      logic [Nodes*OwnStreams*Width-1:0] own_of_cycle;
      logic [Nodes*OwnStreams-1:0] valid_of_cycle;
      logic [Nodes*OwnStreams-1:0] next_now;
      logic [Nodes*OwnStreams*IndexBits-1:0] index_now;
      initial begin
        if ($value$plusargs("late=%d", late)) begin end
        if ($value$plusargs("full=%d", full)) begin end
        for (int i = 0; i < deliveries; i++) deliver_ready[i] = i / gsm_plan_pkg::Delivers != full;
      end
      always @(clk) begin
        #2;
        next_now  = Ahead > 0 ? next_of[Ahead] : own_next;
        index_now = Ahead > 0 ? index_of[Ahead] : own_index;
        for (int i = 0; i < streams; i++) begin
          valid_of_cycle[i] = i / OwnStreams != late;
          own_of_cycle[i*Width+:Width] = 'x;
          if (next_now[i] === 1'b1) begin
            own_of_cycle[i*Width+:Width] =
                own[i/OwnStreams*gsm_plan_pkg::OwnStride+32'(index_now[i*IndexBits+:IndexBits])] ^ varied(round);
          end
        end
        own_data  = own_of_cycle;
        own_valid = valid_of_cycle;
      end
    end else begin : gen_own_words
      int own_round = -1;
      logic [OwnTotal*Width-1:0] own_of_round;
      always @(posedge clk) begin
        if (own_round != round) begin
          own_round = round;
          for (int i = 0; i < OwnTotal; i++) own_of_round[i*Width+:Width] = own[i] ^ varied(round);
          own_data <= own_of_round;
        end
      end
    end

    task check(input int cycle);
      int at;
      int word;
      logic [Bits-1:0] wrong;
      begin
        at = (cycle - 1) * (Links + Deliveries);
        for (int i = 0; i < links; i++) begin
          word = right[at+i];
          if (link_valid[i] !== (word != 0)) begin
            $display("node %0d out-port %0d: %b, valid is to be %b", i / Ports, i % Ports,
                     link_valid[i], word != 0);
            fail(cycle);
          end
          if (word != 0) begin
            wrong = (link_data[i*LinkBits+:LinkBits] ^ word_data[word] ^ (varied(round) & LinkVary)) &
                    word_mask[word];
            if (wrong[LinkBits-1:0] !== '0) begin
              $display("node %0d out-port %0d: sends %h, not %h", i / Ports, i % Ports,
                       link_data[i*LinkBits+:LinkBits], word_data[word] ^ (varied(round) & LinkVary));
              fail(cycle);
            end
            seen[word] = i + 1;
            if (trace != 0 && round == 0 && word_step[word] == 0) begin
              $fwrite(trace, "%0d,0,%0d,%0d,%0d", cycle, i / Ports, i % Ports, word_packet[word]);
              if (has_terms != 0) $fwrite(trace, ",%0d", word_terms[word]);
              if (has_member != 0) $fwrite(trace, ",%0d", word_member[word]);
              $fwrite(trace, "\n");
            end
          end
        end
        for (int i = 0; i < deliveries; i++) begin
          word = right[at+Links+i];
          if (deliver_valid[i] !== (word != 0)) begin
            $display("delivery %0d: %b, valid is to be %b", i, deliver_valid[i], word != 0);
            fail(cycle);
          end
          if (word != 0) begin
            wrong = (deliver_data[i*DeliverBits+:DeliverBits] ^ word_data[word] ^ varied(round)) &
                    word_mask[word];
            if (wrong[DeliverBits-1:0] !== '0) begin
              $display("delivery %0d: %h, not %h", i, deliver_data[i*DeliverBits+:DeliverBits],
                       word_data[word] ^ varied(round));
              fail(cycle);
            end
            if (gsm_plan_pkg::Indexed != 0 &&
                deliver_index[i*IndexBits+:IndexBits] !== IndexBits'(word_packet[word])) begin
              $display("delivery %0d: number %0d, not %0d", i, deliver_index[i*IndexBits+:IndexBits],
                       word_packet[word]);
              fail(cycle);
            end
          end
        end
      end
    endtask

    // An image of the tables: one word per out-port, then the steps, then enabled in-ports by node; if it
    // ends before those, all in-ports are enabled.
    logic [TableBits-1:0] image[Links+1+Nodes];
    task load_tables(input string name);
      begin
        for (int i = 0; i <= links + links / Ports; i++) image[i] = '1;
        $readmemh(name, image);
        for (int i = 0; i <= links + links / Ports; i++) begin
          @(negedge clk);
          table_write   = 1'b1;
          table_address = i;
          table_data    = image[i];
        end
        @(negedge clk);
        table_write = 1'b0;
      end
    endtask

    // The vectors, one word per cycle, its address in the vector above it.
    task load_vectors;
      begin
        for (int i = 0; i < own_listed; i++) begin
          @(negedge clk);
          table_write   = 1'b1;
          table_address = links + 1 + i / LoadStride;
          table_data    = TableBits'({32'(i % LoadStride), own[i]});
        end
        @(negedge clk);
        table_write = 1'b0;
      end
    endtask

    // All signals change and are checked in the middle of a clock cycle; signals that depend on start, such
    // as operands of a round of one step, have seen it fall by then.
    task start_round;
      begin
        @(negedge clk);
        start = 1'b1;
        @(negedge clk);
        start = 1'b0;
        #1;
      end
    endtask

    // A round in which only the length is checked.
    task learn;
      begin
        start_round;
        for (int cycle = 1; cycle <= gsm_plan_pkg::LearnCycles; cycle++) begin
          check_state(cycle, 3'b100);
          if (deliver_valid !== '0) fail(cycle);
          @(negedge clk);
        end
        check_state(gsm_plan_pkg::LearnCycles + 1, 3'b010);
      end
    endtask

    int rounds;
    initial begin
      read_right;
      if (!$value$plusargs("rounds=%d", rounds)) rounds = 1;
      open_trace;
      if (trace != 0) begin
        $fwrite(trace, "step,hop,from,port,packet");
        if (has_terms != 0) $fwrite(trace, ",terms");
        if (has_member != 0) $fwrite(trace, ",member");
        $fwrite(trace, "\n");
      end
      @(negedge clk);
      @(negedge clk);
      rst_n = 1'b1;
      if ($value$plusargs("table=%s", name)) load_tables(name);
      if (gsm_plan_pkg::LearnCycles > 0) learn;

      for (round = 0; round < rounds; round++) begin
        for (int i = 1; i <= words; i++) seen[i] = 0;
        if (LoadWords > 0) load_vectors;
        start_round;
        for (int cycle = 1; cycle <= Ahead; cycle++) begin
          check_state(0, 3'b100);
          if (link_valid !== '0 || deliver_valid !== '0) fail(0);
          @(negedge clk);
        end
        for (int cycle = 1; cycle <= cycles; cycle++) begin
          check_state(cycle, 3'b100);
          check(cycle);
          @(negedge clk);
        end
        check_state(cycles + 1, 3'b010);
        check(cycles + 1);
        for (int i = 1; i <= words; i++) begin
          if (trace != 0 && round == 0 && word_step[i] > 0 && seen[i] != 0) begin
            $fwrite(trace, "%0d,%0d,%0d,%0d,%0d", word_step[i], word_hop[i], (seen[i] - 1) / Ports,
                    (seen[i] - 1) % Ports, word_packet[i]);
            if (has_terms != 0) $fwrite(trace, ",%0d", word_terms[i]);
            if (has_member != 0) $fwrite(trace, ",%0d", word_member[i]);
            $fwrite(trace, "\n");
          end
        end
      end
      if (trace != 0) $fclose(trace);
      // Including its end of line.
      $write("PASS %0s", line);
      $finish;
    end
  end

endmodule

`default_nettype wire
